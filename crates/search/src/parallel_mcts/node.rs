//! A position of the tree, which every thread may read and change.
//!
//! Statistics are atomic and independent of each other: a reader may see the
//! sum of one playout and the count of the next, which moves a value by less
//! than a playout does. The moves of a position are made once, by whoever
//! comes first, and stay where they are.

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use solitree_core::Score;

use super::amaf::Table;

/// Not entered again.
const CLOSED: u8 = 1;
/// Every line from here is known.
const EXACT: u8 = 2;

/// A move and the position it leads to.
#[derive(Debug)]
pub(super) struct Node<M> {
    /// Q, as the bits of a floating-point number.
    value: AtomicU64,
    sum: AtomicI64,
    /// The sum of squares, likewise.
    squares: AtomicU64,
    top: AtomicI64,
    /// Playouts backed up.
    done: AtomicU32,
    /// Visits under way.
    pending: AtomicU32,
    flags: AtomicU8,
    pub(super) mv: M,
    pub(super) below: OnceLock<Box<Below<M>>>,
}

const _: () = assert!(size_of::<Node<u16>>() == 64);

/// What a position has once its moves are known.
#[derive(Debug)]
pub(super) struct Below<M> {
    /// The value of the first playout through the position, which every move
    /// has until it has one of its own.
    first: AtomicI64,
    /// Moves beyond this one have not been chosen yet.
    touched: AtomicU32,
    pub(super) edges: Box<[Node<M>]>,
    /// The prior of each move; empty if all are alike.
    pub(super) priors: Box<[f32]>,
    /// The slot of each move's code; empty without AMAF.
    pub(super) slots: Box<[u32]>,
    /// What is known of moves played later.
    pub(super) amaf: Option<Mutex<Table>>,
}

/// The statistics of a node at rest.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Statistics {
    pub(super) done: u32,
    pub(super) sum: i64,
    pub(super) squares: f64,
    pub(super) top: Score,
}

impl<M> Below<M> {
    pub(super) fn new(edges: Box<[Node<M>]>) -> Below<M> {
        let first = AtomicI64::new(Score::MIN.0);
        let touched = AtomicU32::new(edges.len() as u32);
        Below { first, touched, edges, priors: Box::default(), slots: Box::default(), amaf: None }
    }

    /// How many moves selection has to look at; of those beyond, which are all
    /// alike, it needs one.
    #[inline]
    pub(super) fn touched(&self) -> usize {
        self.touched.load(Relaxed) as usize
    }

    /// Says that moves beyond the first so many are all alike.
    pub(super) fn set_touched(&self, count: usize) {
        self.touched.store(count as u32, Relaxed);
    }

    /// Says that a move has been chosen.
    #[inline]
    pub(super) fn touch(&self, edge: usize) {
        if edge >= self.touched() {
            self.touched.fetch_max(edge as u32 + 1, Relaxed);
        }
    }

    /// The value of the first playout, once there is one.
    pub(super) fn first(&self) -> Option<f64> {
        let first = self.first.load(Relaxed);
        (first != Score::MIN.0).then_some(first as f64)
    }

    pub(super) fn first_score(&self) -> Score {
        Score(self.first.load(Relaxed))
    }

    pub(super) fn set_first(&self, score: Score) {
        let _ = self.first.compare_exchange(Score::MIN.0, score.0, Relaxed, Relaxed);
    }

    /// Bytes it takes beside its amaf statistics.
    pub(super) fn bytes(&self) -> u64 {
        Self::bytes_of(self.edges.len(), !self.priors.is_empty(), self.amaf.is_some())
    }

    pub(super) fn bytes_of(edges: usize, priors: bool, amaf: bool) -> u64 {
        // Each box costs its bookkeeping too.
        let each = size_of::<Node<M>>() + 4 * usize::from(priors) + 4 * usize::from(amaf);
        (size_of::<Self>() + 64 + edges * each) as u64
    }
}

