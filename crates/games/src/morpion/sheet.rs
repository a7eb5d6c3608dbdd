//! The sheet of paper: which points and lines are drawn, as bits.
//!
//! Every direction has lanes of its own, 64 words of 64 places, so that a line
//! is a run of bits and the neighbourhood of a point is one shift. What may be
//! drawn there is looked up in two small tables.

use super::stroke::{Direction, MARGIN, SHEET, Stroke};
use super::variant::Variant;

/// What depends on the variant alone.
#[derive(Debug)]
pub(super) struct Tables {
    /// Points of a line.
    length: u32,
    /// Lines of one lane must begin so far from each other.
    apart: u32,
    /// The places a line takes: its points, or where lines may touch its
    /// segments, each at the place of its first point.
    taken: u64,
    /// For points around a point: the lines through it that lack one point, as
    /// bits by their first place.
    nearly: [u8; 512],
    /// For places taken around a point: the lines through it that are free.
    free: [u8; 512],
}

impl Tables {
    const fn new(variant: Variant) -> Tables {
        let length = variant.length() as u32;
        let apart = length - variant.shared() as u32;
        let taken = (1u64 << apart) - 1;
        let (mut nearly, mut free) = ([0; 512], [0; 512]);
        let mut around = 0;
        while around < 512 {
            let mut first = 0;
            while first < length {
                let line = (around >> first) & ((1 << length) - 1);
                nearly[around] |= ((line.count_ones() == length - 1) as u8) << first;
                free[around] |= (((around >> first) as u64 & taken == 0) as u8) << first;
                first += 1;
            }
            around += 1;
        }
        Tables { length, apart, taken, nearly, free }
    }

    /// Those of a variant.
    pub(super) fn of(variant: Variant) -> &'static Tables {
        static ALL: [Tables; 4] = [
            Tables::new(Variant::ALL[0]),
            Tables::new(Variant::ALL[1]),
            Tables::new(Variant::ALL[2]),
            Tables::new(Variant::ALL[3]),
        ];
        &ALL[variant as usize]
    }

    /// Whether a legal stroke is still legal after another.
    #[inline(always)]
    pub(super) fn remains(&self, stroke: Stroke, played: Stroke) -> bool {
        let distance = stroke.line().wrapping_sub(played.line()).wrapping_add(self.apart - 1);
        (distance >= 2 * self.apart - 1) & (stroke.point() != played.point())
    }
}

/// Points and lines, by direction and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sheet {
    points: [[u64; 64]; 4],
    taken: [[u64; 64]; 4],
}

impl Sheet {
    /// The start of a variant: the cross, and everything off the sheet taken.
    pub(super) fn new(variant: Variant) -> Sheet {
        let mut sheet = Sheet { points: [[0; 64]; 4], taken: [[0; 64]; 4] };
        let corner = (64 - (3 * (variant.length() - 2) + 1)) / 2;
        for (x, y) in variant.cross() {
            sheet.add((corner + x) as u32, (corner + y) as u32);
        }
        let inside = |n: u32| (MARGIN..MARGIN + SHEET).contains(&(n as usize));
        for direction in Direction::ALL {
            for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
                let (lane, place) = direction.place(x, y);
                if !inside(x) || !inside(y) {
                    let before =
                        if variant.shared() == 1 { place.saturating_sub(1) } else { place };
                    sheet.taken[direction as usize][lane as usize] |= 1 << place | 1 << before;
                }
            }
        }
        sheet
    }

    #[inline(always)]
    fn add(&mut self, x: u32, y: u32) {
        for direction in Direction::ALL {
            let (lane, place) = direction.place(x, y);
            self.points[direction as usize][lane as usize & 63] |= 1 << place;
        }
    }

    /// Draws a legal stroke and shows every stroke that it makes legal.
    #[inline(always)]
    pub(super) fn draw(&mut self, tables: &Tables, stroke: Stroke, mut see: impl FnMut(Stroke)) {
        let (x, y) = stroke.cell();
        self.add(x, y);
        let (direction, lane, first) = stroke.lane();
        self.taken[direction as usize][lane as usize & 63] |= tables.taken << first;
        for direction in Direction::ALL {
            self.each_through(tables, direction, x, y, &mut see);
        }
    }

    /// Shows every legal stroke whose line goes in a direction through a point
    /// that is there.
    #[inline(always)]
    fn each_through(
        &self,
        tables: &Tables,
        direction: Direction,
        x: u32,
        y: u32,
        see: &mut impl FnMut(Stroke),
    ) {
        let (lane, place) = direction.place(x, y);
        let reach = tables.length - 1;
        let begin = place - reach;
        let window = (1 << (2 * reach + 1)) - 1;
        let around = self.points[direction as usize][lane as usize & 63] >> begin & window;
        let taken = self.taken[direction as usize][lane as usize & 63] >> begin & window;
        let mut lines = tables.nearly[around as usize & 511] & tables.free[taken as usize & 511];
        while lines != 0 {
            let first = lines.trailing_zeros();
            lines &= lines - 1;
            let missing = first + (!around >> first).trailing_zeros();
            see(Stroke::new(direction, lane, begin + first, begin + missing));
        }
    }

    /// Every legal stroke, in order.
    pub(super) fn strokes(&self, tables: &Tables) -> Vec<Stroke> {
        let mut strokes = Vec::new();
        for (y, row) in self.points[Direction::East as usize].iter().enumerate() {
            for x in (0..64).filter(|x| row >> x & 1 == 1) {
                for direction in Direction::ALL {
                    self.each_through(tables, direction, x, y as u32, &mut |stroke| {
                        strokes.push(stroke);
                    });
                }
            }
        }
        strokes.sort_unstable();
        strokes.dedup();
        strokes
    }
}
