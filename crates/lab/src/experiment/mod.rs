//! Experiments: many runs, described by a file.
//!
//! A [`Spec`] is read from a file; a [`Plan`] lists its runs; a [`Folder`] keeps
//! what has been found, one line a run, so that a run that was stopped goes on
//! where it was; [`run`] does what is left on all cores.

mod folder;
mod measure;
mod plan;
mod record;
mod runner;
mod spec;

pub(crate) use folder::SIGNATURE;
pub use folder::{Environment, Folder};
pub use measure::Measure;
pub use plan::{Cell, Plan, Shard, Unit};
pub use record::Record;
pub use runner::{Progress, Remarks, run};
pub use spec::{Along, Claim, NamedBudget, Plot, Published, Scale, Setting, Spec};
