//! Plans that a warp anneals (anneal.cu), its lanes taking turns in a C program.

use std::sync::Arc;

use solitree_core::{Annealed, Cast, Cooling, Kit, MarkOf, Plans, Puzzle, Score};
use solitree_cuda::bench_bytes;
use solitree_games::samegame::{Cell, SameGameKit, SmallSameGame};

use crate::host::{bulk, games, kit};

type Mark = MarkOf<SmallSameGame, SameGameKit>;

const PRICE: Score = Score(20);
const COOLING: Cooling = Cooling { rounds: 60, factor: 0.1, price: PRICE };

/// The score of marks by the rules, and what they are worth on the way to better ones, if all
/// of them can be followed to the end of a game.
fn ends_of(game: &SmallSameGame, kit: &SameGameKit, marks: &[Mark]) -> Option<(Score, Score)> {
    let mut plans = kit.plans(game);
    let moves: Vec<Cell> = plans.line(marks);
    let end = solitree_core::replay(game, &moves).ok()?;
    let mut spot = plans.start();
    let followed = marks.iter().all(|&mark| plans.follow(&mut spot, mark));
    let over = moves.len() == marks.len() && followed && game.is_over(&end);
    let score = game.score(&end);
    over.then(|| (score, plans.worth(&spot, score, PRICE)))
}

fn cast(marks: Vec<Mark>, heat: f64) -> Cast<Mark> {
    Cast { marks, variant: 0, heat }
}

fn assert_holds(game: &SmallSameGame, kit: &SameGameKit, annealed: &Annealed<Mark>) {
    let (last, worth) = ends_of(game, kit, &annealed.last.1).unwrap();
    assert_eq!(worth, annealed.last.0);
    let (best, _) = ends_of(game, kit, &annealed.best.1).unwrap();
    assert_eq!(best, annealed.best.0);
    assert!(best >= last);
}

#[test]
fn plans_end_as_the_rules_say() {
    let (bulk, hosts) = bulk();
    for (game, colours) in games() {
        let kits = [kit(&game, colours, &bulk)];
        let mut furnace = SameGameKit::furnace(&kits, &game).unwrap();
        let casts = vec![cast(Vec::new(), 30.0); 2];
        let found = furnace.anneal(&casts, &COOLING, 5).unwrap();
        assert_eq!(found, furnace.anneal(&casts, &COOLING, 5).unwrap(), "the same again");
        let most = 2 * u64::from(COOLING.rounds) * furnace.changes_a_round(casts.len());
        assert!((1..=most).contains(&furnace.tried()) || found[0].last.1.len() < 2);
        for annealed in &found {
            assert_holds(&game, &kits[0], annealed);
        }
        let host = Arc::clone(hosts.lock().unwrap().last().unwrap());
        assert_eq!(host.bench_bytes(), bench_bytes(32, host.planes()) as u64);
    }
}

/// A plan that is given is what annealing begins with, and without heat it gets no worse.
#[test]
fn a_plan_that_is_given_gets_no_worse_in_the_cold() {
    let (bulk, _) = bulk();
    let (mut before, mut after) = (0, 0);
    for (game, colours) in games() {
        let kits = [kit(&game, colours, &bulk)];
        let mut furnace = SameGameKit::furnace(&kits, &game).unwrap();
        let once = Cooling { rounds: 1, ..COOLING };
        let first = furnace.anneal(&[cast(Vec::new(), 1e-3)], &once, 7).unwrap();
        let (worth, marks) = first[0].last.clone();
        let next = furnace.anneal(&[cast(marks, 1e-3)], &COOLING, 8).unwrap();
        assert_holds(&game, &kits[0], &next[0]);
        assert!(next[0].last.0 >= worth);
        before += worth.0;
        after += next[0].last.0.0;
    }
    assert!(after > before + 500, "{before} and {after} in all");
}

/// Marks that cannot be followed are passed over, and what is left is played.
#[test]
fn marks_that_mean_nothing_are_passed_over() {
    let (bulk, _) = bulk();
    let (game, colours) = games().swap_remove(0);
    let kits = [kit(&game, colours, &bulk)];
    let mut furnace = SameGameKit::furnace(&kits, &game).unwrap();
    let marks: Vec<Cell> = (0..100).map(|i| Cell::new(i % 15, i / 15)).collect();
    let cooling = Cooling { rounds: 1, ..COOLING };
    let found = furnace.anneal(&[cast(marks.clone(), 1e-3)], &cooling, 1).unwrap();
    assert_holds(&game, &kits[0], &found[0]);
    // What can be followed comes first, in the same order as the plans of a processor have it.
    let mut plans = kits[0].plans(&game);
    let mut spot = plans.start();
    let followed: Vec<Cell> =
        marks.into_iter().filter(|&mark| plans.follow(&mut spot, mark)).collect();
    let same = followed.iter().zip(&found[0].best.1).take_while(|(a, b)| a == b).count();
    assert!(same > 0, "{followed:?} and {:?}", found[0].best.1);
}
