//! The fast engine against the plain one, on boards of every shape, along
//! random games, on every set of instructions this machine has.

use std::sync::Arc;

use proptest::prelude::*;
use solitree_core::check::{check_playout, check_puzzle};
use solitree_core::{Job, Playout, Puzzle, Rng};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{
    AnySameGame, Board, Cell, Engine, Generator, GroupChoice, Kernels, LargeSameGame, Path,
    PlayoutConfig, PlayoutKind, RULE_PRESETS, Rules, SameGame, SameGamePlayout, SmallSameGame,
    State, TabuTime,
};

/// A settled board of any size and number of colours, with ragged tops.
fn boards() -> impl Strategy<Value = Board> {
    (1usize..=32, 1usize..=16, 1usize..=9, any::<u64>(), any::<bool>()).prop_map(
        |(width, height, colours, seed, full)| {
            let mut rng = Rng::new(seed);
            let mut tops: Vec<usize> = (0..width)
                .map(|_| if full { height } else { rng.below(height as u32 + 1) as usize })
                .collect();
            // Empty columns belong to the right.
            tops.sort_by_key(|&top| top == 0);
            Board::new(width, height, |x, y| {
                if y < tops[x] { 1 + rng.below(colours as u32) as u8 } else { 0 }
            })
            .unwrap()
        },
    )
}

fn policies() -> Vec<PlayoutConfig> {
    let mut policies = Vec::new();
    for &kind in PlayoutKind::ALL {
        for &tabu in TabuTime::ALL {
            for &choice in GroupChoice::ALL {
                for (epsilon, keep) in [(0.0, 0), (0.2, 0), (0.003, 2), (1.0, 0)] {
                    policies.push(PlayoutConfig { kind, epsilon, tabu, choice, keep });
                }
            }
        }
    }
    policies
}

fn same_position<const W: usize, const P: usize>(
    state: &State<W, P>,
    plain: &PlainGame,
    board: &Board,
) {
    for x in 0..board.width() {
        for y in 0..board.height() {
            assert_eq!(state.colour(x, y), plain.colour(x, y), "column {x}, row {y}");
        }
    }
}

fn same_game<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    seed: u64,
) where
    Kernels: Engine<W, P>,
{
    let mut rng = Rng::new(seed);
    let mut plain = PlainGame::new(board, rules);
    let mut state = game.start();
    let (mut moves, mut groups) = (Vec::new(), Vec::new());
    loop {
        same_position(&state, &plain, board);
        assert_eq!(game.score(&state), plain.score());
        assert_eq!(game.is_over(&state), plain.is_over());
        let expected = plain.groups();
        game.moves(&state, &mut moves);
        game.groups(&state, &mut groups);
        assert_eq!(moves, expected.iter().map(|g| g.cells[0]).collect::<Vec<_>>());
        assert_eq!(groups.len(), expected.len());
        for (fast, plain) in groups.iter().zip(&expected) {
            let cells: Vec<Cell> = (0..W * 64)
                .filter(|bit| fast.cells[bit / 64] >> (bit % 64) & 1 != 0)
                .map(|bit| Cell::new(bit / 16, bit % 16))
                .collect();
            assert_eq!(cells, plain.cells);
            assert_eq!(
                (fast.first, fast.size as usize, fast.colour),
                (plain.cells[0], plain.cells.len(), plain.colour)
            );
        }
        // A position reached by play has the key of the same position set up.
        let fresh = SameGame::<W, P>::new(&plain.board(), &Arc::new(rules.clone()));
        assert_eq!(game.key(&state), game.key(&fresh.start()));
        if expected.is_empty() {
            break;
        }
        let group = &expected[rng.below(expected.len() as u32) as usize];
        let cell = group.cells[rng.below(group.cells.len() as u32) as usize];
        assert_eq!(game.canonical(&state, cell), Some(group.cells[0]));
        game.play(&mut state, cell);
        assert_eq!(plain.play(cell).as_ref(), Some(group));
    }
}

fn same_playouts<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    seed: u64,
) where
    Kernels: Engine<W, P>,
{
    for config in policies() {
        let policy = SameGamePlayout::new(&config, board.width() * board.height());
        let mut batch: Vec<Job<SameGame<W, P>>> =
            (0..9).map(|i| Job::new(game.start(), seed.wrapping_add(i))).collect();
        policy.run(game, &mut batch);
        for job in &batch {
            let mut plain = PlainGame::new(board, rules);
            let moves = plain.playout(&config, job.seed);
            assert_eq!(job.moves, moves, "{config:?} seed {}", job.seed);
            assert_eq!(job.score, plain.score(), "{config:?} seed {}", job.seed);
            let mut alone = [Job::new(game.start(), job.seed)];
            policy.run(game, &mut alone);
            assert_eq!((alone[0].score, &alone[0].moves), (job.score, &job.moves));
        }
    }
}

fn rules_of(seed: u64) -> Arc<Rules> {
    let preset = RULE_PRESETS[seed as usize % RULE_PRESETS.len()];
    Rules::parse(preset.name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn games_are_the_same(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        match AnySameGame::new(&board, &rules) {
            AnySameGame::Small(game) => {
                for path in Path::available() {
                    same_game(&game.clone().with_path(path), &board, &rules, seed);
                }
            }
            AnySameGame::Large(game) => same_game(&game, &board, &rules, seed),
        }
    }

    #[test]
    fn a_small_board_is_the_same_in_the_large_layout(board in boards(), seed: u64) {
        same_game(&LargeSameGame::new(&board, &rules_of(seed)), &board, &rules_of(seed), seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn playouts_are_the_same(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        match AnySameGame::new(&board, &rules) {
            AnySameGame::Small(game) => {
                for path in Path::available() {
                    same_playouts(&game.clone().with_path(path), &board, &rules, seed);
                }
            }
            AnySameGame::Large(game) => same_playouts(&game, &board, &rules, seed),
        }
    }
}

#[test]
fn samegame_passes_the_suite_of_all_puzzles() {
    for (spec, rules) in [
        ("1", "samegame"),
        ("2:7x5x3", "bubble-breaker"),
        ("3:1x1x1", "samegame"),
        ("4:16x16x7", "clickomania"),
    ] {
        let board = spec.parse::<Generator>().unwrap().board();
        let rules = Rules::parse(rules).unwrap();
        let game = SmallSameGame::new(&board, &rules);
        check_puzzle(&game, 0..20);
        for config in policies() {
            check_playout(
                &game,
                &SameGamePlayout::new(&config, board.width() * board.height()),
                0..13,
            );
        }
    }
    let board = "5:32x16x9".parse::<Generator>().unwrap().board();
    check_puzzle(&LargeSameGame::new(&board, &Rules::parse("samegame").unwrap()), 0..5);
}
