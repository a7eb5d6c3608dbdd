//! One suite for all games of two players: what every [`Game`] must keep to.

use crate::{Game, Manner, Outcome, Rng, Sight};

/// Plays a random game for each seed and checks at every position that moves,
/// names, outcomes and what a look ahead shows fit together.
///
/// # Panics
/// With what is wrong.
pub fn check_two_player<G: Game>(game: &G, seeds: impl IntoIterator<Item = u64>) {
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let (mut state, mut moves) = (game.start(), Vec::new());
        let mut played = 0;
        loop {
            game.moves(&state, &mut moves);
            let over = game.outcome(&state).is_some();
            assert_eq!(moves.is_empty(), over, "seed {seed}: no moves, and it is over");
            assert_eq!(game.played(&state), played, "seed {seed}: moves are counted");
            for manner in [Manner::Random, Manner::Decisive, Manner::Careful] {
                let outcome = game.finish(&state, manner, &mut rng);
                assert!(!over || game.outcome(&state) == Some(outcome), "it stays over");
            }
            if over {
                break;
            }
            check_names(game, &state, &moves);
            check_look_ahead(game, &state, &moves);
            let mv = moves[rng.below(moves.len() as u32) as usize];
            let (before, mover) = (game.key(&state), game.to_move(&state));
            game.play(&mut state, mv);
            played += 1;
            assert_ne!(game.key(&state), before, "seed {seed}: {mv:?} changes the position");
            if game.outcome(&state).is_none() {
                assert_eq!(game.to_move(&state), mover.other(), "seed {seed}: players take turns");
            }
        }
        assert!(played <= game.max_moves(), "seed {seed}: {played} moves are too many");
    }
}

fn check_names<G: Game>(game: &G, state: &G::State, moves: &[G::Move]) {
    for &mv in moves {
        let name = game.move_name(state, mv);
        assert_eq!(game.parse_move(state, &name), Some(mv), "{name} names its move");
    }
    let mut early = Vec::new();
    game.early_moves(state, &mut early);
    assert!(!early.is_empty() && early.iter().all(|mv| moves.contains(mv)), "some of the moves");
}

/// What a look ahead says, by trying everything.
fn check_look_ahead<G: Game>(game: &G, state: &G::State, moves: &[G::Move]) {
    let after = |state: &G::State, mv| {
        let mut next = state.clone();
        game.play(&mut next, mv);
        next
    };
    let me = game.to_move(state);
    let wins = |mv: G::Move| game.outcome(&after(state, mv)) == Some(Outcome::Won(me));
    let is_safe = |mv: G::Move| {
        let next = after(state, mv);
        let mut answers = Vec::new();
        game.moves(&next, &mut answers);
        let lost = Some(Outcome::Won(me.other()));
        game.outcome(&next) != lost
            && !answers.into_iter().any(|answer| game.outcome(&after(&next, answer)) == lost)
    };
    assert_eq!(game.winning_move(state).is_some(), moves.iter().any(|&mv| wins(mv)));
    let mut out = Vec::new();
    match game.look_ahead(state, &mut out) {
        Sight::Won(mv) => assert!(wins(mv), "{mv:?} wins"),
        sight => {
            assert!(!moves.iter().any(|&mv| wins(mv)), "a win is seen");
            let safe: Vec<G::Move> = moves.iter().copied().filter(|&mv| is_safe(mv)).collect();
            assert_eq!(sight == Sight::Lost, safe.is_empty(), "lost if nothing is safe");
            assert!(safe.is_empty() || out == safe, "{out:?}, not {safe:?}");
        }
    }
}
