//! The positions that wait for their layer's turn.

use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use solitree_core::{Puzzle, Score};

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

/// The layers ahead, each with its positions.
pub(super) struct Frontier<P: Puzzle> {
    layers: BTreeMap<usize, Layer<P>>,
}

struct Layer<P: Puzzle> {
    items: Vec<Item<P>>,
    /// Where the position of a key is.
    index: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

/// Keys are random bits already.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The better of two comes first; of equal ones, the one with the lower key.
fn order<P: Puzzle>(one: &Item<P>, other: &Item<P>) -> std::cmp::Ordering {
    other.value.total_cmp(&one.value).then(one.key.cmp(&other.key))
}

impl<P: Puzzle> Default for Frontier<P> {
    fn default() -> Self {
        Frontier { layers: BTreeMap::new() }
    }
}

impl<P: Puzzle> Frontier<P> {
    /// Adds a position to a layer. With `unique`, of lines that lead to one
    /// position the one with more points is kept.
    pub(super) fn add(&mut self, layer: usize, item: Item<P>, unique: bool) {
        let layer = self
            .layers
            .entry(layer)
            .or_insert_with(|| Layer { items: Vec::new(), index: HashMap::default() });
        if !unique {
            layer.items.push(item);
            return;
        }
        match layer.index.entry(item.key) {
            Entry::Vacant(place) => {
                place.insert(layer.items.len() as u32);
                layer.items.push(item);
            }
            Entry::Occupied(place) => {
                let there = &mut layer.items[*place.get() as usize];
                // Of equal ones the first parent's, whoever came first.
                if (item.score, there.parent) > (there.score, item.parent) {
                    *there = item;
                }
            }
        }
    }

    /// Keeps the best of a layer that has grown to several times the width.
    pub(super) fn prune(&mut self, width: usize) {
        for layer in self.layers.values_mut() {
            if layer.items.len() > 4 * width + 1024 {
                keep(&mut layer.items, width);
                layer.index.clear();
                let keys = layer.items.iter().map(|item| item.key).zip(0..);
                layer.index.extend(keys);
            }
        }
    }

    /// Takes the next layer.
    pub(super) fn next(&mut self) -> Option<(usize, Vec<Item<P>>)> {
        self.layers.pop_first().map(|(number, layer)| (number, layer.items))
    }

    /// Every position that waits, with its layer.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Item<P>)> {
        let of = |(&number, layer)| Layer::items(layer).iter().map(move |item| (number, item));
        self.layers.iter().flat_map(of)
    }
}

impl<P: Puzzle> Layer<P> {
    fn items(&self) -> &[Item<P>] {
        &self.items
    }
}

/// Keeps the best `width` positions, in no particular order.
pub(super) fn keep<P: Puzzle>(items: &mut Vec<Item<P>>, width: usize) {
    if items.len() > width {
        items.select_nth_unstable_by(width, order);
        items.truncate(width);
    }
}
