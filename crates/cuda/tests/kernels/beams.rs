//! Playouts and layers of a beam.

use std::collections::HashSet;
use std::sync::Arc;

use solitree_core::{Job, Kit, Plan, Playout, Puzzle, Score, Stage, mix};
use solitree_cuda::Bulk;
use solitree_games::samegame::{BulkShape, KitConfig, SameGameKit, SmallSameGame};

use crate::host::{bulk, games, kit};

#[test]
fn every_playout_ends_as_on_the_cpu() {
    let (bulk, _) = bulk();
    for (game, kept) in games() {
        let kit = kit(&game, kept, &bulk);
        let scores = kit.play_apart(&game, 99, (2_000, 1)).unwrap().unwrap();
        let mut jobs: Vec<Job<SmallSameGame>> =
            (0..2_000).map(|i| Job::new(game.start(), mix(99 ^ i))).collect();
        kit.run(&game, &mut jobs);
        let plain: Vec<i32> = jobs.iter().map(|job| job.score.0 as i32).collect();
        let differ = scores.iter().zip(&plain).filter(|(a, b)| a != b).count();
        assert!(differ == 0, "{differ} games on {}x{}", game.width(), game.height());
        let different: HashSet<_> = plain.iter().collect();
        assert!(different.len() > 1 || game.width() < 3, "games all the same show little");
    }
}

/// A layer of a beam, the obvious way: by the rules and the engine on the CPU.
/// Positions have no order; their keys tell them apart.
struct Plain<'a> {
    game: &'a SmallSameGame,
    kit: &'a SameGameKit,
    layer: Vec<<SmallSameGame as Puzzle>::State>,
}

