//! What to solve and how, as text: the same on the command line, in results
//! and in checkpoints.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::params::{ParamError, Params, nearest};
use solitree_core::{Budget, Event};
use solitree_games::samegame::{
    AnySameGame, Board, BoardName, Cell, Engine, Kernels, Path, PlayoutConfig, Rules, SameGame,
    SameGamePlayout,
};
use solitree_search::spmcts::{SpMcts, SpMctsConfig};
use solitree_search::{Execution, Report, Search, Snapshot, algorithm, execute};

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
    search: SpMctsConfig,
    playout: PlayoutConfig,
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
}

/// Every parameter of an algorithm with preset and settings applied, those of
/// the playouts last.
pub fn parameters(name: &str, settings: &[String]) -> Result<Vec<(String, String)>> {
    let (_, preset) = algorithm(name).map_err(Failure::usage)?;
    let mut search = SpMctsConfig::default();
    let mut playout = PlayoutConfig::default();
    for (key, value) in preset.values {
        set(&mut search, &mut playout, key, value)?;
    }
    for setting in settings {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Failure::usage(format!("--set {setting}: expected KEY=VALUE")));
        };
        set(&mut search, &mut playout, key.trim(), value.trim())?;
    }
    let values = search.values().into_iter().chain(playout.values());
    Ok(values.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn set(
    search: &mut SpMctsConfig,
    playout: &mut PlayoutConfig,
    key: &str,
    value: &str,
) -> Result<()> {
    let result = match search.set(key, value) {
        Err(ParamError::UnknownKey { .. }) => playout.set(key, value),
        known => known,
    };
    result.map_err(|error| match error {
        ParamError::UnknownKey { key, .. } => {
            let tables = [SpMctsConfig::table(), PlayoutConfig::table()];
            let near = nearest(&key, tables.iter().flatten().map(|info| info.key));
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
        let mut search = SpMctsConfig::default();
        let mut playout = PlayoutConfig::default();
        for (key, value) in &self.params {
            set(&mut search, &mut playout, key, value)?;
        }
        Ok(Prepared { board: name.board(), name, rules, search, playout })
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
        let cells = prepared.board.width() * prepared.board.height();
        let playout = SameGamePlayout::new(&prepared.playout, cells);
        let mut workers = SpMcts::workers(
            &game,
            &playout,
            &prepared.search,
            &self.budget,
            self.seed,
            self.threads,
        );
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
