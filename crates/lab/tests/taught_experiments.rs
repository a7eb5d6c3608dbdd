//! Experiments that teach a network first.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use solitree_lab::experiment::{Environment, Folder, Plan, Progress, Shard, Spec, run};
use solitree_lab::report::{Analysis, Report};

const SPEC: &str = r#"
name = "taught"
title = "Two generations of a training"

[scales.quick]
instances = ["random:1-4:5x5x3"]
budgets = [{ name = "a game", playouts = "10k" }]

[scales.quick.training]
size = "5x5x3"
rules = "samegame"
net = "tiny(layers=2,filters=4)+policy"
features = "colours"
generations = 2
runs = 6
lines = 1
any-order = false
simulations = 4
first-simulations = 8
playouts = 100
set = []
buffer = 1000
batch = 16
learning-rate = 0.003
epochs = 1
patience = 1
cuts = 0
keep-weights = true
validation = 2
seed = 1

[[settings]]
name = "generation 0"
algorithm = "policy-mcts:training"
set = { simulations = 4, noise = 0 }
generation = 0

[[settings]]
name = "generation 2"
algorithm = "policy-mcts:training"
set = { simulations = 4, noise = 0 }
generation = 2

[[settings]]
name = "generation 7"
algorithm = "policy-mcts:training"
generation = 7
"#;

fn plan(text: &str) -> anyhow::Result<Plan> {
    Plan::new(&Spec::parse(text).map_err(anyhow::Error::msg)?, "quick")
}

/// Runs what is left, with the generations that were being taught.
fn finish(path: &Path, plan: &Plan, interrupt: &AtomicBool) -> (Vec<u64>, u64) {
    let folder = Folder::open(path, plan, &Environment::here("test")).unwrap();
    let (mut taught, mut done) = (Vec::new(), 0);
    let mut see = |progress: Progress| {
        taught.extend(progress.teaching);
        done = progress.done;
        if interrupt.load(Ordering::Relaxed) {
            assert_eq!(progress.fresh, 0);
        }
    };
    run(plan, &folder, Shard::WHOLE, "test", interrupt, &mut see).unwrap();
    taught.dedup();
    (taught, done)
}

#[test]
fn generations_are_taught_and_then_measured() {
    let plan = plan(SPEC).unwrap();
    assert_eq!(plan.len(), 8, "the training does not come to the seventh");
    let directory = tempfile::tempdir().unwrap();
    // Stopped at once, it goes on later.
    assert_eq!(finish(directory.path(), &plan, &AtomicBool::new(true)).1, 0);
    let (taught, done) = finish(directory.path(), &plan, &AtomicBool::new(false));
    assert_eq!((taught, done), (vec![0, 1, 2], 8));
    assert!(directory.path().join("training/generation-002.safetensors").exists());
    let analysis = Analysis::read(&plan, &Folder::existing(directory.path())).unwrap();
    assert!(analysis.is_whole());
    let markdown = Report::of(&analysis).markdown();
    assert!(markdown.contains("| generation 2 |") && !markdown.contains("generation 7"));
    // Where the folder is makes no difference to what was found.
    let elsewhere = tempfile::tempdir().unwrap();
    let results = |path: &Path| path.join("results.jsonl");
    std::fs::copy(results(directory.path()), results(elsewhere.path())).unwrap();
    let analysis = Analysis::read(&plan, &Folder::existing(elsewhere.path())).unwrap();
    assert!(analysis.is_whole());
}

#[test]
fn what_cannot_be_taught_is_refused_with_the_place() {
    for (from, to, expected) in [
        ("5x5x3\"\nrules", "5x5\"\nrules", "scales.quick: training: --size"),
        ("policy-mcts:training", "mc-beam", "mc-beam asks no network"),
        ("noise = 0 }", "noise = 0, weights = \"none\" }", "'weights' is set already"),
        ("simulations = 4\n", "simulations = 0\n", "--simulations 0"),
    ] {
        let text = SPEC.replacen(from, to, 1).replace("set = { simulations = 4, noise = 0 }\n", "");
        let text = if from.starts_with("noise") { SPEC.replacen(from, to, 1) } else { text };
        assert_ne!(text, SPEC, "{from} is in the file");
        let error = plan(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
