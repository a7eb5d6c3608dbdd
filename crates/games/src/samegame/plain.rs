//! SameGame written the obvious way: a grid of numbers, a search for each
//! group, blocks moved one by one. Slow, and right at a glance.
//!
//! Every fast path is tested against this one, and every solution is replayed
//! through it before it is shown.

use solitree_core::{Rng, Score};

use super::lockstep::Epsilon;
use super::policy::{GroupChoice, PlayoutConfig, PlayoutKind, TabuTime};
use super::roulette::Roulette;
use super::{Board, Cell, Rules};

/// A position and the points so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainGame<'a> {
    rules: &'a Rules,
    width: usize,
    height: usize,
    /// The colours of each column from the bottom up, empty columns last.
    columns: Vec<Vec<u8>>,
    points: i32,
}

/// A group of two or more blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainGroup {
    /// Its colour.
    pub colour: u8,
    /// Its cells, in order; the first names it.
    pub cells: Vec<Cell>,
}

impl<'a> PlainGame<'a> {
    /// The game on a board.
    #[must_use]
    pub fn new(board: &Board, rules: &'a Rules) -> Self {
        let column =
            |x| (0..board.height()).map(|y| board.colour(x, y)).take_while(|&c| c != 0).collect();
        PlainGame {
            rules,
            width: board.width(),
            height: board.height(),
            columns: (0..board.width()).map(column).collect(),
            points: 0,
        }
    }

    /// The colour at a column and a row from the bottom, 0 for empty.
    #[must_use]
    pub fn colour(&self, column: usize, row: usize) -> u8 {
        self.columns.get(column).and_then(|cells| cells.get(row)).copied().unwrap_or(0)
    }

    /// The position as a board.
    #[must_use]
    pub fn board(&self) -> Board {
        Board::new(self.width, self.height, |x, y| self.colour(x, y))
            .expect("a position is settled")
    }

    /// The group that covers a cell, if it has two or more blocks.
    #[must_use]
    pub fn group(&self, cell: Cell) -> Option<PlainGroup> {
        let colour = self.colour(cell.column(), cell.row());
        if colour == 0 {
            return None;
        }
        let mut cells = vec![cell];
        let mut next = 0;
        while next < cells.len() {
            let (x, y) = (cells[next].column(), cells[next].row());
            next += 1;
            let mut neighbours = vec![(x + 1, y), (x, y + 1)];
            neighbours.extend(x.checked_sub(1).map(|x| (x, y)));
            neighbours.extend(y.checked_sub(1).map(|y| (x, y)));
            for (x, y) in neighbours {
                if self.colour(x, y) == colour && !cells.contains(&Cell::new(x, y)) {
                    cells.push(Cell::new(x, y));
                }
            }
        }
        cells.sort_unstable();
        (cells.len() >= 2).then_some(PlainGroup { colour, cells })
    }

    /// Every group, in the order of its first cell.
    #[must_use]
    pub fn groups(&self) -> Vec<PlainGroup> {
        let mut groups: Vec<PlainGroup> = Vec::new();
        for x in 0..self.columns.len() {
            for y in 0..self.columns[x].len() {
                let cell = Cell::new(x, y);
                if !groups.iter().any(|group| group.cells.contains(&cell)) {
                    groups.extend(self.group(cell));
                }
            }
        }
        groups
    }

    /// Removes the group that covers a cell; `None`, and nothing changed, if
    /// there is none.
    pub fn play(&mut self, cell: Cell) -> Option<PlainGroup> {
        let group = self.group(cell)?;
        // From the last cell on, so that those before it stay where they are.
        for cell in group.cells.iter().rev() {
            self.columns[cell.column()].remove(cell.row());
        }
        self.columns.retain(|column| !column.is_empty());
        self.points += self.rules.points(group.cells.len() as u32);
        Some(group)
    }

