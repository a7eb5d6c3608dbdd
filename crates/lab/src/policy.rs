//! What has been learnt of SameGame: shipped weights, or those of a file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use solitree_core::params::Range;
use solitree_core::{Taught, params};
use solitree_games::samegame::{
    Board, Engine, Generator, Kernels, KitConfig, SameGame, SameGameKit,
};
use solitree_nn::{Encoder, Heads, NetPolicy, Network, SameGameEncoder, Weights, WeightsError};

use crate::{Failure, Machines};

/// The weights in the box, by name. Of those that fit a board equally well the
/// first is taken.
const SHIPPED: &[(&str, &[u8])] = &[
    ("7x7x5", include_bytes!("../../../data/weights/samegame-7x7x5.safetensors")),
    ("10x10x5", include_bytes!("../../../data/weights/samegame-10x10x5.safetensors")),
    ("15x15x5", include_bytes!("../../../data/weights/samegame-15x15x5.safetensors")),
];

params! {
    /// Which policy a game lends.
    pub struct PolicyConfig {
        /// Trained weights: a file, auto for those in the box that suit the board best, or none.
        weights ("weights"): String = "auto".to_owned(), Range::WordOrFile(&["auto", "none"]);
    }
}

/// What a search asks a network for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// How good moves are.
    Policy,
    /// What is still to come.
    Value,
}

impl Head {
    fn is_among(self, heads: Heads) -> bool {
        match self {
            Head::Policy => heads.policy,
            Head::Value => heads.value,
        }
    }

    /// What to say where it has not been learnt.
    pub(crate) fn unlearnt(self, what: &str) -> String {
        let (instead, with) = match self {
            Head::Policy => ("all moves are alike at first", ""),
            Head::Value => ("positions are worth the game's own evaluation", " --net …+value"),
        };
        format!(
            "no weights in the box with a {self} head fit {what}: {instead} (`solitree \
             train{with}` makes weights, --set weights=FILE takes them)"
        )
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Head::Policy => "policy",
            Head::Value => "value",
        })
    }
}

/// A network as the policy of SameGame.
pub(crate) type SameGamePolicy = NetPolicy<SameGameEncoder>;

/// Weights that fit a board.
pub(crate) struct LoadedWeights {
    weights: Weights,
    encoder: SameGameEncoder,
    network: Network,
}

impl LoadedWeights {
    /// The weights for a size of boards and rules, if they fit.
    pub(crate) fn fit(
        weights: Weights,
        size: (usize, usize, usize),
        rules: &str,
    ) -> Result<LoadedWeights, WeightsError> {
        let encoder = SameGameEncoder::of(&weights.header.encoder, size)
            .unwrap_or_else(|error| panic!("a board has this size: {error}"));
        let network = weights.network(&encoder, rules)?;
        Ok(LoadedWeights { weights, encoder, network })
    }

    /// What they say of positions and moves, the same for all boards of a size; on a
    /// machine apart if there is one.
    pub(crate) fn policy<const W: usize, const P: usize>(
        &self,
        game: &SameGame<W, P>,
        machines: &Machines,
    ) -> SameGamePolicy
    where
        Kernels: Engine<W, P>,
    {
        let (input, colours) = (self.encoder.input(), self.encoder.colours());
        // Any board will do, as long as it is always the same.
        let size = format!("1:{}x{}x{}", input.width, input.height, colours.min((1 << P) - 1));
        let board = size.parse::<Generator>().map(|generator| generator.board());
        let example = match board {
            Ok(board) => SameGame::new(&board, &Arc::new(game.rules().clone())),
            Err(_) => game.clone(),
        };
        let Weights { header, params } = &self.weights;
        NetPolicy::new(self.encoder.clone(), &self.network, params, &example)
            .with_scale(header.scale)
            .with_machine(machines.nets.clone(), &self.network, params)
    }
}

/// The weights with a head that a setting names for a board, if there are any, and what
/// the user should know about it. Whether files may be opened is up to the caller.
pub(crate) fn choose(
    (config, head): (&PolicyConfig, Head),
    board: &Board,
    rules: &str,
    files: bool,
) -> Result<(Option<LoadedWeights>, Option<String>)> {
    let size = (board.width(), board.height(), board.colours().max(1));
    match config.weights.as_str() {
        "none" => Ok((None, None)),
        "auto" => {
            let found = shipped(head, size, rules);
            let remark = found.is_none().then(|| {
                let (width, height, colours) = size;
                head.unlearnt(&format!("{width}x{height}x{colours} under the rules '{rules}'"))
            });
            Ok((found, remark))
        }
        path if !files => Err(Failure::usage(format!(
            "parameter 'weights': '{path}' is not auto or none, and no file is opened here"
        ))),
        path => {
            let failed = |error| Failure::input(format!("weights {path}: {error}"));
            let weights = Weights::read(Path::new(path)).map_err(failed)?;
            let net = weights.header.net;
            if !head.is_among(net.heads) {
                return Err(Failure::input(format!("weights {path}: {net} has no {head} head")));
            }
            let fitting = LoadedWeights::fit(weights, size, rules).map_err(failed)?;
            Ok((Some(fitting), None))
        }
    }
}

/// All weights in the box.
///
/// # Panics
/// If they are damaged, which a test rules out.
pub fn shipped_weights() -> impl Iterator<Item = Weights> {
    SHIPPED.iter().map(|(name, bytes)| {
        Weights::parse(bytes)
            .unwrap_or_else(|error| panic!("the weights in the box, {name}: {error}"))
    })
}

/// The weights in the box with a head that fit, of the size nearest to a board's.
fn shipped(head: Head, size: (usize, usize, usize), rules: &str) -> Option<LoadedWeights> {
    let able = shipped_weights().filter(|weights| head.is_among(weights.header.net.heads));
    let fitting = able.filter_map(|weights| {
        let cells = weights.header.input.cells();
        let fitting = LoadedWeights::fit(weights, size, rules).ok()?;
        Some((cells.abs_diff(size.0 * size.1), fitting))
    });
    fitting.min_by_key(|&(distance, _)| distance).map(|(_, weights)| weights)
}

/// Everything that SameGame lends to a search, on machines apart if there are any.
pub(crate) fn kit<const W: usize, const P: usize>(
    config: &KitConfig,
    weights: Option<&LoadedWeights>,
    game: &SameGame<W, P>,
    machines: &Machines,
) -> Taught<SameGameKit, SameGamePolicy>
where
    Kernels: Engine<W, P>,
{
    let policy = weights.map(|weights| Arc::new(weights.policy(game, machines)));
    let kit = SameGameKit::new(config, game).with_accelerator(machines.accelerator.clone());
    Taught { kit, policy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_in_the_box_are_whole_and_taken() {
        for (name, bytes) in SHIPPED {
            let weights = Weights::parse(bytes).unwrap();
            let input = weights.header.input;
            assert!(name.starts_with(&format!("{}x{}x", input.width, input.height)), "{name}");
            assert!(!weights.header.training.command.is_empty(), "{name}: how it was made");
        }
        for size in [(7, 7, 5), (7, 7, 3), (15, 15, 5), (3, 3, 2)] {
            assert!(shipped(Head::Policy, size, "samegame").is_some(), "{size:?}");
        }
        let none = |size, rules| shipped(Head::Policy, size, rules).is_none();
        assert!(none((7, 7, 6), "samegame"), "more colours than were learnt");
        assert!(none((7, 7, 5), "codingame"), "other rules");
    }
}
