//! Morpion Solitaire: the fast game against the plain one, and what is known.

use proptest::prelude::*;
use solitree_core::check::{check_playout, check_puzzle};
use solitree_core::{Choice, Guide, Job, Playout, Puzzle, Rng, Trace, Weights, slot};
use solitree_games::morpion::plain::PlainGame;
use solitree_games::morpion::{Morpion, MorpionKit, State, Stroke, Variant};

#[test]
fn every_variant_is_a_puzzle() {
    for &variant in Variant::ALL {
        let puzzle = Morpion::new(variant);
        check_puzzle(&puzzle, 0..20);
        check_playout(&puzzle, &MorpionKit, 0..20);
    }
}

/// The first moves are those that can be counted on paper: every side of the
/// cross can be made longer at either end, and some pairs of sides be joined.
#[test]
fn the_first_moves_are_known() {
    let first = |variant| Morpion::new(variant).start().legal().len();
    assert_eq!(first(Variant::FiveTouching), 28);
    assert_eq!(first(Variant::FiveDisjoint), 28);
    for &variant in Variant::ALL {
        assert_eq!(first(variant), PlainGame::new(variant).moves().len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn fast_and_plain_agree_all_along_a_game(variant in 0..4usize, seed: u64) {
        let variant = Variant::ALL[variant];
        let puzzle = Morpion::new(variant);
        let mut state = puzzle.start();
        let mut plain = PlainGame::new(variant);
        let mut rng = Rng::new(seed);
        let mut legal = Vec::new();
        loop {
            puzzle.moves(&state, &mut legal);
            prop_assert_eq!(&legal, &plain.moves());
            prop_assert_eq!(puzzle.score(&state), plain.score());
            if legal.is_empty() {
                break;
            }
            let mv = legal[rng.below(legal.len() as u32) as usize];
            puzzle.play(&mut state, mv);
            plain.play(mv).unwrap();
        }
    }

    /// Equal positions have equal keys and equal lists, however they came to be.
    #[test]
    fn the_order_of_moves_does_not_matter(seed: u64) {
        let puzzle = Morpion::new(Variant::FourTouching);
        let mut batch = [Job::new(puzzle.start(), seed)];
        MorpionKit.run(&puzzle, &mut batch);
        let mut rest = batch[0].moves.clone();
        let mut rng = Rng::new(seed);
        let mut state = puzzle.start();
        let mut legal = Vec::new();
        while !rest.is_empty() {
            let ready: Vec<usize> =
                (0..rest.len()).filter(|&i| state.legal().contains(&rest[i])).collect();
            let mv = rest.remove(ready[rng.below(ready.len() as u32) as usize]);
            puzzle.play(&mut state, mv);
        }
        let straight = solitree_core::replay(&puzzle, &batch[0].moves).unwrap();
        prop_assert_eq!(puzzle.key(&state), puzzle.key(&straight));
        puzzle.moves(&state, &mut legal);
        prop_assert!(legal.is_empty());
    }
}

/// The guide of the kit with the slow way to steer.
struct Slowly;

impl Guide<Morpion> for Slowly {
    fn choices(
        &self,
        puzzle: &Morpion,
        state: &State,
        played: usize,
        out: &mut Vec<Choice<Stroke>>,
    ) {
        MorpionKit.choices(puzzle, state, played, out);
    }
}

#[test]
fn a_steered_game_is_the_same_played_faster() {
    for &variant in Variant::ALL {
        let puzzle = Morpion::new(variant);
        let mut weights = Weights::default();
        for stroke in puzzle.start().legal().iter().step_by(3) {
            weights.scale(slot(puzzle.move_code(&puzzle.start(), *stroke)), 5.0);
        }
        for seed in 0..20 {
            let (mut fast, mut slow) = (Trace::default(), Trace::default());
            MorpionKit.steer(&puzzle, &puzzle.start(), &weights, &mut Rng::new(seed), &mut fast);
            Slowly.steer(&puzzle, &puzzle.start(), &weights, &mut Rng::new(seed), &mut slow);
            // Factors of 1 need not be listed.
            slow.factors.clear();
            assert_eq!(fast, slow);
        }
    }
}

/// Of uniformly random games no source of figures is at hand: these are our own
/// means over many games, and what is proved bounds every one.
#[test]
fn random_games_have_their_usual_lengths() {
    for (variant, mean) in Variant::ALL.iter().zip([53.7, 43.4, 37.2, 24.1]) {
        let puzzle = Morpion::new(*variant);
        let mut batch: Vec<_> = (0..2_000).map(|seed| Job::new(puzzle.start(), seed)).collect();
        MorpionKit.run(&puzzle, &mut batch);
        assert!(batch.iter().all(|job| job.score.0 <= puzzle.max_moves() as i64));
        let ours = batch.iter().map(|job| job.score.as_f64()).sum::<f64>() / 2_000.0;
        assert!((ours - mean).abs() < 2.0, "{variant}: {ours}");
    }
}

/// Games as long as any can be (lines of four), and long ones (lines of five).
#[test]
fn known_games_replay() {
    let file = include_str!("../../../data/morpion/lines.txt");
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let variant = words.next().and_then(|name| name.strip_prefix("morpion:")).unwrap();
        let puzzle = Morpion::new(variant.parse().unwrap());
        let score: i64 = words.next().unwrap().parse().unwrap();
        let mut state = puzzle.start();
        for name in words {
            let mv = puzzle.parse_move(&state, name).unwrap();
            puzzle.play(&mut state, mv);
        }
        assert_eq!((puzzle.score(&state).0, puzzle.is_over(&state)), (score, true), "{variant}");
        assert!(score == puzzle.variant().best().score || puzzle.variant().length() == 5);
    }
}
