//! The fast ColorShapeLinks against the plain one, and known answers.

use proptest::prelude::*;
use solitree_core::check::check_two_player;
use solitree_core::{Game, Manner, Outcome, Player, Rng, Sight};
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{
    ColorShapeLinks, LargeGame, Layout, LayoutError, Placement, RecordedGame, Shape, SmallGame,
};

/// Boards of all shapes, most of them in one word, with scarce supplies among
/// them.
fn layouts() -> impl Strategy<Value = Layout> {
    (1u32..=9, 1u32..=9, 1u32..=6, 0u32..=20, 0u32..=20).prop_filter_map(
        "no such game",
        |(rows, cols, line, rounds, squares)| {
            Layout { rows, cols, line, rounds, squares }.check().ok()
        },
    )
}

/// Plays a random game on both and compares everything at every step.
fn check_against_plain<const N: usize>(layout: Layout, seed: u64) {
    let Ok(game) = ColorShapeLinks::<N>::new(layout) else { return };
    let mut plain = PlainGame::new(layout).unwrap();
    let (mut state, mut rng, mut moves) = (game.start(), Rng::new(seed), Vec::new());
    loop {
        game.moves(&state, &mut moves);
        assert_eq!(moves, plain.moves());
        assert_eq!(game.outcome(&state), plain.outcome(), "\n{plain}");
        assert_eq!(moves.is_empty(), plain.outcome().is_some());
        if moves.is_empty() {
            break;
        }
        assert_eq!(game.to_move(&state), plain.to_move());
        check_tactics(&game, &state, &plain);
        let mv = moves[rng.below(moves.len() as u32) as usize];
        game.play(&mut state, mv);
        plain.play(mv).unwrap();
    }
    assert!(game.played(&state) <= game.max_moves());
}

