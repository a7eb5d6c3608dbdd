//! All moves as first: how the games through a node ended in which a move was played
//! at any time after it, by the codes of moves. Only nodes that were visited often
//! have such a ledger; what lies below goes by that of the last above it.
//!
//! # References
//! - T. Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015.

use solitree_core::{Game, Outcome, Player};

/// The ledger of a node, by its number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ledger(pub(super) u32);

/// All ledgers of a tree.
#[derive(Default)]
pub(super) struct Ledgers {
    codes: usize,
    /// For every code the games, and above them two for each win and one for each
    /// draw of the player who made the move.
    sums: Vec<u64>,
    /// Sums that there is room for.
    room: usize,
}

/// Where the halves begin.
const HALVES: u32 = 32;

impl Ledgers {
    /// Ledgers of a game with so many codes, in so many bytes.
    pub(super) fn new(codes: usize, memory: u64) -> Ledgers {
        let room = memory as usize / size_of::<u64>();
        Ledgers { codes, sums: Vec::new(), room }
    }

    /// A new one, if the game has codes and there is room.
    pub(super) fn open(&mut self) -> Option<Ledger> {
        let length = self.sums.len() + self.codes;
        if self.codes == 0 || length > self.room {
            return None;
        }
        self.sums.resize(length, 0);
        Some(Ledger((length / self.codes) as u32))
    }

    /// A copy of one from another tree of the same game.
    pub(super) fn copy(&mut self, other: &Ledgers, ledger: Ledger) -> Option<Ledger> {
        let new = self.open()?;
        let (to, from) = (self.begin(new), other.begin(ledger));
        self.sums[to..to + self.codes].copy_from_slice(&other.sums[from..from + self.codes]);
        Some(new)
    }

    fn begin(&self, ledger: Ledger) -> usize {
        (ledger.0 as usize - 1) * self.codes
    }

    /// Counts a game that went from one position to another.
    #[inline(always)]
    pub(super) fn note<G: Game>(
        &mut self,
        ledger: Ledger,
        game: &G,
        (before, after): (&G::State, &G::State),
        outcome: Outcome,
    ) {
        let games = [Player::First, Player::Second].map(|player| {
            let halves = (2.0 * outcome.value_for(player)) as u64;
            1 | halves << HALVES
        });
        let begin = self.begin(ledger);
        let sums = &mut self.sums[begin..begin + self.codes];
        game.played_between(before, after, |player, code| sums[code] += games[player as usize]);
    }

    /// The games with a move, and the halves won in them.
    pub(super) fn read(&self, ledger: Ledger, code: usize) -> (u32, u32) {
        let sum = self.sums[self.begin(ledger) + code];
        (sum as u32, (sum >> HALVES) as u32)
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> usize {
        self.sums.len() * size_of::<u64>()
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.sums.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::Rng;
    use solitree_games::colorshapelinks::{Layout, SmallGame};

    #[test]
    fn a_ledger_counts_what_was_played_after_its_position() {
        let game = SmallGame::new(Layout::default()).unwrap();
        let mut ledgers = Ledgers::new(game.codes(), 1 << 20);
        ledgers.open().unwrap();
        let ledger = ledgers.open().unwrap();
        // Games and halves by code.
        let mut plain = vec![(0, 0); game.codes()];
        let (mut rng, mut moves) = (Rng::new(4), Vec::new());
        for round in 0..500 {
            let (mut state, mut before, mut played) = (game.start(), None, Vec::new());
            while game.outcome(&state).is_none() {
                if game.played(&state) == round % 4 {
                    before = Some(state);
                }
                game.moves(&state, &mut moves);
                let mv = moves[rng.below(moves.len() as u32) as usize];
                if before.is_some() {
                    played.push((game.to_move(&state), game.code(&state, mv)));
                }
                game.play(&mut state, mv);
            }
            let outcome = game.outcome(&state).unwrap();
            ledgers.note(ledger, &game, (&before.unwrap(), &state), outcome);
            for (player, code) in played {
                plain[code].0 += 1;
                plain[code].1 += (2.0 * outcome.value_for(player)) as u32;
            }
        }
        assert!((0..game.codes()).all(|code| ledgers.read(ledger, code) == plain[code]));
        assert!((0..game.codes()).all(|code| ledgers.read(Ledger(1), code) == (0, 0)));
        let mut other = Ledgers::new(game.codes(), 1 << 20);
        let copy = other.copy(&ledgers, ledger).unwrap();
        assert!((0..game.codes()).all(|code| other.read(copy, code) == plain[code]));
    }

    #[test]
    fn there_are_as_many_as_fit() {
        let mut ledgers = Ledgers::new(10, 3 * 80 + 79);
        let opened: Vec<Option<Ledger>> = (0..4).map(|_| ledgers.open()).collect();
        assert_eq!(opened, [Some(Ledger(1)), Some(Ledger(2)), Some(Ledger(3)), None]);
        assert_eq!(ledgers.size(), 240);
        assert_eq!(Ledgers::new(0, 1 << 20).open(), None, "a game without codes");
    }
}
