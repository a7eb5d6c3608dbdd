//! The command line of the two-player game: engine and matches.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use solitree_games::colorshapelinks::Layout;
use solitree_lab::matches::process::split_command;
use solitree_lab::matches::{Agent, AgentKind, Pace};
use solitree_lab::stats::Sprt;

use super::{bytes, count, duration, seed};

/// How an agent is named.
const AGENT_HELP: &str =
    "champion, uct[:PRESET][,KEY=VALUE…] (see `solitree algorithms --players 2`), random";

/// `engine`.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The agent
    #[arg(help = format!("The agent: {AGENT_HELP}"), default_value = "champion", value_parser = agent)]
    pub agent: Agent,

    /// Playouts for each move, instead of the time it is told
    #[arg(long, value_parser = count, value_name = "N")]
    pub playouts: Option<u64>,

    /// What it keeps back of its time
    #[arg(long, value_parser = duration, default_value = "20ms", value_name = "TIME")]
    pub reserve: Duration,

    /// Memory for the tree
    #[arg(long, value_parser = bytes, default_value = "256M", value_name = "BYTES")]
    pub memory_limit: u64,

    /// The seed
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N|random")]
    pub seed: u64,

    /// Analyse positions for other programs instead, of SameGame and of ColorShapeLinks: a
    /// line of JSON a request, many at once (see docs/engine.md)
    #[arg(long, conflicts_with_all = ["agent", "playouts", "reserve", "memory_limit", "seed"])]
    pub jsonl: bool,

    /// With --jsonl, threads that search at once [default: all cores]
    #[arg(short, long, requires = "jsonl", value_parser = clap::value_parser!(u16).range(1..=1024),
          value_name = "N")]
    pub threads: Option<u16>,
}

/// `engine-check`.
#[derive(Debug, Args)]
pub struct EngineCheckArgs {
    /// The engine: a program and its arguments, or all of them in one word, with or without
    /// cmd: before it. Options of this command come first
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true,
          value_name = "CMD")]
    pub command: Vec<String>,

    /// How long it may take to be ready
    #[arg(long, value_parser = duration, default_value = "10s", value_name = "TIME")]
    pub start_time: Duration,

    /// How much later than its time a move may come
    #[arg(long, value_parser = duration, default_value = "10ms", value_name = "TIME")]
    pub margin: Duration,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

impl EngineCheckArgs {
    /// The program and its arguments.
    pub fn words(&self) -> Result<Vec<String>, String> {
        match &self.command[..] {
            [line] => split_command(line.strip_prefix("cmd:").unwrap_or(line)),
            words => Ok(words.to_vec()),
        }
    }
}

/// `book`.
#[derive(Debug, Args)]
pub struct BookArgs {
    /// The agent who thinks
    #[arg(long, default_value = "champion", value_parser = thinking, value_name = "AGENT")]
    pub agent: Agent,

    /// Positions after so many moves at most
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=6), value_name = "N")]
    pub plies: u8,

    /// Playouts for each position
    #[arg(long, value_parser = count, default_value = "5M", value_name = "N")]
    pub playouts: u64,

    /// A book whose positions are not thought about again
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,
}

/// An agent that can think for long.
fn thinking(text: &str) -> Result<Agent, String> {
    let agent: Agent = text.parse()?;
    match agent.kind {
        AgentKind::Uct(_) => Ok(agent),
        AgentKind::Random | AgentKind::Program(_) => Err("it does not think".to_owned()),
    }
}

/// `match`.
#[derive(Debug, Args)]
pub struct MatchArgs {
    /// Who plays, two at least
    #[arg(help = format!("Who plays, two at least: {AGENT_HELP}, or cmd:PROGRAM for one that \
                          speaks the line protocol"),
          required = true, num_args = 1.., value_parser = agent, value_name = "AGENT")]
    pub agents: Vec<Agent>,

    /// Everybody meets the first only
    #[arg(long)]
    pub gauntlet: bool,

    /// Games of each two, in pairs with sides swapped
    #[arg(long, value_parser = count, default_value = "100", value_name = "N")]
    pub games: u64,

    /// Time for each move
    #[arg(long, value_parser = duration, default_value = "200ms", value_name = "TIME")]
    pub move_time: Duration,

    /// Playouts for each move of our own agents instead: repeatable bit for bit
    #[arg(long, value_parser = count, value_name = "N")]
    pub playouts: Option<u64>,

    /// What our own agents keep back of their time
    #[arg(long, value_parser = duration, default_value = "20ms", value_name = "TIME")]
    pub reserve: Duration,

    /// What the referee lets pass beyond the time for a move
    #[arg(long, value_parser = duration, default_value = "10ms", value_name = "TIME")]
    pub margin: Duration,

    /// Random moves at the beginning of each pair of games
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=20), value_name = "N")]
    pub plies: u8,

    #[command(flatten)]
    pub board: BoardArgs,

    /// Stop when a sequential test between these two Elo differences is decided; two agents only
    #[arg(long, value_parser = sprt, value_name = "ELO0,ELO1")]
    pub sprt: Option<Sprt>,

    /// Games at a time [default: one a core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    pub concurrency: Option<u16>,

    /// Memory for each tree
    #[arg(long, value_parser = bytes, default_value = "256M", value_name = "BYTES")]
    pub memory_limit: u64,

    /// The seed of openings and agents
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N|random")]
    pub seed: u64,

    /// Keep the games in this folder, one line of JSON each, and go on from there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write report.html and its pictures into this folder; with --out of a match that is
    /// over, nothing is played for it
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// Print the points too, as in the competition: three for a win, one for a draw
    #[arg(long)]
    pub points: bool,

    /// Print every game as a line of JSON
    #[arg(long)]
    pub jsonl: bool,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}

impl MatchArgs {
    /// How long players think.
    pub fn pace(&self) -> Pace {
        let Self { move_time, playouts, reserve, memory_limit, .. } = *self;
        // A clock would make what is repeatable depend on the machine.
        let limit = if playouts.is_some() { Duration::from_secs(3600) } else { move_time };
        Pace { limit, playouts, reserve, memory: memory_limit }
    }
}

/// The size of the game.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Board")]
pub struct BoardArgs {
    /// Rows
    #[arg(long, default_value_t = 6, value_name = "N")]
    pub rows: u32,
    /// Columns
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub cols: u32,
    /// How many in a line win
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub line: u32,
    /// Round pieces of each player
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub rounds: u32,
    /// Square pieces of each player
    #[arg(long, default_value_t = 11, value_name = "N")]
    pub squares: u32,
}

impl BoardArgs {
    pub fn layout(self) -> Layout {
        let BoardArgs { rows, cols, line, rounds, squares } = self;
        Layout { rows, cols, line, rounds, squares }
    }
}

fn agent(text: &str) -> Result<Agent, String> {
    text.parse()
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let wrong = || "not two Elo differences such as 0,10".to_owned();
    let (elo0, elo1) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let sprt = Sprt { elo0: number(elo0)?, elo1: number(elo1)?, alpha: 0.05, beta: 0.05 };
    sprt.check()?;
    Ok(sprt)
}
