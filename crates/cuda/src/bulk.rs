//! SameGame in bulk on any [`Machine`]: memory that passes share, and what
//! becomes of them when the machine is lost.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use solitree_core::{Furnace, Layers};
use solitree_games::samegame::{Accelerator, BulkBoard, BulkPass, BulkShape, BulkSwarm, Cell};

use crate::anneal::AnnealMachine;
use crate::layer::{Arrays, Room};
use crate::machine::{Argument, Kernel, Machine};
use crate::pass::{Pass, Pool, exchanged, packed, room_for, second, words};
use crate::swarm::SwarmMachine;

/// Makes a machine with kernels for a shape of boards.
pub type Maker = Box<dyn Fn(&BulkShape) -> Result<Arc<dyn Machine>, String> + Send + Sync>;

/// A machine that plays SameGame in bulk.
pub struct Bulk(Arc<Inner>);

struct Inner {
    maker: Maker,
    /// What there is memory for, in bytes.
    memory: u64,
    /// Is told once why the machine is not used any more.
    tell: Box<dyn Fn(&str) + Send + Sync>,
    lost: AtomicBool,
    /// By the width of boards and the bits of a colour.
    machines: Mutex<HashMap<(usize, usize), Arc<dyn Machine>>>,
    /// Arrays that nobody uses, for boards of so many words.
    spare: Mutex<Vec<(usize, Arrays)>>,
}

impl fmt::Debug for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bulk").field("memory", &self.0.memory).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bulk {
    /// A machine with so many bytes of memory. `tell` hears why it is lost, if it
    /// is.
    pub fn new(maker: Maker, memory: u64, tell: impl Fn(&str) + Send + Sync + 'static) -> Bulk {
        Bulk(Arc::new(Inner {
            maker,
            memory,
            tell: Box::new(tell),
            lost: AtomicBool::new(false),
            machines: Mutex::default(),
            spare: Mutex::default(),
        }))
    }
}

/// Whether the kernels can do such boards: a bit of each column stays free.
fn fits(shape: &BulkShape) -> bool {
    shape.planes <= 3 && shape.width <= 16 && shape.height <= 15
}

impl Inner {
    fn machine(&self, shape: &BulkShape) -> Result<Arc<dyn Machine>, String> {
        if self.lost.load(Ordering::Relaxed) {
            return Err("the machine is lost".to_owned());
        }
        let mut machines = lock(&self.machines);
        let kind = (shape.width, shape.planes);
        if let Some(machine) = machines.get(&kind) {
            return Ok(Arc::clone(machine));
        }
        let machine = (self.maker)(shape)?;
        machines.insert(kind, Arc::clone(&machine));
        Ok(machine)
    }
}

impl Pool for Inner {
    fn take(&self, shape: &BulkShape, room: Room) -> Result<(Arc<dyn Machine>, Arrays), String> {
        let machine = self.machine(shape)?;
        let words = words(shape);
        let mut spare = lock(&self.spare);
        let suits = |(of, arrays): &(usize, Arrays)| {
            let there = arrays.room();
            *of == words && there.kept >= room.kept && there.found >= room.found
        };
        if let Some(at) = spare.iter().position(suits) {
            return Ok((machine, spare.swap_remove(at).1));
        }
        // What does not suit makes room.
        spare.clear();
        drop(spare);
        let arrays = Arrays::new(&machine, words, room)?;
        Ok((machine, arrays))
    }

    fn give(&self, shape: &BulkShape, arrays: Arrays) {
        lock(&self.spare).push((words(shape), arrays));
    }

    fn lose(&self, reason: &str) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            (self.tell)(reason);
        }
    }
}

impl Accelerator for Bulk {
    fn widest(&self, shape: &BulkShape) -> Option<u64> {
        if !fits(shape) || self.0.lost.load(Ordering::Relaxed) {
            return None;
        }
        let each = room_for(1 << 20).bytes(words(shape)) >> 20;
        Some((self.0.memory / each / 2).clamp(1, 1 << 24))
    }

    fn begin(&self, shape: &BulkShape, pass: &BulkPass<'_>) -> Option<Box<dyn Layers<Cell>>> {
        let pool: Arc<dyn Pool> = Arc::clone(&self.0) as Arc<dyn Pool>;
        match Pass::new(pool, *shape, pass) {
            Ok(pass) => Some(Box::new(pass)),
            Err(reason) => {
                self.0.lose(&reason);
                None
            }
        }
    }

    fn play(
        &self,
        shape: &BulkShape,
        pass: &BulkPass<'_>,
        many: usize,
    ) -> Result<Vec<i32>, String> {
        let (machine, arrays) = self.0.take(shape, Room { kept: 1, found: many })?;
        arrays.points.write(pass.points)?;
        arrays.left.write(pass.left)?;
        let found = &arrays.found;
        found.boards.write(&exchanged(shape, pass.planes).repeat(many))?;
        found.scores.write(&vec![pass.score; many])?;
        found.blocks.write(&vec![packed(shape, &pass.counts); many])?;
        found.keys.write(&(0..many as u64).collect::<Vec<_>>())?;
        arrays.list.write(&(0..many as u32).collect::<Vec<_>>())?;
        arrays.values.clear(many)?;
        arrays.bests.clear(many)?;
        let mut layer = arrays.layer();
        layer.seeds = pass.seeds;
        layer.samples = pass.samples as u32;
        layer.bonus = pass.bonus;
        layer.second_colour = second(shape);
        (layer.from, layer.until) = (0, many as u32);
        machine.run(Kernel::PlayOut, many as u64 * pass.samples, Argument::Layer(&layer))?;
        let bests = arrays.bests.read(0, many)?;
        self.0.give(shape, arrays);
        Ok(bests.into_iter().map(|best| (best >> 32) as u32 as i32 ^ i32::MIN).collect())
    }

    fn swarm(&self, shape: &BulkShape) -> Option<Box<dyn BulkSwarm>> {
        if !fits(shape) {
            return None;
        }
        let pool: Arc<dyn Pool> = Arc::clone(&self.0) as Arc<dyn Pool>;
        match self.0.machine(shape).and_then(|machine| SwarmMachine::new(pool, machine, *shape)) {
            Ok(swarm) => Some(Box::new(swarm)),
            Err(reason) => {
                self.0.lose(&reason);
                None
            }
        }
    }

    fn furnace(&self, shape: &BulkShape, board: &BulkBoard<'_>) -> Option<Box<dyn Furnace<Cell>>> {
        if !fits(shape) {
            return None;
        }
        let pool: Arc<dyn Pool> = Arc::clone(&self.0) as Arc<dyn Pool>;
        let made = self.0.machine(shape);
        match made.and_then(|machine| AnnealMachine::new(pool, machine, shape, board)) {
            Ok(machine) => Some(Box::new(machine?)),
            Err(reason) => {
                self.0.lose(&reason);
                None
            }
        }
    }
}
