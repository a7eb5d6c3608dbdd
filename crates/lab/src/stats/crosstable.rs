//! Who scored how much against whom.

/// Results between named players. Draws count half.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crosstable {
    names: Vec<String>,
    /// By player, then by opponent.
    points: Vec<Vec<f64>>,
}

impl Crosstable {
    /// Adds results of one player against another. Players are numbered in the order
    /// in which they appear; games of a player against itself are left out.
    pub fn add(&mut self, player: &str, opponent: &str, wins: u64, draws: u64, losses: u64) {
        let (player, opponent) = (self.number(player), self.number(opponent));
        if player != opponent {
            let half = draws as f64 / 2.0;
            self.points[player][opponent] += wins as f64 + half;
            self.points[opponent][player] += losses as f64 + half;
        }
    }

    /// The players by their numbers.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The points of a player against another, both by number; 0 for strangers.
    #[must_use]
    pub fn points(&self, player: usize, opponent: usize) -> f64 {
        self.points.get(player).and_then(|row| row.get(opponent)).copied().unwrap_or(0.0)
    }

    /// The games between two players.
    #[must_use]
    pub fn games(&self, player: usize, opponent: usize) -> f64 {
        self.points(player, opponent) + self.points(opponent, player)
    }

    /// The players in groups that games link; one group if all can be compared.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for player in 0..self.names.len() {
            if !groups.iter().any(|group| group.contains(&player)) {
                groups.push(self.reach(player, |one, other| self.games(one, other) > 0.0));
            }
        }
        groups
    }

    /// Whether maximum-likelihood ratings exist (Ford 1957): however the players are
    /// split in two, each part has scored against the other.
    #[must_use]
    pub fn has_ratings(&self) -> bool {
        let all = self.names.len();
        all == 0
            || self.reach(0, |one, other| self.points(one, other) > 0.0).len() == all
                && self.reach(0, |one, other| self.points(other, one) > 0.0).len() == all
    }

    fn number(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.points.iter_mut().for_each(|row| row.push(0.0));
            self.points.push(vec![0.0; self.names.len()]);
            self.names.len() - 1
        })
    }

    /// The players that steps from one to another lead to, in order.
    fn reach(&self, start: usize, step: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let (mut seen, mut open) = (vec![false; self.names.len()], vec![start]);
        while let Some(one) = open.pop() {
            if !std::mem::replace(&mut seen[one], true) {
                open.extend((0..seen.len()).filter(|&other| !seen[other] && step(one, other)));
            }
        }
        (0..seen.len()).filter(|&player| seen[player]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up() {
        let mut table = Crosstable::default();
        table.add("ant", "bee", 3, 1, 2);
        table.add("bee", "ant", 1, 0, 0);
        table.add("ant", "ant", 5, 5, 5);
        assert_eq!(table.names(), ["ant", "bee"]);
        assert_eq!((table.points(0, 1), table.points(1, 0), table.games(1, 0)), (3.5, 3.5, 7.0));
        assert_eq!((table.points(0, 0), table.points(0, 9), table.games(9, 9)), (0.0, 0.0, 0.0));
    }

    #[test]
    fn groups_are_told_apart() {
        let mut table = Crosstable::default();
        assert!(table.groups().is_empty() && table.has_ratings());
        table.add("ant", "bee", 1, 0, 0);
        table.add("cat", "dog", 0, 1, 0);
        table.add("eel", "eel", 0, 0, 0);
        assert_eq!(table.groups(), [vec![0, 1], vec![2, 3], vec![4]]);
        table.add("dog", "bee", 0, 0, 1);
        table.add("ant", "eel", 0, 1, 0);
        assert_eq!(table.groups(), [[0, 1, 2, 3, 4]]);
        // Ant and eel have lost to no one else.
        assert!(!table.has_ratings());
        table.add("cat", "eel", 0, 1, 0);
        assert!(table.has_ratings());
    }
}
