//! Positions and weights to test with.

#![allow(dead_code, reason = "each test uses its part")]

use solitree_core::Rng;
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Board, Rules};
use solitree_nn::{Encoder, Network, Params, SameGameEncoder};

/// A random board some random moves into a game.
pub fn position(encoder: &SameGameEncoder, rng: &mut Rng) -> Board {
    let input = encoder.input();
    let colours = encoder.colours() as u32;
    let board = Board::new(input.width, input.height, |_, _| 1 + rng.below(colours) as u8).unwrap();
    let rules = Rules::default();
    let mut game = PlainGame::new(&board, &rules);
    for _ in 0..rng.below(input.cells() as u32 / 3 + 1) {
        let groups = game.groups();
        if groups.is_empty() {
            break;
        }
        game.play(groups[rng.below(groups.len() as u32) as usize].cells[0]);
    }
    game.board()
}

/// A batch of encoded positions.
pub fn positions(encoder: &SameGameEncoder, batch: usize, seed: u64) -> Vec<u8> {
    let (mut rng, bytes) = (Rng::new(seed), encoder.input().bytes());
    let mut all = vec![0; batch * bytes];
    for position_marks in all.chunks_exact_mut(bytes) {
        let board = position(encoder, &mut rng);
        encoder.encode(&encoder.board(&board).unwrap(), position_marks);
    }
    all
}

/// Weights as after some learning: nothing is left at 0 or 1.
pub fn shaken(network: &Network, seed: u64) -> Params {
    let mut rng = Rng::new(seed);
    let mut tensors = Params::random(network, seed).tensors().to_vec();
    for (data, spec) in tensors.iter_mut().zip(network.tensors()) {
        if spec.shape.len() == 1 {
            for number in data {
                *number += 0.4 * (rng.unit() as f32 - 0.5);
            }
        }
    }
    Params::from_tensors(network, tensors).unwrap()
}
