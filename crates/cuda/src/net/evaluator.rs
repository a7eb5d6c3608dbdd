//! A network on a machine, asked about batches of positions.

use std::sync::Arc;

use solitree_nn::{Answers, DistantEvaluator, Folded};

use super::arrange::Arranged;
use super::machine::{Held, NetCall, NetHost, NetKernel, NetLane};
use super::shape::{DENSE_WARPS, NetShape, Policy, SUM_THREADS};

/// Positions at most that are asked about in one go; more are asked about one such
/// batch after another. While the machine is at one, what it said of the last is read.
pub const BATCH: usize = 512;

/// A network on a machine. Positions are written into memory that the machine reads
/// itself, and the answers where we see them; nothing is copied in between.
pub struct NetEvaluator {
    net: Arc<Net>,
    slots: [Option<Slot>; 2],
}

/// What all evaluators of a network share.
struct Net {
    host: Arc<dyn NetHost>,
    shape: NetShape,
    /// Without what belongs to a batch.
    call: NetCall,
    /// Whether there are heads: for the policy, the value, and whether it clears.
    heads: [bool; 3],
    _learnt: [Held; 3],
}

/// Room for a batch.
struct Slot {
    lane: Box<dyn NetLane>,
    room: usize,
    marks: Held,
    answers: [Held; 3],
    features: Held,
    partial: Held,
}

impl NetEvaluator {
    /// A network of a shape on a host that has kernels for it.
    pub fn new(
        host: Arc<dyn NetHost>,
        shape: NetShape,
        folded: &Folded,
    ) -> Result<NetEvaluator, String> {
        let arranged = Arranged::new(&shape, folded);
        let weights = Held::of(&host, &arranged.weights)?;
        let numbers = Held::of(&host, &arranged.numbers)?;
        let convolutions = Held::of(&host, &arranged.convolutions)?;
        let call = NetCall {
            weights: weights.address(),
            numbers: numbers.address(),
            convolutions: convolutions.address(),
            ..arranged.call
        };
        let heads = [folded.policy.is_some(), folded.value.is_some(), folded.clear.is_some()];
        let _learnt = [weights, numbers, convolutions];
        let net = Arc::new(Net { host, shape, call, heads, _learnt });
        Ok(NetEvaluator { net, slots: [None, None] })
    }

    /// Begins with a batch.
    fn begin(&mut self, slot: usize, positions: &[u8]) -> Result<(), String> {
        let each = self.net.shape.input.bytes();
        let many = positions.len() / each;
        if self.slots[slot].as_ref().is_none_or(|slot| slot.room < many) {
            // What is there makes room first.
            self.slots[slot] = None;
            self.slots[slot] = Some(Slot::new(&self.net, many.next_power_of_two().min(BATCH))?);
        }
        match &mut self.slots[slot] {
            Some(slot) => slot.begin(&self.net, positions, many),
            None => Ok(()),
        }
    }

    /// Waits for a batch and adds its answers.
    fn end(&mut self, slot: usize, many: usize, out: &mut Answers) -> Result<(), String> {
        let Some(slot) = &self.slots[slot] else { return Ok(()) };
        slot.lane.wait()?;
        let cells = self.net.shape.input.cells();
        let outs = [(&mut out.policy, cells), (&mut out.value, 1), (&mut out.clear, 1)];
        for (((out, each), there), said) in outs.into_iter().zip(self.net.heads).zip(&slot.answers)
        {
            if there {
                let begin = out.len();
                out.extend_from_slice(said.numbers(many * each));
                // To the end, come what may: so it is done many at a time.
                if !out[begin..].iter().fold(true, |fine, number| fine & number.is_finite()) {
                    return Err("its numbers are too large for half precision".to_owned());
                }
            }
        }
        Ok(())
    }
}

impl Slot {
    fn new(net: &Net, room: usize) -> Result<Slot, String> {
        let shape = &net.shape;
        let held = |bytes: usize, shared: bool| Held::new(&net.host, bytes, shared);
        let (features, partial) = match shape.policy {
            Policy::Whole(dense) => {
                let each = dense.parts * dense.part_groups * 64;
                (room * each, room * dense.parts * dense.outputs * size_of::<f32>())
            }
            _ => (0, 0),
        };
        let number = room * size_of::<f32>();
        Ok(Slot {
            lane: net.host.lane()?,
            room,
            marks: held(room * shape.mark_bytes(), true)?,
            answers: [
                held(number * shape.input.cells(), true)?,
                held(number, true)?,
                held(number, true)?,
            ],
            features: held(features, false)?,
            partial: held(partial, false)?,
        })
    }

    fn begin(&mut self, net: &Net, positions: &[u8], many: usize) -> Result<(), String> {
        let (shape, bytes) = (&net.shape, net.shape.mark_bytes());
        let marks = self.marks.bytes(many * bytes).chunks_exact_mut(bytes);
        for (to, from) in marks.zip(positions.chunks_exact(shape.input.bytes())) {
            to[..from.len()].copy_from_slice(from);
        }
        let [policy, value, clear] = [0, 1, 2].map(|head| self.answers[head].address());
        let call = NetCall {
            marks: self.marks.address(),
            policy,
            value,
            clear,
            features: self.features.address(),
            partial: self.partial.address(),
            positions: many as u32,
            ..net.call
        };
        let blocks = (many.div_ceil(shape.grids) as u32).min(net.host.blocks());
        self.lane.run(NetKernel::Evaluate, [blocks, 1, 1], &call)?;
        if let Policy::Whole(dense) = shape.policy {
            let tiles = many.div_ceil(16 * DENSE_WARPS);
            let shares = dense.outputs / 8 / shape.tiling.channels;
            let blocks = [tiles, dense.parts, shares].map(|blocks| blocks as u32);
            self.lane.run(NetKernel::ThroughEverything, blocks, &call)?;
            let sums = (many * shape.input.cells()).div_ceil(SUM_THREADS) as u32;
            self.lane.run(NetKernel::AddUp, [sums, 1, 1], &call)?;
        }
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Nothing may be at work in memory that is given back; a machine that is lost
        // is not.
        let _ = self.lane.wait();
    }
}

impl DistantEvaluator for NetEvaluator {
    fn evaluate(&mut self, positions: &[u8], out: &mut Answers) -> Result<(), String> {
        out.policy.clear();
        out.value.clear();
        out.clear.clear();
        let bytes = self.net.shape.input.bytes();
        assert!(positions.len().is_multiple_of(bytes), "positions are whole");
        let mut under_way = None;
        for (number, batch) in positions.chunks(BATCH * bytes).enumerate() {
            let slot = number % 2;
            self.begin(slot, batch)?;
            if let Some((slot, many)) = under_way.replace((slot, batch.len() / bytes)) {
                self.end(slot, many, out)?;
            }
        }
        under_way.map_or(Ok(()), |(slot, many)| self.end(slot, many, out))
    }

    fn another(&self) -> Result<Box<dyn DistantEvaluator>, String> {
        Ok(Box::new(NetEvaluator { net: Arc::clone(&self.net), slots: [None, None] }))
    }
}
