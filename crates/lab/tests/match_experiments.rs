//! Experiments of matches, from file to report.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use solitree_lab::experiment::{
    Entry, Environment, Folder, Measure, Plan, Progress, Shard, Spec, run,
};
use solitree_lab::report::{Analysis, Report, Verdict};

const SPEC: &str = r#"
name = "small"
title = "Reduction, and no skill at all, against UCT"
seed = 7
meet = "first"

[scales.quick]
games = 32
budgets = [
    { name = "few", playouts = "40" },
    { name = "opened", playouts = "40", plies = 2, games = 6 },
]

[[settings]]
name = "UCT"
algorithm = "uct"

[[settings]]
name = "{} moves"
algorithm = "uct:sufficiency"
sweep = { key = "reduce", values = [2, 4] }

[[settings]]
name = "random"
algorithm = "random"
budgets = ["few"]

[[settings]]
name = "slow"
algorithm = "uct"
part = 0.1
budgets = ["few"]

[[published]]
setting = "2 moves"
budget = "few"
mean = 60
instances = 24

[[claims]]
says = "random moves lose"
setting = "random"
budget = "few"
between = [0, 50]

[[claims]]
says = "random moves win"
setting = "random"
budget = "few"
than = "UCT"

[[claims]]
says = "a reduction is better than random moves"
setting = "4 moves"
budget = "few"
than = "random"

[[claims]]
says = "random moves are the best"
setting = "random"
budget = "few"
best = true

[plot]
along = "settings"
axis = "moves"
"#;

fn spec() -> Spec {
    Spec::parse(SPEC).unwrap()
}

fn plan() -> Plan {
    Plan::new(&spec(), "quick").unwrap()
}

/// Runs all that is left; says whether a line had been cut.
fn finish(path: &Path, plan: &Plan, shard: Shard) -> bool {
    let folder = Folder::open(path, plan, &Environment::here("test")).unwrap();
    run(plan, &folder, shard, "test", &AtomicBool::new(false), &mut |_| {}).unwrap().cut
}

fn analysis(path: &Path) -> Analysis {
    let folder = Folder::existing(path);
    let analysis = Analysis::read(&folder.plan().unwrap(), &folder).unwrap();
    assert!(analysis.is_whole());
    analysis
}

fn report(path: &Path) -> String {
    Report::of(&analysis(path)).html()
}

#[test]
fn games_come_in_pairs_from_one_opening() {
    let plan = plan();
    assert_eq!(plan.len(), 4 * 32 + 2 * 6);
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let mut records = vec![None; plan.len() as usize];
    Folder::existing(directory.path())
        .read(&plan, |number, record| records[number as usize] = Some(record.clone()))
        .unwrap();
    let name = |setting: usize| plan.spec.settings[setting].name.clone();
    for number in (0..plan.len()).step_by(2) {
        let pair = [number, number + 1].map(|number| (plan.unit(number), number));
        let [one, other] = pair.map(|(unit, number)| {
            let record = records[number as usize].clone().unwrap();
            let Entry::Game { white, red } = unit.entry else { panic!("not a game") };
            assert_eq!((&record.setting, &record.opponent), (&name(white), &Some(name(red))));
            assert_eq!((unit.instance, unit.seed), (record.instance.clone(), record.seed));
            assert!(record.branching > 1.0 && record.branching <= 14.0 && record.score.abs() <= 1);
            record
        });
        assert_eq!(
            (&one.setting, &one.instance),
            (other.opponent.as_ref().unwrap(), &other.instance)
        );
        if one.budget == "opened" {
            assert_eq!(one.moves[..2], other.moves[..2], "the opening");
        }
    }
    // A tenth of the playouts is a tenth: 4 and 40, but for the last moves.
    let (few, all) = records.iter().flatten().filter(|record| record.stop == "board").fold(
        (0, 0),
        |(few, all), record| match record.setting.as_str() {
            "slow" => (few + record.playouts / record.moves.len() as u64, all),
            "2 moves" => (few, all + record.playouts / record.moves.len() as u64),
            _ => (few, all),
        },
    );
    assert!(few < all, "{few} {all}");
}

