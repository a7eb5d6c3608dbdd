//! Short searches of SameGame on a machine apart, as the searches ask for them.

use solitree_core::{Effort, Repair, Repaired, Repairs, Score};

use super::accelerator::{BulkSwarm, BulkTask};
use super::board::Cell;
use super::dispatch::Engine;
use super::guide::TabuRule;
use super::kit::BulkRules;
use super::{Kernels, SameGame, State};

/// The machine with what it has to know of a board and its kits.
pub(super) struct SwarmRepairs {
    swarm: Box<dyn BulkSwarm>,
    /// The kept colour and the rule about it, of each kit.
    manners: Vec<(u32, TabuRule)>,
    rules: BulkRules,
}

impl SwarmRepairs {
    pub(super) fn new<const W: usize, const P: usize>(
        swarm: Box<dyn BulkSwarm>,
        manners: Vec<(u32, TabuRule)>,
        puzzle: &SameGame<W, P>,
    ) -> Self
    where
        Kernels: Engine<W, P>,
    {
        SwarmRepairs { swarm, manners, rules: BulkRules::of(puzzle) }
    }
}

impl<const W: usize, const P: usize> Repairs<State<W, P>, Cell> for SwarmRepairs {
    fn places(&self) -> usize {
        self.swarm.places()
    }

    fn run(
        &mut self,
        tasks: &[Repair<State<W, P>, Cell>],
        effort: &Effort,
        seed: u64,
    ) -> Result<Vec<Repaired<Cell>>, String> {
        let bulk = |task: &Repair<State<W, P>, Cell>| {
            let (kept, rule) = self.manners[task.variant];
            BulkTask {
                planes: task.start.planes.as_flattened().to_vec(),
                score: task.start.score,
                counts: task.start.counts(),
                kept,
                rule,
                played: task.played,
                line: task.line.clone(),
            }
        };
        let tasks: Vec<BulkTask> = tasks.iter().map(bulk).collect();
        let rules = (&*self.rules.points, &*self.rules.left);
        let found = self.swarm.run(&tasks, rules, effort, seed)?;
        let repaired = |(score, moves)| Repaired { score: Score(i64::from(score)), moves };
        Ok(found.into_iter().map(repaired).collect())
    }

    fn played(&self) -> u64 {
        self.swarm.played()
    }

    fn refuse(&mut self) {
        self.swarm.refuse();
    }
}
