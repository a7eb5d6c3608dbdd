//! Joint ratings of many players by the Bradley-Terry model.
//!
//! A player of strength e^a scores 1 / (1 + e^(b - a)) against one of strength e^b.
//! The ratings are the most likely strengths, on the scale of Elo; the intervals
//! come from the inverse of the Fisher information. Draws count as half a win and
//! half a loss, and games as independent. So draws make the intervals too wide,
//! and the pairing of games is not used: for two players alone prefer `Pairs`.
//!
//! References: R. Bradley and M. Terry (1952), "Rank Analysis of Incomplete Block
//! Designs"; L. Ford (1957), "Solution of a Ranking Problem from Binary Comparisons";
//! D. Hunter (2004), "MM Algorithms for Generalized Bradley-Terry Models".

use super::crosstable::Crosstable;
use super::elo::{WITHIN_95, normal};
use super::rating_error::RatingError;
use super::strengths::Model;

/// 400 / ln 10: Elo for one unit of log-strength.
const ELO: f64 = 173.717_792_761_300_7;

/// Virtual draws where ratings would not exist without any.
const RESCUE: f64 = 1.0;

/// Who is 0 Elo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// The mean of all players.
    #[default]
    Mean,
    /// This one, who has no error then.
    Player(String),
}

/// How to rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// Who is 0 Elo.
    pub anchor: Anchor,
    /// Draws added between every two players that met, a weak prior. If 0 one is
    /// added all the same where some players won or lost everything against the
    /// others, since no ratings are most likely then.
    pub virtual_draws: f64,
}

/// A player's rating.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Who it is.
    pub name: String,
    /// The estimate.
    pub elo: f64,
    /// The lower end of its 95 % interval, relative to the anchor.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The ratings of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// In the order of the crosstable.
    pub players: Vec<Rating>,
    /// The virtual draws that were added between every two players that met.
    pub virtual_draws: f64,
    covariance: Vec<Vec<f64>>,
}

/// Rates all players jointly by maximum likelihood.
pub fn rate(table: &Crosstable, fit: &Fit) -> Result<Ratings, RatingError> {
    let names = table.names();
    let anchor = match &fit.anchor {
        Anchor::Mean => None,
        Anchor::Player(name) => Some(
            (names.iter().position(|known| known == name))
                .ok_or_else(|| RatingError::UnknownAnchor(name.clone()))?,
        ),
    };
    if !(fit.virtual_draws >= 0.0 && fit.virtual_draws.is_finite()) {
        return Err(RatingError::BadPrior(fit.virtual_draws));
    }
    let groups = table.groups();
    if groups.len() > 1 {
        let name =
            |group: Vec<usize>| group.into_iter().map(|player| names[player].clone()).collect();
        return Err(RatingError::Disconnected(groups.into_iter().map(name).collect()));
    }
    let needed = fit.virtual_draws == 0.0 && !table.has_ratings();
    let virtual_draws = if needed { RESCUE } else { fit.virtual_draws };
    let (strengths, covariance) = if names.len() < 2 {
        (vec![0.0; names.len()], vec![vec![0.0; names.len()]; names.len()])
    } else {
        Model::new(table, virtual_draws).solve().ok_or(RatingError::NoConvergence)?
    };
    let zero = match anchor {
        Some(player) => strengths[player],
        None => strengths.iter().sum::<f64>() / strengths.len().max(1) as f64,
    };
    let rating = |(player, name): (usize, &String)| {
        let variance = match anchor {
            Some(anchor) => of_difference(&covariance, player, anchor),
            None => covariance[player][player],
        };
        let (elo, error) = (ELO * (strengths[player] - zero), ELO * variance.max(0.0).sqrt());
        let (low, high) = (elo - WITHIN_95 * error, elo + WITHIN_95 * error);
        Rating { name: name.clone(), elo, low, high }
    };
    let players = names.iter().enumerate().map(rating).collect();
    Ok(Ratings { players, virtual_draws, covariance })
}

impl Ratings {
    /// The likelihood that one player, by number, is stronger than another; none for
    /// strangers.
    #[must_use]
    pub fn los(&self, player: usize, opponent: usize) -> Option<f64> {
        let difference = self.players.get(player)?.elo - self.players.get(opponent)?.elo;
        let error = ELO * of_difference(&self.covariance, player, opponent).max(0.0).sqrt();
        Some(if player == opponent || error == 0.0 { 0.5 } else { normal(difference / error) })
    }
}

fn of_difference(covariance: &[Vec<f64>], one: usize, other: usize) -> f64 {
    covariance[one][one] + covariance[other][other] - 2.0 * covariance[one][other]
}

#[cfg(test)]
mod tests {
    use super::super::lcg::Lcg;
    use super::*;

    fn anchored(name: &str) -> Fit {
        Fit { anchor: Anchor::Player(name.to_owned()), virtual_draws: 0.0 }
    }

