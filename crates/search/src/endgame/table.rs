//! What is known of positions: the most that can still be earned.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use solitree_core::Score;

/// Bytes of one entry.
pub(super) const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;

/// Entries that a key may be in: as many as a cache line holds.
const WAYS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    key: u64,
    /// The most that can still be earned, times 256, and the logarithm of the
    /// work that is saved; [`EMPTY`] for nothing.
    word: i64,
}

const EMPTY: i64 = i64::MIN;
/// Scores stay below 10^12; whatever is beyond says nothing.
const LARGEST: i64 = 1 << 50;

/// Upper bounds of what can be earned from positions, by key. When a place is
/// full, what took the least work goes.
#[derive(Clone, Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of at most so many entries.
    pub(super) fn new(entries: u64) -> Self {
        let mut table = Table { entries: Vec::new() };
        table.resize(entries);
        table
    }

    fn resize(&mut self, entries: u64) {
        // A power of two: the largest that is not more.
        let len = match entries.checked_ilog2() {
            Some(log) if 1 << log >= WAYS => 1usize << log.min(40),
            _ => 0,
        };
        self.entries = vec![Entry { key: 0, word: EMPTY }; len];
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry { key: 0, word: EMPTY });
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> usize {
        // Keys are mixed well; the low bits are as good as any.
        key as usize & (self.entries.len() - 1) & !(WAYS - 1)
    }

    /// The most that can be earned from a position, if it is known.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<Score> {
        if self.entries.is_empty() {
            return None;
        }
        let begin = self.bucket(key);
        let bucket = &self.entries[begin..begin + WAYS];
        let entry = bucket.iter().find(|entry| entry.key == key && entry.word != EMPTY)?;
        Some(Score(entry.word >> 8))
    }

    /// Notes the most that can be earned from a position, which took some work
    /// to find.
    pub(super) fn put(&mut self, key: u64, most: Score, work: u64) {
        if self.entries.is_empty() || most.0.abs() >= LARGEST {
            return;
        }
        let begin = self.bucket(key);
        let bucket = &mut self.entries[begin..begin + WAYS];
        let work = i64::from(work.max(1).ilog2());
        let same = bucket.iter().position(|entry| entry.key == key && entry.word != EMPTY);
        let place = same.unwrap_or_else(|| {
            let cost = |entry: &Entry| if entry.word == EMPTY { -1 } else { entry.word & 255 };
            (0..WAYS).min_by_key(|&way| cost(&bucket[way])).unwrap_or(0)
        });
        let known = if same.is_some() { bucket[place].word >> 8 } else { i64::MAX };
        bucket[place] = Entry { key, word: most.0.min(known) << 8 | work };
    }
}

/// The length, and the entries that are not empty with their places.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let used: Vec<(u64, Entry)> = (0u64..)
            .zip(&self.entries)
            .filter(|(_, entry)| entry.word != EMPTY)
            .map(|(place, &entry)| (place, entry))
            .collect();
        (self.entries.len() as u64, used).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (len, used) = <(u64, Vec<(u64, Entry)>)>::deserialize(deserializer)?;
        let error = || serde::de::Error::custom("a table that cannot be");
        if len > 1 << 32 {
            return Err(error());
        }
        let mut table = Table::new(len);
        for (place, entry) in used {
            *table.entries.get_mut(place as usize).ok_or_else(error)? = entry;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_lowest_bound_and_what_took_most_work() {
        let mut table = Table::new(4);
        table.put(1, Score(-5), 100);
        table.put(1, Score(7), 1);
        assert_eq!(table.get(1), Some(Score(-5)));
        for key in 2..=5 {
            table.put(key, Score(key as i64), 1 << key);
        }
        assert_eq!((table.get(1), table.get(5)), (None, Some(Score(5))));
        let bytes = postcard::to_stdvec(&table).unwrap();
        let again: Table = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(again.entries, table.entries);
        table.clear();
        assert_eq!(table.get(5), None);
    }

    #[test]
    fn no_entries_are_no_table() {
        let mut table = Table::new(3);
        table.put(1, Score(1), 1);
        assert_eq!(table.get(1), None);
    }
}
