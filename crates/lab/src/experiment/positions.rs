//! How many positions ColorShapeLinks has, at most.

use solitree_games::colorshapelinks::Layout;

/// The decimal logarithm of the number of boards if every cell were empty or held
/// any of the four pieces: the bound of Oppenhuis (2022), section 3.1.
pub(super) fn cell_exponent(layout: Layout) -> f64 {
    f64::from(layout.rows * layout.cols) * 5f64.log10()
}

/// The decimal logarithm of the number of boards whose pieces lie on each other,
/// were played in turn and are no more than there are. Boards that come after the
/// end of a game are counted too.
pub(super) fn state_exponent(layout: Layout) -> f64 {
    let cells = (layout.rows * layout.cols) as usize;
    let pieces = (2 * (layout.rounds + layout.squares)) as usize;
    let shapes = heights(layout);
    let boards: f64 = (0..=cells.min(pieces))
        .map(|count| {
            let (white, red) = (count.div_ceil(2), count / 2);
            shapes[count] * choose(count, white) * supplied(layout, white) * supplied(layout, red)
        })
        .sum();
    boards.log10()
}

/// In how many ways columns can be filled, by the number of pieces.
fn heights(layout: Layout) -> Vec<f64> {
    let mut ways = vec![0.0; (layout.rows * layout.cols) as usize + 1];
    ways[0] = 1.0;
    for _ in 0..layout.cols {
        let before = ways.clone();
        for (count, way) in ways.iter_mut().enumerate() {
            let least = count.saturating_sub(layout.rows as usize);
            *way = before[least..=count].iter().sum();
        }
    }
    ways
}

/// In how many ways so many pieces of a player can have their shapes.
fn supplied(layout: Layout, pieces: usize) -> f64 {
    let fits = |&rounds: &usize| {
        rounds <= layout.rounds as usize && pieces - rounds <= layout.squares as usize
    };
    (0..=pieces).filter(fits).map(|rounds| choose(pieces, rounds)).sum()
}

fn choose(of: usize, some: usize) -> f64 {
    (0..some).map(|index| (of - index) as f64 / (some - index) as f64).product()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use solitree_games::colorshapelinks::plain::PlainGame;

    use super::*;

    /// Oppenhuis (2022), Table 2.
    #[test]
    fn the_thesis_has_10_to_the_29() {
        let bound = cell_exponent(Layout::default());
        assert!((10f64.powf(bound) / 2.27e29 - 1.0).abs() < 0.01, "{bound}");
        assert!(state_exponent(Layout::default()) < bound);
    }

    #[test]
    fn columns_are_filled_in_every_way() {
        let layout = Layout { rows: 2, cols: 2, ..Layout::default() };
        assert_eq!(heights(layout), [1.0, 2.0, 3.0, 2.0, 1.0]);
    }

    /// On a board of one row and without lines every arrangement can be played.
    #[test]
    fn small_boards_are_counted_out() {
        let layout = Layout { rows: 1, cols: 4, line: 3, rounds: 1, squares: 1 };
        let Ok(start) = PlainGame::new(layout) else { panic!("no such board") };
        let (mut seen, mut open) = (HashSet::new(), vec![start]);
        while let Some(game) = open.pop() {
            let board: Vec<_> = (0..4).map(|column| game.piece(0, column)).collect();
            if seen.insert(format!("{board:?}")) {
                for mv in game.moves() {
                    let mut next = game.clone();
                    next.play(mv).unwrap();
                    open.push(next);
                }
            }
        }
        assert!((10f64.powf(state_exponent(layout)) - seen.len() as f64).abs() < 1e-6);
    }
}
