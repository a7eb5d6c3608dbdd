//! One search of A*, one expanded position at a time.

use serde::{Deserialize, Serialize};
use solitree_core::{Child, Puzzle, Score, mix};

use super::graph::{Graph, New};
use crate::bounded::{Engine, Host, Progress, UNBOUNDED, children};

/// A search from one position.
pub(super) struct AStar<P: Puzzle> {
    graph: Graph<P::Move>,
    root: P::State,
    /// Which worker this is: each breaks ties its own way.
    worker: u64,
    place: Place<P::Move>,
    legal: Vec<P::Move>,
    children: Vec<Child<P>>,
}

/// What there is to know beside the graph.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct Place<M> {
    /// The moves to the position expanded last.
    path: Vec<M>,
    /// Positions expanded.
    expanded: u64,
    /// The most points in any position, and its move from the root.
    most: Option<(Score, M)>,
}

impl<M> Default for Place<M> {
    fn default() -> Self {
        Place { path: Vec::new(), expanded: 0, most: None }
    }
}

impl<P: Puzzle> AStar<P> {
    pub(super) fn new(puzzle: &P, positions: u64, worker: u64) -> Self {
        AStar {
            graph: Graph::new(positions),
            root: puzzle.start(),
            worker,
            place: Place::default(),
            legal: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Among equal bounds the larger goes first: the deeper position, the one
    /// with more points, the newer one, or any.
    fn tie(&self, child: &Child<P>) -> u64 {
        match self.worker {
            0 => self.place.path.len() as u64,
            1 => child.score.0 as u64 ^ 1 << 63,
            2 => self.place.expanded,
            worker => mix(child.key ^ worker),
        }
    }

    fn state(&self, puzzle: &P) -> P::State {
        let mut state = self.root.clone();
        for &mv in &self.place.path {
            puzzle.play(&mut state, mv);
        }
        state
    }
}

impl<P: Puzzle, K> Engine<P, K> for AStar<P> {
    fn begin(&mut self, _: &P, root: &P::State) {
        self.root.clone_from(root);
        self.graph.clear();
        self.place = Place::default();
    }

    fn expand(&mut self, puzzle: &P, _: &K, host: &mut Host<P::Move>) -> Progress {
        // First the root, which is not in the graph.
        let at = if self.place.expanded == 0 { None } else { self.graph.take() };
        match at {
            Some(at) => self.graph.path(at, &mut self.place.path),
            None => self.place.path.clear(),
        }
        let state = self.state(puzzle);
        host.expands(|| {
            let path = &self.place.path;
            Some((*path.first()?, path.len(), puzzle.score(&state)))
        });
        let cap = match self.graph.bound(at) {
            Some(bound) => bound,
            None => puzzle.upper_bound(&state).unwrap_or(UNBOUNDED),
        };
        self.children.clear();
        children(puzzle, &state, &mut self.legal, &mut self.children);
        for child in &self.children {
            let (mv, key, score) = (child.mv, child.key, child.score);
            if self.place.most.is_none_or(|(most, _)| score > most) {
                self.place.most = Some((score, *self.place.path.first().unwrap_or(&mv)));
            }
            if child.over {
                if score > host.floor {
                    let mut moves = self.place.path.clone();
                    moves.push(mv);
                    host.found(score, moves);
                }
                continue;
            }
            let bound = puzzle.upper_bound(&child.state).unwrap_or(UNBOUNDED).min(cap);
            if bound > host.floor {
                let tie = self.tie(child);
                self.graph.add(at, New { mv, key, score, bound, tie });
            }
        }
        if let Some(at) = at {
            self.graph.expanded(at);
        }
        self.place.expanded += 1;
        if self.graph.promise().is_some_and(|promise| promise > host.floor) {
            Progress::Going
        } else if self.graph.lost <= host.floor {
            Progress::Proven
        } else {
            Progress::Ended
        }
    }

    fn position(&self, puzzle: &P, path: &mut Vec<P::Move>) -> P::State {
        path.clone_from(&self.place.path);
        self.state(puzzle)
    }

    fn depth(&self) -> usize {
        self.place.path.len()
    }

    fn choice(&self) -> Option<P::Move> {
        self.place.most.map(|(_, mv)| mv)
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.place, &self.graph)).unwrap_or_default()
    }

    fn load(&mut self, puzzle: &P, _: &K, root: &P::State, bytes: &[u8]) -> Result<(), String> {
        let (place, mut graph): (Place<P::Move>, Graph<P::Move>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        graph.mend()?;
        let mut state = root.clone();
        for &mv in &place.path {
            puzzle.moves(&state, &mut self.legal);
            if !self.legal.contains(&mv) {
                return Err(format!("{mv:?} is not legal here"));
            }
            puzzle.play(&mut state, mv);
        }
        self.root.clone_from(root);
        (self.place, self.graph) = (place, graph);
        Ok(())
    }
}
