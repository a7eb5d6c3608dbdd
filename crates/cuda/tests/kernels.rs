//! The kernels, built by a C compiler, against the engine on the CPU.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use solitree_core::{Job, Kit, Plan, Playout, Puzzle, Score, Stage, mix};
use solitree_cuda::{Argument, Bulk, Kernel, Layer, Machine};
use solitree_games::samegame::{
    BoardName, BulkShape, KitConfig, Rules, SameGameKit, SmallSameGame,
};

/// The kernels as functions of this process; its memory is ours.
struct Host {
    library: libloading::Library,
    taken: Mutex<Vec<Box<[u64]>>>,
    _folder: tempfile::TempDir,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    fn make(shape: &BulkShape) -> Result<Arc<dyn Machine>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
        let file = folder.path().join("kernels.so");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let output = Command::new(&compiler)
            .args(["-O1", "-fPIC", "-shared", "-Wall", "-Werror", "-x", "c", "-include"])
            .arg(sources.join("host.h"))
            .arg(format!("-DWIDTH={}", shape.width))
            .arg(format!("-DPLANES={}", shape.planes))
            .arg(sources.join("samegame.cu"))
            .arg("-o")
            .arg(&file)
            .output()
            .map_err(|error| format!("{compiler}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        // SAFETY: it was just built, and has no start-up code.
        let library = unsafe { libloading::Library::new(&file) }.map_err(|e| e.to_string())?;
        Ok(Arc::new(Host { library, taken: Mutex::default(), _folder: folder }))
    }
}

impl Machine for Host {
    fn take(&self, bytes: usize) -> Result<u64, String> {
        // What is never written is not 0.
        let memory = vec![0xA5A5_A5A5_A5A5_A5A5; bytes.div_ceil(8)].into_boxed_slice();
        let address = memory.as_ptr() as u64;
        self.taken.lock().unwrap().push(memory);
        Ok(address)
    }

    fn give(&self, address: u64) {
        self.taken.lock().unwrap().retain(|memory| memory.as_ptr() as u64 != address);
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), String> {
        // SAFETY: the callers own this memory.
        unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes) };
        Ok(())
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: as above.
        unsafe { std::ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), String> {
        // SAFETY: as above.
        unsafe { std::ptr::copy(address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn run(&self, kernel: Kernel, work: u64, argument: Argument<'_>) -> Result<(), String> {
        let Argument::Layer(layer) = argument else {
            return Err("a warp of lanes is not for one thread".to_owned());
        };
        if work > 0 {
            // SAFETY: every kernel takes this one argument.
            unsafe {
                let function: libloading::Symbol<'_, extern "C" fn(Layer)> =
                    self.library.get(kernel.name().as_bytes()).map_err(|e| e.to_string())?;
                function(*layer);
            }
        }
        Ok(())
    }

    fn threads(&self, kernel: Kernel) -> Result<usize, String> {
        Err(format!("{} is for many threads", kernel.name()))
    }
}

fn bulk() -> Arc<Bulk> {
    Arc::new(Bulk::new(Box::new(Host::make), 1 << 30, |reason| panic!("{reason}")))
}

/// A kit whose playouts keep a colour, with the machine.
fn kit(game: &SmallSameGame, kept: u64, bulk: &Arc<Bulk>) -> SameGameKit {
    let mut config = KitConfig::default();
    (config.playout.epsilon, config.playout.keep) = (0.0, kept);
    SameGameKit::new(&config, game).with_accelerator(Some(Arc::clone(bulk) as _))
}

/// Boards of several shapes and rules, and the colour that is kept.
fn games() -> Vec<(SmallSameGame, u64)> {
    [
        ("std:1", "samegame", 5),
        ("std:11", "samegame", 2),
        ("random:3:15x15x5", "codingame", 1),
        ("random:4:7x7x3", "samegame-clamped", 3),
        ("random:5:16x15x7", "samegame", 7),
        ("random:6:10x12x6", "n(n-1);clear=77;left=-m", 4),
        ("random:7:2x15x2", "samegame", 1),
        ("random:8:1x9x2", "samegame", 2),
    ]
    .into_iter()
    .map(|(board, rules, kept)| {
        let board = board.parse::<BoardName>().unwrap().board();
        (SmallSameGame::new(&board, &Rules::parse(rules).unwrap()), kept)
    })
    .collect()
}

#[test]
fn every_playout_ends_as_on_the_cpu() {
    let bulk = bulk();
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
    let bulk = bulk();
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

/// A beam search does not know whether a machine worked for it.
#[test]
fn a_search_comes_to_the_same_with_and_without_the_machine() {
    use solitree_core::Budget;
    use solitree_search::{Execution, Request, Settings, execute};
    let bulk = bulk();
    let (game, _) = games().swap_remove(3);
    let mut settings = Settings::of("mc-beam").unwrap().0;
    settings.set("width", "40").unwrap();
    let mut config = KitConfig::default();
    config.playout.epsilon = 0.0;
    let run = |machine: bool| {
        let kit = SameGameKit::new(&config, &game);
        let kit = kit.with_accelerator(machine.then(|| Arc::clone(&bulk) as _));
        let budget = Budget { playouts: Some(30_000), ..Budget::default() };
        let request = Request { budget: &budget, seed: 5, threads: 1, line: None };
        let workers = settings.workers(&game, &kit, &request).unwrap();
        let interrupt = std::sync::atomic::AtomicBool::new(false);
        let execution = Execution {
            puzzle: &game,
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
        let end = solitree_core::replay(&game, &line.moves).unwrap();
        assert_eq!(game.score(&end), line.score);
        (line.score, report.counters.playouts)
    };
    let (alone, together) = (run(false), run(true));
    assert_eq!(alone, together);
    assert_eq!(alone.1, 30_000);
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
