//! Tuning from its first sample to a preset: resumed, refused, and of use.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use solitree_lab::tune::{Axis, Iteration, PresetFile, Tuned, Tuning, agent_parameters};
use solitree_lab::{GameName, Setup};

fn tuning() -> Tuning {
    let table = Setup::table(GameName::SameGame, "sp-mcts:exploitation").unwrap();
    let axis = |text: &str| Axis::parse(text, &table).unwrap();
    Tuning {
        opponent: None,
        algorithm: "sp-mcts:exploitation".to_owned(),
        set: vec!["playout=tabu-random".to_owned()],
        axes: vec![axis("c=0.01:10:log"), axis("t=1:30")],
        samples: 8,
        elite: 2,
        boards: 3,
        size: "6x6x3".to_owned(),
        iterations: 3,
        smoothing: 0.1,
        validation: 5,
        nodes: Some(60),
        playouts: None,
        seed: 4,
    }
}

fn whole(folder: &Path) -> Tuned {
    let never = AtomicBool::new(false);
    tuning().run(folder, &never, &mut |_| {}, &mut |_, _| {}).unwrap().unwrap()
}

#[test]
fn stopped_again_and_again_it_finds_the_same() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = whole(one.path());
    assert_eq!(expected.iterations.len(), 3);
    assert_eq!(expected.validation.unwrap().difference.count, 5);
    for stop in 0..12 {
        let interrupt = AtomicBool::new(false);
        let mut calls = 0;
        let mut progress = |_, _| {
            calls += 1;
            if calls > stop {
                interrupt.store(true, Ordering::Relaxed);
            }
        };
        let _ = tuning().run(other.path(), &interrupt, &mut |_| {}, &mut progress).unwrap();
        // A crash leaves half a line behind.
        let trials = other.path().join("trials.jsonl");
        let mut text = std::fs::read_to_string(&trials).unwrap();
        text.push_str("{\"signature\":\"");
        std::fs::write(&trials, text).unwrap();
    }
    let mut seen = Vec::new();
    let mut see = |iteration: &Iteration| seen.push(iteration.clone());
    let never = AtomicBool::new(false);
    let found = tuning().run(other.path(), &never, &mut see, &mut |_, _| {}).unwrap().unwrap();
    assert_eq!(seen, expected.iterations);
    assert_eq!(found.values, expected.values);
    assert_eq!(found.validation, expected.validation);
}

#[test]
fn the_preset_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let found = whole(folder.path());
    let preset = PresetFile::read(&folder.path().join("preset.toml")).unwrap();
    assert_eq!(preset.algorithm, "sp-mcts:exploitation");
    let setup =
        Setup::given(GameName::SameGame, &preset.algorithm, &preset.settings()).unwrap().values();
    for (key, value) in
        found.values.iter().chain(&[("playout".to_owned(), "tabu-random".to_owned())])
    {
        let there = setup.iter().find(|(name, _)| name == key).unwrap();
        assert_eq!(&there.1, value, "{key}");
    }
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    whole(folder.path());
    let refused = |change: fn(&mut Tuning)| {
        let mut tuning = tuning();
        change(&mut tuning);
        let never = AtomicBool::new(false);
        let result = tuning.run(folder.path(), &never, &mut |_| {}, &mut |_, _| {});
        result.unwrap_err().to_string()
    };
    assert!(refused(|tuning| tuning.seed = 5).contains("seed = 4"));
    assert!(refused(|tuning| tuning.elite = 9).contains("elite"));
    assert!(refused(|tuning| tuning.axes.clear()).contains("nothing to tune"));
    assert!(refused(|tuning| tuning.nodes = None).contains("budget"));
    assert!(refused(|tuning| tuning.seed = u64::MAX).contains("2^63"));
    assert!(refused(|tuning| tuning.boards = u64::MAX).contains("ten million"));
    assert!(refused(|tuning| tuning.size = "6x6".to_owned()).contains("6x6"));
    assert!(refused(|tuning| tuning.axes.push(tuning.axes[0].clone())).contains("twice"));
    assert!(refused(|tuning| tuning.set = vec!["nonsense=1".to_owned()]).contains("nonsense"));
}

/// An agent that is tuned by its games.
fn contest() -> Tuning {
    let table = agent_parameters("champion").unwrap();
    Tuning {
        opponent: Some("uct".to_owned()),
        algorithm: "champion".to_owned(),
        set: vec!["endgame=0".to_owned()],
        axes: vec![Axis::parse("c=0.01:10:log", &table).unwrap()],
        nodes: None,
        playouts: Some(40),
        ..tuning()
    }
}

#[test]
fn an_agent_is_tuned_by_its_games() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let never = AtomicBool::new(false);
    let run = |folder: &Path| contest().run(folder, &never, &mut |_| {}, &mut |_, _| {});
    let found = run(one.path()).unwrap().unwrap();
    assert_eq!(found.iterations, run(other.path()).unwrap().unwrap().iterations);
    let trials = std::fs::read_to_string(one.path().join("trials.jsonl")).unwrap();
    let score = |line: &str| -> i64 {
        let trial: serde_json::Value = serde_json::from_str(line).unwrap();
        trial["score"].as_i64().unwrap()
    };
    let scores: Vec<i64> = trials.lines().map(score).collect();
    assert!(scores.iter().all(|score| (0..=1_000).contains(score) && score % 250 == 0));
    assert!(scores.iter().any(|&score| score > 500), "the champion wins some pair");
    assert!(scores.contains(&0) || scores.contains(&500), "not all are won");
}

#[test]
fn a_contest_that_cannot_be_is_refused() {
    let said = |tuning: Tuning| tuning.check().unwrap_err().to_string();
    assert!(said(Tuning { playouts: None, nodes: Some(9), ..contest() }).contains("--playouts"));
    let unknown = Tuning { opponent: Some("champoin".to_owned()), ..contest() };
    assert!(said(unknown).contains("did you mean 'champion'?"));
    let setting = Tuning { set: vec!["cc=1".to_owned()], ..contest() };
    assert!(said(setting).contains("unknown parameter 'cc'"));
    assert!(agent_parameters("random").unwrap_err().to_string().contains("nothing to tune"));
}
