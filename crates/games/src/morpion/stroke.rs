//! Moves: a new point and the line through it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Cells of the sheet each way: the sheet is the middle of a square of 64, and
/// the rest of that square stays empty, so that nothing ever looks outside it.
pub const SHEET: usize = 64 - 2 * MARGIN;
/// Empty cells around the sheet: a line's length less one.
pub(super) const MARGIN: usize = 4;

/// One of the four directions that lines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the right.
    East,
    /// Upwards.
    North,
    /// To the right and upwards.
    NorthEast,
    /// To the right and downwards.
    SouthEast,
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 4] =
        [Direction::East, Direction::North, Direction::NorthEast, Direction::SouthEast];

    /// The step from a point of a line to the next, upwards being positive.
    #[must_use]
    pub const fn step(self) -> (i32, i32) {
        match self {
            Direction::East => (1, 0),
            Direction::North => (0, 1),
            Direction::NorthEast => (1, 1),
            Direction::SouthEast => (1, -1),
        }
    }

    /// The word in the name of a move.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Direction::East => "e",
            Direction::North => "n",
            Direction::NorthEast => "ne",
            Direction::SouthEast => "se",
        }
    }

    /// The lane of this direction that a cell lies in, and its place there.
    /// Diagonals are joined in pairs that fill a lane without meeting.
    #[inline(always)]
    pub(super) const fn place(self, x: u32, y: u32) -> (u32, u32) {
        match self {
            Direction::East => (y, x),
            Direction::North => (x, y),
            Direction::NorthEast => (x.wrapping_sub(y) & 63, x),
            Direction::SouthEast => ((x + y) & 63, x),
        }
    }

    /// The cell at a place of a lane.
    #[inline(always)]
    pub(super) const fn cell(self, lane: u32, place: u32) -> (u32, u32) {
        match self {
            Direction::East => (place, lane),
            Direction::North => (lane, place),
            Direction::NorthEast => (place, place.wrapping_sub(lane) & 63),
            Direction::SouthEast => (place, lane.wrapping_sub(place) & 63),
        }
    }
}

/// A move: the line, by direction, lane and first place, and the cell of the
/// new point, all in one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stroke(pub(super) u32);

impl Stroke {
    #[inline(always)]
    pub(super) const fn new(direction: Direction, lane: u32, first: u32, point: u32) -> Stroke {
        let cell = direction.cell(lane, point);
        let line = (direction as u32) << 12 | lane << 6 | first;
        Stroke(line << 12 | cell.1 << 6 | cell.0)
    }

    /// The stroke whose new point is at a place of the sheet, after `before`
    /// other points of its line; none if the line's first point is off the
    /// sheet.
    pub(super) fn at(x: usize, y: usize, direction: Direction, before: usize) -> Option<Stroke> {
        if x >= SHEET || y >= SHEET {
            return None;
        }
        let (lane, place) = direction.place((x + MARGIN) as u32, (y + MARGIN) as u32);
        let first = place.checked_sub(before as u32).filter(|&first| first >= MARGIN as u32)?;
        Some(Stroke::new(direction, lane, first, place))
    }

    /// A number for the line: lines of one lane that are near each other have
    /// numbers that are, and no other lines have.
    #[inline(always)]
    pub(super) const fn line(self) -> u32 {
        self.0 >> 12
    }

    /// The new point as one number.
    #[inline(always)]
    pub(super) const fn point(self) -> u32 {
        self.0 & 0xFFF
    }

    #[inline(always)]
    pub(super) const fn cell(self) -> (u32, u32) {
        (self.0 & 63, self.0 >> 6 & 63)
    }

    #[inline(always)]
    pub(super) const fn lane(self) -> (Direction, u32, u32) {
        (Direction::ALL[(self.0 >> 24 & 3) as usize], self.0 >> 18 & 63, self.0 >> 12 & 63)
    }

    /// Where the new point is on the sheet.
    #[must_use]
    pub const fn place(self) -> (usize, usize) {
        let (x, y) = self.cell();
        (x as usize - MARGIN, y as usize - MARGIN)
    }

    /// The direction of the line.
    #[must_use]
    pub const fn direction(self) -> Direction {
        self.lane().0
    }

    /// How many points of the line come before the new one.
    #[must_use]
    pub const fn before(self) -> usize {
        let (direction, _, first) = self.lane();
        let (x, y) = self.cell();
        (direction.place(x, y).1 - first) as usize
    }
}

/// `x,y` of the new point from the lower left corner of the sheet, the line's
/// direction, and how many of its points come before the new one: `23,22n0`.
impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.place();
        write!(f, "{x},{y}{}{}", self.direction().name(), self.before())
    }
}

impl fmt::Debug for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no move of any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a move such as 23,22n0: x,y of the new point, e, n, ne or se, points before it")]
pub struct NotAStroke;

impl std::str::FromStr for Stroke {
    type Err = NotAStroke;

    fn from_str(text: &str) -> Result<Self, NotAStroke> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| text.parse().ok().filter(|_| digits(text)).ok_or(NotAStroke);
        let (x, rest) = text.split_once(',').ok_or(NotAStroke)?;
        let letters = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or(NotAStroke)?;
        let (y, rest) = rest.split_at(letters);
        let (direction, before) = rest.split_at(rest.len().saturating_sub(1));
        let named = |candidate: &Direction| candidate.name() == direction;
        let direction = Direction::ALL.into_iter().find(named).ok_or(NotAStroke)?;
        let before = number(before)?;
        let before = if before < 5 { before } else { return Err(NotAStroke) };
        Stroke::at(number(x)?, number(y)?, direction, before).ok_or(NotAStroke)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_places_are_inverse() {
        for direction in Direction::ALL {
            for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
                let (lane, place) = direction.place(x, y);
                assert_eq!(direction.cell(lane, place), (x, y));
            }
        }
    }

    #[test]
    fn names_read_back() {
        for text in ["23,22n0", "0,5e0", "33,27e4", "30,30ne3", "26,31se1"] {
            assert_eq!(text.parse::<Stroke>().unwrap().to_string(), text);
        }
        for text in [
            "", "x", "1,2", "1,2n", "1,2w0", "1,2n5", "1,2n00", "+1,2n0", "56,0n0", "0,0e1",
            "é,1n0", "1,2é",
        ] {
            assert_eq!(text.parse::<Stroke>(), Err(NotAStroke), "{text}");
        }
    }
}
