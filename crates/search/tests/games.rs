//! Players of games for two: UCT and the exact solver.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use solitree_core::params::Params;
use solitree_core::{Game, Outcome, Player, Rng};
use solitree_games::colorshapelinks::{Layout, Placement, SmallGame};
use solitree_search::solver::Solver;
use solitree_search::thinker::{Patience, Thinker, Thought};
use solitree_search::uct::{Proof, Team, UCT, Uct, UctConfig};

type State = <SmallGame as Game>::State;

fn base() -> SmallGame {
    SmallGame::new(Layout::default()).unwrap()
}

fn small() -> SmallGame {
    SmallGame::new(Layout { rows: 4, cols: 4, line: 3, rounds: 4, squares: 4 }).unwrap()
}

fn config(preset: &str) -> UctConfig {
    let preset = UCT.presets.iter().find(|known| known.name == preset).unwrap();
    let mut config = UctConfig::default();
    for (key, value) in preset.values {
        config.set(key, value).unwrap();
    }
    config
}

fn playouts(count: u64) -> Patience<'static> {
    Patience { playouts: Some(count), until: None, stop: None }
}

/// The outcome with best play, by trying everything.
fn exact(game: &SmallGame, state: &State, known: &mut HashMap<u64, Outcome>) -> Outcome {
    if let Some(outcome) = game.outcome(state) {
        return outcome;
    }
    if let Some(&outcome) = known.get(&game.key(state)) {
        return outcome;
    }
    let me = game.to_move(state);
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let mut best = Outcome::Won(me.other());
    for mv in moves {
        let mut next = *state;
        game.play(&mut next, mv);
        let outcome = exact(game, &next, known);
        if outcome.value_for(me) > best.value_for(me) {
            best = outcome;
        }
    }
    known.insert(game.key(state), best);
    best
}

/// A random position with so many moves left, and the way there, if the game comes
/// to one.
fn position(game: &SmallGame, left: usize, rng: &mut Rng) -> Option<(State, Vec<Placement>)> {
    let (mut state, mut history, mut moves) = (game.start(), Vec::new(), Vec::new());
    while game.max_moves() - game.played(&state) > left {
        game.moves(&state, &mut moves);
        // A position that is not lost already lives longer.
        let mut safe = Vec::new();
        game.look_ahead(&state, &mut safe);
        let from = if safe.is_empty() { &moves } else { &safe };
        let mv = *from.get(rng.below(from.len() as u32) as usize)?;
        game.play(&mut state, mv);
        history.push(mv);
    }
    game.outcome(&state).is_none().then_some((state, history))
}

#[test]
fn late_positions_are_solved_exactly() {
    let (game, mut rng) = (base(), Rng::new(5));
    let mut solver = Solver::new(&game, 1 << 16);
    let mut seen = HashMap::new();
    for left in 1..=12 {
        let mut found = 0;
        for _ in 0..20_000 {
            let Some((state, _)) = position(&game, left, &mut rng) else { continue };
            let outcome = solver.solve(&state, u64::MAX).unwrap();
            assert_eq!(outcome, exact(&game, &state, &mut HashMap::new()), "{left} left");
            *seen.entry(outcome).or_insert(0) += 1;
            found += 1;
            if found == 12 {
                break;
            }
        }
        assert!(found > 0, "no position with {left} moves left");
    }
    assert!(seen.len() == 3, "wins of both and draws: {seen:?}");
    assert_eq!(solver.solve(&game.start(), 1_000), None, "more than it may look at");
}

#[test]
fn what_is_proven_is_so() {
    let (game, mut rng) = (small(), Rng::new(9));
    let mut known = HashMap::new();
    let mut proven = 0;
    for round in 0..200 {
        let left = 6 + round % 9;
        let Some((state, history)) = position(&game, left, &mut rng) else { continue };
        let me = game.to_move(&state);
        let config = UctConfig {
            transpositions: round % 3 > 0,
            threads: 1 + round as u64 % 2,
            grave: [0, 200, 1_000][round % 3],
            ..config("champion")
        };
        let thought = if config.threads > 1 {
            Team::new(&game, &config, round as u64, 1 << 22).think(&history, playouts(6_000))
        } else {
            Uct::new(&game, &config, round as u64, 1 << 22).think(&history, playouts(3_000))
        };
        for candidate in &thought.candidates {
            let mut next = state;
            game.play(&mut next, candidate.mv);
            let outcome = exact(&game, &next, &mut known);
            let right = match candidate.proof {
                Proof::Open => continue,
                Proof::Won => outcome == Outcome::Won(me),
                Proof::Lost => outcome == Outcome::Won(me.other()),
                Proof::Drawn => outcome == Outcome::Draw,
            };
            proven += 1;
            assert!(right, "{} is {outcome:?}, not {:?}", candidate.mv, candidate.proof);
        }
        // And what it plays is as good as anything, once all is known.
        let best = thought.best.unwrap();
        if best.proof == Proof::Won {
            assert_eq!(exact(&game, &state, &mut known), Outcome::Won(me));
        }
    }
    assert!(proven > 50, "{proven}");
}

