//! The parameters of NMCS.

use solitree_core::params::Range;
use solitree_core::{Budget, Guide, Job, Playout, Puzzle, choice, params};

use crate::method::Request;

/// Playouts a second on a thread that no machine exceeds.
const FASTEST: f64 = 2e6;

choice! {
    /// Which moves a level tries.
    pub enum Tried {
        /// Every legal move.
        Legal = "legal",
        /// Those that the domain's guide would choose among.
        Guided = "guided",
    }
}

choice! {
    /// Which children a level hands to the level below (Lazy NMCS). Each is
    /// valued by the mean of some playouts.
    pub enum Lazy {
        /// All of them; nothing is valued.
        None = "none",
        /// Those of at least ratio * the best value at their depth.
        Max = "max",
        /// Those of at least ratio * the mean value at their depth.
        Mean = "mean",
        /// Those of at least mean + ratio * (best - mean).
        Spread = "spread",
    }
}

params! {
    /// Everything that can be set in NMCS.
    pub struct NmcsConfig {
        /// Levels of nesting above the playouts.
        level ("level"): u64 = 2, Range::Count(1, 8);
        /// Whether a level follows the best game it has seen, or the best move of each step.
        memory ("memory"): bool = true, Range::Flag;
        /// Which moves are tried at each level: all legal ones, or those of the guide.
        tried ("moves"): Tried = Tried::Legal, Range::Choice(Tried::WORDS);
        /// Playouts of every child at level 1.
        playouts ("level-playouts"): u64 = 1, Range::Count(1, 100_000);
        /// Whether children are left out whose bound cannot beat the best game seen.
        prune ("prune"): bool = true, Range::Flag;
        /// Which children are searched by the level below (Lazy NMCS); the others are only sampled.
        lazy ("lazy"): Lazy = Lazy::None, Range::Choice(Lazy::WORDS);
        /// The ratio that lazy compares with.
        ratio ("lazy-ratio"): f64 = 0.5, Range::Real(-10.0, 10.0);
        /// With lazy: playouts that value a child.
        samples ("lazy-playouts"): u64 = 4, Range::Count(1, 100_000);
        /// Searches to make; 0 for as many as the budget allows.
        runs ("runs"): u64 = 0, Range::Count(0, 1_000_000_000);
    }
}

impl NmcsConfig {
    /// Playouts of every child of a position before the level below is asked.
    pub(super) fn samples_at(&self, level: u64) -> u64 {
        match (level, self.lazy) {
            (0 | 1, _) => self.playouts,
            (_, Lazy::None) => 0,
            _ => self.samples,
        }
    }

    /// Replaces the contents of `out` by the moves to try.
    pub(super) fn moves<P: Puzzle>(
        &self,
        puzzle: &P,
        guide: &impl Guide<P>,
        state: &P::State,
        played: usize,
        out: &mut Vec<P::Move>,
    ) {
        match self.tried {
            Tried::Legal => puzzle.moves(state, out),
            Tried::Guided => {
                let mut choices = Vec::new();
                guide.choices(puzzle, state, played, &mut choices);
                out.clear();
                out.extend(choices.into_iter().map(|choice| choice.mv));
            }
        }
    }

    /// About how many playouts the first move of the highest level takes:
    /// counted along one random game, and for Lazy NMCS as if one child a
    /// position was searched. Bounds are not taken into account.
    fn playouts_of_a_move<P: Puzzle>(&self, puzzle: &P, kit: &(impl Playout<P> + Guide<P>)) -> f64 {
        let mut job = [Job::new(puzzle.start(), 0)];
        kit.run(puzzle, &mut job);
        let mut state = puzzle.start();
        let mut moves = Vec::new();
        let mut widths = Vec::new();
        for &mv in &job[0].moves {
            self.moves(puzzle, kit, &state, widths.len(), &mut moves);
            widths.push(moves.len() as f64);
            let mv = kit.canonical(puzzle, &state, mv);
            puzzle.play(&mut state, mv);
        }
        let Some(&first) = widths.first() else { return 0.0 };
        let of_a_move = |level: u64, width: f64, below: f64| {
            let searched = if self.lazy == Lazy::None { width } else { 1.0 };
            let below = if level > 1 { searched * below } else { 0.0 };
            width * self.samples_at(level) as f64 + below
        };
        // By position: what a search of the level before takes from there.
        let mut below = vec![0.0; widths.len() + 1];
        for level in 1..self.level {
            let mut all = vec![0.0; widths.len() + 1];
            for (at, &width) in widths.iter().enumerate().rev() {
                all[at] = all[at + 1] + of_a_move(level, width, below[at + 1]);
            }
            below = all;
        }
        of_a_move(self.level, first, below[1])
    }

    /// Whether the highest level comes to its first move within the budget.
    pub(super) fn check<P: Puzzle>(
        &self,
        puzzle: &P,
        kit: &(impl Playout<P> + Guide<P>),
        request: &Request<'_, P::Move>,
    ) -> Result<(), String> {
        let Budget { time, nodes, playouts, .. } = request.budget;
        let in_time = time.map(|time| (time.as_secs_f64() * FASTEST) as u64);
        let threads = request.threads.max(1) as u64;
        let counted = [*nodes, *playouts].into_iter().flatten().map(|all| all / threads);
        let Some(given) = counted.chain(in_time).min() else { return Ok(()) };
        let needed = self.playouts_of_a_move(puzzle, kit);
        if self.level > 1 && needed > given as f64 {
            return Err(format!(
                "level {} needs about {needed:.0} playouts for its first move, and the budget has room for {given} a thread: take a lower level or a larger budget",
                self.level
            ));
        }
        Ok(())
    }
}
