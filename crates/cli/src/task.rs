//! What to solve and how, as text: the same on the command line, in results
//! and in checkpoints.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::params::{ParamError, Params, nearest};
use solitree_core::{Budget, Event, Line};
use solitree_games::samegame::{
    AnySameGame, Board, BoardName, Cell, Engine, Kernels, KitConfig, Path, Rules, SameGame,
    SameGameKit,
};
use solitree_search::{Execution, Report, Request, Search, Settings, Snapshot, execute};

use crate::failure::Failure;

/// A run, fully specified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The board's name, or its rows.
    pub board: String,
    /// The rules.
    pub rules: String,
    /// The algorithm and preset.
    pub algorithm: String,
    /// Every parameter.
    pub params: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// When to stop.
    pub budget: Budget,
}

/// A task with its texts understood.
pub struct Prepared {
    /// The board by name.
    pub name: BoardName,
    /// The board.
    pub board: Board,
    /// The rules.
    pub rules: Arc<Rules>,
    settings: Settings,
    kit: KitConfig,
}

/// How to run a task.
pub struct Run<'a> {
    /// Set to stop early.
    pub interrupt: &'a AtomicBool,
    /// Where to go on from.
    pub resume: Option<Snapshot<Cell>>,
    /// How often to take a snapshot, if at all.
    pub snapshots: Option<Duration>,
    /// The instructions to use.
    pub path: Path,
    /// A line to begin with.
    pub line: Option<&'a Line<Cell>>,
}

/// Every parameter of an algorithm with preset and settings applied, those of
/// the domain last.
pub fn parameters(name: &str, given: &[String]) -> Result<Vec<(String, String)>> {
    let (mut settings, preset) = Settings::of(name).map_err(Failure::usage)?;
    let mut kit = KitConfig::default();
    for (key, value) in preset.values {
        set(&mut settings, &mut kit, key, value)?;
    }
    for setting in given {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Failure::usage(format!("--set {setting}: expected KEY=VALUE")));
        };
        set(&mut settings, &mut kit, key.trim(), value.trim())?;
    }
    let values = settings.values().into_iter().chain(kit.values());
    Ok(values.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn set(settings: &mut Settings, kit: &mut KitConfig, key: &str, value: &str) -> Result<()> {
    let result = match settings.set(key, value) {
        Err(ParamError::UnknownKey { .. }) => kit.set(key, value),
        known => known,
    };
    result.map_err(|error| match error {
        ParamError::UnknownKey { key, .. } => {
            let (ours, domain) = (settings.values(), kit.values());
            let near = nearest(&key, ours.iter().chain(&domain).map(|&(key, _)| key));
            Failure::usage(ParamError::UnknownKey { key, near })
        }
        error => Failure::usage(error),
    })
}

impl Task {
    /// Understands the texts.
    pub fn prepare(&self) -> Result<Prepared> {
        let name = crate::boards::find(&self.board)?;
        let rules = Rules::parse(&self.rules).map_err(Failure::usage)?;
        let (mut settings, _) = Settings::of(&self.algorithm).map_err(Failure::usage)?;
        let mut kit = KitConfig::default();
        for (key, value) in &self.params {
            set(&mut settings, &mut kit, key, value)?;
        }
        Ok(Prepared { board: name.board(), name, rules, settings, kit })
    }

    /// Runs it.
    pub fn run(
        &self,
        prepared: &Prepared,
        run: Run<'_>,
        observer: &mut dyn FnMut(Event<'_, Cell>),
        keep: &mut dyn FnMut(Snapshot<Cell>),
    ) -> Result<Report<Cell>> {
        match AnySameGame::new(&prepared.board, &prepared.rules) {
            AnySameGame::Small(game) => self.run_on(&game, prepared, run, observer, keep),
            AnySameGame::Large(game) => self.run_on(&game, prepared, run, observer, keep),
        }
    }

    fn run_on<const W: usize, const P: usize>(
        &self,
        game: &SameGame<W, P>,
        prepared: &Prepared,
        run: Run<'_>,
        observer: &mut dyn FnMut(Event<'_, Cell>),
        keep: &mut dyn FnMut(Snapshot<Cell>),
    ) -> Result<Report<Cell>>
    where
        Kernels: Engine<W, P>,
    {
        let game = game.clone().with_path(run.path);
        let kit = SameGameKit::new(&prepared.kit, &game);
        let request = Request {
            budget: &self.budget,
            seed: self.seed,
            threads: self.threads,
            line: run.line,
        };
        let mut workers =
            prepared.settings.workers(&game, &kit, &request).map_err(Failure::usage)?;
        if let Some(snapshot) = &run.resume {
            if snapshot.workers.len() != workers.len() {
                return Err(Failure::input(
                    "the checkpoint has another number of threads than it says",
                ));
            }
            for (worker, part) in workers.iter_mut().zip(&snapshot.workers) {
                worker.load(&part.search).map_err(Failure::input)?;
            }
        }
        let execution = Execution {
            puzzle: &game,
            workers,
            budget: self.budget.clone(),
            interrupt: run.interrupt,
            resume: run.resume,
            snapshots: run.snapshots,
        };
        Ok(execute(execution, observer, keep))
    }
}
