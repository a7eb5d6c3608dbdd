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
    layers: Mutex<Layers<P>>,
}

/// The layers ahead, in one shard.
struct Layers<P: Puzzle> {
    ahead: BTreeMap<usize, Layer<P>>,
    /// A layer that is done with: the next one is put into its memory.
    spare: Option<Layer<P>>,
}

/// What a shard has of a layer.
pub(super) struct Layer<P: Puzzle> {
    items: Vec<Item<P>>,
    /// Where each item stands: side by side, as whoever compares needs nothing else.
    ranks: Vec<Rank>,
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

    /// The value that it was made from.
    fn value(self) -> f32 {
        let turned = self.value;
        f32::from_bits(if turned >> 31 == 0 { !turned & (u32::MAX >> 1) } else { turned })
    }

    /// The last of the best `count`, if there are more than these.
    fn last_of<'a>(ranks: impl Iterator<Item = &'a Rank> + Clone, count: usize) -> Option<Rank> {
        // Values alone are compared faster; keys decide between equal ones only.
        let mut values: Vec<u32> = ranks.clone().map(|rank| rank.value).collect();
        if values.len() <= count || count == 0 {
            return None;
        }
        let (better, &mut value, _) = values.select_nth_unstable(count - 1);
        let better = better.iter().filter(|&&other| other < value).count();
        let mut keys: Vec<u64> =
            ranks.filter(|rank| rank.value == value).map(|rank| rank.key).collect();
        let (_, &mut key, _) = keys.select_nth_unstable(count - 1 - better);
        Some(Rank { value, key })
    }
}

