//! A table that hands what one search learnt of a position to the next.
//!
//! Different paths to one board carry different points, so the table keeps
//! *score-to-go*: what playouts from the position earned after it. A position
//! that enters a tree starts with the statistics found here, moved by the
//! points on the way to it.

use serde::{Deserialize, Serialize};
use solitree_core::Score;

use super::tree::Statistics;

/// Entries that a key can be in.
const CLUSTER: usize = 4;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Entry {
    key: u64,
    visits: u32,
    top: i64,
    sum: i64,
    squares: f64,
}

/// Bytes of an entry.
pub(super) const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;

/// A fixed number of entries; where all of a cluster are taken, the position
/// with the fewest visits makes room.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of at most so many entries, a power of two; none for fewer than
    /// a cluster.
    pub(super) fn new(entries: u64) -> Table {
        let count = match entries.checked_ilog2() {
            Some(log) if entries >= CLUSTER as u64 => 1u64 << log,
            _ => 0,
        };
        Table { entries: vec![Entry::default(); count as usize] }
    }

    pub(super) fn is_on(&self) -> bool {
        !self.entries.is_empty()
    }

    fn cluster(&self, key: u64) -> std::ops::Range<usize> {
        let first = key as usize & (self.entries.len() - CLUSTER);
        first..first + CLUSTER
    }

    /// What is known of a position reached with so many points.
    pub(super) fn get(&self, key: u64, points: Score) -> Option<Statistics> {
        let entry =
            self.entries[self.cluster(key)].iter().find(|e| e.key == key && e.visits > 0)?;
        let (visits, points) = (i64::from(entry.visits), points.0);
        let base = points as f64;
        Some(Statistics {
            visits: entry.visits,
            sum: entry.sum + visits * points,
            squares: entry.squares + 2.0 * base * entry.sum as f64 + visits as f64 * base * base,
            top: entry.top + points,
        })
    }

    /// Adds a playout that earned so much from a position on.
    pub(super) fn add(&mut self, key: u64, to_go: Score) {
        let cluster = self.cluster(key);
        let entries = &mut self.entries[cluster];
        let known = entries.iter().position(|entry| entry.key == key && entry.visits > 0);
        let index = known.unwrap_or_else(|| {
            let least = (0..CLUSTER).min_by_key(|&i| entries[i].visits).unwrap_or(0);
            entries[least] = Entry { key, top: i64::MIN, ..Entry::default() };
            least
        });
        let entry = &mut entries[index];
        entry.visits = entry.visits.saturating_add(1);
        entry.top = entry.top.max(to_go.0);
        entry.sum += to_go.0;
        entry.squares += to_go.as_f64() * to_go.as_f64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_on_scores_moved_by_the_points_before() {
        let mut table = Table::new(64);
        for to_go in [100, 300] {
            table.add(7, Score(to_go));
        }
        let known = table.get(7, Score(50)).unwrap();
        assert_eq!((known.visits, known.sum, known.top), (2, 500, 350));
        assert_eq!(known.squares, 150.0 * 150.0 + 350.0 * 350.0);
        assert!(table.get(8, Score(0)).is_none());
    }

    #[test]
    fn the_least_visited_makes_room() {
        let mut table = Table::new(4);
        for key in 1..=4 {
            for _ in 0..key {
                table.add(key, Score(1));
            }
        }
        table.add(9, Score(1));
        assert!(table.get(1, Score(0)).is_none());
        assert!(table.get(4, Score(0)).is_some() && table.get(9, Score(0)).is_some());
    }
}
