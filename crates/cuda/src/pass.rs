//! A pass of a beam, layer by layer.

use std::sync::Arc;

use solitree_core::{Layers, Score, Stage, mix};
use solitree_games::samegame::{BulkPass, BulkShape, Cell};

use crate::layer::{Arrays, BINS, Layer, Room};
use crate::machine::{Argument, Kernel, Machine};

/// Playouts between two looks at the outside.
const SLICE: u64 = 8_000_000;
/// Moves in a position that there is room for, on average.
const MOVES: usize = 40;
/// More positions than asked for that there is room for: those of equal rank.
const EQUALS: usize = 64;

/// Memory for a beam of some width.
pub(crate) fn room_for(width: u64) -> Room {
    let width = width as usize;
    Room { kept: width + EQUALS, found: width * MOVES + 4096 }
}

/// Words of a board.
pub(crate) fn words(shape: &BulkShape) -> usize {
    shape.planes * shape.width.div_ceil(2)
}

/// Where arrays come from and go back to, so that passes share them.
pub(crate) trait Pool: Send + Sync {
    fn take(&self, shape: &BulkShape, room: Room) -> Result<(Arc<dyn Machine>, Arrays), String>;
    fn give(&self, shape: &BulkShape, arrays: Arrays);
    /// Hears why the machine cannot be used any more.
    fn lose(&self, reason: &str);
}

/// What the pass does next.
enum Phase {
    Expand,
    Play { from: u64 },
    Select,
    Over,
}

/// A pass in progress.
pub(crate) struct Pass {
    pool: Arc<dyn Pool>,
    machine: Arc<dyn Machine>,
    arrays: Option<Arrays>,
    shape: BulkShape,
    width: u64,
    /// What every layer has in common.
    common: Common,
    phase: Phase,
    kept: u64,
    listed: u64,
    /// The line before the last move of each position kept, and that move, layer
    /// by layer.
    trail: Vec<(Vec<u32>, Vec<u32>)>,
}

#[derive(Clone, Copy)]
struct Common {
    seeds: u64,
    samples: u64,
    bonus: f64,
}

impl Pass {
    pub(crate) fn new(
        pool: Arc<dyn Pool>,
        shape: BulkShape,
        pass: &BulkPass<'_>,
    ) -> Result<Pass, String> {
        let (machine, arrays) = pool.take(&shape, room_for(pass.width))?;
        arrays.points.write(pass.points)?;
        arrays.left.write(pass.left)?;
        let here = &arrays.kept[0];
        here.boards.write(&exchanged(&shape, pass.planes))?;
        here.scores.write(&[pass.score])?;
        here.blocks.write(&[packed(&shape, &pass.counts)])?;
        here.keys.write(&[pass.key])?;
        let common = Common { seeds: pass.seeds, samples: pass.samples, bonus: pass.bonus };
        Ok(Pass {
            pool,
            machine,
            arrays: Some(arrays),
            shape,
            width: pass.width,
            common,
            phase: Phase::Expand,
            kept: 1,
            listed: 0,
            trail: Vec::new(),
        })
    }

    fn arrays(&self) -> &Arrays {
        self.arrays.as_ref().expect("a pass has arrays until it is dropped")
    }

    /// What kernels are told.
    fn layer(&self) -> Layer {
        let mut layer = self.arrays().layer();
        layer.many_kept = self.kept as u32;
        layer.many_listed = self.listed as u32;
        layer.seeds = self.common.seeds;
        layer.samples = self.common.samples as u32;
        layer.bonus = self.common.bonus;
        layer.last_colour = self.shape.kept;
        layer.second_colour = second(&self.shape);
        layer
    }

    fn expand(&mut self) -> Result<u64, String> {
        loop {
            let arrays = self.arrays();
            let mut layer = self.layer();
            // No position has more groups than half of its cells.
            let most = self.kept as usize * (self.shape.width * self.shape.height / 2);
            let places = layer.limit(most.max(1));
            arrays.table_keys.clear(places)?;
            arrays.table_claims.clear(places)?;
            arrays.counts.write(&[0, 0, 0, u32::MAX])?;
            arrays.best.clear(1)?;
            let work = self.kept * self.shape.width.div_ceil(2) as u64;
            self.machine.run(Kernel::Expand, work, Argument::Layer(&layer))?;
            let found = arrays.counts.get(0)? as usize;
            if found <= arrays.room().found {
                layer.many_found = found as u32;
                self.machine.run(Kernel::Distinct, found as u64, Argument::Layer(&layer))?;
                self.listed = u64::from(arrays.counts.get(1)?);
                return Ok(found as u64);
            }
            self.grow(found)?;
        }
    }

