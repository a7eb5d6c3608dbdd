//! Exact values of positions near the end of a two-player game.
//!
//! Depth first with a table of known positions; a look two moves ahead at each of
//! them takes wins, leaves out moves that lose at once, and so follows forced
//! lines almost for nothing.

use solitree_core::{Game, Outcome, Player, Sight};

/// A solver and what it remembers.
pub struct Solver<G: Game> {
    game: G,
    /// Keys with the values of their positions, to the player to move.
    table: Vec<(u64, Value)>,
    /// A list of moves for each depth, so that nothing is allocated twice.
    lists: Vec<Vec<G::Move>>,
    left: u64,
}

/// What a position is worth to the player to move, at most and at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Lost,
    Drawn,
    Won,
}

impl Value {
    fn turned(self) -> Value {
        match self {
            Value::Lost => Value::Won,
            Value::Drawn => Value::Drawn,
            Value::Won => Value::Lost,
        }
    }

    fn of(outcome: Outcome, player: Player) -> Value {
        match outcome {
            Outcome::Won(winner) if winner == player => Value::Won,
            Outcome::Won(_) => Value::Lost,
            Outcome::Draw => Value::Drawn,
        }
    }
}

impl<G: Game> Solver<G> {
    /// A solver that remembers so many positions.
    pub fn new(game: &G, places: usize) -> Self {
        let places = places.next_power_of_two().max(2);
        Solver {
            game: game.clone(),
            // No key is 0: see `key`.
            table: vec![(0, Value::Drawn); places],
            lists: Vec::new(),
            left: 0,
        }
    }

    /// The outcome with best play by both, or none if more than `positions` would
    /// have to be looked at.
    pub fn solve(&mut self, state: &G::State, positions: u64) -> Option<Outcome> {
        if let Some(outcome) = self.game.outcome(state) {
            return Some(outcome);
        }
        self.left = positions;
        let player = self.game.to_move(state);
        Some(match self.value(state, 0)? {
            Value::Won => Outcome::Won(player),
            Value::Lost => Outcome::Won(player.other()),
            Value::Drawn => Outcome::Draw,
        })
    }

    fn value(&mut self, state: &G::State, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        let key = self.game.key(state) | 1;
        let place = (key >> 1) as usize & (self.table.len() - 1);
        if self.table[place].0 == key {
            return Some(self.table[place].1);
        }
        if self.lists.len() <= depth {
            self.lists.push(Vec::new());
        }
        let mut moves = std::mem::take(&mut self.lists[depth]);
        let value = match self.game.look_ahead(state, &mut moves) {
            Sight::Won(_) => Some(Value::Won),
            Sight::Lost => Some(Value::Lost),
            Sight::Open => self.best(state, &moves, depth),
        };
        self.lists[depth] = moves;
        let value = value?;
        self.table[place] = (key, value);
        Some(value)
    }

    /// The best of some moves.
    fn best(&mut self, state: &G::State, moves: &[G::Move], depth: usize) -> Option<Value> {
        let player = self.game.to_move(state);
        let mut best = Value::Lost;
        for &mv in moves {
            let mut next = state.clone();
            self.game.play(&mut next, mv);
            let value = match self.game.outcome(&next) {
                Some(outcome) => Value::of(outcome, player),
                // The rules may let a player move again; ours never do.
                None => self.value(&next, depth + 1)?.turned(),
            };
            best = best.max(value);
            if best == Value::Won {
                break;
            }
        }
        Some(best)
    }
}
