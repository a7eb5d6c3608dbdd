//! Short searches by thousands: see repair.cu and team.cu.

use std::sync::Arc;

use solitree_core::Effort;
use solitree_games::samegame::{BulkShape, BulkSwarm, BulkTask, Cell, Manner, TabuRule};

use crate::machine::{Argument, Array, Kernel, Machine, Number};
use crate::pass::{Pool, exchanged, packed, second, words};

/// Entries of a table of weights, as a power of two.
pub const TABLE_BITS: u32 = 14;
/// The same in team.cu.
const STEPS: usize = 128;
const CHOICES: usize = 56;
const LANES: usize = 32;
const TEAMS: usize = 4;
/// Games that a warp has written down: the same in repair.cu.
const GAMES: usize = TEAMS + 2;

/// Everything the kernel is told; the same in repair.cu, where each is explained.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Swarm {
    boards: u64,
    scores: u64,
    blocks: u64,
    rules: u64,
    lines: u64,
    lengths: u64,
    best_scores: u64,
    best_lines: u64,
    best_lengths: u64,
    weights: u64,
    choices: u64,
    cells: u64,
    picks: u64,
    next: u64,
    played: u64,
    points: u64,
    left: u64,
    seed: u64,
    tasks: u32,
    epoch: u32,
    lower: u32,
    upper: u32,
    warm: u32,
    patience: u32,
    alpha: f32,
}

/// Arrays for so many tasks.
struct Tasks {
    boards: Array<u32>,
    scores: Array<i32>,
    blocks: Array<u64>,
    rules: Array<u32>,
    lines: Array<u8>,
    lengths: Array<u32>,
    best_scores: Array<i32>,
    best_lines: Array<u8>,
    best_lengths: Array<u32>,
}

/// The machine at work for one search.
pub(crate) struct SwarmMachine {
    pool: Arc<dyn Pool>,
    machine: Arc<dyn Machine>,
    shape: BulkShape,
    warps: usize,
    tasks: Tasks,
    room: usize,
    weights: Array<u64>,
    choices: Array<u32>,
    cells: Array<u8>,
    picks: Array<u16>,
    next: Array<u32>,
    games: Array<u64>,
    points: Array<i32>,
    left: Array<i32>,
    epoch: u32,
    played: u64,
}

impl Tasks {
    fn new(machine: &Arc<dyn Machine>, words: usize, room: usize) -> Result<Tasks, String> {
        Ok(Tasks {
            boards: Array::new(machine, room * words)?,
            scores: Array::new(machine, room)?,
            blocks: Array::new(machine, room)?,
            rules: Array::new(machine, room)?,
            lines: Array::new(machine, room * STEPS)?,
            lengths: Array::new(machine, room)?,
            best_scores: Array::new(machine, room)?,
            best_lines: Array::new(machine, room * STEPS)?,
            best_lengths: Array::new(machine, room)?,
        })
    }
}

fn all<T: Number>(machine: &Arc<dyn Machine>, len: usize) -> Result<Array<T>, String> {
    let array = Array::new(machine, len)?;
    array.clear(len)?;
    Ok(array)
}

impl SwarmMachine {
    pub(crate) fn new(
        pool: Arc<dyn Pool>,
        machine: Arc<dyn Machine>,
        shape: BulkShape,
    ) -> Result<SwarmMachine, String> {
        let warps = machine.threads(Kernel::Repair)? / LANES;
        Ok(SwarmMachine {
            warps,
            tasks: Tasks::new(&machine, words(&shape), 2 * warps)?,
            room: 2 * warps,
            // Cleared: no search has the number 0.
            weights: all(&machine, (warps * 2) << TABLE_BITS)?,
            choices: all(&machine, warps * GAMES * STEPS * CHOICES)?,
            cells: all(&machine, warps * GAMES * STEPS)?,
            picks: all(&machine, warps * GAMES * STEPS)?,
            next: all(&machine, 1)?,
            games: all(&machine, 1)?,
            points: all(&machine, 513)?,
            left: all(&machine, 513)?,
            epoch: 1,
            played: 0,
            pool,
            machine,
            shape,
        })
    }

