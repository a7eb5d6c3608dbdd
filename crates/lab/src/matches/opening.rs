//! Openings: a few random moves, the same for both games of a pair.

use solitree_core::{Game, Rng, Sight, mix};
use solitree_games::colorshapelinks::{AnyGame, ColorShapeLinks, Layout, Placement};

/// The opening of a pair: so many random moves, after which the game is not over
/// and neither won nor lost within two moves. On a board where there is no such
/// thing, fewer moves.
#[must_use]
pub fn opening(layout: Layout, plies: usize, seed: u64, pair: u64) -> Vec<Placement> {
    match AnyGame::new(layout) {
        Ok(AnyGame::Small(game)) => drawn(&game, plies, seed, pair),
        Ok(AnyGame::Medium(game)) => drawn(&*game, plies, seed, pair),
        Ok(AnyGame::Large(game)) => drawn(&*game, plies, seed, pair),
        Err(_) => Vec::new(),
    }
}

/// How often another opening is drawn.
const TRIES: u64 = 200;

fn drawn<const N: usize>(
    game: &ColorShapeLinks<N>,
    plies: usize,
    seed: u64,
    pair: u64,
) -> Vec<Placement> {
    for plies in (1..=plies).rev() {
        for attempt in 0..TRIES {
            let mut rng = Rng::stream(mix(seed) ^ 0x09E2, mix(pair) ^ attempt);
            if let Some(moves) = attempted(game, plies, &mut rng) {
                return moves;
            }
        }
    }
    Vec::new()
}

fn attempted<const N: usize>(
    game: &ColorShapeLinks<N>,
    plies: usize,
    rng: &mut Rng,
) -> Option<Vec<Placement>> {
    let (mut state, mut legal, mut moves) = (game.start(), Vec::new(), Vec::new());
    for _ in 0..plies {
        game.moves(&state, &mut legal);
        let mv = *legal.get(rng.below(legal.len() as u32) as usize)?;
        game.play(&mut state, mv);
        moves.push(mv);
    }
    let open = game.outcome(&state).is_none() && game.look_ahead(&state, &mut legal) == Sight::Open;
    open.then_some(moves)
}
