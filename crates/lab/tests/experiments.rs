//! Experiments from file to report: resumed, sharded, cut short and refused.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use solitree_lab::Failure;
use solitree_lab::experiment::{Environment, Folder, Plan, Progress, Shard, Spec, run};
use solitree_lab::report::{Analysis, Report, Verdict};

const SPEC: &str = r#"
name = "small"
title = "Two settings on small boards"
seed = 7

[scales.quick]
instances = ["random:1-12:8x8x4"]
repetitions = 2
budgets = [
    { name = "few", nodes = "4", at = 4 },
    { name = "many", nodes = "400", at = 400 },
]

[[settings]]
name = "tree"
algorithm = "sp-mcts:exploitation"

[[settings]]
name = "random"
algorithm = "sp-mcts:exploitation"
set = { playout = "random" }
budgets = ["many"]

[[published]]
setting = "tree"
budget = "many"
mean = 100.5

[[claims]]
says = "more nodes are better"
setting = "tree"
budget = "many"
than-budget = "few"

[plot]
along = "budgets"
axis = "nodes"
"#;

fn plan() -> Plan {
    Plan::new(&Spec::parse(SPEC).unwrap(), "quick").unwrap()
}

fn open(path: &Path, plan: &Plan) -> anyhow::Result<Folder> {
    Folder::open(path, plan, &Environment::here("test"))
}

/// Runs all that is left.
fn finish(path: &Path, plan: &Plan, shard: Shard) -> bool {
    let folder = open(path, plan).unwrap();
    run(plan, &folder, shard, "test", &AtomicBool::new(false), &mut |_| {}).unwrap().cut
}

fn report(path: &Path) -> String {
    let folder = Folder::existing(path);
    let analysis = Analysis::read(&folder.plan().unwrap(), &folder).unwrap();
    assert!(analysis.is_whole());
    Report::of(&analysis).html()
}

#[test]
fn units_and_their_numbers_are_the_same_thing() {
    let plan = plan();
    assert_eq!(plan.len(), 12 * 2 + 12 * 2 * 2);
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let mut seen = vec![false; plan.len() as usize];
    Folder::existing(directory.path())
        .read(&plan, |number, record| {
            let unit = plan.unit(number);
            assert_eq!(unit.instance, record.instance);
            assert_eq!((unit.repetition, unit.seed), (record.repetition, record.seed));
            assert_eq!(plan.spec.settings[unit.entry.setting()].name, record.setting);
            assert_eq!(plan.budgets()[unit.budget], record.budget);
            seen[number as usize] = true;
        })
        .unwrap();
    assert!(seen.into_iter().all(|seen| seen));
}

#[test]
fn a_new_setting_shifts_no_seed() {
    let mut spec = Spec::parse(SPEC).unwrap();
    let first = spec.settings[0].clone();
    let seeds = |spec: &Spec| {
        let plan = Plan::new(spec, "quick").unwrap();
        let mut seeds: Vec<(String, u64, u64)> = (0..plan.len())
            .map(|number| plan.unit(number))
            .map(|unit| (unit.instance, unit.repetition, unit.seed))
            .collect();
        seeds.sort();
        seeds.dedup();
        seeds
    };
    let before = seeds(&spec);
    spec.settings.insert(0, solitree_lab::experiment::Setting { name: "new".to_owned(), ..first });
    assert_eq!(seeds(&spec), before);
    assert_eq!(before.len(), 24, "each instance and repetition has a seed of its own");
}

