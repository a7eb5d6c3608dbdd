//! The loop around a search that is led by an upper bound: it spends a budget
//! on the whole game or an equal share on each move, keeps a complete game to
//! show, and now and then finishes greedily where the search is.

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Kit, Line, Puzzle, Score, StopReason};

use crate::spmcts::{Answer, Control};
use crate::{Meter, Search, Status};

/// Work between two looks at the outside, in expanded positions.
const WORK_PER_STEP: u64 = 200;
/// What a greedy playout costs beside that.
const PLAYOUT_WORK: u64 = 25;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to do.
    Going,
    /// No line from the root is better than the best found.
    Proven,
    /// There is nothing left to do, and nothing is proven.
    Ended,
}

/// The best line from the root of a search that anybody found.
#[derive(Clone, Debug)]
pub(crate) struct Host<M> {
    /// Its final score.
    pub(crate) floor: Score,
    /// Its moves, if it is new.
    found: Option<Vec<M>>,
    /// Whether somebody watches, and the position that was expanded: the root's move
    /// before it, its depth and its points; none for the root.
    watched: bool,
    expanded: Option<(M, usize, Score)>,
}

impl<M> Host<M> {
    /// Shows whoever watches the position that is expanded.
    pub(crate) fn expands(&mut self, place: impl FnOnce() -> Option<(M, usize, Score)>) {
        if self.watched {
            self.expanded = place();
        }
    }

    /// Reports a better line.
    pub(crate) fn found(&mut self, score: Score, moves: Vec<M>) {
        if score > self.floor {
            self.floor = score;
            self.found = Some(moves);
        }
    }
}

/// A search from one position, one expanded position at a time.
pub(crate) trait Engine<P: Puzzle, K>: Send {
    /// Begins at a position in which there is a move to make.
    fn begin(&mut self, puzzle: &P, root: &P::State);

    /// Expands one position. Better lines from the root go to the host.
    fn expand(&mut self, puzzle: &P, kit: &K, host: &mut Host<P::Move>) -> Progress;

    /// The position expanded last; `path` becomes the moves that lead there.
    fn position(&self, puzzle: &P, path: &mut Vec<P::Move>) -> P::State;

    /// How many moves lead there.
    fn depth(&self) -> usize;

    /// The root's move that looks best so far.
    fn choice(&self) -> Option<P::Move>;

    /// Everything but the root.
    fn save(&self) -> Vec<u8>;

    /// Takes over what [`save`](Engine::save) wrote, for the same root.
    fn load(&mut self, puzzle: &P, kit: &K, root: &P::State, bytes: &[u8]) -> Result<(), String>;
}

/// How a budget is spent, as the parameters say it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) control: Control,
    pub(crate) game_length: f64,
    pub(crate) answer: Answer,
    pub(crate) finish: u64,
}

/// What is known of the game, apart from the search in progress.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct Game<M> {
    /// The moves played.
    played: Vec<M>,
    /// The best line from here, once the search here has begun.
    best: Option<Line<M>>,
    /// The share of the budget at which the next move is played.
    until: f64,
    /// Positions expanded since the last greedy playout.
    since: u64,
    /// Whether it has ended, and with what claim.
    over: Option<StopReason>,
}

/// One worker: an engine and the game it plays.
pub(crate) struct Driver<P: Puzzle, K, E> {
    puzzle: P,
    kit: K,
    pace: Pace,
    engine: E,
    root: P::State,
    game: Game<P::Move>,
    /// The moves of the last greedy playout.
    rest: Vec<P::Move>,
    path: Vec<P::Move>,
}