    /// Whether no group is left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.groups().is_empty()
    }

    /// Whether no block is left.
    #[must_use]
    pub fn is_cleared(&self) -> bool {
        self.columns.iter().all(Vec::is_empty)
    }

    /// Blocks left of a colour.
    #[must_use]
    pub fn count(&self, colour: u8) -> usize {
        self.columns.iter().flatten().filter(|&&c| c == colour).count()
    }

    /// The points so far, and at the end the final score.
    #[must_use]
    pub fn score(&self) -> Score {
        let end = if self.is_cleared() {
            self.rules.clear()
        } else if self.is_over() {
            (1..=9).map(|colour| self.rules.left(self.count(colour) as u32)).sum()
        } else {
            0
        };
        Score(i64::from(self.points + end))
    }

    /// Plays to the end by a policy and returns the cells drawn: move for move
    /// what the fast engine does with the same seed.
    pub fn playout(&mut self, config: &PlayoutConfig, seed: u64) -> Vec<Cell> {
        let roulette = Roulette::new(self.width * self.height);
        let epsilon = Epsilon::new(config.epsilon);
        let mut rng = Rng::new(seed);
        let mut wait = epsilon.wait(&mut rng);
        let tabu = matches!(config.kind, PlayoutKind::TabuRandom | PlayoutKind::TabuColorRandom);
        let from_start =
            (tabu && config.tabu == TabuTime::Start).then(|| self.kept(config, &mut rng));
        let mut moves = Vec::new();
        loop {
            let groups = self.groups();
            let colour_allowed: Box<dyn Fn(u8) -> bool> = match (config.kind, from_start) {
                (PlayoutKind::Random, _) => Box::new(|_| true),
                (PlayoutKind::McRws, _) => {
                    let counts: Vec<u32> = (0..16).map(|c| self.count(c) as u32).collect();
                    let drawn = roulette.colour(&counts, &mut rng) as u8;
                    Box::new(move |colour| drawn == 0 || colour == drawn)
                }
                (_, Some(kept)) => Box::new(move |colour| colour != kept),
                (_, None) => {
                    let kept = self.kept(config, &mut rng);
                    Box::new(move |colour| colour != kept)
                }
            };
            let mut allowed: Vec<&PlainGroup> =
                groups.iter().filter(|g| colour_allowed(g.colour)).collect();
            let PlayoutConfig { keep, second, .. } = *config;
            if from_start.is_some() && keep != 0 && second != 0 && keep != second {
                let is_third = |g: &&PlainGroup| u64::from(g.colour) != second;
                if allowed.iter().any(is_third) {
                    allowed.retain(is_third);
                }
            }
            if allowed.is_empty() || wait == 0 {
                allowed = groups.iter().collect();
            }
            let random = rng.next_u64();
            if allowed.is_empty() {
                return moves;
            }
            let drawn = match config.choice {
                GroupChoice::Groups => self.draw_corner(&allowed, random),
                GroupChoice::Cells => Some(self.scan(&allowed, random)),
            };
            if let Some(cell) = drawn {
                self.play(cell);
                moves.push(cell);
                wait = if wait == 0 { epsilon.wait(&mut rng) } else { wait - 1 };
            }
        }
    }

    fn kept(&self, config: &PlayoutConfig, rng: &mut Rng) -> u8 {
        match (config.keep, config.kind) {
            (0, PlayoutKind::TabuRandom) => {
                let present: Vec<u8> = (1..=9).filter(|&colour| self.count(colour) > 0).collect();
                let rank = rng.below(present.len() as u32) as usize;
                present.get(rank).copied().unwrap_or(0)
            }
            (0, _) => (1..=9).rev().max_by_key(|&colour| self.count(colour)).unwrap_or(0),
            (colour, _) => colour as u8,
        }
    }

    /// A corner has no block of its colour to the left or below.
    fn is_corner(&self, cell: Cell) -> bool {
        let (x, y) = (cell.column(), cell.row());
        let colour = self.colour(x, y);
        (x == 0 || self.colour(x - 1, y) != colour) && (y == 0 || self.colour(x, y - 1) != colour)
    }

    fn draw_corner(&self, allowed: &[&PlainGroup], random: u64) -> Option<Cell> {
        let corners_of = |group: &PlainGroup| -> Vec<Cell> {
            group.cells.iter().copied().filter(|&cell| self.is_corner(cell)).collect()
        };
        let mut corners: Vec<Cell> = allowed.iter().flat_map(|group| corners_of(group)).collect();
        corners.sort_unstable();
        let rank = ((random >> 32) * corners.len() as u64) >> 32;
        let cell = corners[rank as usize];
        let group = allowed.iter().find(|group| group.cells.contains(&cell))?;
        let stands = u64::from(random as u32) * (corners_of(group).len() as u64) < 1 << 32;
        stands.then_some(cell)
    }

    fn scan(&self, allowed: &[&PlainGroup], random: u64) -> Cell {
        let cells = self.width * self.height;
        let start = (((random >> 32) * cells as u64) >> 32) as usize;
        let (mut x, mut y) = (start / self.height, start % self.height);
        loop {
            let cell = Cell::new(x, y);
            if allowed.iter().any(|group| group.cells.contains(&cell)) {
                return cell;
            }
            if y > 0 {
                y -= 1;
            } else {
                (x, y) = ((x + 1) % self.width, self.height - 1);
            }
        }
    }
}
