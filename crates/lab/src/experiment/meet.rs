//! Experiments of matches: who meets whom.

use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::spec::{Setting, Spec};
use crate::matches::{Agent, AgentKind};

/// How the settings of an experiment of matches meet: agents of ColorShapeLinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meet {
    /// All others meet the first, which they are measured by.
    First,
    /// Everybody meets everybody.
    All,
    /// Everybody meets itself.
    Itself,
}

/// What a run is: a setting at work alone, or a game of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A setting on a board.
    Alone(usize),
    /// Two settings at the board.
    Game {
        /// Who plays White.
        white: usize,
        /// Who plays Red.
        red: usize,
    },
}

impl Entry {
    /// The setting that a run is written down under: White's in a game.
    #[must_use]
    pub fn setting(self) -> usize {
        match self {
            Entry::Alone(setting) | Entry::Game { white: setting, .. } => setting,
        }
    }

    /// The other setting of a game.
    #[must_use]
    pub fn opponent(self) -> Option<usize> {
        match self {
            Entry::Alone(_) => None,
            Entry::Game { red, .. } => Some(red),
        }
    }
}

impl Meet {
    /// What a round of games is called, in the plural.
    #[must_use]
    pub fn rounds(self) -> &'static str {
        match self {
            Meet::First => "pairs of games",
            Meet::All => "rounds",
            Meet::Itself => "games",
        }
    }

    /// The name of a round.
    pub(super) fn round(self, number: u64) -> String {
        match self {
            Meet::First => format!("pair {number}"),
            Meet::All => format!("round {number}"),
            Meet::Itself => format!("game {number}"),
        }
    }

    /// Games of two settings in a round: both sides, or one where they are the same.
    pub(super) fn games_of_two(self) -> u64 {
        if self == Meet::Itself { 1 } else { 2 }
    }

    /// The games of a round; two that follow each other are of the same two settings
    /// with sides swapped, but where everybody meets itself.
    pub(super) fn entries(self, settings: &[usize]) -> Vec<Entry> {
        if self == Meet::Itself {
            return settings.iter().map(|&one| Entry::Game { white: one, red: one }).collect();
        }
        let first = if self == Meet::First { 1 } else { settings.len() };
        let mut entries = Vec::new();
        for (place, &one) in settings.iter().enumerate().take(first) {
            for &other in &settings[place + 1..] {
                entries.push(Entry::Game { white: other, red: one });
                entries.push(Entry::Game { white: one, red: other });
            }
        }
        entries
    }
}

impl Spec {
    /// Whether it is of matches, and asks for nothing that only puzzles have; or the
    /// other way round.
    pub(super) fn check_meet(&self) -> Result<(), String> {
        let Some(meet) = self.meet else { return self.check_alone() };
        let wrong = |text: &str| Err(format!("{text}: not in an experiment of matches"));
        if self.rules.is_some() {
            return wrong("rules");
        }
        if self.threads != 1 || self.settings.iter().any(|setting| setting.threads.is_some()) {
            return wrong("threads");
        }
        if meet != Meet::Itself && self.settings.len() < 2 {
            return Err("meet: it takes two settings at least".to_owned());
        }
        if meet == Meet::First && !self.settings[0].budgets.is_empty() {
            let name = &self.settings[0].name;
            return Err(format!("setting '{name}': the others meet it under every budget"));
        }
        for (name, scale) in &self.scales {
            let place = |text: String| Err(format!("scales.{name}: {text}"));
            if !scale.instances.is_empty() || scale.repetitions != 1 {
                return place("a match has games, not instances and repetitions".to_owned());
            }
            for budget in &scale.budgets {
                let games = budget.games.or(scale.games);
                if !games.is_some_and(|games| (2..=200_000).contains(&games)) {
                    return place(format!(
                        "budget '{}': games: expected 2 to 200,000",
                        budget.name
                    ));
                }
                if !budget.instances.is_empty() || budget.repetitions.is_some() {
                    return place("a match has games, not instances and repetitions".to_owned());
                }
                if budget.nodes.is_some() {
                    return place(format!("budget '{}': agents count playouts", budget.name));
                }
                if budget.plies > 20 {
                    return place(format!("budget '{}': more than 20 plies", budget.name));
                }
            }
        }
        self.check_measures(meet)
    }

    fn check_measures(&self, meet: Meet) -> Result<(), String> {
        let claims = self.claims.iter().map(|claim| claim.measure);
        let published = self.published.iter().map(|published| published.measure);
        for measure in self.measures.iter().copied().chain(claims).chain(published) {
            if !measure.suits_matches() {
                let name = measure.name();
                return Err(format!("measure '{name}': not in an experiment of matches"));
            }
            if meet == Meet::Itself && measure == Measure::Points {
                return Err("an agent that meets itself has no points of its own: measure \
                            'white-wins', 'red-wins' or another"
                    .to_owned());
            }
        }
        Ok(())
    }

    fn check_alone(&self) -> Result<(), String> {
        let budgets = || self.scales.values().flat_map(|scale| &scale.budgets);
        let games = self.scales.values().any(|scale| scale.games.is_some())
            || budgets().any(|budget| budget.games.is_some() || budget.plies > 0);
        if games {
            return Err("games and plies: expected 'meet' beside them".to_owned());
        }
        Ok(())
    }

    /// In matches the score is the points.
    pub(super) fn score_is_points(&mut self) {
        if self.meet.is_none() {
            return;
        }
        let claims = self.claims.iter_mut().map(|claim| &mut claim.measure);
        let published = self.published.iter_mut().map(|published| &mut published.measure);
        for measure in self.measures.iter_mut().chain(claims).chain(published) {
            if *measure == Measure::Score {
                *measure = Measure::Points;
            }
        }
    }
}

impl Setting {
    /// The agent that a setting is, in an experiment of matches.
    pub(super) fn agent(&self) -> Result<Agent, String> {
        let mut text = self.algorithm.clone();
        for given in self.given() {
            text.push(',');
            text.push_str(&given);
        }
        let agent: Agent = text.parse()?;
        if matches!(agent.kind, AgentKind::Program(_)) {
            return Err("experiments are of agents of our own; see `solitree match`".to_owned());
        }
        Ok(agent)
    }
}