fn same(one: &Thought<Placement>, other: &Thought<Placement>) -> bool {
    one.best == other.best && one.candidates == other.candidates
}

#[test]
fn thoughts_are_repeatable_and_keep_to_their_playouts() {
    let game = base();
    for preset in UCT.presets {
        let config = config(preset.name);
        let of = |seed| Uct::new(&game, &config, seed, 1 << 24).think(&[], playouts(1_000));
        let (one, again, other) = (of(1), of(1), of(2));
        assert!(same(&one, &again), "{}", preset.name);
        assert!(!same(&one, &other), "{}: another seed is another thought", preset.name);
        assert_eq!(one.playouts, 1_000, "{}", preset.name);
        let visits: u32 = one.candidates.iter().map(|candidate| candidate.visits).sum();
        assert_eq!(visits, 1_000, "{}", preset.name);
    }
}

/// Expected lines are legal, and the most tried one is what is meant to be played.
#[test]
fn lines_begin_with_their_moves_and_can_be_played() {
    let game = base();
    for preset in UCT.presets {
        let mut uct = Uct::new(&game, &config(preset.name), 1, 1 << 24);
        let thought = uct.think(&[], playouts(3_000));
        assert_eq!(thought.lines.len(), thought.candidates.len());
        let mut longest = 0;
        for (candidate, line) in thought.candidates.iter().zip(&thought.lines) {
            assert_eq!(line[0], candidate.mv);
            let (mut state, mut legal) = (game.start(), Vec::new());
            for &mv in line {
                game.moves(&state, &mut legal);
                assert!(legal.contains(&mv), "{}: {line:?}", preset.name);
                game.play(&mut state, mv);
            }
            longest = longest.max(line.len());
        }
        assert!((3..=1 + thought.deepest).contains(&longest), "{}: {longest}", preset.name);
    }
}

#[test]
fn thinking_aloud_changes_no_thought() {
    let game = base();
    let config = config("champion");
    let silent = Uct::new(&game, &config, 1, 1 << 26).think(&[], playouts(100_000));
    let (mut said, mut playouts_so_far) = (0, 0);
    let aloud =
        Uct::new(&game, &config, 1, 1 << 26).think_aloud(&[], playouts(100_000), &mut |thought| {
            assert!(thought.best.is_some() && thought.playouts >= playouts_so_far);
            playouts_so_far = thought.playouts;
            said += 1;
        });
    assert!(same(&silent, &aloud) && silent.lines == aloud.lines);
    assert!(said > 1);
}

#[test]
fn a_tree_goes_on_from_move_to_move() {
    let game = base();
    let mut uct = Uct::new(&game, &UctConfig::default(), 1, 1 << 24);
    let mut history = Vec::new();
    let (mut state, mut legal) = (game.start(), Vec::new());
    let mut kept = 0;
    while game.outcome(&state).is_none() {
        let thought = uct.think(&history, playouts(500));
        let best = thought.best.unwrap();
        game.moves(&state, &mut legal);
        assert!(legal.contains(&best.mv));
        let visits: u32 = thought.candidates.iter().map(|candidate| candidate.visits).sum();
        kept += u64::from(visits) - thought.playouts;
        game.play(&mut state, best.mv);
        history.push(best.mv);
    }
    assert!(kept > 1_000, "{kept} visits were kept");
    // Another game than the one it was in.
    let thought = uct
        .think(&[Placement::new(0, solitree_games::colorshapelinks::Shape::Square)], playouts(100));
    assert!(thought.best.is_some());
    // And one that is over has no move.
    assert!(uct.think(&history, playouts(100)).best.is_none());
}

/// The thesis's variants do what they say.
#[test]
fn variants_choose_as_they_should() {
    let game = base();
    let reduced = UctConfig { reduce: 4, ..UctConfig::default() };
    let thought = Uct::new(&game, &reduced, 1, 1 << 24).think(&[], playouts(200));
    let names: Vec<String> = thought.candidates.iter().map(|c| c.mv.to_string()).collect();
    assert_eq!(names, ["0o", "1o", "2o", "3o", "4o", "5o", "6o"], "White's own shape only");
    // With a threshold of nothing, what is good once is all that is looked at.
    let sure = UctConfig { alpha: 0.0, c: 5.0, ..UctConfig::default() };
    let most = |config: &UctConfig| {
        let thought = Uct::new(&game, config, 1, 1 << 24).think(&[], playouts(2_000));
        thought.candidates.iter().map(|candidate| candidate.visits).max().unwrap()
    };
    let wide = UctConfig { c: 5.0, ..UctConfig::default() };
    assert!(most(&sure) > 2 * most(&wide), "{} and {}", most(&sure), most(&wide));
}

