//! Who is next: everybody in turn, however much somebody asks for.

use std::collections::{HashMap, VecDeque};

use super::Owner;

/// A queue for each owner, served in turn.
#[derive(Debug, Default)]
pub struct FairQueue {
    lines: HashMap<Owner, VecDeque<String>>,
    /// Everybody who waits, the next one first.
    turns: VecDeque<Owner>,
}

impl FairQueue {
    /// Puts a search at the end of its owner's line.
    pub fn push(&mut self, owner: Owner, id: String) {
        let line = self.lines.entry(owner).or_default();
        if line.is_empty() {
            self.turns.push_back(owner);
        }
        line.push_back(id);
    }

    /// The next search.
    pub fn pop(&mut self) -> Option<String> {
        let owner = self.turns.pop_front()?;
        let line = self.lines.get_mut(&owner)?;
        let id = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&owner);
        } else {
            self.turns.push_back(owner);
        }
        id
    }

    /// Takes a search out, wherever it stands.
    pub fn remove(&mut self, id: &str) {
        self.lines.retain(|_, line| {
            line.retain(|waiting| waiting != id);
            !line.is_empty()
        });
        self.turns.retain(|owner| self.lines.contains_key(owner));
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.lines.values().map(VecDeque::len).sum()
    }

    /// Everybody who waits, in the order of service if nobody comes.
    pub fn order(&self) -> Vec<&str> {
        let mut order = Vec::with_capacity(self.len());
        let mut round = 0;
        while order.len() < self.len() {
            let nth = |owner: &Owner| self.lines.get(owner)?.get(round);
            order.extend(self.turns.iter().filter_map(nth).map(String::as_str));
            round += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_turn() {
        let mut queue = FairQueue::default();
        let (greedy, modest) = (Owner::Socket(1), Owner::Socket(2));
        for n in 0..4 {
            queue.push(greedy, format!("g{n}"));
        }
        queue.push(modest, "m0".to_owned());
        assert_eq!(queue.order(), ["g0", "m0", "g1", "g2", "g3"]);
        queue.remove("g1");
        let all: Vec<String> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(all, ["g0", "m0", "g2", "g3"]);
        assert_eq!((queue.len(), queue.turns.len()), (0, 0));
        queue.push(modest, "m1".to_owned());
        queue.remove("m1");
        assert_eq!(queue.pop(), None);
    }
}
