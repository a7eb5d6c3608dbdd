//! Short searches of a warp (repair.cu), its lanes taking turns in a C program.

use std::collections::{HashMap, HashSet};

use solitree_core::{Effort, Guide, Job, Kit, Playout, Puzzle, Repair, mix};
use solitree_games::samegame::{Cell, KitConfig, SameGameKit, SmallSameGame, TabuRule};

use crate::host::{bulk, games};

type State = <SmallSameGame as Puzzle>::State;

const EFFORT: Effort = Effort { lower: 4, upper: 3, warm: 2, patience: 4, alpha: 1.0 };

/// Kits under each rule, with and without a second kept colour.
fn configs((keep, second): (u64, u64)) -> Vec<KitConfig> {
    let mut configs = Vec::new();
    for &rule in TabuRule::ALL {
        for second in [0, second] {
            let mut config = KitConfig::default();
            config.guide.rule = rule;
            (config.playout.epsilon, config.playout.keep) = (0.0, keep);
            config.playout.second = second;
            configs.push(config);
        }
    }
    configs
}

/// A random game cut after so many moves: the position, and the rest of the line.
fn cut(game: &SmallSameGame, kit: &SameGameKit, seed: u64, kept: usize) -> (State, Vec<Cell>) {
    let mut jobs = [Job::new(game.start(), mix(seed))];
    kit.run(game, &mut jobs);
    let mut state = game.start();
    let mut moves = Vec::new();
    for &mv in &jobs[0].moves {
        moves.push(game.canonical(&state, mv).unwrap());
        game.play(&mut state, mv);
    }
    let kept = kept.min(moves.len().saturating_sub(1));
    let start = solitree_core::replay(game, &moves[..kept]).unwrap();
    (start, moves[kept..].to_vec())
}

fn played(game: &SmallSameGame, start: &State, moves: &[Cell]) -> State {
    let mut state = *start;
    for &mv in moves {
        let mut legal = Vec::new();
        game.moves(&state, &mut legal);
        let mv = game.canonical(&state, mv).unwrap();
        assert!(legal.contains(&mv));
        game.play(&mut state, mv);
    }
    state
}

/// Every move is one that the guide allows.
fn assert_chosen_as_guided(
    game: &SmallSameGame,
    kit: &SameGameKit,
    task: &Repair<State, Cell>,
    moves: &[Cell],
) {
    let (mut state, mut choices) = (task.start, Vec::new());
    for (step, &mv) in moves.iter().enumerate() {
        kit.choices(game, &state, task.played + step, &mut choices);
        let mv = game.canonical(&state, mv).unwrap();
        assert!(choices.iter().any(|choice| choice.mv == mv), "step {step}");
        game.play(&mut state, mv);
    }
}

#[test]
fn what_is_found_holds_and_is_no_worse_than_before() {
    let (bulk, _) = bulk();
    for (game, colours) in games() {
        let kit = |config| {
            SameGameKit::new(config, &game)
                .with_accelerator(Some(std::sync::Arc::clone(&bulk) as _))
        };
        let kits: Vec<SameGameKit> = configs(colours).iter().map(kit).collect();
        let mut machine = SameGameKit::repairs(&kits, &game).unwrap();
        let mut tasks = Vec::new();
        for (variant, kit) in kits.iter().enumerate() {
            let (start, line) = cut(&game, kit, variant as u64, 3 * variant);
            tasks.push(Repair { start, played: 3 * variant, variant, line: line.clone() });
            tasks.push(Repair { start, played: 3 * variant, variant, line: Vec::new() });
        }
        let found = machine.run(&tasks, &EFFORT, 7).unwrap();
        if game.width() < 10 {
            assert_eq!(found, machine.run(&tasks, &EFFORT, 7).unwrap(), "the same again");
        }
        for (task, found) in tasks.iter().zip(&found) {
            let end = played(&game, &task.start, &found.moves);
            assert!(game.is_over(&end));
            assert_eq!(game.score(&end), found.score);
            if task.line.is_empty() {
                assert_chosen_as_guided(&game, &kits[task.variant], task, &found.moves);
            } else {
                let before = game.score(&played(&game, &task.start, &task.line));
                assert!(found.score >= before, "{:?} after {before:?}", found.score);
            }
        }
        let most = 2 * tasks.len() as u64 * machine.games(&EFFORT);
        assert!((1..=most).contains(&machine.played()));
    }
}

