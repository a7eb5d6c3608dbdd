//! Machines apart that searches may use.

use std::sync::Arc;

use solitree_games::samegame::Accelerator;
use solitree_nn::NetMachine;

/// What a search may use of a GPU: nothing unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct Machines {
    /// Plays SameGame in bulk.
    pub accelerator: Option<Arc<dyn Accelerator>>,
    /// Evaluates networks.
    pub nets: Option<Arc<dyn NetMachine>>,
}
