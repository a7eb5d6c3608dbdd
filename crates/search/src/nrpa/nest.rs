//! The nested levels: one search of NRPA, as a machine that takes one playout
//! at a time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Guide, PolicyLevel, Puzzle, Rng, Score, Trace, Weights, mix};

use super::NrpaConfig;
use super::adapt::adapt;
use super::insight::probabilities;

/// One search, with the weights of every level.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub(crate) struct Nest<M> {
    rng: Rng,
    /// The lowest level first.
    levels: Vec<Level<M>>,
    /// The game being played, and weights being moved: kept for their memory.
    #[serde(skip)]
    game: Trace<M>,
    #[serde(skip)]
    scratch: Vec<f32>,
}

/// What a level is in the middle of.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct Level<M> {
    /// Weights and their best sequences, the best first.
    entries: Vec<Entry<M>>,
    /// What the entries before `turn` found in this iteration.
    pool: Vec<Found<M>>,
    /// The entry whose turn it is.
    turn: usize,
    /// Iterations done.
    iteration: u64,
    /// How often the best sequence has been found again.
    repeats: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct Entry<M> {
    weights: Weights,
    trace: Trace<M>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct Found<M> {
    trace: Trace<M>,
    /// The entry whose weights found it.
    parent: usize,
}

impl<M: Copy + PartialEq + std::hash::Hash> Nest<M> {
    /// A search that begins with some weights.
    pub(crate) fn new(rng: Rng, levels: u64, weights: &Weights) -> Self {
        let levels = (0..levels.max(1)).map(|_| Level::new(weights)).collect();
        Nest { rng, levels, game: Trace::default(), scratch: Vec::new() }
    }

    /// Begins anew, with other weights, in the same memory.
    pub(crate) fn restart(&mut self, rng: Rng, weights: &Weights) {
        self.rng = rng;
        for level in &mut self.levels {
            level.pool.clear();
            level.begin(weights);
        }
    }

    /// What each level is in the middle of, the lowest first.
    pub(crate) fn levels(&self) -> Vec<PolicyLevel> {
        let look = |level: &Level<M>| {
            let Entry { weights, trace } = &level.entries[0];
            PolicyLevel {
                iteration: level.iteration,
                score: (trace.score > Score::MIN).then_some(trace.score),
                line: probabilities(weights, trace),
            }
        };
        self.levels.iter().map(look).collect()
    }

    /// Plays one playout (with Stabilised NRPA, some) from a position and shows
    /// each to `see`; says whether the search is over.
    pub(crate) fn advance<P: Puzzle<Move = M>>(
        &mut self,
        puzzle: &P,
        guide: &impl Guide<P>,
        (start, before): (&P::State, usize),
        config: &NrpaConfig,
        see: &mut impl FnMut(&Trace<M>),
    ) -> bool {
        let lowest = &mut self.levels[0];
        let weights = &lowest.entries[lowest.turn].weights;
        let mut best: Option<Trace<M>> = None;
        for _ in 0..config.playouts.max(1) {
            let mut game = std::mem::take(&mut self.game);
            game.clear();
            game.before = before;
            guide.steer(puzzle, start, weights, &mut self.rng, &mut game);
            see(&game);
            if best.as_ref().is_none_or(|best| game.score >= best.score) {
                self.game = best.replace(game).unwrap_or_default();
            } else {
                self.game = game;
            }
        }
        let parent = lowest.turn;
        lowest.pool.extend(best.map(|trace| Found { trace, parent }));
        lowest.turn += 1;
        let mut level = 0;
        loop {
            let this = &mut self.levels[level];
            if this.turn < this.entries.len() {
                break;
            }
            let beam = if level == 0 { config.beam } else { config.beam_above };
            this.close(beam as usize, config, &mut self.scratch, &mut self.game);
            let tired = config.repetitions > 0 && this.repeats >= config.repetitions;
            if this.iteration < config.iterations && !tired {
                break;
            }
            if level + 1 == self.levels.len() {
                return true;
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (below, above) = (&mut below[level], &mut above[0]);
            let parent = above.turn;
            for entry in &mut below.entries {
                let trace = std::mem::take(&mut entry.trace);
                above.pool.push(Found { trace, parent });
            }
            above.turn += 1;
            level += 1;
        }
        // The levels below begin anew with the weights of the one above them.
        for level in (0..level).rev() {
            let (below, above) = self.levels.split_at_mut(level + 1);
            let above = &above[0];
            below[level].begin(&above.entries[above.turn].weights);
        }
        false
    }
}

impl<M: Copy + PartialEq + std::hash::Hash> Level<M> {
    fn new(weights: &Weights) -> Self {
        let entry = Entry { weights: weights.clone(), trace: Trace::default() };
        Level { entries: vec![entry], pool: Vec::new(), turn: 0, iteration: 0, repeats: 0 }
    }

    fn begin(&mut self, weights: &Weights) {
        self.entries.truncate(1);
        self.entries[0].weights.copy_from(weights);
        self.entries[0].trace.clear();
        self.turn = 0;
        self.iteration = 0;
        self.repeats = 0;
    }

    /// Ends an iteration: keeps the best of what there was and what was found,
    /// and adapts. A trace that is not needed any more goes to `spare`.
    fn close(
        &mut self,
        beam: usize,
        config: &NrpaConfig,
        scratch: &mut Vec<f32>,
        spare: &mut Trace<M>,
    ) {
        let before = self.entries[0].trace.score;
        let again = self.pool.iter().any(|found| found.trace.moves == self.entries[0].trace.moves);
        if beam == 1 && self.pool.len() == 1 {
            if let Some(found) = self.pool.pop() {
                let old = if found.trace.score >= before {
                    std::mem::replace(&mut self.entries[0].trace, found.trace)
                } else {
                    found.trace
                };
                *spare = old;
            }
        } else {
            self.select(beam, config.diverse);
        }
        let fresh = again || self.entries[0].trace.score > before;
        self.repeats =
            if self.entries[0].trace.score > before { 0 } else { self.repeats + u64::from(again) };
        self.turn = 0;
        self.iteration += 1;
        // After the last iteration nobody asks the weights any more.
        if self.iteration < config.iterations && (fresh || !config.lazy) {
            for entry in &mut self.entries {
                adapt(&mut entry.weights, &entry.trace, config.alpha as f32, scratch);
            }
        }
    }

    /// Keeps the best pairs of weights and sequence; new ones before old ones
    /// of the same score.
    fn select(&mut self, beam: usize, diverse: bool) {
        let mut pairs: Vec<(Trace<M>, usize)> =
            self.pool.drain(..).map(|found| (found.trace, found.parent)).collect();
        for (index, entry) in self.entries.iter_mut().enumerate() {
            if entry.trace.score > Score::MIN {
                pairs.push((std::mem::take(&mut entry.trace), index));
            }
        }
        pairs.sort_by_key(|(trace, _)| std::cmp::Reverse(trace.score));
        if diverse {
            let mut seen = std::collections::HashSet::new();
            pairs.retain(|(trace, _)| seen.insert((trace.score, move_set(&trace.moves))));
        }
        pairs.truncate(beam.max(1));
        let mut users = vec![0; self.entries.len()];
        for (_, parent) in &pairs {
            users[*parent] += 1;
        }
        let mut weights: Vec<Option<Weights>> =
            self.entries.drain(..).map(|entry| Some(entry.weights)).collect();
        for (trace, parent) in pairs {
            users[parent] -= 1;
            let taken =
                if users[parent] == 0 { weights[parent].take() } else { weights[parent].clone() };
            self.entries.extend(taken.map(|weights| Entry { weights, trace }));
        }
    }
}

/// A number for the moves of a game whatever their order.
fn move_set<M: std::hash::Hash>(moves: &[M]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    moves.iter().fold(0u64, |sum, mv| {
        let mut hasher = DefaultHasher::new();
        mv.hash(&mut hasher);
        sum.wrapping_add(mix(hasher.finish()))
    })
}
