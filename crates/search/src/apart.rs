//! Beams on a machine apart ([`Layers`]), a GPU say, as a search follows them:
//! what they do is counted, and what they find is played again before it counts.

use solitree_core::{Counters, Job, Kit, Layers, Line, Plan, Puzzle, Score, Stage};

use crate::Meter;

/// A pass of a beam, from a position to the end of the game.
pub(crate) struct Beam<P: Puzzle> {
    layers: Box<dyn Layers<P::Move>>,
    /// The moves before the position, and the position.
    prefix: Vec<P::Move>,
    start: P::State,
    depth: u64,
}

/// What came of a while of work.
pub(crate) enum Came {
    /// It goes on.
    On,
    /// A layer is done; the best score of its playouts.
    Layer(Score),
    /// It has come to the end.
    Over,
    /// The machine is lost.
    Lost,
}

impl<P: Puzzle> Beam<P> {
    /// Begins where a prefix leads; none if the machine cannot be had.
    pub(crate) fn begin(
        puzzle: &P,
        kit: &impl Kit<P>,
        prefix: Vec<P::Move>,
        plan: &Plan<'_, P::State>,
    ) -> Option<Self> {
        let layers = kit.layers(puzzle, plan)?;
        Some(Beam { layers, prefix, start: plan.start.clone(), depth: 0 })
    }

    /// Lets it work for a while, with at most so many playouts.
    pub(crate) fn advance(&mut self, most: u64, meter: &mut Meter<P::Move>) -> Came {
        match self.layers.next(most) {
            Ok(Stage::Expanded(nodes)) => {
                self.depth += 1;
                let (deepest, spent) = (self.depth, nodes.max(1));
                let depth_sum = deepest * nodes;
                meter.count(Counters { nodes, spent, depth_sum, deepest, ..Counters::default() });
                Came::On
            }
            Ok(Stage::Played(playouts)) => {
                meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
                Came::On
            }
            Ok(Stage::Layer { best, .. }) => Came::Layer(best),
            Ok(Stage::Over) => Came::Over,
            Err(_) => Came::Lost,
        }
    }

    /// The line of the last layer's best playout, which is played again for its
    /// moves; none if the machine is lost, or it had another score than it said.
    pub(crate) fn line(
        &mut self,
        puzzle: &P,
        kit: &impl Kit<P>,
        score: Score,
    ) -> Option<Line<P::Move>> {
        let (moves, seed) = self.layers.best().ok()?;
        let mut state = self.start.clone();
        for &mv in &moves {
            puzzle.play(&mut state, mv);
        }
        let mut jobs = [Job::new(state.clone(), seed)];
        kit.run(puzzle, &mut jobs);
        if jobs[0].score != score {
            self.layers.refuse();
            return None;
        }
        let mut line = self.prefix.clone();
        line.extend(moves);
        for &mv in &jobs[0].moves {
            let mv = kit.canonical(puzzle, &state, mv);
            line.push(mv);
            puzzle.play(&mut state, mv);
        }
        Some(Line { score, moves: line })
    }
}
