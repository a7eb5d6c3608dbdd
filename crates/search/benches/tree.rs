//! Wall-clock speed of SP-MCTS on one core: whole searches, tree included.
//!
//! `cargo bench -p solitree-search`.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use solitree_core::Budget;
use solitree_core::params::Params;
use solitree_games::samegame::{BoardName, PlayoutConfig, Rules, SameGamePlayout, SmallSameGame};
use solitree_search::spmcts::{SpMcts, SpMctsConfig};
use solitree_search::{Execution, algorithm, execute};

fn searches(criterion: &mut Criterion) {
    let rules = Rules::parse("samegame").expect("a preset");
    let game = SmallSameGame::new(&BoardName::Standard(1).board(), &rules);
    let playout = SameGamePlayout::new(&PlayoutConfig::default(), 225);
    let mut group = criterion.benchmark_group("sp-mcts");
    group.sample_size(10);
    for (name, nodes) in [("exploitation", 100_000), ("balanced", 100_000), ("default", 300_000)] {
        let (_, preset) = algorithm(&format!("sp-mcts:{name}")).expect("a preset");
        let mut config = SpMctsConfig::default();
        for (key, value) in preset.values {
            // Those of the playouts are left at their defaults here.
            let _ = config.set(key, value);
        }
        let budget = Budget { nodes: Some(nodes), ..Budget::default() };
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let workers = SpMcts::workers(&game, &playout, &config, &budget, 1, 1);
                let interrupt = AtomicBool::new(false);
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
                black_box(execute(execution, &mut |_| {}, &mut |_| {}))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
