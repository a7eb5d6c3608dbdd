//! The trees of a worker from above.

use solitree_core::{Counted, Playout, Puzzle, Score, TreeInsight, TriedMove};

use super::SpMcts;
use super::tree::{ROOT, Tree};

impl<P: Puzzle, R: Playout<P> + Clone> SpMcts<P, R> {
    /// The trees of the searches abreast as one: of those that begin where the first
    /// does.
    pub(super) fn insight(&self) -> Option<TreeInsight<P::Move>> {
        let prefix = self.lanes.iter().flatten().next()?.climber.prefix.clone();
        let (mut moves, mut depths) = (Vec::new(), Vec::new());
        for lane in self.lanes.iter().flatten().filter(|lane| lane.climber.prefix == prefix) {
            add(&lane.climber.tree, &mut moves, &mut depths);
        }
        Some(TreeInsight { counted: Counted::Positions, prefix, moves, depths })
    }
}

/// Adds a tree to what is known of others.
fn add<M: Copy + Eq>(tree: &Tree<M>, moves: &mut Vec<TriedMove<M>>, depths: &mut Vec<u64>) {
    for child in tree.children(ROOT).filter(|&child| tree.visits(child) > 0) {
        let mv = tree.mv(child);
        let known = moves.iter().position(|tried| tried.mv == mv).unwrap_or_else(|| {
            moves.push(TriedMove { mv, visits: 0, mean: 0.0, best: Score::MIN });
            moves.len() - 1
        });
        let tried = &mut moves[known];
        let visits = u64::from(tree.visits(child));
        tried.visits += visits;
        tried.mean += (tree.average(child) - tried.mean) * visits as f64 / tried.visits as f64;
        tried.best = tried.best.max(tree.top(child));
    }
    for (depth, count) in tree.depths().into_iter().enumerate() {
        if depth == depths.len() {
            depths.push(0);
        }
        depths[depth] += count;
    }
}

#[cfg(test)]
mod tests {
    use super::super::SpMctsConfig;
    use super::super::tree::Formula;
    use super::*;

    #[test]
    fn trees_add_up() {
        let formula = Formula::new(&SpMctsConfig::default());
        let (mut moves, mut depths) = (Vec::new(), Vec::new());
        for scores in [&[(7u16, 10), (7, 30), (9, 5)][..], &[(7, 80), (4, 1)]] {
            let mut tree: Tree<u16> = Tree::new(1 << 20, 0);
            for &(mv, score) in scores {
                let child = tree.child(ROOT, mv).or_else(|| tree.add_child(ROOT, mv));
                tree.update(child.unwrap(), Score(score), &formula);
            }
            add(&tree, &mut moves, &mut depths);
        }
        let of = |mv| moves.iter().find(|tried: &&TriedMove<u16>| tried.mv == mv).copied();
        assert_eq!(of(7), Some(TriedMove { mv: 7, visits: 3, mean: 40.0, best: Score(80) }));
        assert_eq!(of(4), Some(TriedMove { mv: 4, visits: 1, mean: 1.0, best: Score(1) }));
        assert_eq!(depths, [2, 4]);
    }
}
