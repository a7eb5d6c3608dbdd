//! The positions that wait for their layer's turn.
//!
//! They are dealt to shards by their keys, so that workers seldom wait for each
//! other. Keys are random bits: each shard has its part of the best positions,
//! give or take a little, and need not keep more.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use solitree_core::{Puzzle, Score};

use crate::keyed::KeyMap;
use crate::lock;

/// A position that a line leads to.
#[derive(Clone)]
pub(super) struct Item<P: Puzzle> {
    pub(super) state: P::State,
    pub(super) key: u64,
    pub(super) score: Score,
    pub(super) value: f32,
    /// Where the line before its last move is in the trail.
    pub(super) parent: u32,
    pub(super) mv: P::Move,
}

/// How many shards there are, whatever the number of workers: what is kept must
/// not depend on that.
pub(super) const SHARDS: usize = 16;

/// The layers ahead, in shards.
pub(super) struct Frontier<P: Puzzle> {
    shards: [Shard<P>; SHARDS],
}

struct Shard<P: Puzzle> {
    /// What is worth less than this, in the order of [`Rank`], is not wanted in
    /// the first of the layers ahead.
    gate: AtomicU32,
    layers: Mutex<BTreeMap<usize, Layer<P>>>,
}

struct Layer<P: Puzzle> {
    items: Vec<Item<P>>,
    /// Once the layer has been pruned: what is not better than this is not among
    /// the best, whatever else comes.
    bar: Option<Rank>,
    /// Where the position of a key is.
    index: KeyMap<u64, u32>,
}

/// Where an item stands: the better of two comes first; of equal ones, the one
/// with the lower key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The bits of the value, so turned that larger values come first.
    value: u32,
    key: u64,
}

impl Rank {
    fn new(value: f32, key: u64) -> Rank {
        // The order of `f32::total_cmp`, from the largest to the smallest.
        let bits = value.to_bits();
        let value = if bits >> 31 == 0 { !bits & (u32::MAX >> 1) } else { bits };
        Rank { value, key }
    }

    fn of<P: Puzzle>(item: &Item<P>) -> Rank {
        Rank::new(item.value, item.key)
    }
}

impl<P: Puzzle> Default for Frontier<P> {
    fn default() -> Self {
        let shard = |_| Shard { gate: AtomicU32::new(u32::MAX), layers: Mutex::default() };
        Frontier { shards: std::array::from_fn(shard) }
    }
}

/// What a worker has found and not yet dealt: positions with their layers, by
/// shards.
pub(super) struct Hand<P: Puzzle>([Vec<(usize, Item<P>)>; SHARDS]);

impl<P: Puzzle> Default for Hand<P> {
    fn default() -> Self {
        Hand(std::array::from_fn(|_| Vec::new()))
    }
}

impl<P: Puzzle> Hand<P> {
    /// Takes up a position.
    pub(super) fn take(&mut self, layer: usize, item: Item<P>) {
        self.0[shard_of(item.key)].push((layer, item));
    }
}

impl<P: Puzzle> Frontier<P> {
    /// Whether a position of the first of the layers ahead may be among the best.
    pub(super) fn wants(&self, value: f32, key: u64) -> bool {
        let gate = self.shards[shard_of(key)].gate.load(Ordering::Relaxed);
        Rank::new(value, key).value <= gate
    }

    /// Takes everything from a worker's hand. With a width, what is not among so
    /// many of a layer is dropped when it takes too much room; `first` is the
    /// first of the layers ahead. `turn` says with which shard to begin.
    pub(super) fn deal(
        &self,
        hand: &mut Hand<P>,
        unique: bool,
        (width, first): (Option<u64>, usize),
        turn: usize,
    ) {
        for number in (0..SHARDS).map(|number| (number + turn) % SHARDS) {
            if hand.0[number].is_empty() {
                continue;
            }
            let shard = &self.shards[number];
            let mut layers = lock(&shard.layers);
            for (layer, item) in hand.0[number].drain(..) {
                layers.entry(layer).or_default().add(item, unique);
            }
            let Some(width) = width else { continue };
            for (&number, layer) in layers.iter_mut() {
                if layer.prune(share_of(width))
                    && number == first
                    && let Some(bar) = layer.bar
                {
                    shard.gate.store(bar.value, Ordering::Relaxed);
                }
            }
        }
    }

    /// Takes the next layer: its number and the positions, by shards.
    pub(super) fn next(&self) -> Option<(usize, Vec<Vec<Item<P>>>)> {
        let number_of = |shard: &Shard<P>| lock(&shard.layers).keys().next().copied();
        let number = self.shards.iter().filter_map(number_of).min()?;
        let take = |shard: &Shard<P>| {
            shard.gate.store(u32::MAX, Ordering::Relaxed);
            lock(&shard.layers).remove(&number).map_or_else(Vec::new, |layer| layer.items)
        };
        Some((number, self.shards.iter().map(take).collect()))
    }

    /// Does something with every position that waits, and its layer.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, &Item<P>)) {
        for shard in &self.shards {
            for (&number, layer) in lock(&shard.layers).iter() {
                layer.items.iter().for_each(|item| visit(number, item));
            }
        }
    }
}

