//! What the parts of a batch have in common, and what one of them finds.

use super::TrainConfig;
use super::loss::{Lesson, Shares, Tally, judge};
use super::norm::Moments;
use super::pass::Pass;
use super::slopes::{Packed, Slopes};
use crate::encoder::Encoder;
use crate::network::Network;
use crate::samples::Samples;

/// What all parts of a batch share.
pub(super) struct Batch<'a> {
    pub(super) encoder: &'a dyn Encoder,
    pub(super) samples: &'a Samples,
    pub(super) config: &'a TrainConfig,
    pub(super) network: &'a Network,
    pub(super) packed: Packed,
    pub(super) shares: Shares,
    pub(super) twins: Option<u64>,
}

/// What a part of a batch found, beside slopes.
pub(super) struct Found {
    pub(super) tally: Tally,
    pub(super) moments: Vec<Moments>,
}

impl Batch<'_> {
    /// Teaches a part of the batch: replaces the slopes by what it found.
    pub(super) fn learn(&self, part: &[u32], pass: &mut Pass, slopes: &mut Slopes) -> Found {
        let lesson = Lesson::new(self.encoder, self.samples, part, self.twins);
        pass.forwards(&self.packed, &lesson.positions);
        pass.begin_backwards();
        let mut answers = std::mem::take(&mut pass.slopes);
        let tally = judge(
            &lesson,
            self.network.outputs,
            self.config,
            self.shares,
            |node, position, number| pass.said[node][pass.place(node, position, number)],
            |node, position, number, slope| {
                answers[node][pass.place(node, position, number)] = slope;
            },
        );
        pass.slopes = answers;
        slopes.clear();
        pass.backwards(&self.packed, slopes);
        let nodes = self.network.norm_nodes();
        Found { tally, moments: nodes.map(|node| pass.moments[node].clone()).collect() }
    }
}
