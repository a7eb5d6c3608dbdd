//! All moves as first: what is known of a move from the games in which it was
//! played at any later time.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use solitree_core::Score;

use crate::keyed::KeyMap;

use super::config::{ParallelMctsConfig, RaveRule};

/// Bytes an entry takes, the room that a hash table keeps free included.
pub(super) const ENTRY_BYTES: u64 = 64;

/// The playouts in which a move was played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) count: u32,
    pub(super) sum: i64,
    pub(super) top: Score,
}

/// Entries by the slot of a move code.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: KeyMap<u32, Entry>,
}

impl Table {
    pub(super) fn get(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(&slot)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Counts a playout for a move; without room, only if the move is known.
    pub(super) fn add(&mut self, slot: u32, score: Score, room: bool) {
        if !room && !self.entries.contains_key(&slot) {
            return;
        }
        let entry = self.entries.entry(slot).or_insert(Entry { count: 0, sum: 0, top: Score::MIN });
        entry.count = entry.count.saturating_add(1);
        entry.sum += score.0;
        entry.top = entry.top.max(score);
    }
}

/// In the order of the slots: equal tables are equal bytes.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries: Vec<(u32, Entry)> = self.entries.iter().map(|(&k, &v)| (k, v)).collect();
        entries.sort_unstable_by_key(|&(slot, _)| slot);
        entries.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Vec::<(u32, Entry)>::deserialize(deserializer)?.into_iter().collect();
        Ok(Table { entries })
    }
}

/// How entries enter the value of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blend {
    rule: RaveRule,
    k: f64,
    bias: f64,
    top_share: f64,
}

impl Blend {
    pub(super) fn new(config: &ParallelMctsConfig) -> Blend {
        Blend {
            rule: config.rave_rule,
            k: config.rave_k,
            bias: config.rave_bias,
            top_share: config.top_share(),
        }
    }

    /// The weight of `m` playouts with the move beside `n` of its own.
    pub(super) fn weight(&self, n: f64, m: f64) -> f64 {
        match self.rule {
            RaveRule::Equivalence if self.k == 0.0 => 0.0,
            RaveRule::Equivalence => (self.k / (3.0 * n + self.k)).sqrt(),
            RaveRule::Bias => m / (n + m + 4.0 * n * m * self.bias * self.bias),
        }
    }

    /// The value of a move with what the entry says of it.
    pub(super) fn value(&self, own: Option<f64>, visits: u32, entry: &Entry) -> f64 {
        let mean = entry.sum as f64 / f64::from(entry.count);
        let other = mean + self.top_share * (entry.top.as_f64() - mean);
        let Some(own) = own.filter(|_| visits > 0) else { return other };
        let weight = self.weight(f64::from(visits), f64::from(entry.count));
        own + weight * (other - own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_playouts_take_over() {
        for rule in [RaveRule::Equivalence, RaveRule::Bias] {
            let config = ParallelMctsConfig { rave_rule: rule, ..ParallelMctsConfig::default() };
            let blend = Blend::new(&config);
            let weights: Vec<f64> =
                [1.0, 10.0, 1000.0].iter().map(|&n| blend.weight(n, 100.0)).collect();
            assert!(weights.is_sorted_by(|a, b| a > b), "{rule}: {weights:?}");
            assert!(weights[0] > 0.9 && weights[2] < 0.2, "{rule}: {weights:?}");
        }
    }

    #[test]
    fn a_table_keeps_mean_and_best() {
        let mut table = Table::default();
        for score in [10, 30, 20] {
            table.add(7, Score(score), true);
        }
        table.add(8, Score(5), false);
        assert_eq!(table.len(), 1);
        assert_eq!(table.get(7), Some(&Entry { count: 3, sum: 60, top: Score(30) }));
        let blend = Blend::new(&ParallelMctsConfig::default());
        assert_eq!(blend.value(None, 0, table.get(7).unwrap()), 20.0);
        let bytes = postcard::to_stdvec(&table).unwrap();
        let again: Table = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(again.get(7), table.get(7));
    }
}
