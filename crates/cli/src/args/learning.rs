//! The command line of `train`.

use std::path::PathBuf;

use clap::Args;

use super::{count, seed};

/// `train`.
#[derive(Debug, Args)]
pub struct TrainArgs {
    /// The size of the boards: width, height, colours
    #[arg(long, default_value = "7x7x5", value_name = "WxHxC")]
    pub size: String,

    /// What things are worth
    #[arg(long, default_value = "samegame", value_name = "RULES")]
    pub rules: String,

    /// The network: paper, residual(blocks=B,filters=F) or tiny(layers=L,filters=F), with
    /// +policy behind it
    #[arg(long, default_value = "tiny(layers=4,filters=16)+policy", value_name = "NET")]
    pub net: String,

    /// What it sees: colours, as in the paper, or groups, which adds classes of groups
    #[arg(long, default_value = "groups", value_name = "WHAT")]
    pub features: String,

    /// Generations; a training that is done goes on if asked for more
    #[arg(long, value_parser = count, default_value = "10", value_name = "N")]
    pub generations: u64,

    /// Games of a generation
    #[arg(long, value_parser = count, default_value = "600", value_name = "N")]
    pub runs: u64,

    /// Games on each board; with several, the moves of all of them are learnt where they
    /// meet, each by the score of its game (soft targets)
    #[arg(long, value_parser = count, default_value = "1", value_name = "N")]
    pub lines: u64,

    /// Simulations before each move of a game
    #[arg(long, value_parser = count, default_value = "50", value_name = "N")]
    pub simulations: u64,

    /// The same in the first generation, which has no network to ask [default: four times
    /// as many]
    #[arg(long, value_parser = count, value_name = "N")]
    pub first_simulations: Option<u64>,

    /// Set a parameter of the search (see policy-mcts in `solitree algorithms`); may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Samples to learn from that are kept over the generations; a ninth as many are kept
    /// for validation
    #[arg(long, value_parser = count, default_value = "40k", value_name = "N")]
    pub buffer: u64,

    /// Samples a step
    #[arg(long, value_parser = count, default_value = "256", value_name = "N")]
    pub batch: u64,

    /// How far a step goes
    #[arg(long, default_value_t = 0.002, value_name = "RATE")]
    pub learning_rate: f32,

    /// The most times a generation goes through all samples
    #[arg(long, value_parser = count, default_value = "40", value_name = "N")]
    pub epochs: u64,

    /// Epochs without a better loss on the samples for validation that end a generation
    #[arg(long, value_parser = count, default_value = "3", value_name = "N")]
    pub patience: u64,

    /// Go on with the weights of the generation before instead of new ones
    #[arg(long)]
    pub keep_weights: bool,

    /// Boards on which the policy plays alone after each generation
    #[arg(long, value_parser = count, default_value = "200", value_name = "N")]
    pub validation: u64,

    /// The seed
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N|random")]
    pub seed: u64,

    /// Threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    pub threads: Option<u16>,

    /// The folder of the training; what is there already is not done again
    #[arg(long, default_value = "runs/train", value_name = "DIR")]
    pub out: PathBuf,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}
