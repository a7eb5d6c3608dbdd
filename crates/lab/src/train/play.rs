//! Games to learn from, and games of the policy alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use solitree_core::{Budget, Policy, Puzzle, Rng, Taught, mix};
use solitree_games::samegame::{
    AnySameGame, Board, Engine, Generator, Kernels, Rules, SameGame, SameGameKit,
};
use solitree_nn::{PuzzleEncoder, SameGameEncoder, Weights};
use solitree_search::{Limits, Meter, Request, Status};

use super::order::alternatives;
use super::spec::Occasion;
use super::{Game, Training, wrong};
use crate::policy::{LoadedWeights, SameGamePolicy};
use crate::{Failure, Machines, Setup};

/// Where a training plays: its boards, rules and encoder.
pub(super) struct Ground {
    training: Training,
    size: (usize, usize, usize),
    rules: Arc<Rules>,
    encoder: SameGameEncoder,
}

/// Games played at random on each board for validation.
const RANDOM_GAMES: u64 = 10;

/// One who plays with what has been learnt.
pub(super) struct Player<'a> {
    ground: &'a Ground,
    setup: Setup,
    /// After so many a game ends, if nothing else ends it.
    playouts: Option<u64>,
    policy: Option<Arc<SameGamePolicy>>,
    machines: Machines,
}

/// What a game went through.
pub(super) struct Replayed {
    /// Its positions as the encoder has them, each before its move.
    pub(super) positions: Vec<Vec<u8>>,
    /// The points that there were in each.
    pub(super) points: Vec<i64>,
    /// Whether the board was empty in the end.
    pub(super) cleared: bool,
}

impl Ground {
    pub(super) fn new(training: &Training) -> Result<Ground> {
        training.check()?;
        Ok(Ground {
            size: training.sides()?,
            rules: Rules::parse(&training.rules).map_err(wrong)?,
            encoder: training.encoder()?,
            training: training.clone(),
        })
    }

    pub(super) fn encoder(&self) -> &SameGameEncoder {
        &self.encoder
    }

    pub(super) fn rules(&self) -> &str {
        &self.training.rules
    }

    /// How many boards there are for validation.
    pub(super) fn validation(&self) -> u64 {
        self.training.validation
    }

    /// Weights for the boards here.
    pub(super) fn fitting(&self, weights: &Weights) -> Result<LoadedWeights> {
        let fitting = LoadedWeights::fit(weights.clone(), self.size, &self.training.rules);
        fitting.map_err(Failure::input)
    }

    /// One who plays games to learn from, with what has been learnt so far.
    pub(super) fn player(
        &self,
        learnt: Option<&LoadedWeights>,
        machines: &Machines,
    ) -> Result<Player<'_>> {
        let occasion = if learnt.is_none() { Occasion::First } else { Occasion::Games };
        self.player_for(occasion, learnt, machines)
    }

    /// One who shows what has been learnt.
    pub(super) fn candidate(
        &self,
        learnt: Option<&LoadedWeights>,
        machines: &Machines,
    ) -> Result<Player<'_>> {
        self.player_for(Occasion::Measure, learnt, machines)
    }

    fn player_for(
        &self,
        occasion: Occasion,
        learnt: Option<&LoadedWeights>,
        machines: &Machines,
    ) -> Result<Player<'_>> {
        let (setup, playouts) = self.training.setup(occasion)?;
        let policy = learnt.map(|learnt| match self.game(0, 0) {
            AnySameGame::Small(game) => learnt.policy(&game, machines),
            AnySameGame::Large(game) => learnt.policy(&game, machines),
        });
        let machines = machines.clone();
        Ok(Player { ground: self, setup, playouts, policy: policy.map(Arc::new), machines })
    }

    /// A board of a generation; those of generation 0 are for validation.
    fn board(&self, generation: u64, board: u64) -> Board {
        let seed = mix(mix(self.training.seed ^ 0x7EAC4) ^ (generation << 32 | board)) >> 16;
        let text = format!("{seed}:{}", self.training.size);
        let generator = text.parse::<Generator>();
        generator.unwrap_or_else(|error| panic!("the size was checked: {error}")).board()
    }

    fn game(&self, generation: u64, board: u64) -> AnySameGame {
        AnySameGame::new(&self.board(generation, board), &self.rules)
    }

    /// The board of a game, and what else was played on it.
    pub(super) fn board_of(&self, game: &Game) -> u64 {
        game.game / self.training.lines
    }

    /// A game played again. An error if its moves are not legal.
    pub(super) fn replay(&self, game: &Game) -> Result<Replayed> {
        match self.game(game.generation, self.board_of(game)) {
            AnySameGame::Small(puzzle) => self.replayed(&puzzle, game),
            AnySameGame::Large(puzzle) => self.replayed(&puzzle, game),
        }
    }

    /// The moves to learn in each position of a game, the first position given.
    pub(super) fn moves_to_learn(&self, game: &Game, start: Option<&Vec<u8>>) -> Vec<Vec<u16>> {
        match start.filter(|_| self.training.any_order) {
            Some(start) => alternatives(start, self.size.1, &game.moves),
            None => game.moves.iter().map(|&mv| vec![mv]).collect(),
        }
    }

    fn replayed<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        game: &Game,
    ) -> Result<Replayed>
    where
        Kernels: Engine<W, P>,
    {
        let mut state = puzzle.start();
        let (mut positions, mut points) = (Vec::with_capacity(game.moves.len()), Vec::new());
        for &index in &game.moves {
            let mut contents = vec![0; self.size.0 * self.size.1];
            self.encoder.contents(puzzle, &state, &mut contents);
            positions.push(contents);
            points.push(puzzle.score(&state).0);
            let Some(mv) = self.encoder.move_at(puzzle, &state, index) else {
                return Err(Failure::input(format!(
                    "games.jsonl: generation {}, game {}: move {} is not legal there",
                    game.generation,
                    game.game,
                    positions.len()
                )));
            };
            puzzle.play(&mut state, mv);
        }
        Ok(Replayed { positions, points, cleared: state.is_cleared() })
    }
}

