//! What to solve and how, as text: the same on the command line, in results
//! and in checkpoints.
//!
//! Inside a run moves have the type of their game; outside they are names.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::{
    Budget, Event, Insight, Job, Kit, Line, PlainKit, Playout, Puzzle, TreeInsight, TriedMove,
};
use solitree_games::morpion::{Morpion, MorpionKit};
use solitree_games::samegame::{AnySameGame, Path};
use solitree_search::checkpoint::{self, CheckpointError};
use solitree_search::{Execution, Report, Request, Search, Snapshot, execute};

use crate::failure::Failure;
use crate::instance::Instance;
use crate::machines::Machines;
use crate::policy::{self, LoadedWeights};
use crate::setup::Setup;

/// A run, fully specified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The board's name, or its rows.
    pub board: String,
    /// The rules, where the game has some to choose from.
    pub rules: Option<String>,
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
    /// The moves of a line to begin with.
    pub line: Option<Vec<String>>,
}

/// A task with its texts understood.
pub struct Prepared {
    /// What to solve.
    pub instance: Instance,
    /// What the user should know about how it will be solved.
    pub remark: Option<String>,
    setup: Setup,
    weights: Option<LoadedWeights>,
}

/// How to run a task.
pub struct Run<'a> {
    /// Set to stop early.
    pub interrupt: &'a AtomicBool,
    /// Where to go on from.
    pub resume: Option<Vec<u8>>,
    /// How often to take a snapshot, if at all.
    pub snapshots: Option<Duration>,
    /// How often to look inside the search, if at all.
    pub insights: Option<Duration>,
    /// The instructions that SameGame uses.
    pub path: Path,
    /// Machines apart.
    pub machines: Machines,
}

impl<'a> Run<'a> {
    /// From the beginning, on the best instructions there are, with nothing to be
    /// told on the way.
    #[must_use]
    pub fn new(interrupt: &'a AtomicBool) -> Run<'a> {
        Run {
            interrupt,
            resume: None,
            snapshots: None,
            insights: None,
            path: Path::best(),
            machines: Machines::default(),
        }
    }
}

/// A snapshot as bytes, which [`Run::resume`] takes.
pub type Saved = Result<Vec<u8>, CheckpointError>;

/// Who hears of a run while it goes on.
pub struct Listeners<'a> {
    /// Sees every event.
    pub observer: &'a mut dyn FnMut(Event<'_, String>),
    /// Is handed every snapshot but the last.
    pub keep: &'a mut dyn FnMut(Saved),
}

/// How a run went.
pub struct Outcome {
    /// The report, without its snapshot.
    pub report: Report<String>,
    /// The last snapshot, if snapshots were asked for.
    pub saved: Option<Saved>,
}

impl Task {
    /// Understands the texts.
    pub fn prepare(&self) -> Result<Prepared> {
        self.prepare_with(Instance::find(&self.board, self.rules.as_deref())?, true)
    }

    /// The same without ever opening a file: the board is a name or rows.
    pub fn prepare_named(&self) -> Result<Prepared> {
        let instance = Instance::named(&self.board, self.rules.as_deref());
        self.prepare_for(instance.map_err(Failure::usage)?)
    }

    /// Understands the texts but the board's, which is known already, without ever
    /// opening a file.
    pub fn prepare_for(&self, instance: Instance) -> Result<Prepared> {
        self.prepare_with(instance, false)
    }

    fn prepare_with(&self, instance: Instance, files: bool) -> Result<Prepared> {
        let setup = Setup::read(instance.game(), &self.algorithm, &self.params)?;
        let (weights, remark) = match (&instance, setup.asks()) {
            (_, None) => (None, None),
            (Instance::SameGame { board, rules, .. }, Some(head)) => {
                policy::choose((&setup.policy, head), board, &rules.to_string(), files)?
            }
            (instance, Some(head)) => (None, Some(head.unlearnt(instance.game().name()))),
        };
        Ok(Prepared { instance, remark, setup, weights })
    }

    /// Runs it.
    pub fn run(
        &self,
        prepared: &Prepared,
        run: Run<'_>,
        listeners: Listeners<'_>,
    ) -> Result<Outcome> {
        let setup = &prepared.setup;
        match &prepared.instance {
            Instance::SameGame { board, rules, .. } => match AnySameGame::new(board, rules) {
                AnySameGame::Small(game) => {
                    let game = game.with_path(run.path);
                    let weights = prepared.weights.as_ref();
                    let kit = policy::kit(&setup.kit, weights, &game, &run.machines);
                    self.run_on(&game, &kit, setup, run, listeners)
                }
                AnySameGame::Large(game) => {
                    let game = game.with_path(run.path);
                    let weights = prepared.weights.as_ref();
                    let kit = policy::kit(&setup.kit, weights, &game, &run.machines);
                    self.run_on(&game, &kit, setup, run, listeners)
                }
            },
            Instance::Morpion(variant) => {
                self.run_on(&Morpion::new(*variant), &MorpionKit, setup, run, listeners)
            }
            Instance::LeftMove(puzzle) => self.run_on(puzzle, &PlainKit, setup, run, listeners),
        }
    }

