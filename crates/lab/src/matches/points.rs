//! Points as in the competition: three for a win, one for a draw.

use super::standings::Standings;
use crate::report::Table;

const WIN: u64 = 3;
const DRAW: u64 = 1;

/// An agent's place and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    /// From 1; agents that nothing tells apart share one.
    place: usize,
    agent: usize,
    /// Won, drawn and lost.
    results: [u64; 3],
}

impl Row {
    fn points(&self) -> u64 {
        points(self.results)
    }
}

fn points([won, drawn, _]: [u64; 3]) -> u64 {
    WIN * won + DRAW * drawn
}

impl Standings {
    /// The points of all: three for a win, one for a draw. Where they are equal, the
    /// points of the games among the equal ones decide; if these are equal too, the
    /// place is shared.
    #[must_use]
    pub fn points(&self) -> Table {
        let head = ["agent", "place", "games", "won", "drawn", "lost", "points"];
        let row = |row: Row| {
            let [won, drawn, lost] = row.results;
            let numbers = [won + drawn + lost, won, drawn, lost, row.points()];
            let words = [self.agents[row.agent].clone(), row.place.to_string()];
            words.into_iter().chain(numbers.map(|number| number.to_string())).collect()
        };
        Table {
            title: "points: three for a win, one for a draw".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: self.places().into_iter().map(row).collect(),
        }
    }

    fn places(&self) -> Vec<Row> {
        let all: Vec<usize> = (0..self.agents.len()).collect();
        let mut rows: Vec<(u64, u64, Row)> = (all.iter())
            .map(|&agent| {
                let results = self.results_among(agent, &all);
                (points(results), 0, Row { place: 0, agent, results })
            })
            .collect();
        let totals: Vec<u64> = rows.iter().map(|row| row.0).collect();
        for (total, among, row) in &mut rows {
            let equal: Vec<usize> =
                all.iter().copied().filter(|&other| totals[other] == *total).collect();
            *among = points(self.results_among(row.agent, &equal));
        }
        rows.sort_by_key(|&(total, among, row)| (std::cmp::Reverse((total, among)), row.agent));
        let mut placed: Vec<Row> = Vec::new();
        for (index, &(total, among, row)) in rows.iter().enumerate() {
            let shared = index > 0 && (rows[index - 1].0, rows[index - 1].1) == (total, among);
            let place = if shared { placed[index - 1].place } else { index + 1 };
            placed.push(Row { place, ..row });
        }
        placed
    }

    /// Won, drawn and lost by an agent in games against some.
    fn results_among(&self, agent: usize, others: &[usize]) -> [u64; 3] {
        let mut results = [0; 3];
        for (&(one, other), pairing) in &self.pairings {
            let [won, drawn, lost] = pairing.sums();
            let seen = if one == agent && others.contains(&other) {
                [won, drawn, lost]
            } else if other == agent && others.contains(&one) {
                [lost, drawn, won]
            } else {
                continue;
            };
            results.iter_mut().zip(seen).for_each(|(sum, count)| *sum += count);
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::Pairing;
    use super::*;

    /// Standings of pairings: who, whom, won, drawn, lost.
    fn standings(names: &[&str], pairings: &[(usize, usize, [u64; 3])]) -> Standings {
        let mut standings = Standings::new(names.iter().copied());
        for &(one, other, results) in pairings {
            let pairing = Pairing { results: [results, [0; 3]], ..Pairing::default() };
            standings.pairings.insert((one, other), pairing);
        }
        standings
    }

    fn places(standings: &Standings) -> Vec<(String, String, String)> {
        let rows = standings.points().rows;
        rows.iter().map(|row| (row[1].clone(), row[0].clone(), row[6].clone())).collect()
    }

    #[test]
    fn points_are_those_of_the_competition() {
        let standings =
            standings(&["a", "b", "c"], &[(0, 1, [1, 1, 2]), (0, 2, [0, 0, 4]), (1, 2, [4, 0, 0])]);
        let expected = [("1", "b", "19"), ("2", "c", "12"), ("3", "a", "4")];
        let expected = expected
            .map(|(place, name, points)| (place.to_owned(), name.to_owned(), points.to_owned()));
        assert_eq!(places(&standings), expected);
    }

    #[test]
    fn games_among_equals_decide_and_otherwise_the_place_is_shared() {
        // a and b have six points each, and b has beaten a; c and d have nothing
        // to tell them apart.
        let results = [
            (0, 1, [0, 0, 1]),
            (0, 2, [1, 0, 0]),
            (0, 3, [1, 0, 0]),
            (1, 2, [1, 0, 0]),
            (1, 3, [0, 0, 1]),
            (2, 3, [1, 0, 0]),
        ];
        let standings = standings(&["a", "b", "c", "d"], &results);
        let told: Vec<String> =
            places(&standings).into_iter().map(|(place, name, _)| place + &name).collect();
        assert_eq!(told, ["1b", "2a", "3c", "4d"]);
        let drawn = self::standings(&["a", "b"], &[(0, 1, [1, 2, 1])]);
        let told: Vec<String> =
            places(&drawn).into_iter().map(|(place, name, _)| place + &name).collect();
        assert_eq!(told, ["1a", "1b"]);
    }
}
