//! The nested levels: one search of NMCS, as a machine that takes small steps.

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Guide, IllegalMove, Line, Playout, Puzzle, Rng, Score, replay};

use super::NmcsConfig;
use super::config::Lazy;
use crate::Meter;
use crate::sample::{self, Sampler};

/// What a step needs besides the search itself.
pub(super) struct Context<'a, P, K> {
    pub(super) puzzle: &'a P,
    pub(super) kit: &'a K,
    pub(super) config: &'a NmcsConfig,
}

/// One search: the levels at work, the highest first. The positions are not
/// saved but found again by playing the moves to them.
pub(super) struct Nest<P: Puzzle> {
    rng: Rng,
    frames: Vec<Frame<P::Move>>,
    /// By moves played: what lazy compares with.
    depths: Vec<Depth>,
    states: Vec<P::State>,
    sampler: Sampler<P>,
}

/// A level in the middle of its game.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct Frame<M> {
    level: u64,
    /// Moves from the start of the game to its position.
    moves: Vec<M>,
    /// With memory: the best game seen.
    best: Option<Line<M>>,
    /// Without memory: the best move of this step and its value.
    step: Option<(Score, M)>,
    stage: Stage,
    /// The moves to try, as far as they are not left out.
    children: Vec<M>,
    /// Playouts done of those that all children get, and the points of each
    /// child in them.
    sampled: u64,
    sums: Vec<i64>,
    /// Children that the level below has searched.
    searched: usize,
}

/// What a level does next.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Stage {
    /// Finds the moves to try.
    List,
    /// Plays out from every child.
    Sample,
    /// Has the level below search the children.
    Search,
}

/// The values of children at one depth.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Depth {
    count: u64,
    sum: f64,
    max: f64,
}

/// What [`Nest::save`] gives, as it is read back.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
pub(super) struct SavedNest<M> {
    rng: Rng,
    frames: Vec<Frame<M>>,
    depths: Vec<Depth>,
}

impl<P: Puzzle> Nest<P> {
    pub(super) fn new(puzzle: &P, rng: Rng, level: u64) -> Self {
        Nest {
            rng,
            frames: vec![Frame::new(level.max(1), Vec::new())],
            depths: Vec::new(),
            states: vec![puzzle.start()],
            sampler: Sampler::default(),
        }
    }

