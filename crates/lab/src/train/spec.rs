//! What is taught and how, as text.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_games::samegame::{Generator, Rules};
use solitree_nn::{Features, NetConfig, Network, SameGameEncoder};
use solitree_search::Part;

use super::{Crew, wrong};
use crate::{GameName, Setup};

/// What `--set` may not name, since a training settles it.
const SETTLED: [&str; 4] = ["simulations", "control", "games", "weights"];

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Games of the first generation.
    First,
    /// Games of the others.
    Games,
    /// To see what the policy is worth: without noise.
    Measure,
}

/// What is taught and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Training {
    /// The size of the boards, such as `7x7x5`.
    pub size: String,
    /// The rules.
    pub rules: String,
    /// The network, as a line of text.
    pub net: NetConfig,
    /// What it sees: `colours` or `groups`.
    pub features: String,
    /// Generations.
    pub generations: u64,
    /// Games of a generation.
    pub runs: u64,
    /// Games on each board; several give soft targets.
    pub lines: u64,
    /// Whether all moves of a line count that may as well be played first, or only
    /// the one that was.
    pub any_order: bool,
    /// Simulations before each move.
    pub simulations: u64,
    /// The same in the first generation, which has no network to ask.
    pub first_simulations: u64,
    /// Another search that plays all games; none for Policy-MCTS with what has been
    /// learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<String>,
    /// The playouts such a search has for a game.
    pub playouts: u64,
    /// More settings of the search, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// How many samples to learn from are kept; a ninth as many for validation.
    pub buffer: u64,
    /// Samples a step.
    pub batch: usize,
    /// How far a step goes.
    pub learning_rate: f32,
    /// The most times all samples are gone through.
    pub epochs: usize,
    /// Epochs without a better loss on the samples for validation, after which
    /// a generation has learnt enough.
    pub patience: usize,
    /// How often it goes on instead, with steps a quarter as long.
    pub cuts: usize,
    /// Whether a generation goes on with the weights of the one before.
    pub keep_weights: bool,
    /// Boards on which the policy plays alone, and guides a search, after each
    /// generation.
    pub validation: u64,
    /// The seed of it all.
    pub seed: u64,
}

impl Training {
    /// Width, height and colours.
    pub(super) fn sides(&self) -> Result<(usize, usize, usize)> {
        let bad = |error: &dyn std::fmt::Display| wrong(format!("--size: {error}"));
        format!("1:{}", self.size).parse::<Generator>().map_err(|error| bad(&error))?;
        if self.size.contains(';') {
            return Err(bad(&format!("'{}' is not a size such as 7x7x5", self.size)));
        }
        let sides: Vec<usize> = self.size.split('x').filter_map(|side| side.parse().ok()).collect();
        match sides[..] {
            [width, height, colours] if width * height >= 2 => Ok((width, height, colours)),
            _ => Err(bad(&format!("no move is possible on {}", self.size))),
        }
    }

    /// What turns boards into planes.
    pub(super) fn encoder(&self) -> Result<SameGameEncoder> {
        let (width, height, colours) = self.sides()?;
        let features = match self.features.as_str() {
            "colours" => Features::Colours,
            "groups" => Features::Groups,
            other => {
                return Err(wrong(format!("--features: '{other}' is neither colours nor groups")));
            }
        };
        SameGameEncoder::new(width, height, colours, features).map_err(wrong)
    }

    /// The search that plays a generation or is measured, and the playouts it has
    /// for a game, if that is what ends it.
    pub(super) fn setup(&self, occasion: Occasion) -> Result<(Setup, Option<u64>)> {
        if let Some(teacher) = self.teacher.as_ref().filter(|_| occasion != Occasion::Measure) {
            return Ok((Setup::given(GameName::SameGame, teacher, &[])?, Some(self.playouts)));
        }
        let first = occasion == Occasion::First;
        let (c, alpha) = self.by_size()?;
        let simulations = if first { self.first_simulations } else { self.simulations };
        let mut given = vec![
            format!("c={c}"),
            format!("noise-alpha={alpha}"),
            // Playouts that ask the network at every move show best what it is worth;
            // for games they take too long on processor cores.
            format!("informed={}", occasion == Occasion::Measure),
        ];
        given.extend(self.set.iter().cloned());
        // What cannot be otherwise comes last.
        given.push(format!("simulations={simulations}"));
        given.extend(["control=move".to_owned(), "games=1".to_owned(), "weights=none".to_owned()]);
        given.extend(match occasion {
            Occasion::First => Some("informed=false".to_owned()),
            Occasion::Games => None,
            Occasion::Measure => Some("noise=0".to_owned()),
        });
        Ok((Setup::given(GameName::SameGame, "policy-mcts:training", &given)?, None))
    }