    /// Makes more room for what a layer leads to.
    fn grow(&mut self, found: usize) -> Result<(), String> {
        let old = self.arrays.take().expect("a pass has arrays until it is dropped");
        let room = Room { kept: old.room().kept, found: found + found / 4 };
        let (_, new) = self.pool.take(&self.shape, room)?;
        let count = self.kept as usize;
        let words = words(&self.shape);
        new.points.write(&old.points.read(0, old.points.len())?)?;
        new.left.write(&old.left.read(0, old.left.len())?)?;
        new.kept[0].boards.write(&old.kept[0].boards.read(0, count * words)?)?;
        new.kept[0].scores.write(&old.kept[0].scores.read(0, count)?)?;
        new.kept[0].blocks.write(&old.kept[0].blocks.read(0, count)?)?;
        new.kept[0].keys.write(&old.kept[0].keys.read(0, count)?)?;
        self.arrays = Some(new);
        Ok(())
    }

    /// Plays some of the positions out; says how many games that were.
    fn play(&mut self, from: u64, most: u64) -> Result<u64, String> {
        let samples = self.common.samples;
        let positions = (most.min(SLICE) / samples).clamp(1, self.listed - from);
        let until = from + positions;
        let mut layer = self.layer();
        (layer.from, layer.until) = (from as u32, until as u32);
        self.machine.run(Kernel::PlayOut, positions * samples, Argument::Layer(&layer))?;
        // The next look at the outside is when this is done.
        self.arrays().counts.get(0)?;
        self.phase = if until < self.listed { Phase::Play { from: until } } else { Phase::Select };
        Ok(positions * samples)
    }

    /// Keeps the best; gives the best score.
    fn select(&mut self) -> Result<Score, String> {
        let mut layer = self.layer();
        self.machine.run(Kernel::Rank, self.listed, Argument::Layer(&layer))?;
        layer.last = self.last_rank(layer)?;
        self.machine.run(Kernel::Keep, self.listed, Argument::Layer(&layer))?;
        self.machine.run(Kernel::Crown, self.listed, Argument::Layer(&layer))?;
        let arrays = self.arrays();
        let best = arrays.best.get(0)?;
        let kept = (arrays.counts.get(2)? as usize).min(arrays.room().kept);
        let to = &arrays.kept[1];
        let trail = (to.parents.read(0, kept)?, to.cells.read(0, kept)?);
        self.trail.push(trail);
        self.kept = kept as u64;
        Ok(Score(i64::from((best >> 32) as u32 as i32 ^ i32::MIN)))
    }

    /// The rank of the last position that is kept.
    fn last_rank(&self, mut layer: Layer) -> Result<u64, String> {
        let arrays = self.arrays();
        let mut still = self.width;
        let mut prefix = 0;
        for shift in [52, 40, 28, 16, 4] {
            arrays.bins.clear(BINS)?;
            (layer.shift, layer.prefix) = (shift, prefix);
            self.machine.run(Kernel::Tally, self.listed, Argument::Layer(&layer))?;
            let bins = arrays.bins.read(0, BINS)?;
            let mut at = 0;
            while at < BINS && still > u64::from(bins[at]) {
                still -= u64::from(bins[at]);
                at += 1;
            }
            // There are no more than are wanted.
            let Some(&count) = bins.get(at) else { return Ok(u64::MAX - 1) };
            prefix = prefix << 12 | at as u64;
            if still == u64::from(count) {
                return Ok(((prefix + 1) << shift) - 1);
            }
        }
        Ok(prefix << 4 | 15)
    }

    fn step(&mut self, most: u64) -> Result<Stage, String> {
        match self.phase {
            Phase::Over => Ok(Stage::Over),
            Phase::Expand => {
                let children = if self.kept == 0 { 0 } else { self.expand()? };
                if children == 0 {
                    self.phase = Phase::Over;
                    return Ok(Stage::Over);
                }
                self.phase = Phase::Play { from: 0 };
                Ok(Stage::Expanded(children))
            }
            Phase::Play { from } => self.play(from, most).map(Stage::Played),
            Phase::Select => {
                let best = self.select()?;
                self.phase = Phase::Expand;
                if let Some(arrays) = &mut self.arrays {
                    arrays.kept.swap(0, 1);
                }
                Ok(Stage::Layer { kept: self.kept, best })
            }
        }
    }

