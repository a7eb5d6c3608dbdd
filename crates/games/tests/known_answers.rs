//! Facts about SameGame that were known before this program was written.

use solitree_core::{Job, Playout, Puzzle, Score};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{
    BoardName, Cell, PlayoutConfig, PlayoutKind, Rules, SameGamePlayout, SmallSameGame, record,
};

const LINES: &str = include_str!("../../../data/samegame/lines.txt");
const RECORDS: &str = include_str!("../../../data/records/standard.txt");

fn lines() -> impl Iterator<Item = (BoardName, Score, Vec<&'static str>)> {
    lines_of(LINES)
}

fn lines_of(file: &'static str) -> impl Iterator<Item = (BoardName, Score, Vec<&'static str>)> {
    file.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut words = line.split_whitespace();
        let board = words.next().unwrap().parse().unwrap();
        let score = Score(words.next().unwrap().parse().unwrap());
        (board, score, words.collect())
    })
}

#[test]
fn our_lines_replay_to_their_scores() {
    assert_eq!(replayed(LINES), 82_688);
}

/// Our records hold, one for each board in order, and none is below the lines we
/// began with.
#[test]
fn our_records_hold() {
    assert_eq!(replayed(RECORDS), 87_992);
    let (old, new): (Vec<_>, Vec<_>) = (lines().collect(), lines_of(RECORDS).collect());
    assert_eq!(new.len(), 20);
    for ((board, before, _), (same, score, _)) in old.into_iter().zip(new) {
        assert!(board == same && score >= before, "{board}");
    }
}

/// The sum of the scores of lines, all replayed by both engines.
fn replayed(file: &'static str) -> i64 {
    let rules = Rules::parse("samegame").unwrap();
    let mut total = 0;
    for (name, score, moves) in lines_of(file) {
        let board = name.board();
        let game = SmallSameGame::new(&board, &rules);
        let mut plain = PlainGame::new(&board, &rules);
        let mut state = game.start();
        for text in moves {
            let mv =
                game.parse_move(&state, text).unwrap_or_else(|| panic!("{name}: {text} is legal"));
            let group = plain.play(text.parse().unwrap()).unwrap();
            assert_eq!(group.cells[0], mv);
            game.play(&mut state, mv);
        }
        assert_eq!(game.score(&state), score, "{name}");
        assert_eq!(plain.score(), score, "{name}");
        assert!(plain.is_cleared(), "{name}");
        assert!(
            score.0 <= record(&name).unwrap().score,
            "{name}: the record is at least our own line"
        );
        total += score.0;
    }
    total
}

/// (n-2)^2 has the parity of n, 225 is odd and the bonus even: a cleared 15x15
/// board always scores an odd total.
#[test]
fn a_cleared_15x15_board_scores_an_odd_total() {
    assert!(lines().all(|(_, score, _)| score.0 % 2 == 1));
    // Random games clear a board of two colours often enough.
    let board = "random:1:15x15x2".parse::<BoardName>().unwrap().board();
    let rules = Rules::parse("samegame").unwrap();
    let game = SmallSameGame::new(&board, &rules);
    let policy = SameGamePlayout::new(&PlayoutConfig::default(), 225);
    let mut batch: Vec<_> = (0..2_000).map(|seed| Job::new(game.start(), seed)).collect();
    policy.run(&game, &mut batch);
    let mut cleared = 0;
    for job in &batch {
        let mut plain = PlainGame::new(&board, &rules);
        for &mv in &job.moves {
            plain.play(mv).unwrap();
        }
        if plain.is_cleared() {
            cleared += 1;
            assert_eq!(job.score.0 % 2, 1);
        }
    }
    assert!(cleared > 100, "only {cleared} boards were cleared");
}

/// The means that several independent programs agree on, no penalty for blocks
/// left: board 1 296.4 points in 63.19 moves, board 20 1,108.5 in 56.50.
#[test]
fn tabu_color_random_scores_what_other_programs_score() {
    let rules = Rules::parse("codingame").unwrap();
    let config = PlayoutConfig { epsilon: 0.0, ..PlayoutConfig::default() };
    assert_eq!(config.kind, PlayoutKind::TabuColorRandom);
    for (number, points, length) in [(1, 296.4, 63.19), (20, 1108.5, 56.50)] {
        let game = SmallSameGame::new(&BoardName::Standard(number).board(), &rules);
        let policy = SameGamePlayout::new(&config, 225);
        let mut batch: Vec<_> = (0..100_000).map(|seed| Job::new(game.start(), seed)).collect();
        policy.run(&game, &mut batch);
        let mean =
            |value: &dyn Fn(&Job<SmallSameGame>) -> f64| batch.iter().map(value).sum::<f64>() / 1e5;
        let (mean_points, mean_length) =
            (mean(&|job| job.score.as_f64()), mean(&|job| job.moves.len() as f64));
        // Five standard errors, plus the published figures' own.
        assert!((mean_points - points).abs() < 8.0, "board {number}: {mean_points}");
        assert!((mean_length - length).abs() < 0.1, "board {number}: {mean_length}");
    }
}

#[test]
fn a_move_is_named_by_any_cell_of_its_group() {
    let rules = Rules::parse("samegame").unwrap();
    let game = SmallSameGame::new(&"21/11".parse().unwrap(), &rules);
    for name in ["a1", "b1", "b2"] {
        assert_eq!(game.parse_move(&game.start(), name), Some(Cell::new(0, 0)), "{name}");
    }
    for name in ["a2", "c1", "a3", "x", ""] {
        assert_eq!(game.parse_move(&game.start(), name), None, "{name}");
    }
}
