//! The most likely strengths of the Bradley-Terry model.
//!
//! By the MM algorithm of Hunter (2004). Where players lie far apart it crawls, so
//! Newton steps, short enough that each of them climbs, finish.

use super::crosstable::Crosstable;
use super::symmetric::inverse;

const MM_STEPS: usize = 1000;
const NEWTON_STEPS: usize = 200;

/// Results and the strengths that explain them; all by player's number.
pub(super) struct Model {
    /// By player: who was met, and how often.
    met: Vec<Vec<(usize, f64)>>,
    /// By player: all points.
    points: Vec<f64>,
    /// The logarithms of the strengths.
    strengths: Vec<f64>,
}

impl Model {
    /// All of one strength, as yet.
    pub(super) fn new(table: &Crosstable, virtual_draws: f64) -> Model {
        let all = 0..table.names().len();
        let met: Vec<Vec<(usize, f64)>> = (all.clone())
            .map(|one| {
                let games = |other| (other, table.games(one, other));
                let played = all.clone().map(games).filter(|&(_, games)| games > 0.0);
                played.map(|(other, games)| (other, games + virtual_draws)).collect()
            })
            .collect();
        let scored = |one: usize| all.clone().map(|other| table.points(one, other)).sum::<f64>();
        let points =
            all.clone().map(|one| scored(one) + virtual_draws * met[one].len() as f64 / 2.0);
        Model { points: points.collect(), strengths: vec![0.0; met.len()], met }
    }

    /// The logarithms of the most likely strengths, up to a constant, and the covariance
    /// of their distances from their mean. None if precision does not suffice.
    /// Needs two players or more, linked by games, and a table that has ratings or else
    /// virtual draws.
    pub(super) fn solve(mut self) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        for _ in 0..MM_STEPS {
            if self.mm_step() < 1e-9 {
                break;
            }
        }
        for _ in 0..NEWTON_STEPS {
            let covariance = self.covariance()?;
            if self.newton_step(&covariance) {
                return Some((self.strengths, covariance));
            }
        }
        None
    }

    /// Hunter's step: each strength times the points over those expected. How far it
    /// went.
    fn mm_step(&mut self) -> f64 {
        let next: Vec<f64> = (0..self.points.len())
            .map(|one| self.strengths[one] + libm::log(self.points[one] / self.expected(one)))
            .collect();
        let moved = |(one, other): (&f64, &f64)| (one - other).abs();
        let furthest = next.iter().zip(&self.strengths).map(moved).fold(0.0, f64::max);
        self.strengths = next;
        furthest
    }

    /// A step of Newton's, in which no two players move apart by more than 1. Whether
    /// it was next to nothing.
    fn newton_step(&mut self, covariance: &[Vec<f64>]) -> bool {
        let missing: Vec<f64> =
            (0..self.points.len()).map(|one| self.points[one] - self.expected(one)).collect();
        let dot = |row: &Vec<f64>| row.iter().zip(&missing).map(|(a, b)| a * b).sum::<f64>();
        let step: Vec<f64> = covariance.iter().map(dot).collect();
        let longest = step.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let scale = if longest > 0.5 { 0.5 / longest } else { 1.0 };
        self.strengths.iter_mut().zip(&step).for_each(|(own, value)| *own += scale * value);
        // A millionth of the standard error.
        let small = |(one, value): (usize, &f64)| {
            value.abs() <= 1e-6 * covariance[one][one].sqrt().max(1e-3)
        };
        step.iter().enumerate().all(small)
    }

    /// The inverse of the Fisher information among strengths with a mean of 0.
    fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        let size = self.met.len();
        let mut matrix = vec![vec![0.0; size]; size];
        for (one, met) in self.met.iter().enumerate() {
            for &(other, games) in met {
                let weight = games * self.chance(one, other) * self.chance(other, one);
                matrix[one][one] += weight;
                matrix[one][other] -= weight;
            }
        }
        // The information of all together is 0: give it some, and take it off again.
        let weight: f64 = (0..size).map(|one| matrix[one][one]).sum::<f64>() / size as f64;
        let common = weight / size as f64;
        matrix.iter_mut().flatten().for_each(|value| *value += common);
        let mut covariance = inverse(matrix)?;
        let common = 1.0 / (weight * size as f64);
        covariance.iter_mut().flatten().for_each(|value| *value -= common);
        Some(covariance)
    }

    fn expected(&self, one: usize) -> f64 {
        self.met[one].iter().map(|&(other, games)| games * self.chance(one, other)).sum()
    }

    fn chance(&self, one: usize, other: usize) -> f64 {
        1.0 / (1.0 + libm::exp(self.strengths[other] - self.strengths[one]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: [(usize, usize, u64, u64); 4] =
        [(0, 1, 7, 4), (0, 2, 9, 1), (1, 2, 5, 6), (2, 3, 3, 1)];

    /// With the first player at 0.
    fn likelihood(others: [f64; 3]) -> f64 {
        let all = [0.0, others[0], others[1], others[2]];
        let chance = |one: usize, other: usize| 1.0 / (1.0 + (all[other] - all[one]).exp());
        let log = |&(one, other, wins, losses): &(usize, usize, u64, u64)| {
            wins as f64 * chance(one, other).ln() + losses as f64 * chance(other, one).ln()
        };
        GAMES.iter().map(log).sum()
    }

    /// Climbs along the axes in ever smaller steps.
    fn brute_force() -> [f64; 3] {
        let (mut at, mut step) = ([0.0; 3], 1.0);
        while step > 1e-9 {
            let before = at;
            for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
                let mut to = at;
                to[axis] += side * step;
                if likelihood(to) > likelihood(at) {
                    at = to;
                }
            }
            if at == before {
                step /= 2.0;
            }
        }
        at
    }

    #[test]
    fn is_that_by_brute_force() {
        let mut table = Crosstable::default();
        for (one, other, wins, losses) in GAMES {
            table.add(&one.to_string(), &other.to_string(), wins, 0, losses);
        }
        let (strengths, covariance) = Model::new(&table, 0.0).solve().unwrap();
        let best = brute_force();
        for (other, best) in best.iter().enumerate() {
            assert!((strengths[other + 1] - strengths[0] - best).abs() < 1e-6);
        }
        // The covariance of the differences times the curvature by differences is one.
        let (h, c) = (1e-3, &covariance);
        let curvature = |one: usize, other: usize| {
            let at = |a: f64, b: f64| {
                let mut to = best;
                to[one] += a * h;
                to[other] += b * h;
                likelihood(to)
            };
            -(at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h)
        };
        let joint = |i: usize, j: usize| c[i + 1][j + 1] - c[0][j + 1] - c[i + 1][0] + c[0][0];
        for row in 0..3 {
            for column in 0..3 {
                let product: f64 = (0..3).map(|k| joint(row, k) * curvature(k, column)).sum();
                assert!((product - if row == column { 1.0 } else { 0.0 }).abs() < 1e-3);
            }
        }
    }

    /// In a chain each link has its closed form, however long the odds.
    #[test]
    fn far_apart_is_still_exact() {
        let mut table = Crosstable::default();
        for link in 0..9 {
            table.add(&link.to_string(), &(link + 1).to_string(), 1_000_000, 0, 1);
        }
        let (strengths, covariance) = Model::new(&table, 0.0).solve().unwrap();
        assert!((strengths[0] - strengths[9] - 9.0 * 1e6f64.ln()).abs() < 1e-3);
        let variance = covariance[0][0] + covariance[9][9] - 2.0 * covariance[0][9];
        assert!((variance - 9.0 * (1.0 + 1e-6)).abs() < 1e-3, "{variance}");
    }
}
