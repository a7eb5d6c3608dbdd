//! The papers' tables and figures: experiments that come with the program, and
//! the verdicts it has given before.

use solitree_core::params::nearest;

use crate::Failure;
use crate::experiment::Spec;
use crate::report::{Findings, Verdict};

/// An experiment's file and what was found with it.
macro_rules! experiment {
    ($name:literal) => {
        (
            include_str!(concat!("../../../experiments/", $name, ".toml")),
            include_str!(concat!("../../../experiments/results/", $name, ".json")),
        )
    };
}

/// The files, in the order of the papers.
const EXPERIMENTS: &[(&str, &str)] = &[
    experiment!("schadd2012-complexity"),
    experiment!("schadd2012-table1"),
    experiment!("schadd2012-table2"),
    experiment!("schadd2012-fig2"),
    experiment!("schadd2012-table3"),
    experiment!("schadd2012-table4"),
    experiment!("schadd2012-table6"),
    experiment!("schadd2012-table7"),
    experiment!("seify2020-fig1"),
    experiment!("seify2020-fig2-7x7"),
    experiment!("seify2020-fig2-10x10"),
    experiment!("seify2020-fig2-15x15"),
    experiment!("seify2020-table2"),
    experiment!("oppenhuis2022-table2"),
    experiment!("oppenhuis2022-fig6"),
    experiment!("oppenhuis2022-fig7"),
    experiment!("oppenhuis2022-table3"),
    experiment!("oppenhuis2022-fig8"),
    experiment!("oppenhuis2022-fig9"),
    experiment!("oppenhuis2022-fig10"),
    experiment!("oppenhuis2022-fig11"),
    experiment!("oppenhuis2022-section8-1"),
    experiment!("oppenhuis2022-table4"),
];

/// Other names of the same: Table 5 is the parameters that Table 6 tests, the papers
/// of 2008 have tables that the one of 2012 prints again, and a figure of several
/// graphs is an experiment each.
const ALIASES: &[(&str, &str)] = &[
    ("schadd2012-table5", "schadd2012-table6"),
    ("schadd2008-table1", "schadd2012-table1"),
    ("schadd2008-table2", "schadd2012-table2"),
    ("schadd2008-fig2", "schadd2012-fig2"),
    ("schadd2008-table3", "schadd2012-table7"),
    ("schadd2008-complexity", "schadd2012-complexity"),
    ("seify2020-table3", "schadd2012-table7"),
    ("seify2020-fig2", "seify2020-fig2-*"),
];

/// Every experiment.
pub fn all() -> Vec<Spec> {
    EXPERIMENTS.iter().map(|(text, _)| parsed(text)).collect()
}

/// The experiment of a name, or of another name of it; with a `*` at the end, all
/// whose names begin so.
pub fn find(name: &str) -> anyhow::Result<Vec<Spec>> {
    let own = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, own)| own);
    let all = all();
    let found: Vec<Spec> = all.iter().filter(|spec| is_meant(own, &spec.name)).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || {
        let aliases = ALIASES.iter().map(|(alias, _)| *alias);
        all.iter().map(|spec| spec.name.as_str()).chain(aliases)
    };
    let hint = nearest(name, names()).map_or_else(
        || format!("there is: {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean '{near}'?"),
    );
    Err(Failure::usage(format!("no experiment is called '{name}'; {hint}")))
}

/// The other names of an experiment.
pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
    ALIASES.iter().filter(move |(_, own)| is_meant(own, name)).map(|(alias, _)| *alias)
}

/// Whether a text is a name, or with a `*` at the end the beginning of it.
fn is_meant(text: &str, name: &str) -> bool {
    text.strip_suffix('*').map_or(text == name, |start| name.starts_with(start))
}

/// What was found before at the same scale, if it was.
#[must_use]
pub fn baseline(name: &str, scale: &str) -> Option<Findings> {
    EXPERIMENTS
        .iter()
        .filter_map(|(_, found)| serde_json::from_str::<Findings>(found).ok())
        .find(|findings| findings.name == name && findings.scale == scale)
}

/// The claims that held before and do not now.
#[must_use]
pub fn lost(before: &Findings, now: &Findings) -> Vec<String> {
    let holds = |findings: &Findings, says: &str| {
        let mut same = findings.judgements.iter().filter(|judgement| judgement.says == says);
        same.any(|judgement| judgement.verdict == Verdict::Holds)
    };
    let held = before.judgements.iter().filter(|judgement| judgement.verdict == Verdict::Holds);
    held.filter(|judgement| !holds(now, &judgement.says))
        .map(|judgement| judgement.says.clone())
        .collect()
}

fn parsed(text: &str) -> Spec {
    Spec::parse(text).unwrap_or_else(|error| panic!("an experiment of our own: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Plan;

    #[test]
    fn every_experiment_can_be_run_at_both_scales_and_has_been() {
        for spec in all() {
            for scale in ["quick", "paper"] {
                Plan::new(&spec, scale).unwrap_or_else(|error| panic!("{}: {error}", spec.name));
            }
            let baseline = baseline(&spec.name, "quick");
            let baseline = baseline.unwrap_or_else(|| panic!("{} was never run", spec.name));
            let says: Vec<&String> =
                baseline.judgements.iter().map(|judgement| &judgement.says).collect();
            let claims: Vec<&String> = spec.claims.iter().map(|claim| &claim.says).collect();
            assert_eq!(says, claims, "{}: the results are of other claims", spec.name);
        }
        for (alias, own) in ALIASES {
            let found = find(alias).unwrap();
            assert_eq!(found.len() == 1, !own.ends_with('*'), "{alias}");
            assert!(found.iter().all(|spec| aliases(&spec.name).any(|name| name == *alias)));
        }
        assert_eq!(find("seify2020-fig2").unwrap().len(), 3, "a graph a size");
        assert_eq!(find("oppenhuis2022-*").unwrap().len(), 10);
        assert_eq!(find("*").unwrap().len(), EXPERIMENTS.len());
        assert!(find("nothing-*").is_err());
    }

    #[test]
    fn a_verdict_that_is_lost_is_named() {
        let before = baseline("schadd2012-table1", "quick").unwrap();
        assert!(lost(&before, &before).is_empty());
        let mut now = before.clone();
        for judgement in &mut now.judgements {
            judgement.verdict = Verdict::Open;
        }
        assert!(!lost(&before, &now).is_empty());
    }
}
