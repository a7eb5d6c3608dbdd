//! The command line of the laboratory: experiments and tuning.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use solitree_lab::experiment::Shard;

use super::{count, seed};

/// `reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Experiments by name; a * at the end stands for anything [default: all]
    pub names: Vec<String>,

    /// List them instead
    #[arg(long)]
    pub list: bool,

    #[command(flatten)]
    pub run: RunArgs,
}

/// `experiment`.
#[derive(Debug, Args)]
pub struct ExperimentArgs {
    /// The experiment: a TOML file such as those in experiments/
    pub file: PathBuf,

    #[command(flatten)]
    pub run: RunArgs,
}

/// `tune`.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// The algorithm and preset to start from; with --opponent, an agent
    #[arg(short, long, default_value = "sp-mcts:exploitation", value_name = "NAME[:PRESET]")]
    pub algorithm: String,

    /// Tune an agent of ColorShapeLinks by its games against this one: a board is then a
    /// pair of games, and a score thousandths of the points in them
    #[arg(long, value_name = "AGENT")]
    pub opponent: Option<String>,

    /// A parameter to tune, as KEY=LOW:HIGH, with :log behind it to draw it by its logarithm;
    /// may be repeated [default: the paper's five of SP-MCTS: c, d, t, w and epsilon]
    #[arg(long, value_name = "KEY=LOW:HIGH[:log]")]
    pub param: Vec<String>,

    /// A parameter that is set and not tuned; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// The size: quick (40 samples, 8 elite, 10 boards, 8 iterations) or paper
    /// (100 samples, 10 elite, 30 boards, 20 iterations)
    #[arg(long, value_enum, default_value_t = TuneScale::Quick, value_name = "SCALE")]
    pub scale: TuneScale,

    /// Samples of an iteration
    #[arg(long, value_parser = count, value_name = "N")]
    pub samples: Option<u64>,

    /// Samples that the next iteration is drawn after
    #[arg(long, value_parser = count, value_name = "N")]
    pub elite: Option<u64>,

    /// Boards of an iteration, new ones each time
    #[arg(long, value_parser = count, value_name = "N")]
    pub boards: Option<u64>,

    /// Iterations
    #[arg(long, value_parser = count, value_name = "N")]
    pub iterations: Option<u64>,

    /// The size of the boards
    #[arg(long, default_value = "15x15x5", value_name = "WxHxC")]
    pub size: String,

    /// How much of the old mean and deviation stays after an iteration, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = share, value_name = "PART")]
    pub smoothing: f64,

    /// Boards on which the result is held against the start, never seen before
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub validation: u64,

    /// Nodes of each run [default: 25k, if no playouts are given]
    #[arg(long, value_parser = count, value_name = "N")]
    pub nodes: Option<u64>,

    /// Playouts of each run, or of each move of a game
    #[arg(long, value_parser = count, value_name = "N")]
    pub playouts: Option<u64>,

    /// The seed
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N|random")]
    pub seed: u64,

    /// The folder of the tuning; what is there already is not done again
    #[arg(long, default_value = "runs/tune", value_name = "DIR")]
    pub out: PathBuf,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}

/// The size of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TuneScale {
    /// Minutes.
    Quick,
    /// The paper's.
    Paper,
}

/// How to run an experiment.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The size: quick (minutes), paper (the paper's own), or another that the file has
    #[arg(long, default_value = "quick", value_name = "SCALE")]
    pub scale: String,

    /// Where results go, a folder for each experiment; runs that are there already are
    /// not done again
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub out: PathBuf,

    /// Run a part only, such as 1/4; put the parts' files together in one folder to
    /// see the whole
    #[arg(long, default_value = "1/1", value_name = "I/N")]
    pub shard: Shard,

    /// Say what would be run, and run nothing
    #[arg(long)]
    pub dry_run: bool,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}

/// `runs`.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// List the folders there are
    List {
        /// Where they are
        #[arg(long, default_value = "runs", value_name = "DIR")]
        out: PathBuf,
    },
    /// Show tables and verdicts
    Show {
        /// The folder
        folder: PathBuf,
    },
    /// Print every run
    Export {
        /// The folder
        folder: PathBuf,
        #[command(flatten)]
        form: ExportArgs,
    },
}

/// In which form runs are exported.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ExportArgs {
    /// As comma-separated values
    #[arg(long)]
    pub csv: bool,
    /// As lines of JSON
    #[arg(long)]
    pub json: bool,
    /// The report as Markdown
    #[arg(long)]
    pub md: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..1.0).contains(value));
    value.ok_or_else(|| "not a part from 0 to below 1".to_owned())
}
