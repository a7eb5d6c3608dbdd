//! The command line of `hunt`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use solitree_lab::hunt::HuntMethod;

use super::{Device, duration};

/// What to do in a hunt.
#[derive(Debug, Subcommand)]
pub enum HuntCommand {
    /// Hunt, or go on hunting, until stopped
    Run(HuntArgs),
    /// Show the best score of each board, and what found it
    Status {
        /// The hunt's folder
        folder: PathBuf,
    },
    /// Print the best line of each board
    Export {
        /// The hunt's folder
        folder: PathBuf,
    },
    /// Take lines from elsewhere, after replaying them
    Merge {
        /// The hunt's folder
        folder: PathBuf,
        /// Files of lines, as `solve --json` prints them or as BOARD SCORE MOVES…
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// `hunt run`.
#[derive(Debug, Args)]
pub struct HuntArgs {
    /// The hunt's folder; made if it is not there
    pub folder: PathBuf,

    /// Boards, by name [default: the standard set]
    pub boards: Vec<String>,

    /// Boards of a set: std or r250, or a part of it such as r250:1-50
    #[arg(long, value_name = "SET", conflicts_with = "boards")]
    pub set_of: Option<String>,

    /// A method, such as lns or swarm,width=1000, with a + before it to begin with the
    /// best line so far; may be repeated [default: portfolio, +portfolio, +anneal; on a
    /// GPU swarm, anneal, +anneal]
    #[arg(short, long = "method", value_name = "[+]NAME[,KEY=VALUE…]")]
    pub methods: Vec<HuntMethod>,

    /// Time for an attempt
    #[arg(long, value_parser = duration, default_value = "10s", value_name = "TIME")]
    pub slice: Duration,

    /// Time for the whole hunt [default: until it is stopped]
    #[arg(long, value_parser = duration, value_name = "TIME")]
    pub time_limit: Option<Duration>,

    /// Attempts in the whole hunt [default: until it is stopped]
    #[arg(long, value_name = "N")]
    pub attempts: Option<u64>,

    /// What things are worth in SameGame [default: samegame]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// The first attempt's seed; each has its own
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,

    /// Threads [default: all cores]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    pub threads: Option<u16>,

    /// Where mc-beam, swarm and anneal play their games
    #[arg(long, value_enum, default_value_t = Device::Auto, value_name = "DEVICE")]
    pub device: Device,
}