impl<P: Puzzle> Default for Layers<P> {
    fn default() -> Self {
        Layers { ahead: BTreeMap::new(), spare: None }
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
            let Layers { ahead, spare } = &mut *layers;
            for (layer, item) in hand.0[number].drain(..) {
                let layer = ahead.entry(layer).or_insert_with(|| Layer::anew(spare.take()));
                layer.add(item, unique);
            }
            let Some(width) = width else { continue };
            for (&number, layer) in ahead.iter_mut() {
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
    pub(super) fn next(&self) -> Option<(usize, Vec<Layer<P>>)> {
        let number_of = |shard: &Shard<P>| lock(&shard.layers).ahead.keys().next().copied();
        let number = self.shards.iter().filter_map(number_of).min()?;
        let take = |shard: &Shard<P>| {
            shard.gate.store(u32::MAX, Ordering::Relaxed);
            lock(&shard.layers).ahead.remove(&number).unwrap_or_default()
        };
        Some((number, self.shards.iter().map(take).collect()))
    }

    /// Takes back a layer that is done with, for its memory. Nothing is cleared or
    /// freed here, where everybody may be waiting.
    pub(super) fn reuse(&self, layer: Best<P>) {
        for (shard, layer) in self.shards.iter().zip(layer.shards) {
            lock(&shard.layers).spare = Some(layer);
        }
    }

    /// Does something with every position that waits, and its layer.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, &Item<P>)) {
        for shard in &self.shards {
            for (&number, layer) in &lock(&shard.layers).ahead {
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
        Layer { items: Vec::new(), ranks: Vec::new(), bar: None, index: KeyMap::default() }
    }
}

impl<P: Puzzle> Layer<P> {
    /// These positions, as they are.
    pub(super) fn of(items: Vec<Item<P>>) -> Self {
        let ranks = items.iter().map(Rank::of).collect();
        Layer { items, ranks, ..Layer::default() }
    }

    /// An empty layer, in the memory of another if there is one.
    fn anew(spare: Option<Self>) -> Self {
        let mut layer = spare.unwrap_or_default();
        layer.items.clear();
        layer.ranks.clear();
        layer.bar = None;
        layer.index.clear();
        layer
    }

    pub(super) fn into_items(self) -> Vec<Item<P>> {
        self.items
    }

    /// Adds a position. With `unique`, of lines that lead to one position the one
    /// with more points is kept.
    fn add(&mut self, item: Item<P>, unique: bool) {
        let rank = Rank::of(&item);
        if self.bar.is_some_and(|bar| rank > bar) {
            return;
        }
        if unique {
            match self.index.entry(item.key) {
                Entry::Vacant(place) => {
                    place.insert(self.items.len() as u32);
                }
                Entry::Occupied(place) => {
                    let place = *place.get() as usize;
                    let there = &mut self.items[place];
                    // Of equal ones the first parent's, whoever came first.
                    if (item.score, there.parent) > (there.score, item.parent) {
                        (*there, self.ranks[place]) = (item, rank);
                    }
                    return;
                }
            }
        }
        self.items.push(item);
        self.ranks.push(rank);
    }

    /// Keeps the best of a layer that has grown to twice as many; says whether it
    /// had to.
    fn prune(&mut self, most: usize) -> bool {
        if self.items.len() <= 2 * most {
            return false;
        }
        self.bar = self.cut(most);
        self.index.clear();
        self.index.extend(self.items.iter().map(|item| item.key).zip(0..));
        true
    }

    /// Keeps the best and drops the others; says which is the last, if there are
    /// others.
    fn cut(&mut self, most: usize) -> Option<Rank> {
        let last = Rank::last_of(self.ranks.iter(), most);
        if let Some(last) = last {
            let mut ranks = self.ranks.iter();
            self.items.retain(|_| ranks.next().is_some_and(|&rank| rank <= last));
            self.ranks.retain(|&rank| rank <= last);
        }
        // Only copies of one position have the same rank.
        self.items.truncate(most);
        self.ranks.truncate(most);
        last
    }
}

/// The best positions of a layer. They stay where they are, among the others:
/// nothing is moved while everybody waits for the selection.
pub(super) struct Best<P: Puzzle> {
    shards: Vec<Layer<P>>,
    /// Shard and place of each that is kept.
    kept: Vec<(u32, u32)>,
}

impl<P: Puzzle> Best<P> {
    /// The best `width` positions of a layer.
    pub(super) fn of(shards: Vec<Layer<P>>, width: usize) -> Self {
        let last = Rank::last_of(shards.iter().flat_map(|shard| &shard.ranks), width);
        // Which are kept cannot be foretold: each is written down, and the next one in
        // its place if it is not.
        let total = shards.iter().map(|shard| shard.ranks.len()).sum();
        let mut kept = vec![(0, 0); total];
        let mut count = 0;
        for (number, shard) in (0..).zip(&shards) {
            for (place, &rank) in (0..).zip(&shard.ranks) {
                kept[count] = (number, place);
                count += usize::from(last.is_none_or(|last| rank <= last));
            }
        }
        kept.truncate(count.min(width));
        Best { shards, kept }
    }

    /// The best `width` of these positions; the memory of the others is freed.
    pub(super) fn alone(items: Vec<Item<P>>, width: usize) -> Self {
        let mut layer = Layer::of(items);
        layer.cut(width);
        layer.items.shrink_to_fit();
        layer.ranks.shrink_to_fit();
        Best::of(vec![layer], width)
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// One of the positions, in the order of shards and in each as they came.
    pub(super) fn get(&self, at: usize) -> &Item<P> {
        let (shard, place) = self.kept[at];
        &self.shards[shard as usize].items[place as usize]
    }

    /// The highest and the lowest value.
    pub(super) fn extremes(&self) -> (f32, f32) {
        let ends = (f32::NEG_INFINITY, f32::INFINITY);
        self.kept.iter().fold(ends, |(highest, lowest), &(shard, place)| {
            let value = self.shards[shard as usize].ranks[place as usize].value();
            (highest.max(value), lowest.min(value))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use solitree_core::{DummyPuzzle, Rng, mix};

    use super::*;

    fn item(puzzle: &DummyPuzzle, place: u32, score: i64) -> Item<DummyPuzzle> {
        Item {
            state: puzzle.start(),
            key: mix(u64::from(place)),
            score: Score(score),
            // More points are a better value, as in any evaluation.
            value: (score - i64::from(place % 7)) as f32,
            parent: 3 * place + score as u32,
            mv: Default::default(),
        }
    }

    /// Whatever the order in which positions come, and whoever brings them, the
    /// best of them are kept, each once and with its best line; and nothing is left
    /// of the layer before, in whose memory they are.
    #[test]
    fn the_best_are_kept_in_whatever_order_they_come() {
        let puzzle: DummyPuzzle = "1".parse().unwrap();
        for (seed, width) in [(1, 1), (2, 40), (3, 300), (4, 5_000)] {
            let mut rng = Rng::new(seed);
            let frontier = Frontier::default();
            for number in 1..=3 {
                // The first layer is the best: what were left of it would show.
                let fall = 300 * number as i64;
                let found: Vec<(u32, i64)> = (0..20_000)
                    .map(|_| (rng.next_u64() as u32 % 8_000, rng.next_u64() as i64 % 500))
                    .map(|(place, score)| (place, score.abs() + 1_000 - fall))
                    .collect();
                let mut plain: HashMap<u32, i64> = HashMap::new();
                for &(place, score) in &found {
                    let there = plain.entry(place).or_insert(score);
                    *there = score.max(*there);
                }
                let rank = |(&place, &score): (&_, &_)| Rank::of(&item(&puzzle, place, score));
                let mut plain: Vec<Rank> = plain.iter().map(rank).collect();
                plain.sort_unstable();
                plain.truncate(width);
                let mut hands = [Hand::default(), Hand::default()];
                for (turn, &(place, score)) in found.iter().enumerate() {
                    let item = item(&puzzle, place, score);
                    let hand = &mut hands[turn % 2];
                    if frontier.wants(item.value, item.key) {
                        hand.take(number, item);
                    }
                    if rng.next_u64().is_multiple_of(50) {
                        frontier.deal(hand, true, (Some(width as u64), number), turn);
                    }
                }
                for hand in &mut hands {
                    frontier.deal(hand, true, (Some(width as u64), number), 0);
                }
                let (layer, shards) = frontier.next().unwrap();
                let waiting: usize = shards.iter().map(|shard| shard.items.len()).sum();
                assert!(waiting <= 4 * width + 4_000, "{waiting} wait for {width}");
                let best = Best::of(shards, width);
                let mut kept: Vec<Rank> =
                    (0..best.len()).map(|at| Rank::of(best.get(at))).collect();
                kept.sort_unstable();
                assert!(layer == number && kept == plain, "width {width}, layer {number}");
                let ends = (plain[0].value(), plain[plain.len() - 1].value());
                assert_eq!(best.extremes(), ends, "width {width}, layer {number}");
                frontier.reuse(best);
            }
        }
    }

    /// Positions of equal values, and copies of one: the best are those of plain
    /// sorting, in the order they were in, whether the others stay or are dropped.
    #[test]
    fn the_best_are_those_of_plain_sorting() {
        let puzzle: DummyPuzzle = "1".parse().unwrap();
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let mut below = |most: u64| rng.next_u64() % most;
            let (places, values) = (1 + below(60), 1 + below(12));
            let shards: Vec<Vec<Item<DummyPuzzle>>> = (0..SHARDS)
                .map(|_| {
                    let item = |place| Item {
                        value: (place % values) as f32 - 5.0,
                        ..item(&puzzle, place as u32, 0)
                    };
                    (0..below(20)).map(|_| item(below(places))).collect()
                })
                .collect();
            let all: Vec<Rank> = shards.iter().flatten().map(Rank::of).collect();
            let width = 1 + below(all.len() as u64 + 3) as usize;
            let mut plain = all.clone();
            plain.sort_unstable();
            plain.truncate(width);
            let last = plain.last().copied();
            // Where copies of the last one are too many, what comes last has to go.
            let plain: Vec<Rank> =
                all.iter().copied().filter(|&rank| Some(rank) <= last).take(width).collect();
            let items = shards.iter().flatten().cloned().collect();
            let layers = shards.into_iter().map(Layer::of).collect();
            for best in [Best::of(layers, width), Best::alone(items, width)] {
                let kept: Vec<Rank> = (0..best.len()).map(|at| Rank::of(best.get(at))).collect();
                assert!(kept == plain, "seed {seed}: {width} of {}", all.len());
            }
        }
    }

    #[test]
    fn a_rank_has_the_order_of_values_and_tells_them() {
        let values = [f32::INFINITY, 7.5, 1.0, 1e-40, 0.0, -0.0, -1e-40, -2.0, f32::NEG_INFINITY];
        for pair in values.windows(2) {
            assert!(Rank::new(pair[0], 9) < Rank::new(pair[1], 3), "{pair:?}");
        }
        for value in values {
            assert_eq!(Rank::new(value, 1).value().to_bits(), value.to_bits());
        }
    }
}
