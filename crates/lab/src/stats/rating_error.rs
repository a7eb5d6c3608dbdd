//! What keeps players from being rated.

use std::fmt;

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq)]
pub enum RatingError {
    /// No games link these groups of players.
    Disconnected(Vec<Vec<String>>),
    /// No player has the name of the anchor.
    UnknownAnchor(String),
    /// The number of virtual draws is negative or no number.
    BadPrior(f64),
    /// The results are too lopsided for the precision of the machine.
    NoConvergence,
}

impl fmt::Display for RatingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RatingError::Disconnected(groups) => {
                let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
                write!(f, "no games link these groups of players: {}", groups.join(" | "))
            }
            RatingError::UnknownAnchor(name) => write!(f, "no player is called {name}"),
            RatingError::BadPrior(draws) => {
                write!(f, "virtual draws must be 0 or more, not {draws}")
            }
            RatingError::NoConvergence => write!(f, "the results are too lopsided to rate"),
        }
    }
}

impl std::error::Error for RatingError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_players() {
        let groups = vec![vec!["ant".to_owned(), "bee".to_owned()], vec!["cat".to_owned()]];
        let told = RatingError::Disconnected(groups).to_string();
        assert_eq!(told, "no games link these groups of players: ant, bee | cat");
    }
}