impl Player<'_> {
    /// Whether its games ask a network.
    pub(super) fn asks(&self) -> bool {
        self.policy.is_some() && self.setup.asks().is_some()
    }

    /// Plays a game by search; none if it was stopped.
    pub(super) fn play(
        &self,
        generation: u64,
        game: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Game>> {
        let seed = mix(self.ground.training.seed ^ mix(generation << 32 | game));
        let board = game / self.ground.training.lines;
        let best = match self.ground.game(generation, board) {
            AnySameGame::Small(puzzle) => self.search(&puzzle, seed, stop)?,
            AnySameGame::Large(puzzle) => self.search(&puzzle, seed, stop)?,
        };
        Ok(best.map(|(score, moves)| Game { generation, game, score, moves }))
    }

    fn search<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<(i64, Vec<u16>)>>
    where
        Kernels: Engine<W, P>,
    {
        let accelerator = self.machines.accelerator.clone();
        let kit = SameGameKit::new(&self.setup.kit, puzzle).with_accelerator(accelerator);
        let kit = Taught { kit, policy: self.policy.clone() };
        let budget = Budget { playouts: self.playouts, ..Budget::default() };
        let request = Request { budget: &budget, seed, threads: 1, line: None };
        let mut workers = self.setup.settings.workers(puzzle, &kit, &request).map_err(wrong)?;
        let limits = Limits { playouts: self.playouts, ..Limits::default() };
        let mut meter = Meter::new(limits);
        while workers[0].step(&mut meter) == Status::Going {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        workers[0].finish(&mut meter);
        let Some(line) = meter.best() else { return Ok(None) };
        let mut state = puzzle.start();
        let index = |&mv| {
            let index = self.ground.encoder.index(puzzle, &state, mv);
            puzzle.play(&mut state, mv);
            index
        };
        Ok(Some((line.score.0, line.moves.iter().map(index).collect())))
    }

    /// What the search reaches on a board for validation; none if it was stopped.
    pub(super) fn search_for(&self, board: u64, stop: &AtomicBool) -> Result<Option<f64>> {
        Ok(self.play(0, board * self.ground.training.lines, stop)?.map(|game| game.score as f64))
    }

    /// What moves drawn at random reach on a board for validation: a mean.
    pub(super) fn at_random(&self, board: u64) -> f64 {
        let mut rng = Rng::stream(self.ground.training.seed, board);
        let games = (0..RANDOM_GAMES).map(|_| match self.ground.game(0, board) {
            AnySameGame::Small(puzzle) => random_game(&puzzle, &mut rng),
            AnySameGame::Large(puzzle) => random_game(&puzzle, &mut rng),
        });
        games.sum::<i64>() as f64 / RANDOM_GAMES as f64
    }

    /// What the policy alone reaches on a board of a generation, 0 for validation,
    /// always with the likeliest move.
    pub(super) fn alone(&self, generation: u64, board: u64) -> i64 {
        match self.ground.game(generation, board) {
            AnySameGame::Small(puzzle) => self.likeliest(&puzzle),
            AnySameGame::Large(puzzle) => self.likeliest(&puzzle),
        }
    }

    fn likeliest<const W: usize, const P: usize>(&self, puzzle: &SameGame<W, P>) -> i64
    where
        Kernels: Engine<W, P>,
    {
        let (mut state, mut moves, mut priors) = (puzzle.start(), Vec::new(), Vec::new());
        loop {
            puzzle.moves(&state, &mut moves);
            if moves.is_empty() {
                return puzzle.score(&state).0;
            }
            priors.clear();
            if let Some(policy) = &self.policy {
                policy.priors(puzzle, &[(&state, &moves)], &mut priors);
            }
            let better = |a: &usize, b: &usize| priors[*a].total_cmp(&priors[*b]).then(b.cmp(a));
            let best = (0..priors.len()).max_by(better).unwrap_or(0);
            puzzle.play(&mut state, moves[best]);
        }
    }
}

/// The score of a game whose moves are drawn at random, all alike.
fn random_game<P: Puzzle>(puzzle: &P, rng: &mut Rng) -> i64 {
    let (mut state, mut moves) = (puzzle.start(), Vec::new());
    loop {
        puzzle.moves(&state, &mut moves);
        if moves.is_empty() {
            return puzzle.score(&state).0;
        }
        puzzle.play(&mut state, moves[rng.below(moves.len() as u32) as usize]);
    }
}