/// The shard of a key.
fn shard_of(key: u64) -> usize {
    // Bits that the index of a shard makes little use of.
    (key >> 32) as usize % SHARDS
}

/// What a shard keeps of a layer of some width: its part, and six deviations
/// more than that.
fn share_of(width: u64) -> usize {
    let part = width as f64 / SHARDS as f64;
    (part + 6.0 * part.sqrt()) as usize + 64
}

impl<P: Puzzle> Default for Layer<P> {
    fn default() -> Self {
        Layer { items: Vec::new(), bar: None, index: KeyMap::default() }
    }
}

impl<P: Puzzle> Layer<P> {
    /// Adds a position. With `unique`, of lines that lead to one position the one
    /// with more points is kept.
    fn add(&mut self, item: Item<P>, unique: bool) {
        if self.bar.is_some_and(|bar| Rank::of(&item) > bar) {
            return;
        }
        if !unique {
            self.items.push(item);
            return;
        }
        match self.index.entry(item.key) {
            Entry::Vacant(place) => {
                place.insert(self.items.len() as u32);
                self.items.push(item);
            }
            Entry::Occupied(place) => {
                let there = &mut self.items[*place.get() as usize];
                // Of equal ones the first parent's, whoever came first.
                if (item.score, there.parent) > (there.score, item.parent) {
                    *there = item;
                }
            }
        }
    }

    /// Keeps the best of a layer that has grown to twice as many; says whether it
    /// had to.
    fn prune(&mut self, most: usize) -> bool {
        if self.items.len() <= 2 * most {
            return false;
        }
        let mut ranks: Vec<Rank> = self.items.iter().map(Rank::of).collect();
        let (_, &mut last, _) = ranks.select_nth_unstable(most - 1);
        self.items.retain(|item| Rank::of(item) <= last);
        // Only copies of one position have the same rank.
        self.items.truncate(most);
        self.bar = Some(last);
        self.index.clear();
        self.index.extend(self.items.iter().map(|item| item.key).zip(0..));
        true
    }
}

/// The best `width` positions of a layer.
pub(super) fn best<P: Puzzle>(
    shards: Vec<Vec<Item<P>>>,
    width: usize,
) -> impl Iterator<Item = Item<P>> {
    let mut ranks: Vec<Rank> = shards.iter().flatten().map(Rank::of).collect();
    let last = match width.checked_sub(1) {
        Some(last) if ranks.len() > width => Some(*ranks.select_nth_unstable(last).1),
        _ => None,
    };
    let kept = move |item: &Item<P>| last.is_none_or(|last| Rank::of(item) <= last);
    shards.into_iter().flatten().filter(kept).take(width)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use solitree_core::{DummyPuzzle, Rng, mix};

    use super::*;

    /// Whatever the order in which positions come, and whoever brings them, the
    /// best of them are kept, each once and with its best line.
    #[test]
    fn the_best_are_kept_in_whatever_order_they_come() {
        let puzzle: DummyPuzzle = "1".parse().unwrap();
        let item = |place: u32, score: i64| Item::<DummyPuzzle> {
            state: solitree_core::Puzzle::start(&puzzle),
            key: mix(u64::from(place)),
            score: Score(score),
            // More points are a better value, as in any evaluation.
            value: (score - i64::from(place % 7)) as f32,
            parent: 3 * place + score as u32,
            mv: Default::default(),
        };
        for (seed, width) in [(1, 1), (2, 40), (3, 300), (4, 5_000)] {
            let mut rng = Rng::new(seed);
            let found: Vec<(u32, i64)> = (0..20_000)
                .map(|_| (rng.next_u64() as u32 % 8_000, (rng.next_u64() % 500) as i64))
                .collect();
            let mut plain: HashMap<u32, i64> = HashMap::new();
            for &(place, score) in &found {
                let there = plain.entry(place).or_insert(score);
                *there = score.max(*there);
            }
            let mut plain: Vec<Rank> =
                plain.iter().map(|(&place, &score)| Rank::of(&item(place, score))).collect();
            plain.sort_unstable();
            plain.truncate(width);
            let frontier = Frontier::default();
            let mut hands = [Hand::default(), Hand::default()];
            for (number, &(place, score)) in found.iter().enumerate() {
                let item = item(place, score);
                let hand = &mut hands[number % 2];
                if frontier.wants(item.value, item.key) {
                    hand.take(1, item);
                }
                if rng.next_u64().is_multiple_of(50) {
                    frontier.deal(hand, true, (Some(width as u64), 1), number);
                }
            }
            for hand in &mut hands {
                frontier.deal(hand, true, (Some(width as u64), 1), 0);
            }
            let (layer, shards) = frontier.next().unwrap();
            let waiting: usize = shards.iter().map(Vec::len).sum();
            assert!(waiting <= 4 * width + 4_000, "{waiting} wait for {width}");
            let mut kept: Vec<Rank> = best(shards, width).map(|item| Rank::of(&item)).collect();
            kept.sort_unstable();
            assert!(layer == 1 && kept == plain, "width {width}");
        }
    }
}