    /// The exploration constant and the noise of the paper's table 1, for the
    /// size nearest to this one.
    fn by_size(&self) -> Result<(f64, f64)> {
        let (width, height, _) = self.sides()?;
        Ok(match width * height {
            ..=74 => (30.0, 0.75),
            75..=162 => (4.0, 0.4),
            _ => (2.0, 0.25),
        })
    }

    /// Checks what can be wrong.
    pub fn check(&self) -> Result<()> {
        let encoder = self.encoder()?;
        let rules =
            Rules::parse(&self.rules).map_err(|error| wrong(format!("--rules: {error}")))?;
        if rules.to_string() != self.rules {
            return Err(wrong(format!("--rules: '{}' is written '{rules}'", self.rules)));
        }
        if !self.net.heads.policy {
            let net = self.net;
            return Err(wrong(format!("--net {net}: without a policy nothing plays by it")));
        }
        Network::new(self.net, solitree_nn::Encoder::input(&encoder))
            .map_err(|error| wrong(format!("--net {}: {error}", self.net)))?;
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return Err(wrong("--learning-rate: not a number above 0"));
        }
        self.check_counts()?;
        if !self.runs.is_multiple_of(self.lines) {
            return Err(wrong(format!(
                "--runs {}: not a multiple of --lines {}",
                self.runs, self.lines
            )));
        }
        if let Some(teacher) = &self.teacher {
            let (algorithm, _) = solitree_search::algorithm(teacher).map_err(wrong)?;
            if !algorithm.uses.iter().any(|part| matches!(part, Part::Playouts | Part::Guide)) {
                return Err(wrong(format!("--teacher {teacher}: it plays no games out")));
            }
        }
        for set in &self.set {
            let key = set.split('=').next().unwrap_or_default().trim();
            if SETTLED.contains(&key) {
                return Err(wrong(format!(
                    "--set {set}: a training settles '{key}' itself (--simulations and \
                     --first-simulations say how much a game is thought about)"
                )));
            }
        }
        for occasion in [Occasion::First, Occasion::Games, Occasion::Measure] {
            self.setup(occasion)?;
        }
        Ok(())
    }

    /// Checks the counts: those of games and boards are halves of seeds.
    fn check_counts(&self) -> Result<()> {
        for (name, count, most) in [
            ("generations", self.generations, u64::from(u32::MAX)),
            ("runs", self.runs, 1 << 32),
            ("lines", self.lines, 1 << 32),
            ("simulations", self.simulations, u64::MAX),
            ("first-simulations", self.first_simulations, u64::MAX),
            ("validation", self.validation, 1_000_000),
        ] {
            if count == 0 {
                return Err(wrong(format!("--{name} 0: not a count above 0")));
            }
            if count > most {
                return Err(wrong(format!("--{name} {count}: more than {most}")));
            }
        }
        Ok(())
    }

    /// What it is, in a line.
    #[must_use]
    pub fn title(&self) -> String {
        format!("Training {} on {}", self.net, self.size)
    }

    /// The command that repeats it by such a crew.
    #[must_use]
    pub fn command(&self, crew: Crew<'_>) -> String {
        let mut command = format!(
            "solitree train --size {} --rules '{}' --net '{}' --features {} --generations {} \
             --runs {} --lines {} --teacher {} --playouts {} --simulations {} --first-simulations {} --buffer {} --batch {} \
             --learning-rate {} --epochs {} --patience {} --cuts {} --validation {} --seed {}",
            self.size,
            self.rules,
            self.net,
            self.features,
            self.generations,
            self.runs,
            self.lines,
            self.teacher.as_deref().unwrap_or("none"),
            self.playouts,
            self.simulations,
            self.first_simulations,
            self.buffer,
            self.batch,
            self.learning_rate,
            self.epochs,
            self.patience,
            self.cuts,
            self.validation,
            self.seed
        );
        if !self.keep_weights {
            command.push_str(" --renew");
        }
        if self.any_order {
            command.push_str(" --any-order");
        }
        for set in &self.set {
            command.push_str(&format!(" --set {set}"));
        }
        match crew.torch {
            Some(torch) => command.push_str(&format!(" --backend torch --device {}", torch.device)),
            None if crew.machines.nets.is_some() => command.push_str(" --device cuda"),
            None => {}
        }
        command
    }
}
