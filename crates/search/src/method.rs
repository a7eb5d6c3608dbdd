//! What an algorithm is to those who list, set and start it.

use solitree_core::params::{ParamInfo, Params};
use solitree_core::{Budget, Kit, Line, Puzzle};

use crate::Search;

/// An algorithm as the command line, experiments and documents name it.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Named settings.
    pub presets: &'static [Preset],
    /// Its parameters.
    pub parameters: fn() -> Vec<ParamInfo>,
    /// What it asks of the domain.
    pub uses: &'static [Part],
}

/// A named setting of an algorithm: values of parameters, those of the
/// domain included.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name after the colon.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Keys and values that differ from the defaults.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The preset of an algorithm that needs no other.
    pub const DEFAULT: Preset = Preset { name: "default", about: "as listed below", values: &[] };
}

/// A part of what a domain lends to the searches ([`Kit`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Games finished at random.
    Playouts,
    /// Games steered by weights, and which moves they may choose.
    Guide,
    /// What positions are worth.
    Evaluation,
    /// What has been learnt about moves.
    Policy,
    /// What has been learnt about the rest of games.
    Value,
}

/// What is asked of a search, whatever its method.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a, M> {
    /// How long it may go on.
    pub budget: &'a Budget,
    /// The seed.
    pub seed: u64,
    /// How many workers there shall be.
    pub threads: usize,
    /// A line to begin with, for those that can improve one. It is legal.
    pub line: Option<&'a Line<M>>,
}

impl<M> Request<'_, M> {
    /// Memory for trees and tables, over all threads: 2 GiB unless said
    /// otherwise.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.budget.memory.unwrap_or(2 << 30)
    }
}

/// One worker a thread, or a message that says why the settings cannot work.
pub type Workers<P> = Result<Vec<Box<dyn Search<P>>>, String>;

/// The parameters of an algorithm, which know how to start it.
pub trait Method: Params + Default + Clone {
    /// What it is called, and what it is.
    const ALGORITHM: Algorithm;

    /// Whether it can begin with a line ([`Request::line`]).
    const IMPROVES: bool = false;

    /// The workers of a run.
    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P>;
}

/// Workers of one kind as workers of any kind.
pub fn boxed<P: Puzzle, S: Search<P> + 'static>(workers: Vec<S>) -> Vec<Box<dyn Search<P>>> {
    workers.into_iter().map(|worker| Box::new(worker) as Box<dyn Search<P>>).collect()
}