/// What a look ahead says, by trying everything on the plain board.
fn check_tactics<const N: usize>(
    game: &ColorShapeLinks<N>,
    state: &<ColorShapeLinks<N> as Game>::State,
    plain: &PlainGame,
) {
    let me = plain.to_move();
    let after = |board: &PlainGame, mv| {
        let mut next = board.clone();
        next.play(mv).unwrap();
        next
    };
    let wins = |board: &PlainGame, player| {
        board.moves().into_iter().any(|mv| after(board, mv).outcome() == Some(Outcome::Won(player)))
    };
    let is_safe = |mv: &Placement| {
        let next = after(plain, *mv);
        match next.outcome() {
            Some(outcome) => outcome == Outcome::Draw,
            None => !wins(&next, me.other()),
        }
    };
    let mut out = Vec::new();
    match game.look_ahead(state, &mut out) {
        Sight::Won(mv) => {
            assert_eq!(after(plain, mv).outcome(), Some(Outcome::Won(me)), "{mv} in\n{plain}");
            assert!(game.winning_move(state).is_some());
        }
        sight => {
            assert!(!wins(plain, me) && game.winning_move(state).is_none(), "in\n{plain}");
            let safe: Vec<Placement> = plain.moves().into_iter().filter(is_safe).collect();
            assert_eq!(sight == Sight::Lost, safe.is_empty(), "in\n{plain}");
            assert!(safe.is_empty() || out == safe, "{out:?}, not {safe:?} in\n{plain}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn words_are_like_cells(layout in layouts(), seed: u64) {
        check_against_plain::<1>(layout, seed);
        check_against_plain::<2>(layout, seed);
    }
}

proptest! {
    // The plain way is slow on large boards.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn many_words_are_like_cells(seed: u64) {
        for (rows, cols, line) in [(8, 13, 4), (12, 12, 6), (9, 37, 5)] {
            let pieces = rows * cols / 4;
            let layout = Layout { rows, cols, line, rounds: pieces, squares: pieces + 1 };
            // A part of a game.
            check_against_plain_for::<8>(layout, seed, 25);
            check_against_plain_for::<24>(layout, seed, 25);
        }
    }
}

fn check_against_plain_for<const N: usize>(layout: Layout, seed: u64, plies: usize) {
    let game = ColorShapeLinks::<N>::new(layout).unwrap();
    let mut plain = PlainGame::new(layout).unwrap();
    let (mut state, mut rng, mut moves) = (game.start(), Rng::new(seed), Vec::new());
    for ply in 0..plies {
        game.moves(&state, &mut moves);
        assert_eq!(moves, plain.moves());
        assert_eq!(game.outcome(&state), plain.outcome());
        if moves.is_empty() {
            return;
        }
        if ply % 6 == 5 {
            check_tactics(&game, &state, &plain);
        }
        // Few columns, so that lines come about.
        let near: Vec<Placement> = moves.iter().copied().filter(|mv| mv.column() < 5).collect();
        let from = if near.is_empty() { &moves } else { &near };
        let mv = from[rng.below(from.len() as u32) as usize];
        game.play(&mut state, mv);
        plain.play(mv).unwrap();
    }
}

/// The same games by another way of playing: every random playout of the base
/// board has White win 53.1 % of the time, after 15.56 moves.
#[test]
fn random_games_have_the_known_odds() {
    let game = SmallGame::new(Layout::default()).unwrap();
    let mut rng = Rng::new(1);
    let games = 200_000;
    let won = (0..games)
        .filter(|_| {
            game.finish(&game.start(), Manner::Random, &mut rng) == Outcome::Won(Player::First)
        })
        .count();
    let share = won as f64 / f64::from(games);
    // Five standard errors.
    assert!((share - 0.531).abs() < 0.006, "{share}");
}

/// Playouts choose as the plain way does: results are as frequent.
#[test]
fn playouts_are_like_plain_ones() {
    let layouts = [
        Layout::default(),
        Layout { rows: 4, cols: 5, line: 3, rounds: 3, squares: 7 },
        Layout { rows: 3, cols: 3, line: 3, rounds: 5, squares: 1 },
    ];
    for layout in layouts {
        let (small, large) = (SmallGame::new(layout).unwrap(), LargeGame::new(layout).unwrap());
        for manner in [Manner::Random, Manner::Decisive] {
            let mut rng = Rng::new(7);
            let games = 20_000;
            let mut share = |finish: &mut dyn FnMut(&mut Rng) -> Outcome| {
                let points: f64 =
                    (0..games).map(|_| finish(&mut rng).value_for(Player::First)).sum();
                points / f64::from(games)
            };
            let one = share(&mut |rng| small.finish(&small.start(), manner, rng));
            let other = share(&mut |rng| large.finish(&large.start(), manner, rng));
            assert!((one - other).abs() < 0.025, "{layout} {manner:?}: {one} and {other}");
        }
    }
}

#[test]
fn numbers_of_games_are_known() {
    // Counted by the plain way as well.
    let layout = Layout { rows: 3, cols: 3, line: 3, rounds: 2, squares: 3 };
    let game = SmallGame::new(layout).unwrap();
    let plain = PlainGame::new(layout).unwrap();
    for depth in 0..=5 {
        assert_eq!(perft(&game, &game.start(), depth), plain_perft(&plain, depth));
    }
    let game = SmallGame::new(Layout::default()).unwrap();
    let counts: Vec<u64> = (0..=4).map(|depth| perft(&game, &game.start(), depth)).collect();
    assert_eq!(counts, [1, 14, 14 * 14, 14 * 14 * 14, 14 * 14 * 14 * 14]);
}

fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let next = |&mv: &G::Move| {
        let mut next = state.clone();
        game.play(&mut next, mv);
        perft(game, &next, depth - 1)
    };
    moves.iter().map(next).sum()
}

fn plain_perft(game: &PlainGame, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next = |mv: Placement| {
        let mut next = game.clone();
        next.play(mv).unwrap();
        plain_perft(&next, depth - 1)
    };
    game.moves().into_iter().map(next).sum()
}

