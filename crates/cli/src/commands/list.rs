//! `solitree boards` and `solitree algorithms`: what there is.

use std::process::ExitCode;

use anyhow::Result;
use solitree_core::params::ParamInfo;
use solitree_games::samegame::{RULE_PRESETS, SETS};
use solitree_lab::catalogue::{self, MORPION, of_domain};
use solitree_lab::matches::agents;
use solitree_search::uct::UCT;
use solitree_search::{ALGORITHMS, Algorithm, Part};

use crate::output::print;

const LEFTMOVE: &str = "Left Move: so many steps, a point for each to the left";

pub fn boards(as_json: bool) -> Result<ExitCode> {
    if as_json {
        let all = catalogue::boards();
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

pub fn algorithms(players: u8, as_json: bool) -> Result<ExitCode> {
    let listed: &[Algorithm] = if players == 1 { ALGORITHMS } else { &[UCT] };
    if as_json {
        let all = catalogue::algorithms(listed);
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
    for part in [Part::Playouts, Part::Guide, Part::Evaluation, Part::Policy, Part::Value] {
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

fn describe(info: &ParamInfo) -> Result<()> {
    print(&format!("    {:<16}{}", info.key, info.help))?;
    print(&format!("    {:<16}default {}; {}", "", info.default, info.range))?;
    Ok(())
}
