//! Whether what was said holds.

use serde::{Deserialize, Serialize};

use super::analysis::Analysis;
use super::rivals::against_all;
use crate::experiment::{Cell, Claim, Measure};
use crate::stats::{Elo, Paired, Pairs, Summary, holm, paired};

/// What the results say to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds: a difference at the level of 5 % after Holm's correction, a figure
    /// with its whole 95 % interval.
    Holds,
    /// The opposite holds, in the same sense.
    Fails,
    /// The results do not tell.
    Open,
    /// There are none yet.
    Missing,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "FAILS",
            Verdict::Open => "open",
            Verdict::Missing => "missing",
        })
    }
}

/// A claim and what the results say to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// What is said.
    pub says: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The evidence, for people.
    pub evidence: String,
    /// Instances that it rests on.
    pub count: usize,
    /// The chance of error after correction, for claims of a difference.
    pub chance: Option<f64>,
}

/// The level of the tests.
const LEVEL: f64 = 0.05;

/// Judges every claim of an experiment.
#[must_use]
pub fn judge(analysis: &Analysis) -> Vec<Judgement> {
    let claims = &analysis.plan.spec.claims;
    let comparisons: Vec<Option<Comparison>> =
        claims.iter().map(|claim| comparison(analysis, claim)).collect();
    let chances: Vec<f64> = comparisons.iter().flatten().map(|one| one.chance).collect();
    let mut adjusted = holm(&chances).into_iter();
    claims
        .iter()
        .zip(comparisons)
        .map(|(claim, comparison)| match (comparison, claim.between) {
            (Some(comparison), _) => {
                let chance = adjusted.next().unwrap_or(1.0);
                compared(analysis, claim, &comparison, chance)
            }
            (None, Some(range)) => placed(analysis, claim, range),
            (None, None) => missing(claim),
        })
        .collect()
}

/// Two settings that a claim compares.
pub(super) struct Comparison {
    /// Instance by instance.
    pub(super) paired: Paired,
    /// The chance of error.
    pub(super) chance: f64,
    /// Whom with, where the claim does not say.
    pub(super) rival: Option<String>,
    /// The difference in Elo, where they met.
    pub(super) elo: Option<Elo>,
}

fn compared(analysis: &Analysis, claim: &Claim, comparison: &Comparison, chance: f64) -> Judgement {
    let Comparison { paired, rival, elo, .. } = comparison;
    let difference = paired.difference;
    let verdict = match (chance < LEVEL, difference.mean > 0.0) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::Fails,
        (false, _) => Verdict::Open,
    };
    let digits = claim.measure.digits();
    let of = analysis.plan.instances_are();
    let mut evidence = format!(
        "{:+.digits$} ± {:.digits$} ({} to {} of {} {of})",
        difference.mean, difference.error, paired.wins, paired.losses, difference.count
    );
    if let Some(rival) = rival {
        evidence = format!("{rival}: {evidence}");
    }
    if let Some(Elo { difference, low, high }) = elo {
        evidence = format!("{difference:+.0} Elo ({low:+.0} to {high:+.0}); {evidence}");
    }
    if verdict == Verdict::Open
        && let Some(needed) = paired.needed
        && needed > difference.count as u64
    {
        evidence.push_str(&format!("; too few: a difference this small takes about {needed}"));
    }
    Judgement {
        says: claim.says.clone(),
        verdict,
        evidence,
        count: difference.count,
        chance: Some(chance),
    }
}

fn placed(analysis: &Analysis, claim: &Claim, (low, high): (f64, f64)) -> Judgement {
    let Some(summary) = cell_of(analysis, &claim.setting, claim.budget.as_deref())
        .and_then(|cell| analysis.summary(cell, claim.measure))
    else {
        return missing(claim);
    };
    let Summary { mean, interval, .. } = summary;
    let verdict = if low <= interval.0 && interval.1 <= high {
        Verdict::Holds
    } else if interval.0 > high || interval.1 < low {
        Verdict::Fails
    } else {
        Verdict::Open
    };
    let digits = claim.measure.digits();
    let evidence = format!(
        "{mean:.digits$} (95 %: {:.digits$} to {:.digits$}), expected {low} to {high}",
        interval.0, interval.1
    );
    let count = summary.count;
    Judgement { says: claim.says.clone(), verdict, evidence, count, chance: None }
}

fn missing(claim: &Claim) -> Judgement {
    Judgement {
        says: claim.says.clone(),
        verdict: Verdict::Missing,
        evidence: "no results yet".to_owned(),
        count: 0,
        chance: None,
    }
}

/// The pairs of a claim that compares, if there are any.
fn comparison(analysis: &Analysis, claim: &Claim) -> Option<Comparison> {
    if claim.best {
        return against_all(analysis, claim);
    }
    let (than, other_budget) = match (&claim.than, &claim.than_budget) {
        (None, None) => return None,
        (than, budget) => {
            (than.as_ref().unwrap_or(&claim.setting), budget.as_deref().or(claim.budget.as_deref()))
        }
    };
    let ours = by_instance(analysis, &claim.setting, claim.budget.as_deref(), claim.measure)?;
    if analysis.plan.is_reference(than) {
        return against_reference(&ours);
    }
    let theirs = if analysis.plan.spec.is_published(than) {
        published_scores(analysis, than)?
    } else {
        by_instance(analysis, than, other_budget, claim.measure)?
    };
    let other = |instance: &str| theirs.iter().find(|(name, _)| *name == instance);
    let pairs = ours
        .iter()
        .filter_map(|(instance, value)| other(instance).map(|(_, other)| (*value, *other)));
    Comparison::of(pairs)
}

impl Comparison {
    /// Two settings by their figures on the same instances; those that are not
    /// known are left out.
    pub(super) fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Option<Comparison> {
        let known = |&(one, other): &(f64, f64)| !one.is_nan() && !other.is_nan();
        let paired = paired(&pairs.filter(known).collect::<Vec<_>>())?;
        Some(Comparison { chance: paired.chance(), paired, rival: None, elo: None })
    }
}

/// Points in pairs of games against the one that all meet: more than half of them?
fn against_reference(ours: &[(&str, f64)]) -> Option<Comparison> {
    let comparison = Comparison::of(ours.iter().map(|&(_, points)| (points, 50.0)))?;
    let mut pairs = Pairs::default();
    for (_, points) in ours.iter().filter(|(_, points)| !points.is_nan()) {
        pairs.add((points / 25.0).round() as usize);
    }
    Some(Comparison { elo: Some(pairs.elo()), ..comparison })
}

fn cell_of(analysis: &Analysis, setting: &str, budget: Option<&str>) -> Option<Cell> {
    analysis.plan.cell(setting, budget)
}

fn by_instance<'a>(
    analysis: &'a Analysis,
    setting: &str,
    budget: Option<&str>,
    measure: Measure,
) -> Option<Vec<(&'a str, f64)>> {
    let cell = cell_of(analysis, setting, budget)?;
    let instances = analysis.plan.instances(cell.budget).iter().map(String::as_str);
    Some(instances.zip(analysis.values(cell, measure).iter().copied()).collect())
}

/// The published scores of a program, by instance.
fn published_scores<'a>(analysis: &'a Analysis, name: &str) -> Option<Vec<(&'a str, f64)>> {
    let published =
        analysis.plan.spec.published.iter().find(|published| published.setting == name)?;
    let instances = analysis.plan.instances(0).iter().map(String::as_str);
    Some(instances.zip(published.scores.iter().copied()).collect())
}