    fn find_best(&self) -> Result<(Vec<Cell>, u64), String> {
        let arrays = self.arrays();
        let place = arrays.counts.get(3)? as usize;
        if place >= arrays.list.len() {
            return Err("the best of a layer was not found".to_owned());
        }
        let at = arrays.list.get(place)? as usize;
        let sample = u64::from(!(arrays.bests.get(place)? as u32));
        let key = arrays.found.keys.get(at)?;
        let seed = mix((self.common.seeds ^ key).wrapping_add(sample));
        let mut parent = arrays.found.parents.get(at)? as usize;
        let mut moves = vec![Cell::from_bit(arrays.found.cells.get(at)?)];
        // The last layer of the trail is the one after.
        for (parents, cells) in self.trail.iter().rev().skip(1) {
            let (&before, &cell) = parents
                .get(parent)
                .zip(cells.get(parent))
                .ok_or_else(|| "a line of the beam leads nowhere".to_owned())?;
            moves.push(Cell::from_bit(cell));
            parent = before as usize;
        }
        moves.reverse();
        Ok((moves, seed))
    }

    fn told<T>(&self, result: Result<T, String>) -> Result<T, String> {
        result.inspect_err(|reason| self.pool.lose(reason))
    }
}

impl Layers<Cell> for Pass {
    fn next(&mut self, most: u64) -> Result<Stage, String> {
        let stage = self.step(most);
        self.told(stage)
    }

    fn best(&mut self) -> Result<(Vec<Cell>, u64), String> {
        let best = self.find_best();
        self.told(best)
    }

    fn refuse(&mut self) {
        self.pool.lose("its games do not end as they should");
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(arrays) = self.arrays.take() {
            self.pool.give(&self.shape, arrays);
        }
    }
}

/// The words of a board as the kernels have them: two columns a word, the kept
/// colour exchanged with the one whose bits are all set.
pub(crate) fn exchanged(shape: &BulkShape, planes: &[u64]) -> Vec<u32> {
    let per_plane = planes.len() / shape.planes;
    let last = (1u32 << shape.planes) - 1;
    let mut planes: Vec<Vec<u64>> = planes.chunks(per_plane).map(<[u64]>::to_vec).collect();
    if shape.kept != 0 && shape.kept != last {
        for word in 0..per_plane {
            let of = |colour: u32| {
                let bit = |(k, plane): (usize, &Vec<u64>)| {
                    if colour >> k & 1 != 0 { plane[word] } else { !plane[word] }
                };
                planes.iter().enumerate().map(bit).fold(u64::MAX, |all, bits| all & bits)
            };
            let both = of(shape.kept) | of(last);
            for (k, plane) in planes.iter_mut().enumerate() {
                if (shape.kept ^ last) >> k & 1 != 0 {
                    plane[word] ^= both;
                }
            }
        }
    }
    let halves = |plane: Vec<u64>| {
        let halves = plane.into_iter().flat_map(|word| [word as u32, (word >> 32) as u32]);
        halves.take(shape.width.div_ceil(2)).collect::<Vec<u32>>()
    };
    planes.into_iter().flat_map(halves).collect()
}

/// What becomes of a colour when the kept one is exchanged as above.
fn exchanged_colour(shape: &BulkShape, colour: u32) -> u32 {
    let last = (1 << shape.planes) - 1;
    let kept = if shape.kept == 0 { last } else { shape.kept };
    match colour {
        colour if colour == kept => last,
        colour if colour == last => kept,
        colour => colour,
    }
}

/// The second colour to keep, exchanged as above; 0 for none.
pub(crate) fn second(shape: &BulkShape) -> u32 {
    if shape.second == 0 { 0 } else { exchanged_colour(shape, shape.second) }
}

/// Blocks of each colour in eight bits each, the colours exchanged as above.
pub(crate) fn packed(shape: &BulkShape, counts: &[u32; 16]) -> u64 {
    let blocks =
        |colour: u32| u64::from(counts[colour as usize]) << (8 * exchanged_colour(shape, colour));
    (1..1 << shape.planes).map(blocks).sum()
}