#[test]
fn stopped_ten_times_it_says_the_same() {
    let plan = plan();
    let whole = tempfile::tempdir().unwrap();
    finish(whole.path(), &plan, Shard::WHOLE);
    let pieces = tempfile::tempdir().unwrap();
    for stop in 1..=10 {
        let folder = open(pieces.path(), &plan).unwrap();
        let interrupt = AtomicBool::new(false);
        let mut see = |progress: Progress| {
            if progress.fresh > stop % 4 {
                interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        };
        run(&plan, &folder, Shard::WHOLE, "test", &interrupt, &mut see).unwrap();
        drop(folder);
        // What a crash leaves behind: the last line, cut somewhere.
        let results = pieces.path().join("results.jsonl");
        let bytes = std::fs::read(&results).unwrap();
        std::fs::write(&results, &bytes[..bytes.len() - stop as usize]).unwrap();
    }
    assert!(finish(pieces.path(), &plan, Shard::WHOLE), "the cut line was noticed");
    assert_eq!(report(pieces.path()), report(whole.path()));
}

#[test]
fn shards_together_are_the_whole() {
    let plan = plan();
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    finish(whole.path(), &plan, Shard::WHOLE);
    for index in 1..=3 {
        finish(parts.path(), &plan, Shard { index, count: 3 });
    }
    assert_eq!(report(parts.path()), report(whole.path()));
    // Nothing is left to do.
    finish(parts.path(), &plan, Shard::WHOLE);
    let rest = std::fs::read(parts.path().join("results.jsonl")).unwrap();
    assert!(rest.is_empty());
}

#[test]
fn the_report_says_what_was_found() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let folder = Folder::existing(directory.path());
    let analysis = Analysis::read(&plan, &folder).unwrap();
    let report = Report::of(&analysis);
    assert_eq!(report.judgements[0].verdict, Verdict::Holds, "{:?}", report.judgements);
    assert_eq!(report.judgements[0].count, 12);
    let markdown = report.markdown();
    for text in ["more nodes are better", "100", "| tree |", "few [4 nodes]"] {
        assert!(markdown.contains(text), "{text} is not in\n{markdown}");
    }
    assert!(report.plot.is_some_and(|plot| plot.contains("tree, published")));
    solitree_lab::report::write(&analysis, &Report::of(&analysis), &folder).unwrap();
    for file in ["report.md", "report.html", "plot.svg", "verdicts.json", "results.sqlite"] {
        assert!(directory.path().join(file).metadata().unwrap().len() > 100, "{file}");
    }
    let mut csv = Vec::new();
    solitree_lab::export_csv(&plan, &folder, &mut csv).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap().lines().count() as u64, plan.len() + 1);
}

#[test]
fn a_folder_is_of_one_experiment_and_one_runner() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let folder = open(directory.path(), &plan).unwrap();
    let refused = open(directory.path(), &plan).unwrap_err();
    assert!(refused.to_string().contains("another run is writing"), "{refused}");
    drop(folder);
    let changed = |change: fn(&mut Spec)| {
        let mut spec = Spec::parse(SPEC).unwrap();
        change(&mut spec);
        let plan = Plan::new(&spec, "quick").unwrap();
        open(directory.path(), &plan).and_then(|folder| folder.read(&plan, |_, _| {}))
    };
    for change in [
        (|spec| spec.seed = 8) as fn(&mut Spec),
        |spec| spec.rules = Some("codingame".to_owned()),
        |spec| spec.settings[0].algorithm = "sp-mcts:balanced".to_owned(),
    ] {
        let refused = changed(change).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(Failure::Usage(_))), "{refused}");
        assert!(refused.to_string().contains("another experiment"), "{refused}");
    }
    // What does not change a run changes nothing.
    let found = changed(|spec| {
        spec.title = "another title".to_owned();
        let new = solitree_lab::experiment::Setting {
            name: "new".to_owned(),
            ..spec.settings[0].clone()
        };
        spec.settings.insert(0, new);
    });
    assert_eq!(found.unwrap().count, plan.len());
}

#[test]
fn results_of_other_searches_are_done_again() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let before = report(directory.path());
    let results = directory.path().join("results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    let signature = text.split("\"signature\":\"").nth(1).unwrap().split('"').next().unwrap();
    std::fs::write(&results, text.replacen(signature, "0123456789abcdef", 5)).unwrap();
    let folder = open(directory.path(), &plan).unwrap();
    let never = AtomicBool::new(false);
    let remarks = run(&plan, &folder, Shard::WHOLE, "test", &never, &mut |_| {}).unwrap();
    assert_eq!((remarks.stale, remarks.cut), (5, false));
    assert_eq!(report(directory.path()), before);
}

#[test]
fn a_line_that_is_no_result_is_named() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let results = directory.path().join("results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(2, "{\"nonsense\":1}");
    std::fs::write(&results, lines.join("\n") + "\n").unwrap();
    let error = Folder::existing(directory.path()).read(&plan, |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("line 3"), "{error}");
    // A run that is not one of the experiment any more is passed over.
    std::fs::write(&results, text.replace("\"tree\"", "\"bush\"")).unwrap();
    let found = Folder::existing(directory.path()).read(&plan, |_, _| {}).unwrap();
    assert_eq!(found.count, 24);
}