impl Plain<'_> {
    /// Children, playouts and best score of the next layer.
    fn next(&mut self, plan: (u64, usize, u64, f64)) -> (u64, u64, Option<Score>) {
        let (seeds, width, samples, bonus) = plan;
        let mut found = std::collections::HashMap::new();
        let (mut children, mut moves) = (0, Vec::new());
        for state in &self.layer {
            self.game.moves(state, &mut moves);
            for &mv in &moves {
                children += 1;
                let mut next = *state;
                self.game.play(&mut next, mv);
                // Points without what the end adds.
                let points = |state| {
                    let over = self.game.is_over(state);
                    (!over).then(|| self.game.score(state))
                };
                let key = self.game.key(&next);
                let there = found.entry(key).or_insert(next);
                if points(&next) > points(there) || self.game.score(&next) > self.game.score(there)
                {
                    *there = next;
                }
            }
        }
        let mut best = None;
        let mut ranked = Vec::new();
        let playouts = found.len() as u64 * samples;
        for (key, state) in found {
            let job = |j| Job::new(state, mix((seeds ^ key).wrapping_add(j)));
            let mut jobs: Vec<Job<SmallSameGame>> = (0..samples).map(job).collect();
            self.kit.run(self.game, &mut jobs);
            best = best.max(jobs.iter().map(|job| job.score).max());
            let value =
                |job: &Job<SmallSameGame>| job.score.as_f64() - (1.0 - bonus) * job.end.as_f64();
            let value = jobs.iter().map(value).fold(f64::MIN, f64::max) as f32;
            if !self.game.is_over(&state) {
                ranked.push((value, key, state));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(width);
        self.layer = ranked.into_iter().map(|(_, _, state)| state).collect();
        (children, playouts, best)
    }
}

/// Every layer of a pass finds as many moves, plays as many games, keeps as many
/// positions and has the same best score; and that score's line holds.
#[test]
fn every_layer_comes_to_what_the_cpu_comes_to() {
    let (bulk, _) = bulk();
    for (number, (game, kept)) in games().into_iter().enumerate() {
        let kit = kit(&game, kept, &bulk);
        let start = game.start();
        let (width, samples, bonus) = (9 + 20 * number, 3, [0.0, 1.0, 0.5][number % 3]);
        let plan = Plan { start: &start, seeds: 7, width: width as u64, samples, bonus };
        let mut pass = kit.layers(&game, &plan).unwrap();
        let mut plain = Plain { game: &game, kit: &kit, layer: vec![start] };
        for layer in 0.. {
            let (children, playouts, best) = plain.next((7, width, samples, bonus));
            let label = format!("{}x{}, layer {layer}", game.width(), game.height());
            let stage = pass.next(10).unwrap();
            if children == 0 {
                assert_eq!(stage, Stage::Over, "{label}");
                break;
            }
            assert_eq!(stage, Stage::Expanded(children), "{label}");
            let mut played = 0;
            let kept = loop {
                match pass.next(1 + layer % 100).unwrap() {
                    Stage::Played(games) => played += games,
                    Stage::Layer { kept, best: found } => {
                        assert_eq!(Some(found), best, "{label}");
                        break kept;
                    }
                    stage => panic!("{label}: {stage:?}"),
                }
            };
            assert_eq!((played, kept), (playouts, plain.layer.len() as u64), "{label}");
            let (moves, seed) = pass.best().unwrap();
            let state = solitree_core::replay(&game, &moves).unwrap();
            let mut jobs = [Job::new(state, seed)];
            kit.run(&game, &mut jobs);
            assert_eq!(Some(jobs[0].score), best, "{label}");
        }
    }
}

/// What `mc-beam` finds on a board with or without a machine, and the playouts it took.
fn found(game: &SmallSameGame, machine: Option<&Arc<Bulk>>, playouts: u64) -> (Score, u64) {
    use solitree_core::Budget;
    use solitree_search::{Execution, Request, Settings, execute};
    let mut settings = Settings::of("mc-beam").unwrap().0;
    settings.set("width", "40").unwrap();
    let mut config = KitConfig::default();
    config.playout.epsilon = 0.0;
    let machine = machine.map(|bulk| Arc::clone(bulk) as _);
    let kit = SameGameKit::new(&config, game).with_accelerator(machine);
    let budget = Budget { playouts: Some(playouts), ..Budget::default() };
    let request = Request { budget: &budget, seed: 5, threads: 1, line: None };
    let workers = settings.workers(game, &kit, &request).unwrap();
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let execution = Execution {
        puzzle: game,
        workers,
        budget: budget.clone(),
        interrupt: &interrupt,
        known: None,
        resume: None,
        snapshots: None,
        insights: None,
    };
    let report = execute(execution, &mut |_| {}, &mut |_| {});
    let line = report.best.unwrap();
    let end = solitree_core::replay(game, &line.moves).unwrap();
    assert_eq!(game.score(&end), line.score);
    (line.score, report.counters.playouts)
}

/// A beam search does not know whether a machine worked for it.
#[test]
fn a_search_comes_to_the_same_with_and_without_the_machine() {
    let (bulk, _) = bulk();
    let (game, _) = games().swap_remove(3);
    let (alone, together) = (found(&game, None, 30_000), found(&game, Some(&bulk), 30_000));
    assert_eq!(alone, together);
    assert_eq!(alone.1, 30_000);
}

/// Nor whether the machine works for others at the same time, on boards like its own or not.
#[test]
fn several_boards_share_a_machine() {
    let (bulk, _) = bulk();
    let games = games();
    // In the middle of a pass: the processor would have come to other positions of the layer.
    let alone: Vec<_> = games.iter().map(|(game, _)| found(game, Some(&bulk), 5_000)).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let searches: Vec<_> =
            games.iter().map(|(game, _)| scope.spawn(|| found(game, Some(&bulk), 5_000))).collect();
        searches.into_iter().map(|search| search.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}

/// A machine that fails is told of once, and the search goes on without it.
#[test]
fn a_machine_that_is_lost_is_done_without() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let broken = |_: &BulkShape| Err("it is on fire".to_owned());
    let bulk = Arc::new(Bulk::new(Box::new(broken), 1 << 30, |reason| {
        assert_eq!(reason, "it is on fire");
        TOLD.fetch_add(1, Ordering::Relaxed);
    }));
    let (game, kept) = games().swap_remove(3);
    let kit = kit(&game, kept, &bulk);
    assert!(kit.widest_layers(&game).is_some());
    let start = game.start();
    let plan = Plan { start: &start, seeds: 7, width: 10, samples: 2, bonus: 0.0 };
    assert!(kit.layers(&game, &plan).is_none());
    assert!(kit.layers(&game, &plan).is_none());
    assert_eq!(TOLD.load(Ordering::Relaxed), 1);
    assert!(kit.widest_layers(&game).is_none());
}
