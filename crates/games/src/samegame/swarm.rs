//! Short searches of SameGame on a machine apart, as the searches ask for them.

use solitree_core::{Effort, Repair, Repaired, Repairs, Score};

use super::accelerator::{BulkSwarm, BulkTask};
use super::board::Cell;
use super::dispatch::Engine;
use super::guide::Manner;
use super::kit::BulkRules;
use super::{Kernels, SameGame, State};

/// The machine with what it has to know of a board and its kits.
pub(super) struct SwarmRepairs {
    swarm: Box<dyn BulkSwarm>,
    /// Of each kit.
    manners: Vec<Manner>,
    rules: BulkRules,
}

impl SwarmRepairs {
    pub(super) fn new<const W: usize, const P: usize>(
        swarm: Box<dyn BulkSwarm>,
        manners: Vec<Manner>,
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
        let bulk = |task: &Repair<State<W, P>, Cell>| BulkTask {
            planes: task.start.planes.as_flattened().to_vec(),
            score: task.start.score,
            counts: task.start.counts(),
            manner: self.manners[task.variant],
            played: task.played,
            line: task.line.clone(),
        };
        let tasks: Vec<BulkTask> = tasks.iter().map(bulk).collect();
        let rules = (&*self.rules.points, &*self.rules.left);
        let found = self.swarm.run(&tasks, rules, effort, seed)?;
        let repaired = |(score, moves)| Repaired { score: Score(i64::from(score)), moves };
        Ok(found.into_iter().map(repaired).collect())
    }

    fn games(&self, effort: &Effort) -> u64 {
        self.swarm.games(effort)
    }

    fn played(&self) -> u64 {
        self.swarm.played()
    }

    fn refuse(&mut self) {
        self.swarm.refuse();
    }
}
