//! A whole line in one picture.

use solitree_lab::{Instance, played_morpion};

use crate::{render, sketch};

/// The picture of a legal line, where the game has one.
pub fn of(instance: &Instance, moves: &[String], style: render::Style) -> Option<String> {
    match instance {
        Instance::SameGame { board, rules, .. } => {
            let picture = render::line(board, rules, moves, style);
            Some(format!("{picture}    each block shows the move that removes it"))
        }
        Instance::Morpion(variant) => {
            let game = played_morpion(*variant, moves).ok()?;
            Some(format!("{}\n    each new point shows its move", sketch::text(&game)))
        }
        Instance::LeftMove(_) => None,
    }
}