impl<M> Node<M> {
    pub(super) fn new(mv: M) -> Node<M> {
        Node {
            value: AtomicU64::new(0),
            sum: AtomicI64::new(0),
            squares: AtomicU64::new(0f64.to_bits()),
            top: AtomicI64::new(Score::MIN.0),
            done: AtomicU32::new(0),
            pending: AtomicU32::new(0),
            flags: AtomicU8::new(0),
            mv,
            below: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn done(&self) -> u32 {
        self.done.load(Relaxed)
    }

    #[inline]
    pub(super) fn pending(&self) -> u32 {
        self.pending.load(Relaxed)
    }

    /// Visits, those under way included: N of the paper.
    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.done().saturating_add(self.pending())
    }

    /// Q, if there has been a playout.
    #[inline]
    pub(super) fn value(&self) -> Option<f64> {
        (self.done() > 0).then(|| f64::from_bits(self.value.load(Relaxed)))
    }

    pub(super) fn top(&self) -> Score {
        Score(self.top.load(Relaxed))
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum.load(Relaxed) as f64 / f64::from(self.done().max(1))
    }

    /// The variance of the playouts.
    pub(super) fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = f64::from_bits(self.squares.load(Relaxed));
        (squares / f64::from(self.done().max(1)) - mean * mean).max(0.0)
    }

    #[inline]
    pub(super) fn begin_visit(&self) {
        self.pending.fetch_add(1, Relaxed);
    }

    #[inline]
    pub(super) fn end_visit(&self) {
        self.pending.fetch_sub(1, Relaxed);
    }

    /// Adds a playout; the value gives its best the weight `top_share`.
    #[inline]
    pub(super) fn update(&self, score: Score, top_share: f64, squares: bool) {
        let sum = self.sum.fetch_add(score.0, Relaxed) + score.0;
        let top = self.top.fetch_max(score.0, Relaxed).max(score.0);
        let done = self.done.fetch_add(1, Relaxed).saturating_add(1);
        if squares {
            let square = score.as_f64() * score.as_f64();
            let add = |bits| Some((f64::from_bits(bits) + square).to_bits());
            let _ = self.squares.fetch_update(Relaxed, Relaxed, add);
        }
        self.set_value(sum, top, done, top_share);
    }

    fn set_value(&self, sum: i64, top: i64, done: u32, top_share: f64) {
        let mean = sum as f64 / f64::from(done);
        let value = mean + top_share * (top as f64 - mean);
        self.value.store(value.to_bits(), Relaxed);
    }

    pub(super) fn statistics(&self) -> Option<Statistics> {
        (self.done() > 0).then(|| Statistics {
            done: self.done(),
            sum: self.sum.load(Relaxed),
            squares: f64::from_bits(self.squares.load(Relaxed)),
            top: self.top(),
        })
    }

    pub(super) fn set_statistics(&self, statistics: Statistics, top_share: f64) {
        let Statistics { done, sum, squares, top } = statistics;
        self.done.store(done, Relaxed);
        self.sum.store(sum, Relaxed);
        self.squares.store(squares.to_bits(), Relaxed);
        self.top.store(top.0, Relaxed);
        if done > 0 {
            self.set_value(sum, top.0, done, top_share);
        }
    }

    pub(super) fn flags(&self) -> u8 {
        self.flags.load(Relaxed)
    }

    pub(super) fn set_flags(&self, flags: u8) {
        self.flags.store(flags, Relaxed);
    }

    /// Whether it is not to be entered again.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.flags() & CLOSED != 0
    }

    /// Whether every line from here is known.
    pub(super) fn is_exact(&self) -> bool {
        self.flags() & EXACT != 0
    }

    /// Every line from here is known.
    pub(super) fn close(&self) {
        self.flags.fetch_or(CLOSED | EXACT, Relaxed);
    }

    /// Closes it, and forgets what is below.
    pub(super) fn cut(&mut self) {
        self.flags.fetch_or(CLOSED, Relaxed);
        self.below = OnceLock::new();
    }

    /// Closes it if all its moves are closed; whether it is now.
    pub(super) fn close_if_exhausted(&self) -> bool {
        if !self.is_closed()
            && let Some(below) = self.below.get()
            && below.edges.iter().all(Node::is_closed)
        {
            let exact = below.edges.iter().all(Node::is_exact);
            self.flags.fetch_or(if exact { CLOSED | EXACT } else { CLOSED }, Relaxed);
        }
        self.is_closed()
    }
}

impl<M: Copy + Eq> Node<M> {
    /// The node a move leads to, if the moves here are known.
    pub(super) fn child(&self, mv: M) -> Option<&Node<M>> {
        self.below.get()?.edges.iter().find(|edge| edge.mv == mv)
    }

    /// The same, if it has been chosen before.
    pub(super) fn known_child(&self, mv: M) -> Option<&Node<M>> {
        let below = self.below.get()?;
        below.edges.iter().take(below.touched()).find(|edge| edge.mv == mv)
    }
}