    fn try_run(
        &mut self,
        tasks: &[BulkTask],
        (points, left): (&[i32], &[i32]),
        effort: &Effort,
        seed: u64,
    ) -> Result<Vec<(i32, Vec<Cell>)>, String> {
        let count = tasks.len();
        if count > self.room {
            self.tasks = Tasks::new(&self.machine, words(&self.shape), count)?;
            self.room = count;
        }
        let each = count as u64 * u64::from(effort.upper + 1);
        if u64::from(self.epoch) + each > u64::from(u32::MAX) {
            self.weights.clear(self.weights.len())?;
            self.epoch = 1;
        }
        self.points.write(points)?;
        self.left.write(left)?;
        self.write(tasks)?;
        self.next.clear(1)?;
        self.games.clear(1)?;
        let swarm = self.argument(count, effort, seed);
        self.epoch += each as u32;
        self.machine.run(Kernel::Repair, (self.warps * LANES) as u64, Argument::Swarm(&swarm))?;
        self.played += self.games.get(0)?;
        let scores = self.tasks.best_scores.read(0, count)?;
        let lengths = self.tasks.best_lengths.read(0, count)?;
        let lines = self.tasks.best_lines.read(0, count * STEPS)?;
        let line = |at: usize| {
            let length = (lengths[at] as usize).min(STEPS);
            let cells = &lines[at * STEPS..at * STEPS + length];
            cells.iter().map(|&cell| Cell::from_bit(u32::from(cell))).collect()
        };
        Ok((0..count).map(|at| (scores[at], line(at))).collect())
    }

    /// Copies what is to be done.
    fn write(&self, tasks: &[BulkTask]) -> Result<(), String> {
        let shape = |task: &BulkTask| {
            let Manner { kept, second, .. } = task.manner;
            BulkShape { kept, second, ..self.shape }
        };
        let boards: Vec<u32> =
            tasks.iter().flat_map(|task| exchanged(&shape(task), &task.planes)).collect();
        let blocks: Vec<u64> =
            tasks.iter().map(|task| packed(&shape(task), &task.counts)).collect();
        let rule = |task: &BulkTask| {
            let rule = match task.manner.rule {
                TabuRule::Strict => 0,
                TabuRule::Selective => 1,
                TabuRule::None => 2,
            };
            rule | second(&shape(task)) << 4 | (task.played as u32) << 8
        };
        let mut lines = vec![0; tasks.len() * STEPS];
        for (line, task) in lines.chunks_mut(STEPS).zip(tasks) {
            for (place, cell) in line.iter_mut().zip(&task.line) {
                *place = cell.bit() as u8;
            }
        }
        let length = |task: &BulkTask| task.line.len().min(STEPS) as u32;
        self.tasks.boards.write(&boards)?;
        self.tasks.scores.write(&tasks.iter().map(|task| task.score).collect::<Vec<_>>())?;
        self.tasks.blocks.write(&blocks)?;
        self.tasks.rules.write(&tasks.iter().map(rule).collect::<Vec<_>>())?;
        self.tasks.lines.write(&lines)?;
        self.tasks.lengths.write(&tasks.iter().map(length).collect::<Vec<_>>())
    }

    fn argument(&self, tasks: usize, effort: &Effort, seed: u64) -> Swarm {
        Swarm {
            boards: self.tasks.boards.address(),
            scores: self.tasks.scores.address(),
            blocks: self.tasks.blocks.address(),
            rules: self.tasks.rules.address(),
            lines: self.tasks.lines.address(),
            lengths: self.tasks.lengths.address(),
            best_scores: self.tasks.best_scores.address(),
            best_lines: self.tasks.best_lines.address(),
            best_lengths: self.tasks.best_lengths.address(),
            weights: self.weights.address(),
            choices: self.choices.address(),
            cells: self.cells.address(),
            picks: self.picks.address(),
            next: self.next.address(),
            played: self.games.address(),
            points: self.points.address(),
            left: self.left.address(),
            seed,
            tasks: tasks as u32,
            epoch: self.epoch,
            lower: effort.lower,
            upper: effort.upper,
            warm: effort.warm,
            patience: effort.patience,
            alpha: effort.alpha,
        }
    }
}

impl BulkSwarm for SwarmMachine {
    fn places(&self) -> usize {
        self.warps
    }

    fn run(
        &mut self,
        tasks: &[BulkTask],
        rules: (&[i32], &[i32]),
        effort: &Effort,
        seed: u64,
    ) -> Result<Vec<(i32, Vec<Cell>)>, String> {
        let found = self.try_run(tasks, rules, effort, seed);
        found.inspect_err(|reason| self.pool.lose(reason))
    }

    fn games(&self, effort: &Effort) -> u64 {
        TEAMS as u64 * u64::from(effort.lower) * u64::from(effort.upper)
    }

    fn played(&self) -> u64 {
        self.played
    }

    fn refuse(&mut self) {
        self.pool.lose("its games do not end as they should");
    }
}