    pub(super) fn save(&self) -> impl Serialize + '_ {
        (&self.rng, &self.frames, &self.depths)
    }

    pub(super) fn restore(puzzle: &P, saved: SavedNest<P::Move>) -> Result<Self, IllegalMove> {
        let SavedNest { rng, frames, depths } = saved;
        let states: Result<Vec<P::State>, IllegalMove> =
            frames.iter().map(|frame| replay(puzzle, &frame.moves)).collect();
        Ok(Nest { rng, frames, depths, states: states?, sampler: Sampler::default() })
    }

    /// Does one small piece of work, a batch of playouts at most; says whether
    /// the search is over.
    pub(super) fn advance<K: Playout<P> + Guide<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        meter: &mut Meter<P::Move>,
    ) -> bool {
        let Some(frame) = self.frames.last() else { return true };
        match frame.stage {
            Stage::List => self.list(context),
            Stage::Sample => {
                self.sample(context, meter);
                false
            }
            Stage::Search => self.search(context, meter),
        }
    }

    /// Finds the moves to try. A level ends where there are none.
    fn list<K: Guide<P>>(&mut self, context: &Context<'_, P, K>) -> bool {
        let Context { puzzle, kit, config } = *context;
        let (Some(frame), Some(state)) = (self.frames.last_mut(), self.states.last()) else {
            return true;
        };
        config.moves(puzzle, kit, state, frame.moves.len(), &mut frame.children);
        if let (true, Some(best)) = (config.prune, &frame.best) {
            frame.children.retain(|&mv| can_beat(puzzle, state, mv, best.score));
        }
        if frame.children.is_empty() {
            return self.close(context);
        }
        frame.sums.clear();
        frame.sums.resize(frame.children.len(), 0);
        (frame.sampled, frame.searched, frame.step) = (0, 0, None);
        frame.stage =
            if config.samples_at(frame.level) > 0 { Stage::Sample } else { Stage::Search };
        false
    }

    /// Plays out from every child, in one batch if it is not too large.
    fn sample<K: Playout<P>>(&mut self, context: &Context<'_, P, K>, meter: &mut Meter<P::Move>) {
        let Context { puzzle, kit, config } = *context;
        let (Some(frame), Some(state)) = (self.frames.last_mut(), self.states.last()) else {
            return;
        };
        let each = config.samples_at(frame.level) as usize;
        let done = frame.sampled as usize;
        let from = (state, &frame.children[..]);
        let jobs = self.sampler.run(puzzle, kit, from, (each, done), &mut self.rng, meter);
        let mut top: Option<(Score, usize)> = None;
        for (index, job) in jobs.iter().enumerate() {
            let child = (done + index) / each;
            frame.sums[child] += job.score.0;
            if top.is_none_or(|(score, _)| job.score > score) {
                top = Some((job.score, index));
            }
            frame.consider(job.score, frame.children[child]);
            frame.show(frame.children[child], job.score, meter);
        }
        if let Some((score, index)) = top {
            let remembered = config.memory && frame.improves(score);
            if remembered || meter.improves(score) {
                let mv = frame.children[(done + index) / each];
                let before = frame.moves.iter().copied().chain([mv]);
                let line = sample::line(puzzle, kit, before, &jobs[index]);
                if meter.improves(score) {
                    meter.offer(line.clone());
                }
                if remembered {
                    frame.best = Some(line);
                }
            }
        }
        frame.sampled += jobs.len() as u64;
        if frame.sampled as usize >= frame.children.len() * each {
            if frame.level > 1 {
                self.judge(config);
            } else if let Some(frame) = self.frames.last_mut() {
                frame.searched = frame.children.len();
                frame.stage = Stage::Search;
            }
        }
    }

    /// Leaves out the children that do not look worth a search.
    fn judge(&mut self, config: &NmcsConfig) {
        let Some(frame) = self.frames.last_mut() else { return };
        let depth = frame.moves.len();
        if self.depths.len() <= depth {
            self.depths.resize(depth + 1, Depth::default());
        }
        let known = &mut self.depths[depth];
        let each = config.samples as f64;
        for &sum in &frame.sums {
            let value = sum as f64 / each;
            known.max = if known.count == 0 { value } else { known.max.max(value) };
            known.sum += value;
            known.count += 1;
        }
        let mean = known.sum / known.count as f64;
        let least = match config.lazy {
            Lazy::None => f64::NEG_INFINITY,
            Lazy::Max => config.ratio * known.max,
            Lazy::Mean => config.ratio * mean,
            Lazy::Spread => mean + config.ratio * (known.max - mean),
        };
        let mut sums = frame.sums.iter();
        frame.children.retain(|_| sums.next().is_some_and(|&sum| sum as f64 / each >= least));
        frame.stage = Stage::Search;
    }

    /// Hands the next child to the level below, or plays a move if there is
    /// none.
    fn search<K: Playout<P> + Guide<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        meter: &mut Meter<P::Move>,
    ) -> bool {
        let Context { puzzle, config, .. } = *context;
        let (Some(frame), Some(state)) = (self.frames.last_mut(), self.states.last_mut()) else {
            return true;
        };
        while let Some(&mv) = frame.children.get(frame.searched) {
            frame.searched += 1;
            if let (true, Some(score)) = (config.prune, frame.to_beat(config.memory))
                && !can_beat(puzzle, state, mv, score)
            {
                continue;
            }
            let mut child = state.clone();
            puzzle.play(&mut child, mv);
            let moves: Vec<P::Move> = frame.moves.iter().copied().chain([mv]).collect();
            if puzzle.is_over(&child) {
                // A playout without moves.
                meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
                let line = Line { score: puzzle.score(&child), moves };
                frame.show(mv, line.score, meter);
                if meter.improves(line.score) {
                    meter.offer(line.clone());
                }
                frame.take(line, config.memory);
            } else {
                let level = frame.level - 1;
                self.frames.push(Frame::new(level, moves));
                self.states.push(child);
            }
            return false;
        }
        let next = match (&frame.best, frame.step) {
            (Some(best), _) if config.memory => best.moves.get(frame.moves.len()).copied(),
            (_, step) => step.map(|(_, mv)| mv),
        };
        let Some(mv) = next else { return self.close(context) };
        puzzle.play(state, mv);
        frame.moves.push(mv);
        frame.stage = Stage::List;
        false
    }

    /// Ends a level: its game is what its child was worth to the level above.
    fn close<K>(&mut self, context: &Context<'_, P, K>) -> bool {
        let Context { puzzle, config, .. } = *context;
        if let (Some(frame), Some(state), Some(above)) =
            (self.frames.pop(), self.states.pop(), self.frames.last_mut())
        {
            let line = match frame.best {
                Some(best) => best,
                None => Line { score: puzzle.score(&state), moves: frame.moves },
            };
            above.take(line, config.memory);
        }
        self.frames.is_empty()
    }
}

impl<M: Copy> Frame<M> {
    fn new(level: u64, moves: Vec<M>) -> Self {
        Frame {
            level,
            moves,
            best: None,
            step: None,
            stage: Stage::List,
            children: Vec::new(),
            sampled: 0,
            sums: Vec::new(),
            searched: 0,
        }
    }

    /// Whether a game would be the best seen.
    fn improves(&self, score: Score) -> bool {
        self.best.as_ref().is_none_or(|best| score > best.score)
    }

    /// What a child must be worth to change anything.
    fn to_beat(&self, memory: bool) -> Option<Score> {
        if memory { self.best.as_ref().map(|best| best.score) } else { self.step.map(|(s, _)| s) }
    }

    /// Takes the value of a child for the step.
    fn consider(&mut self, score: Score, mv: M) {
        if self.step.is_none_or(|(best, _)| score > best) {
            self.step = Some((score, mv));
        }
    }

    /// Shows whoever watches a game finished from a child.
    fn show(&self, child: M, score: Score, meter: &mut Meter<M>)
    where
        M: Eq,
    {
        if let Some(tally) = meter.tally() {
            let first = self.moves.first().copied().unwrap_or(child);
            tally.playout(first, self.moves.len() + 1, score);
        }
    }

    /// Takes a game through a child.
    fn take(&mut self, line: Line<M>, memory: bool) {
        if let Some(&mv) = line.moves.get(self.moves.len()) {
            self.consider(line.score, mv);
        }
        if memory && self.improves(line.score) {
            self.best = Some(line);
        }
    }
}

/// Whether a game through a child can have more than these points.
fn can_beat<P: Puzzle>(puzzle: &P, state: &P::State, mv: P::Move, score: Score) -> bool {
    let mut child = state.clone();
    puzzle.play(&mut child, mv);
    puzzle.upper_bound(&child).is_none_or(|bound| bound > score)
}
