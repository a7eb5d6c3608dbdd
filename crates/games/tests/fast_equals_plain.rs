//! The fast engine against the plain one, on boards of every shape, along
//! random games, on every set of instructions this machine has.

use std::sync::Arc;

use proptest::prelude::*;
use solitree_core::check::{
    check_evaluator, check_guide, check_kit, check_playout, check_puzzle, check_steered,
};
use solitree_core::{Child, Evaluator, Guide, Job, Playout, Puzzle, Rng, Weights};
use solitree_games::samegame::plain::{PlainGame, PlainGroup};
use solitree_games::samegame::{
    AnySameGame, Board, Cell, Engine, Evaluation, EvaluatorConfig, Generator, GroupChoice,
    GuideConfig, Kernels, KitConfig, LargeSameGame, MoveCode, Path, PlayoutConfig, PlayoutKind,
    RULE_PRESETS, Rules, SameGame, SameGameGuide, SameGameKit, SameGamePlayout, SmallSameGame,
    State, TabuRule, TabuTime,
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
                for (epsilon, keep, second) in
                    [(0.0, 0, 0), (0.2, 0, 3), (0.003, 2, 0), (0.1, 2, 3), (0.0, 3, 1), (1.0, 0, 0)]
                {
                    policies.push(PlayoutConfig { kind, epsilon, tabu, choice, keep, second });
                }
            }
        }
    }
    policies
}

/// Guides, and the second colour they keep.
fn guides() -> Vec<(GuideConfig, u64)> {
    let mut guides = Vec::new();
    for &rule in TabuRule::ALL {
        for &code in MoveCode::ALL {
            for (pairs_after, bias, second) in [(10, 0.0, 0), (0, 0.7, 0), (3, -0.4, 2)] {
                guides.push((GuideConfig { rule, pairs_after, bias, code }, second));
            }
        }
    }
    guides
}

fn evaluators() -> impl Iterator<Item = EvaluatorConfig> {
    Evaluation::ALL.iter().map(|&evaluation| EvaluatorConfig { evaluation })
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

/// The groups that a guide lets go, by the rule as it is written.
fn allowed(
    config: &GuideConfig,
    (kept, second): (u8, u64),
    plain: &PlainGame,
    played: usize,
) -> Vec<PlainGroup> {
    let allowed = |group: &PlainGroup| match config.rule {
        TabuRule::None => true,
        TabuRule::Strict => group.colour != kept,
        TabuRule::Selective => {
            let pair = group.cells.len() == 2 && played as u64 > config.pairs_after;
            group.colour != kept || pair
        }
    };
    let groups = plain.groups();
    let some: Vec<PlainGroup> = groups.iter().filter(|group| allowed(group)).cloned().collect();
    let free = if some.is_empty() { groups } else { some };
    let is_third = |group: &&PlainGroup| u64::from(group.colour) != second;
    let third: Vec<PlainGroup> = free.iter().filter(is_third).cloned().collect();
    if third.is_empty() { free } else { third }
}

/// Steers games, and holds them against the same told plainly and their choices
/// against the plain game.
fn same_guidance<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    seed: u64,
) where
    Kernels: Engine<W, P>,
{
    let keep = seed % 4;
    for (config, second) in guides() {
        let playout = PlayoutConfig { keep, second, ..PlayoutConfig::default() };
        let guide = SameGameGuide::new(&config, &playout, game);
        let plain = PlainGame::new(board, rules);
        let frequent = (1..=9).rev().max_by_key(|&colour| plain.count(colour)).unwrap_or(0);
        let kept = if keep == 0 { frequent } else { keep as u8 };
        let mut weights = Weights::default();
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let told = check_steered(game, &guide, &game.start(), &weights, &mut rng);
            same_choices(game, board, rules, &guide, (&config, kept, second), &told.moves);
            for &slot in &told.slots {
                weights.scale(slot, 0.25 + 3.0 * rng.unit() as f32);
            }
        }
    }
}

fn same_choices<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    guide: &SameGameGuide,
    (config, kept, second): (&GuideConfig, u8, u64),
    moves: &[Cell],
) where
    Kernels: Engine<W, P>,
{
    let mut plain = PlainGame::new(board, rules);
    let mut state = game.start();
    let mut choices = Vec::new();
    for played in 0..=moves.len() {
        guide.choices(game, &state, played, &mut choices);
        let expected = allowed(config, (kept, second), &plain, played);
        assert_eq!(choices.len(), expected.len(), "{config:?}");
        for (choice, group) in choices.iter().zip(&expected) {
            assert_eq!(choice.mv, group.cells[0], "{config:?}");
            let is_kept = config.rule != TabuRule::None && group.colour == kept;
            let points = (group.cells.len() as f64 - 2.0 - f64::from(u8::from(is_kept))).min(8.0);
            let factor = (config.bias * points).exp().clamp(1e-9, 1e9);
            assert!((f64::from(choice.factor) / factor - 1.0).abs() < 1e-6, "{config:?}");
        }
        if let Some(&mv) = moves.get(played) {
            game.play(&mut state, mv);
            plain.play(mv).unwrap();
        }
    }
}

