//! The command line.

mod hunting;
mod laboratory;
mod learning;
mod matches;
mod serving;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use solitree_core::params::{parse_count, parse_duration};
use solitree_lab::GameName;

pub use hunting::{HuntArgs, HuntCommand};
pub use laboratory::{
    ExperimentArgs, ExportArgs, ReproduceArgs, RunArgs, RunsCommand, TuneArgs, TuneScale,
};
pub use learning::TrainArgs;
pub use matches::{BookArgs, EngineArgs, EngineCheckArgs, MatchArgs};
pub use serving::ServeArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the asked condition failed (--target not reached, a solution that does not
       hold, another bench signature, a verdict of the papers that held before, an
       engine that fails a check)
  2    wrong usage: an unknown flag, board, algorithm, parameter or value
  3    a file or stream that cannot be read or parsed
  4    a bug of solitree
  130  stopped by Ctrl-C (143: by SIGTERM), after printing the best so far";

/// Monte-Carlo search for puzzles and games.
#[derive(Debug, Parser)]
#[command(name = "solitree", version, long_version = crate::output::LONG_VERSION, styles = STYLES,
          after_help = EXIT_CODES, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colour
    #[arg(long, value_enum, default_value_t = Colour::Auto, global = true, value_name = "WHEN")]
    pub color: Colour,

    /// Print results only, no progress and no remarks
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the best line of a board, or of a whole set
    Solve(Box<SolveArgs>),
    /// Replay solutions and check that they hold
    Verify(VerifyArgs),
    /// Draw a board, and a line move by move
    Show(ShowArgs),
    /// List the boards that have names
    Boards(JsonArgs),
    /// List the algorithms, their parameters and their papers
    Algorithms(AlgorithmsArgs),
    /// Print the signature of fixed searches and the speed of the playouts
    Bench(BenchArgs),
    /// Repeat the papers' tables and figures, theirs beside ours
    Reproduce(ReproduceArgs),
    /// Run an experiment of your own, described by a file
    Experiment(ExperimentArgs),
    /// Find better parameters by the Cross-Entropy Method
    Tune(Box<TuneArgs>),
    /// Teach a network which moves are good, by games of a search that asks it
    Train(Box<TrainArgs>),
    /// Hunt for records: attempt after attempt, on the boards that still improve
    Hunt {
        /// What to do
        #[command(subcommand)]
        command: Box<HuntCommand>,
    },
    /// List, show or export what experiments have found
    Runs {
        /// What to do
        #[command(subcommand)]
        command: RunsCommand,
    },
    /// Play ColorShapeLinks by the line protocol, or analyse positions by requests in JSON
    Engine(EngineArgs),
    /// Tell what is wrong with a program that speaks the line protocol
    EngineCheck(EngineCheckArgs),
    /// Let agents and programs play ColorShapeLinks against each other
    Match(Box<MatchArgs>),
    /// Compute an opening book of ColorShapeLinks, a line a position
    Book(BookArgs),
    /// Play, get hints and watch searches in the browser
    Serve(ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// How a board is named.
pub const BOARD_HELP: &str = "std:1 to std:20, r250:1 to r250:250, random:SEED[:WxHxC][;counts=N,…], \
rows such as 12/21, a file, - for standard input, morpion:5T, 5D, 4T or 4D, or leftmove:DEPTH";

/// `solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The board [default: std:1]
    #[arg(help = format!("The board: {BOARD_HELP} [default: std:1]"), conflicts_with = "set_of")]
    pub board: Option<String>,

    /// Solve a whole set: std or r250, or a part of it such as r250:1-50
    #[arg(long, value_name = "SET")]
    pub set_of: Option<String>,

    /// The algorithm and its preset; `solitree algorithms` lists them
    #[arg(short, long, value_name = "NAME[:PRESET]")]
    pub algorithm: Option<String>,

    /// Take the algorithm and parameters of a file, as `tune` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "resume"])]
    pub preset: Option<PathBuf>,

    /// Set a parameter of the algorithm or of its playouts; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// What things are worth in SameGame: a preset (see `solitree boards`) or a formula
    /// such as "(n-2)^2;clear=1000;left=-(m-2)^2" [default: samegame]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// The seed: the same seed, parameters and node budget on one thread give
    /// the same answer; `random` draws one [default: 1]
    #[arg(long, value_parser = seed, value_name = "N|random")]
    pub seed: Option<u64>,

    /// Threads [default: all cores]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    pub threads: Option<u16>,

    /// Where mc-beam, swarm and anneal play their games and policy-mcts asks its network:
    /// on a GPU if there is one, on the processor, or on a GPU and nothing else. With a GPU,
    /// swarm is the default for large boards and a limit of time
    #[arg(long, value_enum, default_value_t = Device::Auto, value_name = "DEVICE")]
    pub device: Device,

    #[command(flatten)]
    pub budget: BudgetArgs,

    #[command(flatten)]
    pub output: OutputArgs,

    /// Begin with lines of this file, as `solve --json` prints them or as BOARD
    /// SCORE MOVES…; - for standard input. The answer is never worse. Without
    /// a board, that of the first line
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub improve: Option<PathBuf>,

    /// Save the state of the search here, now and then and at the end
    #[arg(long, value_name = "FILE", conflicts_with = "set_of")]
    pub checkpoint: Option<PathBuf>,

    /// How often to save
    #[arg(long, value_parser = duration, default_value = "60s", value_name = "TIME", requires = "checkpoint")]
    pub checkpoint_every: Duration,

    /// Go on from a saved state; budgets count from its beginning
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["board", "set_of", "algorithm", "set", "rules", "seed", "threads"])]
    pub resume: Option<PathBuf>,
}

