//! Searches on domains whose best score is proved.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, Kit, PlainKit, Puzzle, Score};
use solitree_games::leftmove::LeftMove;
use solitree_games::morpion::{Morpion, MorpionKit, Variant};
use solitree_search::{Execution, Request, Settings, execute};

/// The best score of NRPA with a number of playouts, or `target` if it is
/// reached before.
fn nrpa<P: Puzzle + 'static>(
    puzzle: &P,
    kit: &impl Kit<P>,
    values: &[(&str, &str)],
    playouts: u64,
    target: i64,
) -> i64 {
    let (mut settings, _) = Settings::of("nrpa").unwrap();
    for (key, value) in values {
        settings.set(key, value).unwrap();
    }
    let target = Some(Score(target));
    let budget = Budget { playouts: Some(playouts), target, ..Budget::default() };
    let request = Request { budget: &budget, seed: 1, threads: 1, line: None };
    let workers = settings.workers(puzzle, kit, &request).unwrap();
    let interrupt = &AtomicBool::new(false);
    let execution = Execution {
        puzzle,
        workers,
        budget,
        interrupt,
        known: None,
        resume: None,
        snapshots: None,
        insights: None,
    };
    execute(execution, &mut |_| {}, &mut |_| {}).best.unwrap().score.0
}

#[test]
fn nrpa_goes_left_all_the_way() {
    let puzzle = LeftMove::new(60).unwrap();
    assert_eq!(nrpa(&puzzle, &PlainKit, &[("level", "2")], 10_000, 60), 60);
}

/// Thirty-five moves are proved to be the most there can be: not one more is
/// found either, or the rules would be wrong.
#[test]
fn nrpa_finds_the_longest_game_of_morpion_4d() {
    let puzzle = Morpion::new(Variant::FourDisjoint);
    let values = &[("level", "2"), ("beam", "4")];
    assert_eq!(nrpa(&puzzle, &MorpionKit, values, 200_000, 36), 35);
}

#[test]
fn nrpa_finds_the_longest_game_of_morpion_4t() {
    let puzzle = Morpion::new(Variant::FourTouching);
    assert_eq!(nrpa(&puzzle, &MorpionKit, &[("level", "2")], 300_000, 62), 62);
}
