//! One suite for all games of two players: what every [`Game`] must keep to.

use crate::{Game, Manner, Outcome, Player, Rng, Sight};

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
        // Every position, and the player and the code of the move that was made there.
        let mut line: Vec<(G::State, (Player, usize))> = Vec::new();
        loop {
            game.moves(&state, &mut moves);
            let over = game.outcome(&state).is_some();
            assert_eq!(moves.is_empty(), over, "seed {seed}: no moves, and it is over");
            assert_eq!(game.played(&state), played, "seed {seed}: moves are counted");
            for manner in [Manner::Random, Manner::Decisive, Manner::Careful] {
                let outcome = game.finish(&state, manner, &mut rng);
                assert!(!over || game.outcome(&state) == Some(outcome), "it stays over");
            }
            check_codes(game, &line, &state, &mut rng);
            if over {
                break;
            }
            check_names(game, &state, &moves);
            check_look_ahead(game, &state, &moves);
            let mv = moves[rng.below(moves.len() as u32) as usize];
            let (before, mover) = (game.key(&state), game.to_move(&state));
            line.push((state.clone(), (mover, game.code(&state, mv))));
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

/// Codes are told as moves were made, up to here and in a playout from here.
fn check_codes<G: Game>(
    game: &G,
    line: &[(G::State, (Player, usize))],
    state: &G::State,
    rng: &mut Rng,
) {
    if game.codes() == 0 {
        return;
    }
    let between = |before: &G::State, after: &G::State| {
        let mut told = Vec::new();
        game.played_between(before, after, |player, code| told.push((code, player as usize)));
        assert!(told.iter().all(|&(code, _)| code < game.codes()), "codes are below their number");
        told.sort_unstable();
        told
    };
    for (at, (before, _)) in line.iter().enumerate() {
        let moves = line[at..].iter().map(|&(_, (player, code))| (code, player as usize));
        let mut moves: Vec<(usize, usize)> = moves.collect();
        moves.sort_unstable();
        assert_eq!(between(before, state), moves, "from move {at} on");
    }
    for manner in [Manner::Random, Manner::Decisive, Manner::Careful] {
        let mut end = state.clone();
        game.play_out(&mut end, manner, rng);
        let told = between(state, &end);
        assert!(game.played(state) + told.len() <= game.max_moves(), "no more than there are");
        if game.outcome(state).is_none() {
            let first = told.iter().filter(|&&(_, player)| player == Player::First as usize);
            let first = first.count();
            let (mine, his) = match game.to_move(state) {
                Player::First => (first, told.len() - first),
                Player::Second => (told.len() - first, first),
            };
            assert!(mine == his || mine == his + 1, "players take turns: {mine} and {his}");
            assert!(!told.is_empty() || manner != Manner::Random, "some move is played");
        }
    }
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
