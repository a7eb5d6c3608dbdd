//! What there is to solve: one instance of one of the games, by name.

use std::sync::Arc;

use anyhow::Result;
use solitree_core::choice;
use solitree_games::leftmove::LeftMove;
use solitree_games::morpion::Variant;
use solitree_games::samegame::{Board, BoardName, BoardNameError, Rules, record};

use crate::boards;
use crate::failure::Failure;

choice! {
    /// The games there are.
    pub enum GameName {
        /// SameGame and its family.
        SameGame = "samegame",
        /// Morpion Solitaire.
        Morpion = "morpion",
        /// Left Move.
        LeftMove = "leftmove",
    }
}

/// An instance of a game.
#[derive(Clone, Debug)]
pub enum Instance {
    /// A board and what things are worth on it.
    SameGame {
        /// The board by name.
        name: BoardName,
        /// The board.
        board: Board,
        /// The rules.
        rules: Arc<Rules>,
    },
    /// Morpion Solitaire.
    Morpion(Variant),
    /// Left Move.
    LeftMove(LeftMove),
}

impl GameName {
    /// The game that the name of an instance is of.
    pub fn of(text: &str) -> GameName {
        let head = text.split_once(':').map_or(text, |(head, _)| head).to_ascii_lowercase();
        match head.as_str() {
            "morpion" => GameName::Morpion,
            "leftmove" => GameName::LeftMove,
            _ => GameName::SameGame,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GameName::SameGame => "samegame",
            GameName::Morpion => "morpion",
            GameName::LeftMove => "leftmove",
        }
    }

    /// The rules for those who name none, where there is a choice.
    pub fn default_rules(self) -> Option<&'static str> {
        match self {
            GameName::SameGame => Some("samegame"),
            GameName::Morpion | GameName::LeftMove => None,
        }
    }
}

impl Instance {
    /// The instance that a text names: one with a name, rows, a file of rows,
    /// or `-` for standard input.
    pub fn find(text: &str, rules: Option<&str>) -> Result<Instance> {
        match GameName::of(text) {
            GameName::SameGame => {
                Self::samegame(boards::find(text)?, rules).map_err(Failure::usage)
            }
            _ => Self::named(text, rules).map_err(Failure::usage),
        }
    }

    /// The instance of a name or of rows, never of a file.
    pub fn named(text: &str, rules: Option<&str>) -> Result<Instance, String> {
        let tail = text.split_once(':').map(|(_, tail)| tail);
        let game = GameName::of(text);
        let instance = match game {
            GameName::SameGame => {
                let name = text.parse().map_err(|error: BoardNameError| error.to_string())?;
                return Self::samegame(name, rules);
            }
            GameName::Morpion => {
                let variant = tail.unwrap_or_default().parse();
                Instance::Morpion(variant.map_err(|error| format!("{text}: {error}"))?)
            }
            GameName::LeftMove => {
                let depth = tail.map_or(Ok(LeftMove::default()), str::parse);
                Instance::LeftMove(depth.map_err(|error| format!("{text}: {error}"))?)
            }
        };
        match rules {
            Some(rules) => Err(format!("rules '{rules}': {game} has no rules to choose from")),
            None => Ok(instance),
        }
    }

    fn samegame(name: BoardName, rules: Option<&str>) -> Result<Instance, String> {
        let rules = Rules::parse(rules.unwrap_or("samegame")).map_err(|error| error.to_string())?;
        Ok(Instance::SameGame { board: name.board(), name, rules })
    }

    /// The name that finds it again.
    pub fn name(&self) -> String {
        match self {
            Instance::SameGame { name, .. } => name.to_string(),
            Instance::Morpion(variant) => format!("morpion:{variant}"),
            Instance::LeftMove(puzzle) => format!("leftmove:{}", puzzle.depth()),
        }
    }

    /// The game it is of.
    pub fn game(&self) -> GameName {
        match self {
            Instance::SameGame { .. } => GameName::SameGame,
            Instance::Morpion(_) => GameName::Morpion,
            Instance::LeftMove(_) => GameName::LeftMove,
        }
    }

    /// What it is, for people.
    pub fn about(&self) -> String {
        match self {
            Instance::SameGame { name, board, rules } => {
                let name = match name {
                    BoardName::Inline(_) => "as given".to_owned(),
                    name => name.to_string(),
                };
                let (width, height) = (board.width(), board.height());
                format!("{name}, {width}x{height}, {} blocks; rules {rules}", board.blocks())
            }
            Instance::Morpion(variant) => {
                let may = if variant.shared() == 1 { "may touch" } else { "share no point" };
                format!("morpion:{variant}, lines of {} that {may}", variant.length())
            }
            Instance::LeftMove(puzzle) => {
                let depth = puzzle.depth();
                format!("leftmove:{depth}, {depth} steps to the left or to the right")
            }
        }
    }

    /// The best score known and its source, where the rules are those of the
    /// records.
    pub fn best_known(&self) -> Option<(i64, &'static str)> {
        match self {
            Instance::SameGame { name, rules, .. } => {
                let standard = rules.to_string() == "samegame";
                let record = record(name).filter(|_| standard)?;
                Some((record.score, record.source.as_str()))
            }
            Instance::Morpion(variant) => {
                let best = variant.best();
                Some((best.score, best.source))
            }
            Instance::LeftMove(puzzle) => Some((i64::from(puzzle.depth()), "by definition")),
        }
    }
}
