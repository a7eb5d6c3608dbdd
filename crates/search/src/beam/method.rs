//! The two beam searches among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::apart;
use super::config::{BeamConfig, McBeamConfig, Shape, Worth};
use super::frontier::Item;
use super::{Beam, Foreseen, Layers, Learnt, Thinning};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for BeamConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "beam",
        about: "beam search by an evaluation of positions (SBS)",
        paper: "SPURIOUS AI (before 2010), unpublished; described in Schadd et al. (2012)",
        presets: &[
            Preset {
                name: "default",
                about: "wider and wider passes, until the budget is used",
                values: &[],
            },
            Preset {
                name: "blocks",
                about: "layers of positions with as many blocks left",
                values: &[("layers", "progress")],
            },
            Preset {
                name: "score",
                about: "positions are worth their points alone",
                values: &[("evaluation", "score")],
            },
            Preset {
                name: "colours",
                about: "positions are worth the over-estimator of their colours",
                values: &[("evaluation", "colours")],
            },
        ],
        parameters: Self::table,
        uses: &[Part::Evaluation],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let kits = vec![kit.clone()];
        start(puzzle, (kits, Learnt::default()), self.shape(), (self.from, self.fill), request)
    }
}

impl Method for McBeamConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "mc-beam",
        about: "beam search by playouts: a position is worth the best of a few",
        paper: "our own; compare Cazenave (2012), Monte Carlo Beam Search, IEEE TCIAIG 4",
        presets: &[
            Preset {
                name: "default",
                about: "every variant in a narrow pass, then the best as wide as the budget allows",
                values: &[("epsilon", "0")],
            },
            Preset {
                name: "single",
                about: "one variant only: the most frequent colour kept",
                values: &[("epsilon", "0"), ("variants", "false")],
            },
            Preset {
                name: "blocks",
                about: "layers of positions with as many blocks left",
                values: &[("epsilon", "0"), ("layers", "progress")],
            },
        ],
        parameters: Self::table,
        uses: &[Part::Playouts],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let kits = if self.variants { kit.variants(puzzle) } else { vec![kit.clone()] };
        start(puzzle, (kits, Learnt::default()), self.shape(), (self.from, self.fill), request)
    }
}

/// The workers of a beam by playouts that looks at the moves which the kit's policy
/// leaves over; at all, if there is no policy.
pub(crate) fn thinned<P: Puzzle + 'static, K: Kit<P>>(
    puzzle: &P,
    kit: &K,
    (config, thinning): (&McBeamConfig, Thinning),
    request: &Request<'_, P::Move>,
) -> Workers<P> {
    let kits = if config.variants { kit.variants(puzzle) } else { vec![kit.clone()] };
    let shape = Shape { all_moves: false, ..config.shape() };
    let learnt = Learnt { thinning: Some(thinning.into()), ..Learnt::default() };
    start(puzzle, (kits, learnt), shape, (config.from, config.fill), request)
}

/// The workers of a beam by what the kit foresees, with so many points for a board that
/// is cleared; by its evaluation, if it foresees nothing. So many playouts finish each
/// position that is kept.
pub(crate) fn foreseeing<P: Puzzle + 'static, K: Kit<P>>(
    puzzle: &P,
    kit: &K,
    (config, foreseen): (&BeamConfig, Foreseen),
    (clear, finishes): (f64, u64),
    request: &Request<'_, P::Move>,
) -> Workers<P> {
    let worth = if kit.foresight().is_some() { Worth::Foreseen(clear) } else { Worth::Evaluation };
    let shape = Shape { worth, finishes, ..config.shape() };
    let learnt = Learnt { foreseen: Some(foreseen.into()), ..Learnt::default() };
    start(puzzle, (vec![kit.clone()], learnt), shape, (config.from, config.fill), request)
}

/// Positions that a layer holds for each one it keeps, before it is pruned or
/// valued: how many moves there are in each.
const CROWD: u64 = 24;
/// Layers that hold positions at the same time, when they are not one by one.
const AHEAD: u64 = 12;

fn start<P: Puzzle + 'static, K: Kit<P>>(
    puzzle: &P,
    (kits, learnt): (Vec<K>, Learnt),
    mut shape: Shape,
    (from, fill): (u64, bool),
    request: &Request<'_, P::Move>,
) -> Workers<P> {
    let layers = if shape.layers == Layers::Progress { AHEAD } else { 1 };
    // The position, its place in the index, and in the trail for each layer.
    let trail = puzzle.max_moves() as u64 * 8;
    // How many moves there are in a position, for boards larger than usual too.
    let crowd = CROWD.max(puzzle.max_moves() as u64 / 4);
    let each = crowd * layers * (size_of::<Item<P>>() as u64 + 16) + trail;
    let apart = kits.first().and_then(|kit| apart::suits(kit, puzzle, shape));
    let widest = apart.unwrap_or(request.memory() / each);
    if widest == 0 || shape.width > widest {
        return Err(format!(
            "a beam of {} positions takes about {} MiB, and the memory limit is {} MiB",
            shape.width.max(1),
            (shape.width.max(1) * each).div_ceil(1 << 20),
            request.memory() >> 20
        ));
    }
    if fill && shape.width > 0 {
        return Err("fill-memory sets the width: do not set both".to_owned());
    }
    if fill {
        shape.width = widest;
    }
    let prefix = match request.line {
        Some(line) => line.moves.iter().copied().take(from as usize).collect(),
        None if from > 0 => {
            return Err("from: there is no line to keep moves of".to_owned());
        }
        None => Vec::new(),
    };
    // The machine is one; a thread that waits for it is enough.
    let threads = if apart.is_some() { 1 } else { request.threads };
    let seed = request.seed;
    let narrow = if apart.is_some() { apart::narrow(puzzle, shape, request.budget) } else { 4 };
    let widths = (narrow, widest);
    Ok(boxed(Beam::workers(puzzle, (kits, learnt), shape, prefix, widths, (seed, threads))))
}
