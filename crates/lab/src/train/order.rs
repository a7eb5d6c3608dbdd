//! Which moves of a line may as well be played first.
//!
//! The order of a line is often arbitrary: groups far from each other can be played
//! in either order, with the same groups and the same score in the end. A network
//! that is told one order only learns to guess it. Here blocks keep their names while
//! they fall, so that it can be seen whether a line, with one of its moves played
//! first, still consists of the same groups.

/// A position whose blocks have names.
#[derive(Clone)]
struct Blocks<'a> {
    /// The colour of each block.
    colours: &'a [u8],
    height: usize,
    /// The block of each cell, column by column from the bottom.
    cells: Vec<Option<u16>>,
    /// The cell of each block, as long as it is there.
    places: Vec<u16>,
}

impl Blocks<'_> {
    /// The blocks of the group that a block belongs to, in ascending order.
    fn group(&self, block: u16) -> Vec<u16> {
        let colour = self.colours[usize::from(block)];
        let mut group = vec![block];
        let mut next = 0;
        while next < group.len() {
            let cell = usize::from(self.places[usize::from(group[next])]);
            next += 1;
            let row = cell % self.height;
            let neighbours = [
                (row > 0).then(|| cell - 1),
                (row + 1 < self.height).then_some(cell + 1),
                cell.checked_sub(self.height),
                Some(cell + self.height),
            ];
            for neighbour in neighbours.into_iter().flatten() {
                if let Some(&Some(other)) = self.cells.get(neighbour)
                    && self.colours[usize::from(other)] == colour
                    && !group.contains(&other)
                {
                    group.push(other);
                }
            }
        }
        group.sort_unstable();
        group
    }

    /// Takes blocks away; the others fall, and empty columns close up.
    fn remove(&mut self, group: &[u16]) {
        let mut to = 0;
        for column in 0..self.cells.len() / self.height {
            let mut fallen = to;
            for row in 0..self.height {
                let block = self.cells[column * self.height + row].take();
                if let Some(block) = block.filter(|block| group.binary_search(block).is_err()) {
                    self.cells[fallen] = Some(block);
                    self.places[usize::from(block)] = fallen as u16;
                    fallen += 1;
                }
            }
            if fallen > to {
                to += self.height;
            }
        }
    }

    /// Plays groups in this order, if each of them is whole when its turn comes.
    fn plays<'g>(&mut self, groups: impl Iterator<Item = &'g Vec<u16>>) -> bool {
        for group in groups {
            if self.group(group[0]) != *group {
                return false;
            }
            self.remove(group);
        }
        true
    }
}

/// For each move of a line from a position: the moves that may as well be played
/// there, itself among them. Moves and contents are the encoder's.
pub(super) fn alternatives(contents: &[u8], height: usize, moves: &[u16]) -> Vec<Vec<u16>> {
    let cells: Vec<Option<u16>> =
        contents.iter().enumerate().map(|(cell, &c)| (c > 0).then_some(cell as u16)).collect();
    let places = (0..contents.len() as u16).collect();
    let mut state = Blocks { colours: contents, height, cells, places };
    let mut positions = Vec::with_capacity(moves.len());
    let mut groups = Vec::with_capacity(moves.len());
    for &mv in moves {
        let Some(&Some(block)) = state.cells.get(usize::from(mv)) else { break };
        let group = state.group(block);
        positions.push(state.clone());
        state.remove(&group);
        groups.push(group);
    }
    let alternatives = positions.iter().enumerate().map(|(turn, position)| {
        let first = |&index: &usize| {
            let rest = (turn..groups.len()).filter(|&other| other != index);
            let order = std::iter::once(index).chain(rest);
            position.clone().plays(order.map(|index| &groups[index]))
        };
        let name = |index: usize| {
            let cells = groups[index].iter().map(|&block| position.places[usize::from(block)]);
            cells.min().unwrap_or_default()
        };
        (turn..groups.len()).filter(first).map(name).collect()
    });
    alternatives.collect()
}

#[cfg(test)]
mod tests {
    use solitree_core::Rng;
    use solitree_games::samegame::plain::PlainGame;
    use solitree_games::samegame::{Cell, Generator, Rules};

    use super::*;

    const SIDE: usize = 4;

    fn cell(number: u16) -> Cell {
        Cell::new(usize::from(number) / SIDE, usize::from(number) % SIDE)
    }

    /// Whether a score can be reached, every continuation being tried.
    fn reaches(game: &PlainGame<'_>, score: i64) -> bool {
        let groups = game.groups();
        if groups.is_empty() {
            return game.score().0 == score;
        }
        groups.iter().any(|group| {
            let mut after = game.clone();
            after.play(group.cells[0]);
            reaches(&after, score)
        })
    }

    #[test]
    fn after_any_of_them_the_score_of_the_line_can_be_reached() {
        let rules = Rules::default();
        let (mut rng, mut others) = (Rng::new(3), 0);
        for seed in 1..60 {
            let board = format!("{seed}:{SIDE}x{SIDE}x3").parse::<Generator>().unwrap().board();
            let contents: Vec<u8> =
                (0..SIDE * SIDE).map(|cell| board.colour(cell / SIDE, cell % SIDE)).collect();
            let mut game = PlainGame::new(&board, &rules);
            let (mut positions, mut moves) = (Vec::new(), Vec::new());
            while !game.is_over() {
                let groups = game.groups();
                let first = groups[rng.below(groups.len() as u32) as usize].cells[0];
                positions.push(game.clone());
                moves.push((first.column() * SIDE + first.row()) as u16);
                game.play(first);
            }
            let found = alternatives(&contents, SIDE, &moves);
            assert_eq!(found.len(), moves.len());
            for (turn, position) in positions.iter().enumerate() {
                assert!(found[turn].contains(&moves[turn]), "its own move");
                others += found[turn].len() - 1;
                for &mv in &found[turn] {
                    let named = position.groups().iter().any(|group| group.cells[0] == cell(mv));
                    assert!(named, "seed {seed}, turn {turn}: {mv} names a group");
                    let mut after = position.clone();
                    after.play(cell(mv));
                    assert!(reaches(&after, game.score().0), "seed {seed}, turn {turn}: {mv}");
                }
            }
        }
        assert!(others > 50, "{others}");
    }

    #[test]
    fn moves_that_need_others_first_are_no_alternatives() {
        // Two columns that do not touch each other's colours: either goes first.
        assert_eq!(alternatives(&[1, 1, 2, 2], 2, &[0, 0]), [vec![0, 2], vec![0]]);
        // The ones meet only when the twos between them are gone.
        assert_eq!(alternatives(&[1, 2, 2, 1], 4, &[1, 0]), [vec![1], vec![0]]);
        // To play the upper ones first would leave the twos apart.
        let column = [2, 1, 1, 2, 3, 3];
        assert_eq!(alternatives(&column, 6, &[1, 0, 0]), [vec![1, 4], vec![0, 2], vec![0]]);
    }
}