#[test]
fn stopped_and_cut_short_it_says_the_same() {
    let plan = plan();
    let (whole, pieces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    finish(whole.path(), &plan, Shard::WHOLE);
    for stop in 1..=5 {
        let folder = Folder::open(pieces.path(), &plan, &Environment::here("test")).unwrap();
        let interrupt = AtomicBool::new(false);
        let mut see = |progress: Progress| {
            if progress.fresh > stop % 3 {
                interrupt.store(true, Ordering::Relaxed);
            }
        };
        run(&plan, &folder, Shard::WHOLE, "test", &interrupt, &mut see).unwrap();
        drop(folder);
        let results = pieces.path().join("results.jsonl");
        let bytes = std::fs::read(&results).unwrap();
        std::fs::write(&results, &bytes[..bytes.len() - stop as usize]).unwrap();
    }
    assert!(finish(pieces.path(), &plan, Shard::WHOLE), "the cut line was noticed");
    assert_eq!(report(pieces.path()), report(whole.path()));
    let parts = tempfile::tempdir().unwrap();
    for index in 1..=3 {
        finish(parts.path(), &plan, Shard { index, count: 3 });
    }
    assert_eq!(report(parts.path()), report(whole.path()));
}

#[test]
fn the_report_says_what_was_found() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let analysis = analysis(directory.path());
    let report = Report::of(&analysis);
    let verdicts: Vec<Verdict> = report.judgements.iter().map(|one| one.verdict).collect();
    let expected = [Verdict::Holds, Verdict::Fails, Verdict::Holds, Verdict::Fails];
    assert_eq!(verdicts, expected, "{:#?}", report.judgements);
    assert!(report.judgements[1].evidence.contains("Elo ("), "{:?}", report.judgements[1]);
    assert!(report.judgements[3].evidence.starts_with("place "));
    let markdown = report.markdown();
    for text in
        ["60.0 ± 10.0 (24 games)", "140 of 140 games", "| 4 moves | UCT | 32 |", "(pairs of games)"]
    {
        assert!(markdown.contains(text), "{text} is not in\n{markdown}");
    }
    assert!(!markdown.contains("| UCT |\n") && report.heat.is_none());
    assert!(report.plot.as_ref().is_some_and(|plot| plot.contains("few, published")));
    let folder = Folder::existing(directory.path());
    solitree_lab::report::write(&analysis, &report, &folder).unwrap();
    let mut csv = Vec::new();
    solitree_lab::export_csv(&plan, &folder, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.starts_with("instance,setting,opponent,") && csv.lines().count() == 141);
}

/// What one wins another loses: half of the points is the mean of a tournament.
#[test]
fn a_tournament_shares_out_the_points() {
    let text = SPEC.replace("\"first\"", "\"all\"").replace("than = \"UCT\"", "than = \"slow\"");
    let plan = Plan::new(&Spec::parse(&text).unwrap(), "quick").unwrap();
    assert_eq!(plan.len(), 10 * 32 + 3 * 6);
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let analysis = analysis(directory.path());
    for budget in 0..2 {
        let cells: Vec<_> = plan.cells().filter(|cell| cell.budget == budget).collect();
        for round in 0..plan.instances(budget).len() {
            let sum: f64 =
                cells.iter().map(|&cell| analysis.values(cell, Measure::Points)[round]).sum();
            assert!((sum / cells.len() as f64 - 50.0).abs() < 1e-9, "{sum}");
        }
    }
    assert_eq!(plan.runs_of(plan.cell("slow", Some("few")).unwrap()), 4 * 32);
    assert!(Report::of(&analysis).markdown().contains("Ratings (Bradley-Terry)"));
}

#[test]
fn an_agent_that_meets_itself_shows_the_sides() {
    let text = r#"
name = "sides"
title = "Who wins?"
meet = "itself"
measures = ["white-wins", "red-wins", "drawn", "length", "branching", "cell-exponent"]
[scales.quick]
games = 9
budgets = [{ name = "few", playouts = "30" }]
[[settings]]
name = "UCT"
algorithm = "uct"
"#;
    let plan = Plan::new(&Spec::parse(text).unwrap(), "quick").unwrap();
    assert_eq!(plan.len(), 9);
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let analysis = analysis(directory.path());
    let cell = plan.cell("UCT", None).unwrap();
    let mean = |measure| analysis.summary(cell, measure).unwrap().mean;
    let parts = mean(Measure::WhiteWins) + mean(Measure::RedWins) + mean(Measure::Drawn);
    assert!((parts - 100.0).abs() < 1e-9);
    assert!(mean(Measure::Length) > 7.0 && mean(Measure::Length) <= 42.0);
    assert!((mean(Measure::CellExponent) - 29.36).abs() < 0.01);
    let games: std::collections::HashSet<u64> =
        (0..9).map(|number| plan.unit(number).seed).collect();
    assert_eq!(games.len(), 9, "each game has luck of its own");
}

