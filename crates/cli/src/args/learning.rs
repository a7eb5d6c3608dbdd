//! The command line of `train`.

use std::path::PathBuf;

use clap::Args;
use solitree_lab::train::Device;

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
    #[arg(long, default_value = "tiny(layers=6,filters=32)+policy", value_name = "NET")]
    pub net: String,

    /// What it sees: colours, as in the paper, or groups, which adds classes of groups
    #[arg(long, default_value = "groups", value_name = "WHAT")]
    pub features: String,

    /// Generations; a training that is done goes on if asked for more
    #[arg(long, value_parser = count, default_value = "8", value_name = "N")]
    pub generations: u64,

    /// Games of a generation
    #[arg(long, value_parser = count, default_value = "4000", value_name = "N")]
    pub runs: u64,

    /// Games on each board; with several, the moves of all of them are learnt where they
    /// meet, each by the score of its game (soft targets)
    #[arg(long, value_parser = count, default_value = "1", value_name = "N")]
    pub lines: u64,

    /// Learn of each position all moves of the line that may as well be played first, not
    /// only the one that was
    #[arg(long)]
    pub any_order: bool,

    /// The search whose games are learnt from, or none: then the policy learns from
    /// Policy-MCTS, which is guided by what it has learnt, as in the paper
    #[arg(long, default_value = "mc-beam", value_name = "ALGORITHM[:PRESET]")]
    pub teacher: String,

    /// Playouts of the teacher for each game
    #[arg(long, value_parser = count, default_value = "10k", value_name = "N")]
    pub playouts: u64,

    /// Simulations of Policy-MCTS before each move of a game
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
    #[arg(long, value_parser = count, default_value = "100k", value_name = "N")]
    pub buffer: u64,

    /// Samples a step
    #[arg(long, value_parser = count, default_value = "256", value_name = "N")]
    pub batch: u64,

    /// How far a step goes
    #[arg(long, default_value_t = 0.003, value_name = "RATE")]
    pub learning_rate: f32,

    /// The most times a generation goes through all samples
    #[arg(long, value_parser = count, default_value = "2", value_name = "N")]
    pub epochs: u64,

    /// Epochs without a better loss on the samples for validation that end a generation
    #[arg(long, value_parser = count, default_value = "2", value_name = "N")]
    pub patience: u64,

    /// How often a generation goes on instead, with steps a quarter as long
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub cuts: u8,

    /// Begin each generation with a new network, as in the paper, not with the weights of
    /// the generation before
    #[arg(long)]
    pub renew: bool,

    /// Boards on which the policy plays alone, and guides a search, after each generation
    #[arg(long, value_parser = count, default_value = "300", value_name = "N")]
    pub validation: u64,

    /// The seed
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N|random")]
    pub seed: u64,

    /// Threads; the result does not depend on it [default: all cores]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    pub threads: Option<u16>,

    /// Who teaches the network: own, on the CPU, or torch, which is PyTorch and uses a GPU
    #[arg(long, value_parser = ["own", "torch"], default_value = "own", value_name = "WHO")]
    pub backend: String,

    /// Where PyTorch computes, and where games ask the network: auto, cpu or cuda [default: cpu; auto with --backend torch]
    #[arg(long, value_name = "WHERE")]
    pub device: Option<Device>,

    /// With --backend torch: the interpreter that has PyTorch [default: python3]
    #[arg(long, value_name = "PROGRAM")]
    pub python: Option<String>,

    /// The folder of the training; what is there already is not done again
    #[arg(long, default_value = "runs/train", value_name = "DIR")]
    pub out: PathBuf,

    /// No live line on the terminal
    #[arg(long)]
    pub no_progress: bool,
}
