//! Who plays: agents of our own and programs of others, by their names.

use solitree_core::params::{Params, nearest};
use solitree_search::uct::{UCT, UctConfig};

use super::process::split_command;

/// A player as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// What it is called in tables: the text it was made from.
    pub name: String,
    /// What it is.
    pub kind: AgentKind,
    /// How much time, and how many playouts, it has for one of the others.
    pub budget: f64,
}

/// Nobody gets more for one of the others, or less than one by it.
const MOST_BUDGET: f64 = 1_000.0;

/// What an agent is.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentKind {
    /// UCT with its parameters.
    Uct(UctConfig),
    /// Any legal move.
    Random,
    /// A program that speaks the line protocol.
    Program(Vec<String>),
}

/// The agents of our own, with what they are: names and presets.
#[must_use]
pub fn agents() -> Vec<(String, &'static str)> {
    let presets = UCT.presets.iter().map(|preset| (format!("uct:{}", preset.name), preset.about));
    let others = [
        ("champion".to_owned(), "uct:champion"),
        ("random".to_owned(), "any legal move, all alike"),
        ("cmd:PROGRAM ARGUMENT…".to_owned(), "a program that speaks the line protocol"),
    ];
    presets.chain(others).collect()
}

impl Agent {
    /// How many threads it thinks with in this program.
    #[must_use]
    pub fn threads(&self) -> usize {
        match &self.kind {
            AgentKind::Uct(config) => config.threads as usize,
            AgentKind::Random | AgentKind::Program(_) => 1,
        }
    }
}

impl std::str::FromStr for Agent {
    type Err = String;

    /// `uct`, `uct:combined`, `champion`, `uct:combined,alpha=0.7,c=0.3`, `random`,
    /// or `cmd:` and a command line. With `budget=10` it has ten times as long.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.trim().to_owned();
        if let Some(command) = name.strip_prefix("cmd:") {
            let kind = AgentKind::Program(split_command(command)?);
            return Ok(Agent { name, kind, budget: 1.0 });
        }
        let mut parts = name.split(',');
        let who = parts.next().unwrap_or_default();
        let mut settings: Vec<&str> = parts.collect();
        let budget = match settings.iter().position(|setting| setting.starts_with("budget=")) {
            None => 1.0,
            Some(place) => budget(settings.remove(place))?,
        };
        if who == "random" {
            return match settings.first() {
                None => Ok(Agent { name, kind: AgentKind::Random, budget }),
                Some(setting) => Err(format!("random: nothing can be set, not even '{setting}'")),
            };
        }
        let preset = match who.split_once(':') {
            Some((UCT_NAME, preset)) => preset,
            None if who == UCT_NAME => "default",
            None if who == "champion" => "champion",
            _ => return Err(unknown(who)),
        };
        let found = UCT.presets.iter().find(|known| known.name == preset);
        let found = found.ok_or_else(|| unknown(who))?;
        let mut config = UctConfig::default();
        let given = settings.iter().map(|setting| {
            setting.split_once('=').ok_or_else(|| format!("'{setting}' is not KEY=VALUE"))
        });
        let given: Vec<(&str, &str)> = given.collect::<Result<_, _>>()?;
        for (key, value) in found.values.iter().copied().chain(given) {
            config.set(key.trim(), value.trim()).map_err(|error| format!("{who}: {error}"))?;
        }
        Ok(Agent { name, kind: AgentKind::Uct(config), budget })
    }
}

const UCT_NAME: &str = "uct";

/// The value of `budget=…`.
fn budget(setting: &str) -> Result<f64, String> {
    let value = setting.trim_start_matches("budget=").trim();
    let known =
        value.parse().ok().filter(|value| (1.0 / MOST_BUDGET..=MOST_BUDGET).contains(value));
    known.ok_or_else(|| format!("budget: '{value}' is not a number from 0.001 to 1000"))
}

fn unknown(who: &str) -> String {
    let names: Vec<String> = agents().into_iter().map(|(name, _)| name).collect();
    let near = nearest(who, names.iter().map(String::as_str));
    let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    format!("unknown agent '{who}'{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_by_preset_and_parameters() {
        let read = |text: &str| text.parse::<Agent>();
        let AgentKind::Uct(config) = read("uct:combined,alpha=0.7,c=0.3").unwrap().kind else {
            panic!("not UCT")
        };
        assert_eq!((config.alpha, config.reduce, config.c), (0.7, 5, 0.3));
        assert_eq!(read("champion").unwrap().kind, read("uct:champion").unwrap().kind);
        let program = read("cmd:./engine --level '3 4'").unwrap().kind;
        let words = ["./engine", "--level", "3 4"].map(str::to_owned).to_vec();
        assert_eq!(program, AgentKind::Program(words));
        let said = |text: &str| read(text).unwrap_err();
        assert_eq!(said("champoin"), "unknown agent 'champoin'; did you mean 'champion'?");
        assert_eq!(said("uct:comb"), "unknown agent 'uct:comb'; did you mean 'uct:combined'?");
        assert_eq!(said("uct,c"), "'c' is not KEY=VALUE");
        assert!(said("uct,cc=1").contains("unknown parameter 'cc'; did you mean 'c'?"));
        assert!(said("uct,c=-1").contains("'-1' is not"));
        assert_eq!(read("uct,budget=10,c=0.3").unwrap().budget, 10.0);
        assert!(said("uct,budget=0").contains("from 0.001 to 1000"));
        assert!(said("uct,budget=NaN").contains("from 0.001 to 1000"));
        assert!(read("cmd:").is_err() && read("").is_err());
    }
}
