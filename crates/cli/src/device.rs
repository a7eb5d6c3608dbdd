//! Which machine plays.

use std::sync::Arc;

use anyhow::Result;
use solitree_games::samegame::{Accelerator, BulkShape};
use solitree_lab::{DEFAULT_ALGORITHM, Failure, Instance, Machines};
use solitree_nn::NetMachine;

use crate::args::{BudgetArgs, Device, SolveArgs};

/// What makes the most of one.
const SWARM: &str = "swarm";
/// The algorithms whose games a GPU can play.
const PLAYERS: [&str; 3] = ["mc-beam", SWARM, "anneal"];
/// Those that ask a network about many positions at a time.
const ASKERS: [&str; 3] = ["policy-mcts", "policy-alone", "value-beam"];

/// Whether an algorithm can use a GPU.
pub fn uses(algorithm: &str) -> bool {
    let name = algorithm.split(':').next().unwrap_or_default();
    PLAYERS.contains(&name) || ASKERS.contains(&name)
}

/// A GPU.
#[derive(Clone)]
pub struct Gpu {
    /// What it is called.
    pub name: String,
    /// Plays SameGame.
    pub accelerator: Arc<dyn Accelerator>,
    /// Evaluates networks.
    pub nets: Arc<dyn NetMachine>,
}

impl From<Gpu> for Machines {
    fn from(gpu: Gpu) -> Machines {
        Machines { accelerator: Some(gpu.accelerator), nets: Some(gpu.nets) }
    }
}

/// Blocks of the boards on which `swarm` on a GPU was measured to find more than the
/// default on the processor; on small ones that proves its lines.
const LARGE: usize = 225;

/// What solves a board, or the boards of a set, where no algorithm was named: on a GPU
/// `swarm`, if time is what limits it and nothing is set. Within so many games the default
/// gives the same answer on every machine, and what can be set is the portfolio's.
pub fn default_algorithm(args: &SolveArgs, instance: Option<&Instance>) -> &'static str {
    let BudgetArgs { nodes, playouts, .. } = args.budget;
    let free = nodes.is_none() && playouts.is_none() && args.set.is_empty();
    let swarms = match (args.device, instance) {
        (Device::Cpu, _) => false,
        (Device::Cuda, instance) => matches!(instance, None | Some(Instance::SameGame { .. })),
        // Boards of sets are those that it was measured on.
        (Device::Auto, None) => free && find().is_ok(),
        (Device::Auto, Some(Instance::SameGame { board, .. })) => {
            let large = free && board.blocks() >= LARGE;
            large && find().is_ok_and(|gpu| gpu.accelerator.widest(&BulkShape::of(board)).is_some())
        }
        (Device::Auto, Some(_)) => false,
    };
    if swarms { SWARM } else { DEFAULT_ALGORITHM }
}

/// The machines for an algorithm that can use them. Without a GPU, `auto` does
/// without, and `cuda` is an error that says what is missing: see [`demand`].
pub fn machines(device: Device, algorithm: &str) -> Result<Machines> {
    let name = algorithm.split(':').next().unwrap_or_default();
    let found = match device {
        Device::Cpu => return Ok(Machines::default()),
        Device::Auto if !uses(name) => return Ok(Machines::default()),
        Device::Cuda if !uses(name) => {
            let all = [&PLAYERS[..], &ASKERS[..]].concat();
            let (last, others) = all.split_last().unwrap_or((&"", &[]));
            let text = format!(
                "--device cuda: {name} has no use for it; {} and {last} have",
                others.join(", ")
            );
            return Err(Failure::usage(text));
        }
        Device::Auto => find().ok(),
        Device::Cuda => Some(demand()?),
    };
    let asks = ASKERS.contains(&name);
    Ok(match found {
        None => Machines::default(),
        Some(gpu) if asks => Machines { accelerator: None, nets: Some(gpu.nets) },
        Some(gpu) => Machines { accelerator: Some(gpu.accelerator), nets: None },
    })
}

/// The GPU, or exit 3 with a line that says what is missing.
pub fn demand() -> Result<Gpu> {
    find().map_err(|reason| Failure::input(format!("--device cuda: {reason}")))
}

/// The GPU.
#[cfg(feature = "cuda")]
pub fn find() -> Result<Gpu, String> {
    use std::sync::OnceLock;
    // One for all boards of a set: it keeps its kernels and its memory.
    static GPU: OnceLock<Result<Gpu, String>> = OnceLock::new();
    let tell = |reason: &str| {
        let text = format!("warning: the GPU is lost ({reason}); the processor goes on");
        crate::output::message(&text);
    };
    let find = || {
        let solitree_cuda::Gpu { name, bulk, nets } = solitree_cuda::find(tell)?;
        Ok(Gpu { name, accelerator: Arc::new(bulk), nets: Arc::new(nets) })
    };
    GPU.get_or_init(find).clone()
}

/// The GPU.
#[cfg(not(feature = "cuda"))]
pub fn find() -> Result<Gpu, String> {
    Err("this solitree was built without it: build with --features cuda".to_owned())
}
