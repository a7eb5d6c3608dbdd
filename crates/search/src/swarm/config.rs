//! The parameters of a swarm.

use std::time::Duration;

use solitree_core::params;
use solitree_core::params::Range;

use crate::lns::LnsConfig;

params! {
    /// Everything that can be set in a swarm.
    pub struct SwarmConfig {
        /// Times that it begins anew; the last time with the best line of each before. 0 for one in each 12 s of a time limit, five at most.
        rounds ("rounds"): u64 = 0, Range::Count(0, 1_000);
        /// The last part of the budget, in which the best lines of all families are annealed, where the machine can.
        anneal ("anneal"): f64 = 0.5, Range::Real(0.0, 1.0);
        /// Lines that a family keeps and improves.
        pool ("pool"): u64 = 8, Range::Count(1, 100_000);
        /// The part of a round for beams from the start, which begin families.
        first ("first"): f64 = 0.2, Range::Real(0.0, 0.9);
        /// Iterations of the lower level of a search that repairs a line; a GPU plays four games in each.
        lower ("iterations"): u64 = 25, Range::Count(1, 10_000);
        /// Searches of that level.
        upper ("upper-iterations"): u64 = 25, Range::Count(1, 10_000);
        /// Adaptations towards the old line before a repair.
        warm ("warm"): u64 = 5, Range::Count(0, 100);
        /// Equal games in a row that end a lower level.
        patience ("patience"): u64 = 4, Range::Count(1, 10_000);
        /// Learning rate alpha.
        alpha ("alpha"): f64 = 1.0, Range::Real(0.0, 100.0);
        /// The longest part of a line that is kept, as a share of its length.
        longest ("longest"): f64 = 0.8, Range::Real(0.0, 1.0);
        /// The share of repairs by another variant than the line was found by.
        strange ("strange"): f64 = 0.1, Range::Real(0.0, 1.0);
        /// Searches for each place of the machine in a generation.
        turns ("turns"): u64 = 1, Range::Count(1, 100);
        /// Beams between two generations.
        beams ("beams"): u64 = 4, Range::Count(0, 1_000);
        /// Positions that a beam keeps of a layer.
        width ("width"): u64 = 2_000, Range::Count(1, 100_000_000);
        /// Playouts from each position of a beam.
        samples ("samples"): u64 = 8, Range::Count(1, 1_000);
    }
}

/// The time in which a round has come to most of what it comes to.
const ROUND: Duration = Duration::from_secs(12);
/// The most rounds that were found to pay.
const MOST_ROUNDS: u64 = 5;

impl SwarmConfig {
    /// How often it begins anew within a limit of time, if there is one.
    pub(super) fn rounds_within(&self, limit: Option<Duration>) -> u64 {
        if self.rounds > 0 {
            return self.rounds;
        }
        let seconds = limit.map_or(0, |limit| limit.as_secs());
        (seconds / ROUND.as_secs()).clamp(1, MOST_ROUNDS)
    }

    /// The search for machines with no room for a swarm.
    pub(super) fn alone(&self) -> LnsConfig {
        LnsConfig {
            warm: self.warm,
            alpha: self.alpha,
            longest: self.longest,
            ..LnsConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_time_has_several_rounds() {
        let (auto, three) =
            (SwarmConfig::default(), SwarmConfig { rounds: 3, ..Default::default() });
        let within = |seconds| Some(Duration::from_secs(seconds));
        let limits = [None, within(5), within(12), within(30), within(60), within(3_600)];
        assert_eq!(limits.map(|limit| auto.rounds_within(limit)), [1, 1, 1, 2, 5, 5]);
        assert_eq!(limits.map(|limit| three.rounds_within(limit)), [3; 6]);
    }
}