impl<P: Puzzle, K: Kit<P>, E: Engine<P, K>> Driver<P, K, E> {
    pub(crate) fn new(puzzle: &P, kit: &K, pace: Pace, engine: E) -> Self {
        let until = 1.0 / pace.game_length.max(1.0);
        Driver {
            puzzle: puzzle.clone(),
            kit: kit.clone(),
            pace,
            engine,
            root: puzzle.start(),
            game: Game { played: Vec::new(), best: None, until, since: 0, over: None },
            rest: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Shows the best line from here, with the moves played before it.
    fn show(&self, meter: &mut Meter<P::Move>) {
        if let Some(best) = &self.game.best
            && meter.improves(best.score)
        {
            let moves = self.game.played.iter().chain(&best.moves).copied().collect();
            meter.offer(Line { score: best.score, moves });
        }
    }

    fn improve(&mut self, score: Score, moves: Vec<P::Move>, meter: &mut Meter<P::Move>) {
        self.game.best = Some(Line { score, moves });
        if self.pace.answer == Answer::Best {
            self.show(meter);
        }
    }

    /// Finishes a game greedily: from the root, or from where the search is.
    fn finish_greedily(&mut self, meter: &mut Meter<P::Move>) {
        let state = match self.game.best {
            None => {
                self.path.clear();
                self.root.clone()
            }
            Some(_) => self.engine.position(&self.puzzle, &mut self.path),
        };
        let before = self.game.played.len() + self.path.len();
        let score = self.kit.greedy(&self.puzzle, &state, before, &mut self.rest);
        meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
        if self.game.best.as_ref().is_none_or(|best| score > best.score) {
            let moves = self.path.iter().chain(&self.rest).copied().collect();
            self.improve(score, moves, meter);
        }
        self.game.since = 0;
    }

    /// Plays the move that the search decided on, or with a proof the whole
    /// line.
    fn play(&mut self, proven: bool, meter: &mut Meter<P::Move>) {
        let Some(mut best) = self.game.best.take() else { return };
        if proven {
            for &mv in &best.moves {
                self.puzzle.play(&mut self.root, mv);
            }
            let solved = self.game.played.is_empty();
            self.game.over = Some(if solved { StopReason::Solved } else { StopReason::Finished });
            self.game.played.append(&mut best.moves);
        } else {
            let along = best.moves.first().copied();
            let Some(mv) = self.engine.choice().or(along) else { return };
            self.puzzle.play(&mut self.root, mv);
            self.game.played.push(mv);
            if along == Some(mv) {
                best.moves.remove(0);
                self.game.best = Some(best);
            }
            if self.puzzle.is_over(&self.root) {
                self.game.over = Some(StopReason::Finished);
            } else {
                self.engine.begin(&self.puzzle, &self.root);
            }
        }
        if self.game.over.is_some() {
            let score = self.puzzle.score(&self.root);
            self.game.best = Some(Line { score, moves: Vec::new() });
            self.show(meter);
        }
        let share = 1.0 / self.pace.game_length.max(1.0);
        self.game.until = self.game.until.max(meter.used()) + share;
    }

    /// Expands one position, and draws the conclusions.
    fn expand(&mut self, meter: &mut Meter<P::Move>) {
        let floor = self.game.best.as_ref().map_or(Score::MIN, |best| best.score);
        let watched = meter.is_watched();
        let mut host = Host { floor, found: None, watched, expanded: None };
        let progress = self.engine.expand(&self.puzzle, &self.kit, &mut host);
        let depth = self.engine.depth() as u64;
        meter.count(Counters { playouts: 0, nodes: 1, spent: 1, depth_sum: depth, deepest: depth });
        if let Some(tally) = meter.tally() {
            tally.expanded(&self.game.played, host.expanded);
        }
        self.game.since += 1;
        if let Some(moves) = host.found {
            self.improve(host.floor, moves, meter);
        }
        match (progress, self.pace.control) {
            (Progress::Proven, _) => self.play(true, meter),
            (Progress::Ended, Control::Game) => self.game.over = Some(StopReason::Finished),
            (Progress::Ended, Control::Move) => self.play(false, meter),
            (Progress::Going, Control::Move) if meter.used() >= self.game.until => {
                self.play(false, meter);
            }
            (Progress::Going, _) => {}
        }
    }
}

impl<P: Puzzle, K: Kit<P>, E: Engine<P, K>> Search<P> for Driver<P, K, E> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if self.puzzle.is_over(&self.root) && self.game.played.is_empty() {
            let score = self.puzzle.score(&self.root);
            meter.offer(Line { score, moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        let mut work = 0;
        while work < WORK_PER_STEP {
            if let Some(reason) = self.game.over.or_else(|| meter.stop()) {
                return Status::Done(reason);
            }
            if self.game.best.is_none() || self.game.since >= self.pace.finish {
                self.finish_greedily(meter);
                work += PLAYOUT_WORK;
            } else {
                self.expand(meter);
                work += 1;
            }
        }
        Status::Going
    }

    /// The game as far as it was played, and the best line from there.
    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        if self.game.best.is_none() {
            let before = self.game.played.len();
            let score = self.kit.greedy(&self.puzzle, &self.root, before, &mut self.rest);
            self.game.best = Some(Line { score, moves: self.rest.clone() });
        }
        self.show(meter);
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.game, self.engine.save())).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (game, engine): (Game<P::Move>, Vec<u8>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let root =
            solitree_core::replay(&self.puzzle, &game.played).map_err(|error| error.to_string())?;
        self.engine.load(&self.puzzle, &self.kit, &root, &engine)?;
        self.root = root;
        self.game = game;
        Ok(())
    }
}