#[test]
fn bad_files_are_refused_with_the_place() {
    let refused = |from: &str, to: &str| {
        let text = SPEC.replace(from, to);
        assert_ne!(text, SPEC, "{from} is in the file");
        match Spec::parse(&text) {
            Err(error) => error,
            Ok(spec) => Plan::new(&spec, "quick").unwrap_err().to_string(),
        }
    };
    for (from, to, expected) in [
        ("set = {", "part = 1.5\nset = {", "part = 1.5"),
        ("set = {", "threads = 0\nset = {", "threads = 0"),
        ("set = {", "generation = 1\nset = {", "a training in every scale"),
        ("seed = 7", "sead = 7", "sead"),
        ("name = \"small\"", "name = \"../x\"", "letters, digits"),
        ("sp-mcts:exploitation", "sp-mtcs", "sp-mcts"),
        ("playout = \"random\"", "playuot = \"random\"", "playout"),
        ("playout = \"random\"", "playout = \"rnd\"", "rnd"),
        ("name = \"random\"", "name = \"tree\"", "two settings are called 'tree'"),
        ("name = \"many\", nodes", "name = \"few\", nodes", "two budgets are called 'few'"),
        ("nodes = \"4\"", "nodes = \"-4\"", "not a count"),
        ("nodes = \"4\", at", "at", "neither nodes"),
        ("random:1-12:8x8x4", "random:9-1:8x8x4", "no seeds"),
        ("[\"random:1-12:8x8x4\"]", "[]", "no instances"),
        ("[\"random:1-12:8x8x4\"]", "[\"std\", \"std:3\"]", "named twice"),
        ("[\"random:1-12:8x8x4\"]", "[\"stx:1\"]", "stx"),
        ("budgets = [\"many\"]", "budgets = [\"mony\"]", "did you mean 'many'"),
        ("than-budget = \"few\"", "", "expected 'than'"),
        (
            "setting = \"tree\"\nbudget = \"many\"\nthan",
            "setting = \"tre\"\nbudget = \"many\"\nthan",
            "'tree'",
        ),
        ("repetitions = 2", "repetitions = 0", "at least 1"),
        ("repetitions = 2", "repetitions = 9000000000000000000", "runs"),
        ("seed = 7", "seed = 7\nthreads = 1000000", "1 to 1024"),
        ("[scales.quick]", "[scales.\"../quick\"]", "letters, digits"),
        (
            "setting = \"tree\"\nbudget = \"many\"\nmean",
            "setting = \"trees\"\nbudget = \"many\"\nmean",
            "'tree'",
        ),
        ("budget = \"many\"\nmean", "budget = \"most\"\nmean", "'most'"),
        ("mean = 100.5", "scores = [1, 2]", "2 scores for 12 boards"),
        ("than-budget = \"few\"", "than-budget = \"few\"\nbetween = [1, 2]", "two claims"),
        ("than-budget = \"few\"", "than = \"random\"\nthan-budget = \"few\"", "not run under"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(expected), "{to}: {error}");
    }
    let plan = Plan::new(&Spec::parse(SPEC).unwrap(), "huge").unwrap_err();
    assert!(plan.to_string().contains("it has: quick"), "{plan}");
}

/// Slow settings get a part of what is counted, and threads are a setting's own.
#[test]
fn settings_have_their_share() {
    let text = SPEC.replacen("set = {", "part = 0.1\nthreads = 2\nset = {", 1).replacen(
        "nodes = \"400\"",
        "nodes = \"400\", time = \"1m\"",
        1,
    );
    let plan = Plan::new(&Spec::parse(&text).unwrap(), "quick").unwrap();
    let tasks: Vec<_> = (0..plan.len()).map(|number| plan.task(&plan.unit(number))).collect();
    for task in &tasks {
        let slow = task.params.iter().any(|(_, value)| value == "random");
        let all = if task.budget.time.is_some() { 400 } else { 4 };
        let expected = if slow { (Some(40), 2) } else { (Some(all), 1) };
        assert_eq!((task.budget.nodes, task.threads), expected);
    }
    assert_eq!(tasks.iter().filter(|task| task.threads == 2).count(), 24);
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    assert!(report(directory.path()).contains("1 or 2 thread(s) each"));
}