#[test]
fn a_shape_goes_before_a_colour_and_one_can_lose_by_ones_own_move() {
    let game = |moves: &[&str], result: &str, by: Option<&str>| RecordedGame {
        layout: Layout::default(),
        moves: moves.iter().map(ToString::to_string).collect(),
        result: result.to_owned(),
        by: by.map(str::to_owned),
    };
    let column = ["3o", "2s", "3o", "2s", "3o", "2o", "3o"];
    game(&column, "W", Some("o")).replay().unwrap();
    // White completes four squares, which are Red's, and four white pieces: Red wins.
    let squares = ["0s", "6o", "1s", "6o", "2s", "6s", "3s"];
    game(&squares, "R", Some("s")).replay().unwrap();
    let said = |moves: &[&str], result| game(moves, result, None).replay().unwrap_err().to_string();
    assert_eq!(said(&squares, "W"), "says W, but it is R by s");
    assert_eq!(said(&column[..5], "W"), "says W, but it is not over");
    assert_eq!(said(&["9o"], "W"), "move 1 (9o): there is no such column");
    assert_eq!(
        said(&["0o", "0o", "0o", "0s", "0o", "0o", "0o"], "D"),
        "move 7 (0o): the column is full"
    );
    assert_eq!(said(&["+3o"], "W"), "move 1: '+3o' is not a move such as 3o or 12s");
}

#[test]
fn layouts_that_make_no_sense_are_refused() {
    let base = Layout::default();
    let said = |layout: Layout| SmallGame::new(layout).unwrap_err();
    assert_eq!(said(Layout { rows: 0, ..base }), LayoutError::Zero { what: "rows" });
    assert_eq!(
        said(Layout { line: 8, ..base }),
        LayoutError::LineTooLong { line: 8, rows: 6, cols: 7 }
    );
    assert_eq!(said(Layout { rounds: 0, squares: 0, ..base }), LayoutError::NoPieces);
    let huge = Layout { rows: u32::MAX, cols: u32::MAX, ..base };
    assert!(matches!(LargeGame::new(huge), Err(LayoutError::TooLarge { .. })));
    assert!(
        LargeGame::new(Layout { rows: 33, cols: 42, line: 20, rounds: 346, squares: 347 }).is_ok()
    );
}

#[test]
fn colorshapelinks_passes_the_suite_of_all_games() {
    for layout in [
        Layout::default(),
        Layout { rows: 3, cols: 4, line: 3, rounds: 2, squares: 4 },
        Layout { rows: 1, cols: 9, line: 2, rounds: 1, squares: 1 },
    ] {
        check_two_player(&SmallGame::new(layout).unwrap(), 0..8);
        check_two_player(&LargeGame::new(layout).unwrap(), 0..2);
    }
}

#[test]
fn moves_are_written_as_in_the_protocol() {
    for column in 0..120 {
        for shape in Shape::ALL {
            let mv = Placement::new(column, shape);
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
    for text in ["", "o", "3", "3x", "-1o", "3 o", "128o", "9999s", "３o"] {
        assert!(text.parse::<Placement>().is_err(), "{text}");
    }
}

/// A position looks as good as the cells that would win.
#[test]
fn an_impression_counts_the_cells_that_win() {
    fn after<const N: usize>(moves: &str) -> f32 {
        let game = ColorShapeLinks::<N>::new(Layout::default()).unwrap();
        let mut state = game.start();
        for word in moves.split_whitespace() {
            game.play(&mut state, word.parse().unwrap());
        }
        game.impression(&state).unwrap()
    }
    for look in [after::<1>, after::<2>, after::<24>] {
        assert_eq!(look(""), 0.5);
        // White has three rounds beside each other, Red nothing yet.
        assert_eq!(look("0o 6s 1o 6s 2o"), 2.0 / 3.0);
        // Red's answer leaves it so; he has three squares on each other now.
        assert_eq!(look("0o 6s 1o 6s 2o 6s"), 0.5);
        // And whoever moved, it is the other way round for the other.
        assert_eq!(look("0o 6s 1o 6s 2o 5o"), 1.0 / 3.0);
    }
}
