//! Morpion Solitaire as the rules say it: slow, and obviously right.

use std::collections::BTreeSet;

use solitree_core::Score;

use super::stroke::{Direction, SHEET, Stroke};
use super::variant::Variant;

/// A point of the sheet.
pub type Point = (i32, i32);

/// A line, by its points in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnLine {
    /// Its direction.
    pub direction: Direction,
    /// Its points.
    pub points: Vec<Point>,
}

/// A game under way.
#[derive(Clone, Debug)]
pub struct PlainGame {
    variant: Variant,
    cross: BTreeSet<Point>,
    /// The points added, in order.
    added: Vec<Point>,
    lines: Vec<DrawnLine>,
}

impl PlainGame {
    /// The start, the cross in the middle of the sheet.
    #[must_use]
    pub fn new(variant: Variant) -> PlainGame {
        let corner = (SHEET as i32 - (3 * (variant.length() as i32 - 2) + 1)) / 2;
        let place = |(x, y): (usize, usize)| (corner + x as i32, corner + y as i32);
        let cross = variant.cross().into_iter().map(place).collect();
        PlainGame { variant, cross, added: Vec::new(), lines: Vec::new() }
    }

    /// The points of the start.
    #[must_use]
    pub fn cross(&self) -> &BTreeSet<Point> {
        &self.cross
    }

    /// The points added, in order.
    #[must_use]
    pub fn added(&self) -> &[Point] {
        &self.added
    }

    /// The lines drawn, in order.
    #[must_use]
    pub fn lines(&self) -> &[DrawnLine] {
        &self.lines
    }

    fn has(&self, point: Point) -> bool {
        self.cross.contains(&point) || self.added.contains(&point)
    }

    /// The line of a move.
    fn line(&self, stroke: Stroke) -> DrawnLine {
        let (x, y) = stroke.place();
        let direction = stroke.direction();
        let (dx, dy) = direction.step();
        let point = |index: i32| {
            let steps = index - stroke.before() as i32;
            (x as i32 + steps * dx, y as i32 + steps * dy)
        };
        DrawnLine { direction, points: (0..self.variant.length() as i32).map(point).collect() }
    }

    /// Why a move is not legal, if it is not.
    pub fn refusal(&self, stroke: Stroke) -> Result<(), String> {
        let line = self.line(stroke);
        let (x, y) = stroke.place();
        let new = (x as i32, y as i32);
        let on_sheet = |n: i32| (0..SHEET as i32).contains(&n);
        if !line.points.contains(&new) {
            return Err("the new point is not on the line".to_owned());
        }
        if self.has(new) {
            return Err(format!("there is a point at {x},{y} already"));
        }
        for &(x, y) in &line.points {
            if !on_sheet(x) || !on_sheet(y) {
                return Err("the line leaves the sheet".to_owned());
            }
            if (x, y) != new && !self.has((x, y)) {
                return Err(format!("the line needs a point at {x},{y}"));
            }
        }
        for old in self.lines.iter().filter(|old| old.direction == line.direction) {
            let shared = line.points.iter().filter(|point| old.points.contains(point)).count();
            if shared > self.variant.shared() {
                return Err("the line overlaps another".to_owned());
            }
        }
        Ok(())
    }

    /// Plays a move, or says why it is not legal.
    pub fn play(&mut self, stroke: Stroke) -> Result<(), String> {
        self.refusal(stroke)?;
        let (x, y) = stroke.place();
        self.lines.push(self.line(stroke));
        self.added.push((x as i32, y as i32));
        Ok(())
    }

    /// Every legal move, in order.
    #[must_use]
    pub fn moves(&self) -> Vec<Stroke> {
        let mut moves = Vec::new();
        for (x, y) in (0..SHEET).flat_map(|y| (0..SHEET).map(move |x| (x, y))) {
            for direction in Direction::ALL {
                for before in 0..self.variant.length() {
                    let stroke = Stroke::at(x, y, direction, before);
                    moves.extend(stroke.filter(|&stroke| self.refusal(stroke).is_ok()));
                }
            }
        }
        moves.sort_unstable();
        moves
    }

    /// The number of moves played.
    #[must_use]
    pub fn score(&self) -> Score {
        Score(self.lines.len() as i64)
    }
}
