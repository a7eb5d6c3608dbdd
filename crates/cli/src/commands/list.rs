//! `solitree boards` and `solitree algorithms`: what there is.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use solitree_core::params::{ParamInfo, Params, Range};
use solitree_games::morpion::Variant;
use solitree_games::samegame::{
    EvaluatorConfig, GENERATOR_VERSION, GuideConfig, PlayoutConfig, RULE_PRESETS, SETS, record,
};
use solitree_lab::PolicyConfig;
use solitree_lab::matches::agents;
use solitree_search::uct::UCT;
use solitree_search::{ALGORITHMS, Algorithm, Part};

use crate::output::{print, typed};

const MORPION: &str = "Morpion Solitaire: lines of five or four that may touch or share no point";
const LEFTMOVE: &str = "Left Move: so many steps, a point for each to the left";

pub fn boards(as_json: bool) -> Result<ExitCode> {
    if as_json {
        let mut sets: Vec<Value> = SETS
            .iter()
            .map(|set| {
                let names = (1..=set.len).filter_map(|number| set.board(number));
                let boards: Vec<Value> = names
                    .map(|name| {
                        let known = record(&name);
                        let (score, source) =
                            (known.map(|r| r.score), known.map(|r| r.source.as_str()));
                        json!({"name": name.to_string(), "best_known": score, "source": source})
                    })
                    .collect();
                json!({"name": set.name, "about": set.about, "boards": boards})
            })
            .collect();
        sets.push(json!({"name": "morpion", "about": MORPION, "boards": morpion()}));
        let rules: Vec<Value> = RULE_PRESETS
            .iter()
            .map(|rule| json!({"name": rule.name, "formula": rule.text, "about": rule.about}))
            .collect();
        let all = json!({"sets": sets, "rules": rules, "generator_version": GENERATOR_VERSION});
        print(&serde_json::to_string_pretty(&all)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    print("Boards")?;
    for set in SETS {
        print(&format!("  {:<26}{}", format!("{0}:1 to {0}:{1}", set.name, set.len), set.about))?;
    }
    print("  random:SEED[:WxHxC]       a uniform random board, 15x15x5 unless said otherwise;")?;
    print("                            with ;counts=65,40,40,40,40 so many blocks of each colour")?;
    print("  12/21                     rows from the top, colours from 1, . for empty")?;
    print(
        "  FILE or -                 rows of digits or letters, spaces or commas between if you like",
    )?;
    print(&format!("  morpion:5T, 5D, 4T or 4D  {MORPION}"))?;
    print(&format!("  leftmove:DEPTH            {LEFTMOVE}"))?;
    print("\nRules of SameGame")?;
    for rule in RULE_PRESETS {
        print(&format!("  {:<18}{:<40}{}", rule.name, rule.text, rule.about))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The variants with their records.
fn morpion() -> Vec<Value> {
    let row = |variant: &Variant| {
        let (name, best) = (format!("morpion:{variant}"), variant.best());
        json!({"name": name, "best_known": best.score, "source": best.source})
    };
    Variant::ALL.iter().map(row).collect()
}

pub fn algorithms(players: u8, as_json: bool) -> Result<ExitCode> {
    let listed: &[Algorithm] = if players == 1 { ALGORITHMS } else { &[UCT] };
    if as_json {
        let all: Vec<Value> = listed
            .iter()
            .map(|algorithm| {
                let presets: Vec<Value> = algorithm
                    .presets
                    .iter()
                    .map(|preset| {
                        let values: serde_json::Map<String, Value> = preset
                            .values
                            .iter()
                            .map(|(key, value)| ((*key).to_owned(), typed(value)))
                            .collect();
                        json!({"name": preset.name, "about": preset.about, "values": values})
                    })
                    .collect();
                let domain = algorithm.uses.iter().flat_map(|&part| of_domain(part).1);
                let parameters: Vec<Value> = (algorithm.parameters)()
                    .iter()
                    .chain(&domain.collect::<Vec<_>>())
                    .map(parameter)
                    .collect();
                json!({
                    "name": algorithm.name,
                    "about": algorithm.about,
                    "paper": algorithm.paper,
                    "presets": presets,
                    "parameters": parameters,
                })
            })
            .collect();
        print(&serde_json::to_string_pretty(&all)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for algorithm in listed {
        print(&format!(
            "{}: {}\n  {}\n\n  presets",
            algorithm.name, algorithm.about, algorithm.paper
        ))?;
        for preset in algorithm.presets {
            print(&format!("    {:<18}{}", preset.name, preset.about))?;
        }
        let how = if players == 1 { "--set KEY=VALUE" } else { "uct:PRESET,KEY=VALUE" };
        print(&format!("\n  parameters ({how})"))?;
        for info in (algorithm.parameters)() {
            describe(&info)?;
        }
        print("")?;
    }
    if players == 2 {
        print("agents of `solitree match` and `solitree engine`")?;
        for (name, about) in agents() {
            print(&format!("    {name:<24}{about}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for part in [Part::Playouts, Part::Guide, Part::Evaluation, Part::Policy] {
        let (title, parameters) = of_domain(part);
        let users: Vec<&str> = ALGORITHMS
            .iter()
            .filter(|algorithm| algorithm.uses.contains(&part))
            .map(|algorithm| algorithm.name)
            .collect();
        print(&format!("{title} of SameGame, for {}\n", users.join(", ")))?;
        for info in parameters {
            describe(&info)?;
        }
        print("")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be set of a part of the domain.
fn of_domain(part: Part) -> (&'static str, Vec<ParamInfo>) {
    match part {
        Part::Playouts => ("Playouts", PlayoutConfig::table()),
        Part::Guide => {
            // The colour to keep is set with the playouts, and kept by both.
            let keep = PlayoutConfig::table().into_iter().filter(|info| info.key == "keep-colour");
            ("Guided games", GuideConfig::table().into_iter().chain(keep).collect())
        }
        Part::Evaluation => ("Evaluation", EvaluatorConfig::table()),
        Part::Policy => ("Policy", PolicyConfig::table()),
    }
}

fn describe(info: &ParamInfo) -> Result<()> {
    print(&format!("    {:<16}{}", info.key, info.help))?;
    print(&format!("    {:<16}default {}; {}", "", info.default, info.range))?;
    Ok(())
}

fn parameter(info: &ParamInfo) -> Value {
    let range = match info.range {
        Range::Real(low, high) => json!({"min": low, "max": high}),
        Range::Count(low, high) => json!({"min": low, "max": high}),
        Range::Flag => json!([true, false]),
        Range::Choice(words) => json!(words),
        Range::Text(about) => json!(about),
    };
    json!({"key": info.key, "default": typed(&info.default), "range": range, "help": info.help})
}
