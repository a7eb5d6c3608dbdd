//! What a new move is thought of before it was tried.

use solitree_core::Game;

use super::UctConfig;
use super::family::Node;
use super::ledgers::Ledger;
use super::tree::Tree;

/// Gives the children of a node in some position games before their first: those that
/// the ledger knows of, as they ended there, and the rest as the game's own
/// impression says.
pub(super) fn imagine<G: Game>(
    game: &G,
    tree: &mut Tree<G::Move>,
    (at, state): (Node, &G::State),
    reference: Option<Ledger>,
    config: &UctConfig,
) {
    let games = config.imagined() as u32;
    for child in tree.children(at) {
        let mv = tree.mv(child);
        let mut next = state.clone();
        game.replay(&mut next, mv);
        let impression = game.impression(&next);
        if impression.is_none() && reference.is_none() {
            continue;
        }
        let (mut left, mut halves) = (games as f32, 0.0);
        if let Some(ledger) = reference {
            let (seen, won) = tree.ledgers.read(ledger, game.code(state, mv));
            let known = seen.min(config.grave_games as u32) as f32;
            halves = known * won as f32 / seen.max(1) as f32;
            left -= known;
        }
        halves += impression.unwrap_or(0.5) * 2.0 * left;
        tree.imagine(child, games, halves.round() as u32);
    }
}