    /// n points of which w won: log-odds of log(w / (n - w)), variance 1/w + 1/(n - w).
    #[test]
    fn two_players_have_a_closed_form() {
        let mut table = Crosstable::default();
        table.add("ant", "bee", 30, 20, 10);
        let ratings = rate(&table, &anchored("bee")).unwrap();
        let [ant, bee] = &ratings.players[..] else { panic!("two players") };
        assert!((ant.elo - 400.0 * 2f64.log10()).abs() < 1e-6);
        let half = 1.96 * 173.717_8 * (1.0f64 / 40.0 + 1.0 / 20.0).sqrt();
        assert!(
            (ant.high - ant.elo - half).abs() < 0.01 && (ant.elo - ant.low - half).abs() < 0.01
        );
        assert_eq!((bee.elo, bee.low, bee.high, ratings.virtual_draws), (0.0, 0.0, 0.0, 0.0));
        // Around their mean each has half of it.
        let ratings = rate(&table, &Fit::default()).unwrap();
        let [ant, bee] = &ratings.players[..] else { panic!("two players") };
        assert!((ant.elo - 200.0 * 2f64.log10()).abs() < 1e-6 && (ant.elo + bee.elo).abs() < 1e-9);
        assert!((ant.high - ant.elo - half / 2.0).abs() < 0.01);
        // log 2 in deviations of 0.27386: Phi(2.531).
        assert!((ratings.los(0, 1).unwrap() - 0.994_31).abs() < 1e-4);
        assert!((ratings.los(1, 0).unwrap() - 0.005_69).abs() < 1e-4);
        assert_eq!((ratings.los(1, 1), ratings.los(0, 2)), (Some(0.5), None));
    }

    /// The American League of 1987: Agresti (2002), table 10.11, with the digits and
    /// standard errors of R: BradleyTerry2, `baseballModel1`.
    #[test]
    fn is_that_of_the_textbook() {
        let teams = [
            ("Milwaukee", [0, 7, 9, 7, 7, 9, 11], 1.5814, 0.3433),
            ("Detroit", [6, 0, 7, 5, 11, 9, 9], 1.4364, 0.3396),
            ("Toronto", [4, 6, 0, 7, 7, 8, 12], 1.2945, 0.3367),
            ("New York", [6, 8, 6, 0, 6, 7, 10], 1.2476, 0.3359),
            ("Boston", [6, 2, 6, 7, 0, 7, 12], 1.1077, 0.3339),
            ("Cleveland", [4, 4, 5, 6, 6, 0, 6], 0.6839, 0.3319),
            ("Baltimore", [2, 4, 1, 3, 1, 7, 0], 0.0, 0.0),
        ];
        let mut table = Crosstable::default();
        for (team, wins, ..) in teams {
            teams.iter().zip(wins).for_each(|(other, wins)| table.add(team, other.0, wins, 0, 0));
        }
        let ratings = rate(&table, &anchored("Baltimore")).unwrap();
        for (rating, (team, _, ability, error)) in ratings.players.iter().zip(teams) {
            assert_eq!(rating.name, team);
            assert!((rating.elo - 173.7178 * ability).abs() < 0.01, "{rating:?}");
            assert!(
                (rating.high - rating.elo - 1.96 * 173.7178 * error).abs() < 0.02,
                "{rating:?}"
            );
        }
    }

    /// 10 to 0 with a draw is 10.5 to 0.5, which is 21 to 1.
    #[test]
    fn a_clean_score_is_rescued_and_told() {
        let mut table = Crosstable::default();
        table.add("ant", "bee", 10, 0, 0);
        let ratings = rate(&table, &anchored("bee")).unwrap();
        assert_eq!(ratings.virtual_draws, 1.0);
        assert!((ratings.players[0].elo - 400.0 * 21f64.log10()).abs() < 1e-6);
        // A prior that was asked for: 11 to 1.
        let ratings = rate(&table, &Fit { virtual_draws: 2.0, ..anchored("bee") }).unwrap();
        assert!((ratings.players[0].elo - 400.0 * 11f64.log10()).abs() < 1e-6);
        assert_eq!(ratings.virtual_draws, 2.0);
        // 2^64 games: 2^65 to 1.
        table.add("ant", "bee", u64::MAX, 0, 0);
        let ratings = rate(&table, &anchored("bee")).unwrap();
        assert!((ratings.players[0].elo - 400.0 * 65.0 * 2f64.log10()).abs() < 1e-3);
    }

    #[test]
    fn what_cannot_be_rated_is_told() {
        let mut table = Crosstable::default();
        assert_eq!(rate(&table, &Fit::default()).unwrap().players, []);
        table.add("ant", "bee", 1, 0, 1);
        table.add("cat", "dog", 1, 0, 1);
        let told = |table: &Crosstable, fit: &Fit| rate(table, fit).unwrap_err().to_string();
        let groups = "no games link these groups of players: ant, bee | cat, dog";
        assert_eq!(told(&table, &Fit::default()), groups);
        assert_eq!(told(&table, &anchored("eel")), "no player is called eel");
        for virtual_draws in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(told(&table, &Fit { virtual_draws, ..Fit::default() }).contains("0 or more"));
        }
        table.add("bee", "cat", 1, 0, 1);
        let endless = Fit { virtual_draws: f64::MAX, ..Fit::default() };
        assert_eq!(rate(&table, &endless), Err(RatingError::NoConvergence));
    }

    /// Simulated round robins: the intervals hold the truth 19 times in 20.
    #[test]
    fn intervals_cover_the_truth() {
        let (truth, mut lcg, mut covered) = ([0.0, 50.0, -80.0, 120.0], Lcg(3), 0);
        for _ in 0..500 {
            let mut table = Crosstable::default();
            for (one, other) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let score = 1.0 / (1.0 + 10f64.powf((truth[other] - truth[one]) / 400.0));
                let wins = (0..100).filter(|_| lcg.unit() < score).count() as u64;
                table.add(&one.to_string(), &other.to_string(), wins, 0, 100 - wins);
            }
            let ratings = rate(&table, &anchored("0")).unwrap();
            let held =
                |(rating, truth): &(&Rating, f64)| rating.low < *truth && *truth < rating.high;
            covered += ratings.players.iter().zip(truth).skip(1).filter(held).count();
        }
        assert!((1390..=1460).contains(&covered), "{covered} of 1500");
    }
}