/// The positions one move on, and what they are worth by the words of
/// [`Evaluation`], along a random game.
fn same_children<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    seed: u64,
) where
    Kernels: Engine<W, P>,
{
    for config in evaluators() {
        let mut rng = Rng::new(seed);
        let mut plain = PlainGame::new(board, rules);
        let mut state = game.start();
        loop {
            let mut children: Vec<Child<SameGame<W, P>>> = Vec::new();
            config.children(game, &state, &mut children);
            let groups = plain.groups();
            assert_eq!(children.len(), groups.len());
            for (child, group) in children.iter().zip(&groups) {
                let mut next = plain.clone();
                next.play(group.cells[0]).unwrap();
                let mut played = state;
                game.play(&mut played, group.cells[0]);
                same_position(&child.state, &next, board);
                assert_eq!((child.mv, child.state), (group.cells[0], played));
                assert_eq!((child.score, child.over), (next.score(), next.is_over()));
                assert_eq!(child.key, game.key(&played));
                let points = |group: &PlainGroup| rules.points(group.cells.len() as u32);
                let value = match config.evaluation {
                    Evaluation::Score => next.score().0,
                    Evaluation::Potential => {
                        next.score().0 + i64::from(next.groups().iter().map(points).sum::<i32>())
                    }
                    Evaluation::Colours => game.upper_bound(&played).unwrap().0,
                };
                assert_eq!(child.value, value as f32, "{config:?}");
            }
            if groups.is_empty() {
                break;
            }
            let mv = groups[rng.below(groups.len() as u32) as usize].cells[0];
            game.play(&mut state, mv);
            plain.play(mv).unwrap();
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn steered_games_are_the_same(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        match AnySameGame::new(&board, &rules) {
            AnySameGame::Small(game) => {
                for path in Path::available() {
                    same_guidance(&game.clone().with_path(path), &board, &rules, seed);
                }
            }
            AnySameGame::Large(game) => same_guidance(&game, &board, &rules, seed),
        }
    }

    #[test]
    fn a_small_board_is_steered_the_same_in_the_large_layout(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        same_guidance(&LargeSameGame::new(&board, &rules), &board, &rules, seed);
    }

    #[test]
    fn children_are_the_same(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        if let AnySameGame::Small(game) = AnySameGame::new(&board, &rules) {
            for path in Path::available() {
                same_children(&game.clone().with_path(path), &board, &rules, seed);
            }
        }
        same_children(&LargeSameGame::new(&board, &rules), &board, &rules, seed);
    }
}

/// Every setting of the kit, on every set of instructions and both layouts.
#[test]
fn the_kit_passes_the_suite_of_all_kits() {
    for (spec, rules) in [
        ("1", "samegame"),
        ("2:7x5x3", "bubble-breaker"),
        ("3:1x1x1", "samegame"),
        ("4:16x16x7", "clickomania"),
    ] {
        let board = spec.parse::<Generator>().unwrap().board();
        let rules = Rules::parse(rules).unwrap();
        for path in Path::available() {
            check_guides_and_evaluators(&SmallSameGame::new(&board, &rules).with_path(path));
        }
        check_guides_and_evaluators(&LargeSameGame::new(&board, &rules));
    }
    let board = "5:32x16x9".parse::<Generator>().unwrap().board();
    check_guides_and_evaluators(&LargeSameGame::new(&board, &Rules::parse("samegame").unwrap()));
}

fn check_guides_and_evaluators<const W: usize, const P: usize>(game: &SameGame<W, P>)
where
    Kernels: Engine<W, P>,
{
    check_kit(game, &SameGameKit::new(&KitConfig::default(), game), 0..3);
    for (guide, _) in guides() {
        let config = KitConfig { guide, ..KitConfig::default() };
        check_guide(game, &SameGameKit::new(&config, game), 0..2);
    }
    for evaluator in evaluators() {
        let config = KitConfig { evaluator, ..KitConfig::default() };
        check_evaluator(game, &SameGameKit::new(&config, game), 0..2);
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