/// Along any line the same moves can be chosen as on the CPU, and they are the same
/// decisions there: one slot for one code. (A slot may be shared by accident.)
#[test]
fn the_choices_are_those_of_the_guide() {
    let (bulk, hosts) = bulk();
    let (mut codes, mut slots_taken) = (0, 0);
    for (game, colours) in games().into_iter().filter(|(game, _)| game.width() < 16) {
        let line = Effort { upper: 0, warm: 0, ..EFFORT };
        let (mut decisions, mut shared) = (0, 0);
        for (number, config) in configs(colours).iter().enumerate() {
            let kit = SameGameKit::new(config, &game)
                .with_accelerator(Some(std::sync::Arc::clone(&bulk) as _));
            let kits = [kit];
            let mut machine = SameGameKit::repairs(&kits, &game).unwrap();
            let before = 2 * number;
            let (start, moves) = cut(&game, &kits[0], 40 + number as u64, before);
            let task = Repair { start, played: before, variant: 0, line: moves.clone() };
            machine.run(&[task], &line, 1).unwrap();
            let host = hosts.lock().unwrap().last().cloned().unwrap();
            let told = kits[0].retrace(&game, &start, before, &moves);
            let (mut slot_of, mut taken) = (HashMap::new(), HashSet::new());
            let mut at = 0;
            let mut state = start;
            let mut choices = Vec::new();
            for (step, &mv) in moves.iter().enumerate() {
                kits[0].choices(&game, &state, before + step, &mut choices);
                let (slots, chosen) = host.choices_at(step);
                let there = choices.iter().any(|c| Some(c.mv) == game.canonical(&state, mv));
                // A move that the rule does not allow is one more.
                assert_eq!(slots.len(), choices.len() + usize::from(!there), "step {step}");
                game.play(&mut state, mv);
                if !there {
                    continue;
                }
                // Both go through the groups in the order of their first cells.
                let known_by = &told.slots[at..at + choices.len()];
                at += choices.len();
                for (&code, &slot) in known_by.iter().zip(&slots) {
                    decisions += 1;
                    let known = *slot_of.entry(code).or_insert(slot);
                    if known != slot {
                        shared += 1;
                    }
                    taken.insert(slot);
                }
                assert!(slots.contains(&chosen));
            }
            codes += slot_of.len();
            slots_taken += taken.len();
        }
        assert!(shared * 50 <= decisions, "{shared} of {decisions}");
    }
    assert!(slots_taken * 100 >= codes * 99, "{slots_taken} slots for {codes} codes");
}

/// A search that learns is better than one that does not.
#[test]
fn searches_learn() {
    let (bulk, _) = bulk();
    let (game, colours) = games().swap_remove(0);
    let mut configs = configs(colours).into_iter();
    let config = configs.find(|config| config.guide.rule == TabuRule::Strict).unwrap();
    let kit = SameGameKit::new(&config, &game).with_accelerator(Some(bulk as _));
    let mut machine = SameGameKit::repairs(&[kit], &game).unwrap();
    let task = Repair { start: game.start(), played: 0, variant: 0, line: Vec::new() };
    let tasks = vec![task; 4];
    let effort = |alpha| Effort { lower: 10, upper: 6, warm: 0, patience: 100, alpha };
    let mut mean = |alpha| {
        let found = machine.run(&tasks, &effort(alpha), 3).unwrap();
        found.iter().map(|found| found.score.as_f64()).sum::<f64>() / 4.0
    };
    let (with, without) = (mean(1.0), mean(0.0));
    assert!(with > without + 100.0, "{with} with learning, {without} without");
}