    fn run_on<P: Puzzle + 'static>(
        &self,
        puzzle: &P,
        kit: &impl Kit<P>,
        setup: &Setup,
        run: Run<'_>,
        listeners: Listeners<'_>,
    ) -> Result<Outcome> {
        let line = self.line.as_ref().map(|moves| understood(puzzle, kit, moves)).transpose()?;
        let request = Request {
            budget: &self.budget,
            seed: self.seed,
            threads: self.threads,
            line: line.as_ref(),
        };
        let mut workers = setup.settings.workers(puzzle, kit, &request).map_err(Failure::usage)?;
        let resume: Option<Snapshot<P::Move>> = run
            .resume
            .map(|bytes| checkpoint::unpack(&bytes))
            .transpose()
            .map_err(Failure::input)?;
        if let Some(snapshot) = &resume {
            if snapshot.workers.len() != workers.len() {
                return Err(Failure::input(
                    "the checkpoint has another number of threads than it says",
                ));
            }
            for (worker, part) in workers.iter_mut().zip(&snapshot.workers) {
                worker.load(&part.search).map_err(|error| {
                    Failure::input(format!("the search in the checkpoint: {error}"))
                })?;
            }
        }
        let execution = Execution {
            puzzle,
            workers,
            budget: self.budget.clone(),
            interrupt: run.interrupt,
            known: line,
            resume,
            snapshots: run.snapshots,
            insights: run.insights,
        };
        let Listeners { observer, keep } = listeners;
        let report = execute(
            execution,
            &mut |event| observe(puzzle, &event, &mut *observer),
            &mut |snapshot| keep(checkpoint::pack(&snapshot)),
        );
        let Report { best, counters, elapsed, reason, snapshot } = report;
        let best = best.map(|line| named(puzzle, &line));
        Ok(Outcome {
            report: Report { best, counters, elapsed, reason, snapshot: None },
            saved: snapshot.map(|snapshot| checkpoint::pack(&snapshot)),
        })
    }
}

/// Tells an observer of an event by the names of its moves.
fn observe<P: Puzzle>(
    puzzle: &P,
    event: &Event<'_, P::Move>,
    observer: &mut dyn FnMut(Event<'_, String>),
) {
    match *event {
        Event::NewBest { line, counters, elapsed } => {
            let line = &named(puzzle, line);
            observer(Event::NewBest { line, counters, elapsed });
        }
        Event::Progress { counters, elapsed } => observer(Event::Progress { counters, elapsed }),
        Event::Insight { insight, counters, elapsed } => {
            let insight = &seen(puzzle, insight);
            observer(Event::Insight { insight, counters, elapsed });
        }
        Event::Checkpoint { counters, elapsed } => {
            observer(Event::Checkpoint { counters, elapsed });
        }
        Event::Stopped { reason, counters, elapsed } => {
            observer(Event::Stopped { reason, counters, elapsed });
        }
    }
}

/// A legal line by the names of its moves.
fn named<P: Puzzle>(puzzle: &P, line: &Line<P::Move>) -> Line<String> {
    let mut state = puzzle.start();
    let name = |&mv: &P::Move| {
        let name = puzzle.move_name(&state, mv);
        puzzle.play(&mut state, mv);
        name
    };
    Line { score: line.score, moves: line.moves.iter().map(name).collect() }
}

/// A look inside by the names of its moves.
fn seen<P: Puzzle>(puzzle: &P, insight: &Insight<P::Move>) -> Insight<String> {
    match insight {
        Insight::Policy(levels) => Insight::Policy(levels.clone()),
        Insight::Beam(beam) => Insight::Beam(beam.clone()),
        Insight::Tree(TreeInsight { counted, prefix, moves, depths }) => {
            let mut state = puzzle.start();
            let step = |&mv: &P::Move| {
                let name = puzzle.move_name(&state, mv);
                puzzle.play(&mut state, mv);
                name
            };
            let prefix = prefix.iter().map(step).collect();
            let tried = |&TriedMove { mv, visits, mean, best }: &TriedMove<P::Move>| TriedMove {
                mv: puzzle.move_name(&state, mv),
                visits,
                mean,
                best,
            };
            let moves = moves.iter().map(tried).collect();
            let (counted, depths) = (*counted, depths.clone());
            Insight::Tree(TreeInsight { counted, prefix, moves, depths })
        }
    }
}

/// The line that names stand for, if it is legal; a game that is not over is
/// played out.
fn understood<P: Puzzle>(
    puzzle: &P,
    kit: &impl Playout<P>,
    names: &[String],
) -> Result<Line<P::Move>> {
    let mut state = puzzle.start();
    let mut moves = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let Some(mv) = puzzle.parse_move(&state, name) else {
            return Err(Failure::input(format!("move {} ({name}) is not legal here", index + 1)));
        };
        puzzle.play(&mut state, mv);
        moves.push(mv);
    }
    let mut rest = [Job::new(state.clone(), 0)];
    kit.run(puzzle, &mut rest);
    for &mv in &rest[0].moves {
        let mv = kit.canonical(puzzle, &state, mv);
        puzzle.play(&mut state, mv);
        moves.push(mv);
    }
    Ok(Line { score: puzzle.score(&state), moves })
}
