//! What the games of a match say, in more tables than a terminal should show.

use super::standings::{Standings, score};
use crate::report::Table;

impl Standings {
    /// Everybody against everybody: won, drawn and lost, and the score, of the row
    /// against the column.
    #[must_use]
    pub fn cross(&self) -> Table {
        let head = std::iter::once("agent".to_owned()).chain(self.agents.iter().cloned());
        let cell = |one: usize, other: usize| {
            let (pairing, turned) = match self.pairings.get(&(one, other)) {
                Some(pairing) => (pairing, false),
                None => match self.pairings.get(&(other, one)) {
                    Some(pairing) => (pairing, true),
                    None => return String::new(),
                },
            };
            let mut sums = pairing.sums();
            if turned {
                sums.reverse();
            }
            let [won, drawn, lost] = sums;
            format!("{won}-{drawn}-{lost} ({:.1} %)", 100.0 * score(sums))
        };
        let row = |one: usize| {
            let cells = (0..self.agents.len()).map(|other| cell(one, other));
            std::iter::once(self.agents[one].clone()).chain(cells).collect()
        };
        Table {
            title: "everybody against everybody: won-drawn-lost".to_owned(),
            head: head.collect(),
            rows: (0..self.agents.len()).map(row).collect(),
        }
    }

    /// How the pairs of games ended: the points of the first agent in each.
    #[must_use]
    pub fn pair_counts(&self) -> Table {
        let head = ["agent", "against", "pairs", "0", "½", "1", "1½", "2"];
        let rows = self.pairings.iter().map(|(&(one, other), pairing)| {
            let names = [self.agents[one].clone(), self.agents[other].clone()];
            let counts = pairing.pairs.counts.map(|count| count.to_string());
            let pairs = pairing.pairs.pairs().to_string();
            names.into_iter().chain([pairs]).chain(counts).collect()
        });
        Table {
            title: "pairs of games by the agent's points in them".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// How each agent did as White and as Red.
    #[must_use]
    pub fn by_colour(&self) -> Table {
        let head = ["agent", "as White", "score", "as Red", "score"];
        let row = |agent: usize| {
            let mut sums = [[0; 3]; 2];
            for (&(one, other), pairing) in &self.pairings {
                let [white, red] = pairing.results;
                let turned = |mut results: [u64; 3]| {
                    results.reverse();
                    results
                };
                // Where the first was White, the other was Red.
                let seen = match agent {
                    _ if agent == one => [white, red],
                    _ if agent == other => [turned(red), turned(white)],
                    _ => continue,
                };
                for (sum, results) in sums.iter_mut().zip(seen) {
                    sum.iter_mut().zip(results).for_each(|(sum, count)| *sum += count);
                }
            }
            let mut cells = vec![self.agents[agent].clone()];
            for results in sums {
                let [won, drawn, lost] = results;
                cells.push(format!("{won}-{drawn}-{lost}"));
                cells.push(format!("{:.1} %", 100.0 * score(results)));
            }
            cells
        };
        Table {
            title: "by colour: won-drawn-lost".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: (0..self.agents.len()).map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::referee::{End, GameRecord};
    use super::*;

    fn game(number: u64, white: &str, red: &str, result: &str) -> GameRecord {
        GameRecord {
            number,
            white: white.to_owned(),
            red: red.to_owned(),
            layout: Default::default(),
            opening: 0,
            moves: vec!["3o".to_owned(); 7],
            result: result.to_owned(),
            end: End::Board,
            note: String::new(),
            times: Vec::new(),
            values: Vec::new(),
            playouts: Vec::new(),
            task: String::new(),
            build: "1".to_owned(),
        }
    }

    #[test]
    fn tables_agree_with_the_games() {
        let mut standings = Standings::new(["a", "b", "c"].into_iter());
        // Three pairs of a and b: both won, a draw and a loss, one won; one of b and c.
        let games = [
            ("a", "b", "W"),
            ("b", "a", "R"),
            ("a", "b", "D"),
            ("b", "a", "W"),
            ("a", "b", "R"),
            ("b", "a", "R"),
            ("b", "c", "R"),
            ("c", "b", "W"),
        ];
        for (number, (white, red, result)) in games.into_iter().enumerate() {
            standings.add(&game(number as u64, white, red, result));
        }
        let rows = |table: Table| table.rows;
        assert_eq!(
            rows(standings.cross()),
            [
                ["a", "", "3-1-2 (58.3 %)", ""],
                ["b", "2-1-3 (41.7 %)", "", "0-0-2 (0.0 %)"],
                ["c", "", "2-0-0 (100.0 %)", ""],
            ]
        );
        assert_eq!(
            rows(standings.pair_counts()),
            [["a", "b", "3", "0", "1", "1", "0", "1"], ["b", "c", "1", "1", "0", "0", "0", "0"]]
        );
        assert_eq!(
            rows(standings.by_colour()),
            [
                ["a", "1-1-1", "50.0 %", "2-0-1", "66.7 %"],
                ["b", "1-0-3", "25.0 %", "1-1-2", "37.5 %"],
                ["c", "1-0-0", "100.0 %", "1-0-0", "100.0 %"],
            ]
        );
        assert_eq!(standings.lengths.get(&7), Some(&8));
    }
}
