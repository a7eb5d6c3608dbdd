//! Which machine plays.

use std::sync::Arc;

use anyhow::Result;
use solitree_games::samegame::Accelerator;
use solitree_lab::Failure;

use crate::args::Device;

/// The algorithms that can use a GPU.
const USERS: [&str; 2] = ["mc-beam", "swarm"];

/// Whether an algorithm can use a GPU.
pub fn uses(algorithm: &str) -> bool {
    USERS.contains(&algorithm.split(':').next().unwrap_or_default())
}

/// A machine apart for an algorithm that can use one. Without one, `auto` does
/// without, and `cuda` is an error that says what is missing.
pub fn accelerator(device: Device, algorithm: &str) -> Result<Option<Arc<dyn Accelerator>>> {
    let name = algorithm.split(':').next().unwrap_or_default();
    match device {
        Device::Cpu => Ok(None),
        Device::Auto if !uses(name) => Ok(None),
        Device::Auto => Ok(find().ok().map(|(_, accelerator)| accelerator)),
        Device::Cuda if !uses(name) => {
            let users = USERS.join(" and ");
            Err(Failure::usage(format!("--device cuda: {name} has no use for it; {users} have")))
        }
        Device::Cuda => match find() {
            Ok((_, accelerator)) => Ok(Some(accelerator)),
            Err(reason) => Err(Failure::usage(format!("--device cuda: {reason}"))),
        },
    }
}

/// The GPU and its name.
#[cfg(feature = "cuda")]
pub fn find() -> Result<(String, Arc<dyn Accelerator>), String> {
    use std::sync::OnceLock;
    type Found = Result<(String, Arc<dyn Accelerator>), String>;
    // One for all boards of a set: it keeps its kernels and its memory.
    static GPU: OnceLock<Found> = OnceLock::new();
    let tell = |reason: &str| {
        let text = format!("warning: the GPU is lost ({reason}); the processor goes on");
        crate::output::message(&text);
    };
    let find = || {
        let solitree_cuda::Gpu { name, bulk } = solitree_cuda::find(tell)?;
        Ok((name, Arc::new(bulk) as Arc<dyn Accelerator>))
    };
    GPU.get_or_init(find).clone()
}

/// The GPU and its name.
#[cfg(not(feature = "cuda"))]
pub fn find() -> Result<(String, Arc<dyn Accelerator>), String> {
    Err("this solitree was built without it: build with --features cuda".to_owned())
}
