//! The portfolios among the algorithms, and their members.

use solitree_core::params::Params;
use solitree_core::{Kit, Plans, Puzzle};

use super::config::Repair;
use super::{HgstsConfig, Portfolio, PortfolioConfig, Recipe};
use crate::Settings;
use crate::beam::McBeamConfig;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};
use crate::nrpa::NrpaConfig;
use crate::spmcts::{SelectionFormula, SpMctsConfig};

impl Method for PortfolioConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "portfolio",
        about: "the default: NRPA with every variant, the budget moved to what works, lines repaired, or annealing",
        paper: "our own",
        presets: &[Preset::DEFAULT],
        parameters: Self::table,
        uses: &[Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        NrpaConfig::default().check_memory(request)?;
        let counted = request.budget.nodes.is_some() || request.budget.playouts.is_some();
        let anneals = match self.repair {
            Repair::Auto => <K::Plans as Plans<P>>::STEADY && !counted,
            Repair::Lns => false,
            Repair::Anneal => true,
        };
        let recipe = Recipe {
            members: vec![nrpa],
            cutting: if anneals { self.scouting() } else { self.cutting() },
            scouts: anneals.then_some(self.scouts),
            pool: self.pool as usize,
            stabilise: self.stabilise,
        };
        let family = |variant: K| {
            let refinements = if self.refine { variant.refinements(puzzle) } else { Vec::new() };
            std::iter::once(variant).chain(refinements).collect()
        };
        let families = kit.variants(puzzle).into_iter().map(family).collect();
        Ok(boxed(Portfolio::workers(puzzle, kit, families, &recipe, request)?))
    }
}

impl Method for HgstsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "hgsts",
        about: "many short runs of UCT, look-ahead and Monte-Carlo beams, chosen by fitness",
        paper: "after Edelkamp, Kissmann, Sulewski, Messerschmidt (2010), MKWI, never released",
        presets: &[Preset::DEFAULT],
        parameters: Self::table,
        uses: &[Part::Playouts],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let recipe = Recipe {
            members: vec![uct, beam],
            cutting: self.cutting(),
            scouts: None,
            pool: 8,
            stabilise: 1,
        };
        let families = kit.variants(puzzle).into_iter().map(|variant| vec![variant]).collect();
        Ok(boxed(Portfolio::workers(puzzle, kit, families, &recipe, request)?))
    }
}

/// One run of NRPA, three levels deep.
fn nrpa(recipe: &Recipe, size: u64) -> Settings {
    let iterations = libm::cbrt(size as f64 / recipe.stabilise as f64).max(2.0) as u64;
    Settings::Nrpa(NrpaConfig {
        level: 3,
        iterations,
        playouts: recipe.stabilise,
        runs: 1,
        ..NrpaConfig::default()
    })
}

/// One tree of SP-MCTS.
fn uct(_: &Recipe, _: u64) -> Settings {
    Settings::SpMcts(SpMctsConfig { formula: SelectionFormula::Program, ..SpMctsConfig::default() })
}

/// A Monte-Carlo beam, as wide as the slice allows.
fn beam(_: &Recipe, _: u64) -> Settings {
    Settings::McBeam(McBeamConfig { variants: false, ..McBeamConfig::default() })
}