#[test]
fn time_and_interrupts_are_kept() {
    let game = base();
    let mut uct = Uct::new(&game, &config("champion"), 1, 1 << 24);
    let start = Instant::now();
    let until = Some(start + Duration::from_millis(100));
    uct.think(&[], Patience { playouts: None, until, stop: None });
    let took = start.elapsed();
    assert!((95..200).contains(&(took.as_millis() as u64)), "{took:?}");
    let stop = AtomicBool::new(true);
    let thought = uct.think(&[], Patience { playouts: None, until: None, stop: Some(&stop) });
    assert!(thought.best.is_some(), "a move even so");
}

/// With GRAVE a search is as repeatable as without, and another one; its memory is
/// counted and bounded.
#[test]
fn all_moves_as_first_change_what_is_looked_at() {
    let think = |grave, memory| {
        let config = UctConfig { grave, ..config("champion") };
        let mut uct = Uct::new(&base(), &config, 5, memory);
        let first = uct.think(&[], playouts(8_000));
        // And once more where the tree goes on.
        let mv = first.best.unwrap().mv;
        let second = uct
            .think(&first.lines.iter().find(|line| line[0] == mv).unwrap()[..2], playouts(8_000));
        ([first.candidates, second.candidates], uct.bytes_per_iteration())
    };
    let (without, bytes) = think(0, 1 << 24);
    let (with, more_bytes) = think(300, 1 << 24);
    assert_eq!(with, think(300, 1 << 24).0);
    assert_ne!(with, without);
    assert!(more_bytes > bytes, "{more_bytes} and {bytes}");
    assert!(think(300, 1 << 16).1 * 8_000.0 < 65_536.0);
}

/// A tree that may not grow still plays.
#[test]
fn memory_is_bounded() {
    let game = base();
    let mut uct = Uct::new(&game, &UctConfig::default(), 1, 1);
    let thought = uct.think(&[], playouts(20_000));
    assert_eq!(thought.playouts, 20_000);
    assert!(uct.bytes_per_iteration() * 20_000.0 < 20_000.0);
}

#[test]
fn a_win_is_taken_and_a_loss_avoided() {
    let game = base();
    let moves = |text: &str| -> Vec<Placement> {
        text.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
    };
    for preset in ["default", "decisive", "combined", "champion"] {
        let answer = |history: &str| {
            let mut uct = Uct::new(&game, &config(preset), 3, 1 << 24);
            uct.think(&moves(history), playouts(4_000)).best.unwrap().mv
        };
        // Three reds in column 3 and Red to move; then White, who must stop them.
        assert_eq!(answer("0o 3s 0s 3s 1o 3s 6o").column(), 3, "{preset}");
        assert_eq!(answer("0o 3s 1s 3s 6s 3s").column(), 3, "{preset}");
        let winner = Player::Second;
        let mut state = game.start();
        for mv in moves("0o 3s 0s 3s 1o 3s 6o") {
            game.play(&mut state, mv);
        }
        game.play(&mut state, answer("0o 3s 0s 3s 1o 3s 6o"));
        assert_eq!(game.outcome(&state), Some(Outcome::Won(winner)));
    }
}

/// Trees that vote come to the same choice every time, and to all their playouts.
#[test]
fn a_team_thinks_together() {
    let config = UctConfig { threads: 3, ..config("champion") };
    let think = || Team::new(&base(), &config, 7, 1 << 24).think(&[], playouts(9_000));
    let (one, other) = (think(), think());
    assert_eq!(one.candidates, other.candidates);
    assert_eq!(one.playouts, 9_000);
    // A glance at the position came before them.
    let visits: u32 = one.candidates.iter().map(|candidate| candidate.visits).sum();
    assert!((9_000..9_100).contains(&visits), "{visits}");
    let until = Some(Instant::now() + Duration::from_millis(50));
    let mut team = Team::new(&base(), &config, 7, 1 << 24);
    let begun = Instant::now();
    assert!(team.think(&[], Patience { playouts: None, until, stop: None }).best.is_some());
    assert!(begun.elapsed() < Duration::from_millis(500));
}
