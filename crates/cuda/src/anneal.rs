//! Plans annealed by thousands: see anneal.cu and bench.cu.

use std::sync::Arc;

use solitree_core::{Annealed, Cast, Cooling, Furnace, Score};
use solitree_games::samegame::{BulkBoard, BulkShape, Cell};

use crate::machine::{Argument, Array, Kernel, Machine};
use crate::pass::Pool;

/// The same in bench.cu.
const STEPS: usize = 128;
const LANES: usize = 32;
const COLUMNS: usize = 16;
const COLOURS: usize = 8;
const TABLES: usize = 2 << 16;
/// Points are kept beside a mark in one word.
const MOST_POINTS: i64 = 1 << 23;

/// Everything the kernel is told; the same in bench.cu, where each is explained.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Annealing {
    cells: u64,
    kept: u64,
    heats: u64,
    lines: u64,
    lengths: u64,
    worths: u64,
    best_lines: u64,
    best_lengths: u64,
    best_scores: u64,
    spots: u64,
    gains: u64,
    own_spots: u64,
    own_notes: u64,
    next: u64,
    played: u64,
    points: u64,
    left: u64,
    seed: u64,
    plans: u32,
    rounds: u32,
    cooling: f32,
    price: i32,
}

/// The bytes that the threads of a block share: a `Bench` in bench.cu.
#[must_use]
pub fn bench_bytes(threads: usize, planes: usize) -> usize {
    let board = 2 * COLUMNS * (COLOURS + planes) + 16 * COLUMNS;
    let sheets = threads / LANES * 2 * STEPS;
    TABLES + board + sheets + 4 * threads * (COLUMNS / 2 + COLUMNS)
}

/// Arrays for so many plans.
struct Plans {
    kept: Array<u32>,
    heats: Array<u32>,
    lines: Array<u8>,
    lengths: Array<u32>,
    worths: Array<i32>,
    best_lines: Array<u8>,
    best_lengths: Array<u32>,
    best_scores: Array<i32>,
}

impl Plans {
    fn new(machine: &Arc<dyn Machine>, room: usize) -> Result<Plans, String> {
        Ok(Plans {
            kept: Array::new(machine, room)?,
            heats: Array::new(machine, room)?,
            lines: Array::new(machine, room * STEPS)?,
            lengths: Array::new(machine, room)?,
            worths: Array::new(machine, room)?,
            best_lines: Array::new(machine, room * STEPS)?,
            best_lengths: Array::new(machine, room)?,
            best_scores: Array::new(machine, room)?,
        })
    }
}

/// The machine at work for one board.
pub(crate) struct AnnealMachine {
    pool: Arc<dyn Pool>,
    machine: Arc<dyn Machine>,
    warps: usize,
    /// Of each kit.
    kept: Vec<u32>,
    cells: Array<u16>,
    points: Array<i32>,
    left: Array<i32>,
    plans: Plans,
    room: usize,
    /// Of each word of a position one; a position has eight.
    spots: Array<u32>,
    gains: Array<i32>,
    own_spots: Array<u32>,
    own_notes: Array<u32>,
    next: Array<u32>,
    played: Array<u64>,
    tried: u64,
}

impl AnnealMachine {
    /// Makes room for a board; none if such boards or machines are not for this kernel.
    pub(crate) fn new(
        pool: Arc<dyn Pool>,
        machine: Arc<dyn Machine>,
        shape: &BulkShape,
        board: &BulkBoard<'_>,
    ) -> Result<Option<AnnealMachine>, String> {
        let most = board.points.iter().map(|&points| i64::from(points).abs()).max().unwrap_or(0);
        let longest = (shape.width * shape.height / 2) as i64;
        let warps = machine.threads(Kernel::Anneal)? / LANES;
        if most * longest >= MOST_POINTS || longest as usize >= STEPS || warps == 0 {
            return Ok(None);
        }
        let cells = Array::new(&machine, COLOURS * COLUMNS)?;
        cells.write(&cells_of(shape, board.planes))?;
        let points = Array::new(&machine, board.points.len())?;
        points.write(board.points)?;
        let left = Array::new(&machine, board.left.len())?;
        left.write(board.left)?;
        let words = COLUMNS / 2;
        Ok(Some(AnnealMachine {
            warps,
            kept: board.kept.to_vec(),
            cells,
            points,
            left,
            plans: Plans::new(&machine, warps)?,
            room: warps,
            spots: Array::new(&machine, warps * STEPS * words)?,
            gains: Array::new(&machine, warps * STEPS)?,
            own_spots: Array::new(&machine, warps * LANES * STEPS * words)?,
            own_notes: Array::new(&machine, warps * LANES * STEPS)?,
            next: Array::new(&machine, 1)?,
            played: Array::new(&machine, 1)?,
            tried: 0,
            pool,
            machine,
        }))
    }

