//! Whether a setting is the best of all.

use super::analysis::Analysis;
use super::verdict::Comparison;
use crate::experiment::Claim;
use crate::stats::holm;

/// A setting against every other under its budget. If it is ahead of all, its
/// nearest rival is who counts, for it must be better than each (an
/// intersection-union test, which needs no correction). If it is behind, it is the
/// one that it is most surely behind, and Holm's correction is for having looked
/// for that one.
pub(super) fn against_all(analysis: &Analysis, claim: &Claim) -> Option<Comparison> {
    let plan = &analysis.plan;
    let ours = plan.cell(&claim.setting, claim.budget.as_deref())?;
    let values = |cell| analysis.values(cell, claim.measure).iter().copied();
    let mut rivals: Vec<Comparison> = Vec::new();
    for cell in plan.cells().filter(|cell| cell.budget == ours.budget && *cell != ours) {
        let comparison = Comparison::of(values(ours).zip(values(cell)))?;
        let rival = Some(plan.spec.settings[cell.setting].name.clone());
        rivals.push(Comparison { rival, ..comparison });
    }
    let place = 1 + rivals.iter().filter(|one| one.paired.difference.mean < 0.0).count();
    let of = rivals.len() + 1;
    if place > 1 {
        let chances: Vec<f64> = rivals.iter().map(|one| one.chance).collect();
        for (rival, chance) in rivals.iter_mut().zip(holm(&chances)) {
            rival.chance = chance;
        }
        rivals.retain(|one| one.paired.difference.mean < 0.0);
    }
    let doubtful = |one: &Comparison| if place > 1 { -one.chance } else { one.chance };
    let nearest = rivals.into_iter().max_by(|one, other| {
        let means = [one, other].map(|one| one.paired.difference.mean);
        // Among equals the one that is furthest ahead.
        doubtful(one).total_cmp(&doubtful(other)).then(means[1].total_cmp(&means[0]))
    })?;
    let rival = nearest.rival.as_deref().unwrap_or_default();
    let rival = Some(format!("place {place} of {of}; against {rival}"));
    Some(Comparison { rival, ..nearest })
}