/// When to stop.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budget (the first limit reached stops the search)")]
pub struct BudgetArgs {
    /// Time for each board, such as 500ms, 10s, 5m, 2h [default: 10s, if no
    /// other limit is given]
    #[arg(long, value_parser = duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,

    /// Nodes added to search trees, such as 100k or 1M
    #[arg(long, value_parser = count, value_name = "N")]
    pub nodes: Option<u64>,

    /// Playouts
    #[arg(long, value_parser = count, value_name = "N")]
    pub playouts: Option<u64>,

    /// Stop at this score; exit 1 if it is not reached
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    pub target: Option<i64>,

    /// Memory for trees and tables, such as 512M or 4G [default: 2G]
    #[arg(long, value_parser = bytes, value_name = "BYTES")]
    pub memory_limit: Option<u64>,
}

/// What to print.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print one JSON object a board
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,

    /// Print every event as a line of JSON
    #[arg(long)]
    pub jsonl: bool,

    /// With --jsonl, looks inside the search too: a tree's moves and depths, a
    /// policy's concentration, a beam's layers
    #[arg(long, requires = "jsonl")]
    pub insights: bool,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Solutions, one a line: JSON as `solve --json` prints it, or BOARD SCORE
    /// MOVES…; with --game colorshapelinks recorded games, as `match --jsonl` prints
    /// them; - for standard input
    pub file: PathBuf,

    /// The game that all solutions must be of [default: any, each by the name
    /// of its board]
    #[arg(long, value_parser = game(), value_name = "NAME")]
    pub game: Option<VerifiedGame>,

    /// The rules of SameGame, where a line does not name them [default: samegame]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The board
    #[arg(help = format!("The board: {BOARD_HELP}"), default_value = "std:1")]
    pub board: String,

    /// Play these moves, such as "a1 c4 b2": SameGame is drawn before each,
    /// Morpion Solitaire at the end
    #[arg(long, value_name = "MOVE", num_args = 1.., value_delimiter = ' ')]
    pub moves: Vec<String>,

    /// What things are worth in SameGame [default: samegame]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// Print a picture as SVG instead
    #[arg(long)]
    pub svg: bool,
}

/// Listings.
#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `algorithms`.
#[derive(Debug, Args)]
pub struct AlgorithmsArgs {
    /// Of puzzles (1), for `solve`, or of games of two players (2), for `match` and `engine`
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2), value_name = "1|2")]
    pub players: u8,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Exit 1 if the signature is another
    #[arg(long, value_name = "SIGNATURE")]
    pub expect: Option<String>,

    /// Time for each measurement of speed; 0s for the signature alone
    #[arg(long, value_parser = duration, default_value = "1s", value_name = "TIME")]
    pub time: Duration,

    /// The instructions to use: scalar, avx2 or avx512 [default: the best there are]
    #[arg(long, value_name = "PATH")]
    pub simd: Option<String>,

    /// Measure this device instead: cuda, or cpu for the same work on one core
    #[arg(long, value_enum, value_name = "DEVICE", conflicts_with = "expect")]
    pub device: Option<Device>,

    /// Compare the device's games with the processor's, one by one, and what networks say
    #[arg(long, requires = "device")]
    pub check: bool,
}

/// Where games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// On a GPU where there is one.
    Auto,
    /// On the processor.
    Cpu,
    /// On an NVIDIA GPU.
    Cuda,
}

/// What can be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifiedGame {
    /// Solutions of a puzzle.
    Puzzle(GameName),
    /// Games of ColorShapeLinks.
    ColorShapeLinks,
}

fn game() -> impl TypedValueParser<Value = VerifiedGame> {
    let words = GameName::WORDS.iter().copied().chain(["colorshapelinks"]);
    PossibleValuesParser::new(words).map(|word| match word.as_str() {
        "colorshapelinks" => VerifiedGame::ColorShapeLinks,
        word => VerifiedGame::Puzzle(GameName::of(word)),
    })
}

fn seed(text: &str) -> Result<u64, String> {
    if text == "random" {
        // The seed of the standard hash maps is random enough for a number that
        // is printed and can be given again.
        use std::hash::{BuildHasher, RandomState};
        return Ok(RandomState::new().hash_one(std::process::id()) >> 16);
    }
    text.parse().map_err(|_| "not a whole number below 2^64, nor 'random'".to_owned())
}

fn count(text: &str) -> Result<u64, String> {
    match parse_count(text) {
        Some(0) | None => Err("not a count above 0 such as 250, 100k or 1M".to_owned()),
        Some(count) => Ok(count),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let error = || "not a size such as 512M or 4G".to_owned();
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let number: u64 = number.parse().map_err(|_| error())?;
    let bytes = number.checked_mul(1 << unit).ok_or_else(error)?;
    if bytes < 1 << 20 { Err("less than a megabyte holds no tree".to_owned()) } else { Ok(bytes) }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "not a time such as 500ms, 10s, 5m or 2h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn durations_and_sizes_have_units() {
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(duration("10").is_err() && duration("s").is_err() && duration("-1s").is_err());
        assert!(duration("1e99s").is_err() && duration("999999999999999999999999d").is_err());
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert!(bytes("1k").is_err() && bytes("x").is_err() && bytes("99999999999G").is_err());
        assert!(count("0").is_err());
    }
}
