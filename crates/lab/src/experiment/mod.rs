//! Experiments: many runs, described by a file.
//!
//! A [`Spec`] is read from a file; a [`Plan`] lists its runs; a [`Folder`] keeps
//! what has been found, one line a run, so that a run that was stopped goes on
//! where it was; [`run`] does what is left on all cores.

mod block;
mod claim;
mod folder;
mod game;
mod measure;
mod meet;
mod plan;
mod positions;
mod record;
mod runner;
mod shard;
mod share;
mod spec;
mod sweep;
mod taught;

pub use claim::{Claim, Published};
pub(crate) use folder::SIGNATURE;
pub use folder::{Environment, Folder};
pub use measure::Measure;
pub use meet::{Entry, Meet};
pub use plan::{Cell, Place, Plan, Unit};
pub use record::Record;
pub use runner::{Progress, Remarks, run};
pub use shard::Shard;
pub use spec::{Along, NamedBudget, Plot, Scale, Setting, Spec};
pub use sweep::Sweep;