    fn try_anneal(
        &mut self,
        plans: &[Cast<Cell>],
        cooling: &Cooling,
        seed: u64,
    ) -> Result<Vec<Annealed<Cell>>, String> {
        if plans.len() > self.room {
            self.plans = Plans::new(&self.machine, plans.len())?;
            self.room = plans.len();
        }
        self.write(plans)?;
        self.next.clear(1)?;
        self.played.clear(1)?;
        let annealing = self.argument(plans.len(), cooling, seed);
        let threads = (self.warps * LANES) as u64;
        self.machine.run(Kernel::Anneal, threads, Argument::Annealing(&annealing))?;
        self.tried += self.played.get(0)?;
        let all = &self.plans;
        let last = read(plans.len(), &all.worths, &all.lengths, &all.lines)?;
        let best = read(plans.len(), &all.best_scores, &all.best_lengths, &all.best_lines)?;
        let annealed = |(last, best)| Annealed { last, best };
        Ok(last.into_iter().zip(best).map(annealed).collect())
    }

    /// Copies what is to be annealed.
    fn write(&self, plans: &[Cast<Cell>]) -> Result<(), String> {
        let mut lines = vec![0; plans.len() * STEPS];
        for (line, plan) in lines.chunks_mut(STEPS).zip(plans) {
            for (place, mark) in line.iter_mut().zip(&plan.marks[..length(plan)]) {
                *place = mark.bit() as u8;
            }
        }
        let kept = |plan: &Cast<Cell>| self.kept.get(plan.variant).copied().unwrap_or(0);
        let heat = |plan: &Cast<Cell>| (plan.heat as f32).to_bits();
        self.plans.lines.write(&lines)?;
        self.plans.lengths.write(&plans.iter().map(|p| length(p) as u32).collect::<Vec<_>>())?;
        self.plans.kept.write(&plans.iter().map(kept).collect::<Vec<_>>())?;
        self.plans.heats.write(&plans.iter().map(heat).collect::<Vec<_>>())
    }

    fn argument(&self, plans: usize, cooling: &Cooling, seed: u64) -> Annealing {
        let rounds = cooling.rounds.max(1);
        Annealing {
            cells: self.cells.address(),
            kept: self.plans.kept.address(),
            heats: self.plans.heats.address(),
            lines: self.plans.lines.address(),
            lengths: self.plans.lengths.address(),
            worths: self.plans.worths.address(),
            best_lines: self.plans.best_lines.address(),
            best_lengths: self.plans.best_lengths.address(),
            best_scores: self.plans.best_scores.address(),
            spots: self.spots.address(),
            gains: self.gains.address(),
            own_spots: self.own_spots.address(),
            own_notes: self.own_notes.address(),
            next: self.next.address(),
            played: self.played.address(),
            points: self.points.address(),
            left: self.left.address(),
            seed,
            plans: plans as u32,
            rounds,
            cooling: cooling.factor.powf(1.0 / f64::from(rounds)) as f32,
            price: cooling.price.0.clamp(0, MOST_POINTS / 2) as i32,
        }
    }
}

/// Of each colour its cells in each column; of colour 0 all cells.
fn cells_of(shape: &BulkShape, planes: &[u64]) -> Vec<u16> {
    let words = planes.len() / shape.planes;
    let mut cells = vec![0; COLOURS * COLUMNS];
    for column in 0..shape.width {
        let of_plane = |k: usize| (planes[k * words + column / 4] >> (column % 4 * 16)) as u16;
        for colour in 1..1 << shape.planes {
            let bits = |k: usize| if colour >> k & 1 != 0 { of_plane(k) } else { !of_plane(k) };
            let here = (0..shape.planes).map(bits).fold(u16::MAX, |all, bits| all & bits);
            cells[colour * COLUMNS + column] = here;
            cells[column] |= here;
        }
    }
    cells
}

/// The marks of a plan that there is room for: no game is longer.
fn length(plan: &Cast<Cell>) -> usize {
    plan.marks.len().min(STEPS - 1)
}

fn read(
    plans: usize,
    scores: &Array<i32>,
    lengths: &Array<u32>,
    lines: &Array<u8>,
) -> Result<Vec<(Score, Vec<Cell>)>, String> {
    let scores = scores.read(0, plans)?;
    let lengths = lengths.read(0, plans)?;
    let lines = lines.read(0, plans * STEPS)?;
    let line = |at: usize| {
        let length = (lengths[at] as usize).min(STEPS);
        let marks = &lines[at * STEPS..at * STEPS + length];
        marks.iter().map(|&mark| Cell::from_bit(u32::from(mark))).collect()
    };
    Ok((0..plans).map(|at| (Score(i64::from(scores[at])), line(at))).collect())
}

impl Furnace<Cell> for AnnealMachine {
    fn places(&self) -> usize {
        self.warps
    }

    fn anneal(
        &mut self,
        plans: &[Cast<Cell>],
        cooling: &Cooling,
        seed: u64,
    ) -> Result<Vec<Annealed<Cell>>, String> {
        let annealed = self.try_anneal(plans, cooling, seed);
        annealed.inspect_err(|reason| self.pool.lose(reason))
    }

    fn tried(&self) -> u64 {
        self.tried
    }

    fn changes_a_round(&self, plans: usize) -> u64 {
        (plans * LANES) as u64
    }

    fn refuse(&mut self) {
        self.pool.lose("its plans do not end as they should");
    }
}