#[test]
fn games_of_other_agents_are_played_again() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let before = report(directory.path());
    let results = directory.path().join("results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    let signature = text.split("\"signature\":\"").nth(1).unwrap().split('"').next().unwrap();
    std::fs::write(&results, text.replacen(signature, "0123456789abcdef", 3)).unwrap();
    let folder = Folder::open(directory.path(), &plan, &Environment::here("test")).unwrap();
    let never = AtomicBool::new(false);
    assert_eq!(run(&plan, &folder, Shard::WHOLE, "test", &never, &mut |_| {}).unwrap().stale, 3);
    drop(folder);
    assert_eq!(report(directory.path()), before);
    // Another parameter is another experiment.
    let mut other = spec();
    other.settings[0].set.insert("c".to_owned(), toml::Value::Float(0.5));
    let other = Plan::new(&other, "quick").unwrap();
    let refused = Folder::open(directory.path(), &other, &Environment::here("test")).unwrap_err();
    assert!(refused.to_string().contains("another experiment"), "{refused}");
}

#[test]
fn a_score_that_no_game_has_is_taken_for_the_nearest() {
    let plan = plan();
    let directory = tempfile::tempdir().unwrap();
    finish(directory.path(), &plan, Shard::WHOLE);
    let results = directory.path().join("results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    for score in ["7", "-9223372036854775808", "9223372036854775807"] {
        let wrong = text.replace("\"score\":1,", &format!("\"score\":{score},"));
        assert_ne!(wrong, text);
        std::fs::write(&results, wrong).unwrap();
        assert_eq!(analysis(directory.path()).standings[0].games(), 4 * 32);
    }
}

#[test]
fn bad_files_are_refused_with_the_place() {
    let refused = |from: &str, to: &str| {
        let text = SPEC.replace(from, to);
        assert_ne!(text, SPEC, "{from} is in the file");
        let error = match Spec::parse(&text) {
            Err(error) => error,
            Ok(spec) => Plan::new(&spec, "quick").unwrap_err().to_string(),
        };
        assert!(!error.contains('\n'), "{error}");
        error
    };
    for (from, to, expected) in [
        ("\"first\"", "\"last\"", "unknown variant `last`"),
        ("meet = \"first\"", "", "expected 'meet'"),
        ("seed = 7", "seed = 7\nrules = \"samegame\"", "rules: not in an experiment of matches"),
        ("seed = 7", "seed = 7\nthreads = 2", "threads: not in"),
        ("seed = 7", "seed = 7\nmeasures = [\"deepest\"]", "'deepest node': not in"),
        ("games = 32", "games = 1", "expected 2 to 200,000"),
        ("games = 32\n", "", "budget 'few': games"),
        ("games = 32", "games = 32\ninstances = [\"std\"]", "not instances"),
        ("name = \"few\", playouts = \"40\"", "name = \"few\", nodes = \"40\"", "count playouts"),
        ("plies = 2", "plies = 40", "more than 20 plies"),
        ("name = \"{} moves\"", "name = \"moves\"", "needs {}"),
        ("values = [2, 4]", "values = []", "no values"),
        ("values = [2, 4]", "values = [2, 2]", "two settings are called '2 moves'"),
        ("values = [2, 4]", "values = [2, -4]", "-4"),
        ("key = \"reduce\"", "key = \"redcue\"", "did you mean 'reduce'?"),
        ("\"uct:sufficiency\"", "\"uct:suficiency\"", "did you mean 'uct:sufficiency'?"),
        ("algorithm = \"random\"", "algorithm = \"cmd:./mine\"", "agents of our own"),
        ("part = 0.1", "part = 1.5", "expected more than 0"),
        ("algorithm = \"uct\"\n\n", "algorithm = \"uct\"\nbudgets = [\"few\"]\n\n", "every budget"),
        ("best = true", "best = true\nthan = \"UCT\"", "two claims"),
        ("best = true", "best = true\nbetween = [0, 1]", "two claims"),
        ("best = true", "", "'between' or 'best'"),
        ("than = \"UCT\"", "than = \"UCT\"\nmeasure = \"length\"", "for points only"),
        ("\"first\"", "\"itself\"", "no points of its own"),
        ("setting = \"4 moves\"", "setting = \"UCT\"", "not run under that budget"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(expected), "{to}: {error}");
    }
}
