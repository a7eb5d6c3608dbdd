//! The one suite that every domain must pass.
//!
//! [`check_puzzle`] plays random games and holds every promise of [`Puzzle`]
//! against them; [`check_playout`], [`check_guide`], [`check_evaluator`] and
//! [`check_plans`] do the same for what a domain lends to the searches, and [`check_kit`] for all
//! of it. They panic with the broken promise, so a domain's test is one call.

pub use crate::check_game::check_two_player;
pub use crate::check_plans::check_plans;
use std::collections::HashSet;

use crate::{
    Child, Choice, Evaluator, Guide, Job, Kit, Playout, Puzzle, Rng, Score, Trace, UniformPlayout,
    Weights, drawn, replay, slot,
};

/// Plays one random game per seed and checks every promise of [`Puzzle`].
pub fn check_puzzle<P: Puzzle>(puzzle: &P, seeds: impl IntoIterator<Item = u64>) {
    for seed in seeds {
        check_game(puzzle, seed);
    }
    check_playout(puzzle, &UniformPlayout, 0..4);
}

fn check_game<P: Puzzle>(puzzle: &P, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut state = puzzle.start();
    let mut line = Vec::new();
    let mut bounds = Vec::new();
    let mut legal = Vec::new();
    let mut again = Vec::new();
    loop {
        puzzle.moves(&state, &mut legal);
        puzzle.moves(&state, &mut again);
        assert_eq!(legal, again, "moves come in a fixed order");
        let distinct: HashSet<_> = legal.iter().collect();
        assert_eq!(distinct.len(), legal.len(), "no move is listed twice");
        assert_eq!(legal.is_empty(), puzzle.is_over(&state), "no moves if and only if over");
        assert_eq!(puzzle.key(&state), puzzle.key(&state.clone()), "a copy has the same key");
        for &mv in &legal {
            let name = puzzle.move_name(&state, mv);
            assert_eq!(puzzle.parse_move(&state, &name), Some(mv), "{name} names its move");
        }
        bounds.push(puzzle.upper_bound(&state));
        if legal.is_empty() {
            break;
        }
        assert!(line.len() < puzzle.max_moves(), "a game is at most max_moves long");
        let mv = legal[rng.below(legal.len() as u32) as usize];
        let before = puzzle.key(&state);
        puzzle.play(&mut state, mv);
        assert_ne!(puzzle.key(&state), before, "a move changes the key");
        line.push(mv);
    }
    let score = puzzle.score(&state);
    for (moves, bound) in bounds.into_iter().enumerate() {
        if let Some(bound) = bound {
            assert!(bound >= score, "after {moves} moves the bound {bound} is below {score}");
        }
    }
    let end = replay(puzzle, &line).expect("the moves played are legal");
    assert_eq!(puzzle.score(&end), score, "a replay earns the same");
    assert_eq!(puzzle.key(&end), puzzle.key(&state), "a replay ends in the same position");
}

/// Checks that a policy's playouts are legal, score what they say, and do not
/// depend on the batch they run in.
pub fn check_playout<P: Puzzle>(
    puzzle: &P,
    playout: &impl Playout<P>,
    seeds: impl IntoIterator<Item = u64>,
) {
    let mut batch: Vec<Job<P>> =
        seeds.into_iter().map(|seed| Job::new(puzzle.start(), seed)).collect();
    playout.run(puzzle, &mut batch);
    for job in &batch {
        let mut alone = [Job::new(puzzle.start(), job.seed)];
        playout.run(puzzle, &mut alone);
        assert_eq!(alone[0].score, job.score, "seed {}: same alone as in a batch", job.seed);
        assert_eq!(alone[0].moves, job.moves, "seed {}: same alone as in a batch", job.seed);
        let (end, score) = finish(puzzle, playout, job);
        assert!(puzzle.is_over(&end), "seed {}: a playout ends the game", job.seed);
        assert_eq!(score, job.score, "seed {}: the moves earn the score", job.seed);
    }
}

fn finish<P: Puzzle>(puzzle: &P, playout: &impl Playout<P>, job: &Job<P>) -> (P::State, Score) {
    let mut state = job.state.clone();
    let mut legal = Vec::new();
    for &mv in &job.moves {
        let mv = playout.canonical(puzzle, &state, mv);
        puzzle.moves(&state, &mut legal);
        assert!(legal.contains(&mv), "seed {}: {mv:?} is legal", job.seed);
        puzzle.play(&mut state, mv);
    }
    let score = puzzle.score(&state);
    (state, score)
}

/// Checks the playouts, the guide, the evaluation and the plans of a kit.
pub fn check_kit<P: Puzzle>(
    puzzle: &P,
    kit: &impl Kit<P>,
    seeds: impl IntoIterator<Item = u64> + Clone,
) {
    check_playout(puzzle, kit, seeds.clone());
    check_guide(puzzle, kit, seeds.clone());
    check_evaluator(puzzle, kit, seeds.clone());
    check_plans(puzzle, &mut kit.plans(puzzle), seeds);
}

/// Checks that a guide chooses among legal moves, and that the games it steers
/// end, are legal, score what they say, offer at every step what
/// [`Guide::choices`] says, and are drawn by weight; that they follow an opinion from
/// elsewhere, and that its greedy games are greedy.
pub fn check_guide<P: Puzzle>(
    puzzle: &P,
    guide: &impl Guide<P>,
    seeds: impl IntoIterator<Item = u64>,
) {
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut weights = Weights::default();
        let mut start = puzzle.start();
        // With weights at rest from the start of the game, then with others
        // from positions on the way.
        for _ in 0..3 {
            check_greedy(puzzle, guide, &start);
            check_favoured(puzzle, guide, &start, &weights, &mut rng);
            let trace = check_steered(puzzle, guide, &start, &weights, &mut rng);
            for &slot in &trace.slots {
                weights.scale(slot, 0.25 + 4.0 * rng.unit() as f32);
            }
            let ahead = trace.moves.len() / 3;
            trace.moves[..ahead].iter().for_each(|&mv| puzzle.play(&mut start, mv));
        }
    }
}

/// Checks that a greedy game ends, scores what it says, and that every move pays
/// as much as any of the choices that does not end the game.
fn check_greedy<P: Puzzle>(puzzle: &P, guide: &impl Guide<P>, start: &P::State) {
    let (mut state, mut moves, mut choices) = (start.clone(), Vec::new(), Vec::new());
    let score = guide.greedy(puzzle, start, 0, &mut moves);
    let after = |state: &P::State, mv| {
        let mut next = state.clone();
        puzzle.play(&mut next, mv);
        next
    };
    for (played, &mv) in moves.iter().enumerate() {
        guide.choices(puzzle, &state, played, &mut choices);
        assert!(choices.iter().any(|choice| choice.mv == mv), "{mv:?} is a choice");
        let next = after(&state, mv);
        if !puzzle.is_over(&next) {
            let others = choices.iter().map(|choice| after(&state, choice.mv));
            let most = others
                .filter(|other| !puzzle.is_over(other))
                .map(|other| puzzle.score(&other))
                .max();
            assert_eq!(Some(puzzle.score(&next)), most, "{mv:?} pays most");
        }
        state = next;
    }
    assert!(puzzle.is_over(&state), "a greedy game ends");
    assert_eq!(puzzle.score(&state), score, "the moves earn the score");
}

/// Steers one game and checks it against the same game told again by
/// [`Guide::retrace`], and every draw against the weights.
pub fn check_steered<P: Puzzle>(
    puzzle: &P,
    guide: &impl Guide<P>,
    start: &P::State,
    weights: &Weights,
    rng: &mut Rng,
) -> Trace<P::Move> {
    let mut twin = rng.clone();
    let mut trace = Trace::default();
    guide.steer(puzzle, start, weights, rng, &mut trace);
    let told = guide.retrace(puzzle, start, trace.before, &trace.moves);
    assert_eq!(told.score, trace.score, "a game told again has the same score");
    assert_eq!(told.steps.len(), trace.steps.len(), "and as many steps");
    let mut begin = 0;
    for (step, again) in trace.steps.iter().zip(&told.steps) {
        assert_eq!(step.end, again.end, "and as many options in each");
        let options = begin..step.end as usize;
        assert_eq!(
            in_order(&trace, options.clone()),
            in_order(&told, options.clone()),
            "and the same options, in whatever order"
        );
        assert_eq!(
            trace.slots[step.chosen as usize], told.slots[again.chosen as usize],
            "and the same choice"
        );
        let mut total = 0.0;
        let sums: Vec<f32> = options
            .map(|option| {
                total += weights.get(trace.slots[option]) * factor(&trace, option);
                total
            })
            .collect();
        assert_eq!(begin + drawn(&sums, &mut twin), step.chosen as usize, "drawn by weight");
        begin = step.end as usize;
    }
    assert_eq!(*rng, twin, "one random number for each choice");
    check_trace(puzzle, guide, start, &trace);
    trace
}

/// Checks that an opinion sees every position with its choices and has its way: one
/// that likes the last of them alone always gets it, and the codes are as they would
/// be without it.
fn check_favoured<P: Puzzle>(
    puzzle: &P,
    guide: &impl Guide<P>,
    start: &P::State,
    weights: &Weights,
    rng: &mut Rng,
) {
    let mut wanted = Vec::new();
    let mut trace = Trace::default();
    let mut last_alone = |state: &P::State, choices: &mut [Choice<P::Move>]| {
        if let Some((last, others)) = choices.split_last_mut() {
            wanted.push((puzzle.key(state), last.mv));
            others.iter_mut().for_each(|choice| choice.factor = 0.0);
        }
    };
    guide.steer_favoured(puzzle, start, (weights, &mut last_alone), rng, &mut trace);
    let mut state = start.clone();
    for (&mv, wanted) in trace.moves.iter().zip(&wanted) {
        assert_eq!((puzzle.key(&state), mv), *wanted, "the position it saw, and its choice");
        puzzle.play(&mut state, mv);
    }
    assert_eq!(trace.moves.len(), wanted.len(), "it saw every position");
    assert!(puzzle.is_over(&state), "a favoured game ends");
    let told = guide.retrace(puzzle, start, 0, &trace.moves);
    assert_eq!((told.score, &told.steps), (trace.score, &trace.steps), "and is told the same");
    assert_eq!(told.slots, trace.slots, "with the same codes");
}

/// The factor of an option; those that are left out are 1.
fn factor<M>(trace: &Trace<M>, option: usize) -> f32 {
    trace.factors.get(option).copied().unwrap_or(1.0)
}

/// Slots and factors of some options, sorted.
fn in_order<M>(trace: &Trace<M>, options: std::ops::Range<usize>) -> Vec<(u32, u32)> {
    let pair = |option| (trace.slots[option], factor(trace, option).to_bits());
    let mut pairs: Vec<_> = options.map(pair).collect();
    pairs.sort_unstable();
    pairs
}

/// Holds a steered game against the choices there were.
fn check_trace<P: Puzzle>(
    puzzle: &P,
    guide: &impl Guide<P>,
    start: &P::State,
    trace: &Trace<P::Move>,
) {
    assert_eq!(trace.steps.len(), trace.moves.len(), "a step for every move");
    let (mut state, mut begin) = (start.clone(), 0);
    let (mut legal, mut choices) = (Vec::new(), Vec::new());
    for (played, (&mv, step)) in trace.moves.iter().zip(&trace.steps).enumerate() {
        puzzle.moves(&state, &mut legal);
        guide.choices(puzzle, &state, played, &mut choices);
        let distinct: HashSet<_> = choices.iter().map(|choice| choice.mv).collect();
        assert_eq!(distinct.len(), choices.len(), "no choice is listed twice");
        for choice in &choices {
            assert!(legal.contains(&choice.mv), "{:?} is legal", choice.mv);
            assert!(choice.factor.is_finite() && choice.factor > 0.0, "{}", choice.factor);
        }
        let (end, chosen) = (step.end as usize, step.chosen as usize);
        assert_eq!(end - begin, choices.len(), "move {played}: a slot for each choice");
        assert!((begin..end).contains(&chosen), "move {played}: the choice is one of its step");
        let choice = choices.iter().find(|choice| choice.mv == mv).expect("it is one of them");
        assert_eq!(choice.factor, factor(trace, chosen), "move {played}: the factor of the choice");
        if played == 0 {
            assert_eq!(slot(choice.code), trace.slots[chosen], "the slot of the first choice");
        }
        puzzle.play(&mut state, mv);
        begin = end;
    }
    assert_eq!(begin, trace.slots.len(), "every slot belongs to a step");
    assert!(trace.factors.is_empty() || trace.factors.len() == begin, "a factor for every slot");
    guide.choices(puzzle, &state, trace.moves.len(), &mut choices);
    assert!(choices.is_empty(), "no choices in a game that is over");
    assert!(puzzle.is_over(&state), "a steered game ends");
    assert_eq!(trace.score, puzzle.score(&state), "the moves earn the score");
}

/// Checks along random games that an evaluator's children are the legal moves
/// in order, each with the position, key, score and end that the puzzle gives,
/// and valued as [`Evaluator::evaluate`] does.
pub fn check_evaluator<P: Puzzle>(
    puzzle: &P,
    evaluator: &impl Evaluator<P>,
    seeds: impl IntoIterator<Item = u64>,
) {
    let (mut legal, mut values) = (Vec::new(), Vec::new());
    // Never cleared: children are added to what is there.
    let mut all: Vec<Child<P>> = Vec::new();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut state = puzzle.start();
        loop {
            puzzle.moves(&state, &mut legal);
            let begin = all.len();
            evaluator.children(puzzle, &state, &mut all);
            let children = &all[begin..];
            let moves: Vec<P::Move> = children.iter().map(|child| child.mv).collect();
            assert_eq!(moves, legal, "a child for every legal move, in order");
            let states: Vec<P::State> = children.iter().map(|child| child.state.clone()).collect();
            evaluator.evaluate(puzzle, &states, &mut values);
            assert_eq!(values.len(), states.len(), "a value for every position");
            for (child, &value) in children.iter().zip(&values) {
                let mut next = state.clone();
                puzzle.play(&mut next, child.mv);
                assert_eq!(puzzle.key(&child.state), puzzle.key(&next), "{:?}", child.mv);
                assert_eq!(puzzle.score(&child.state), puzzle.score(&next), "{:?}", child.mv);
                assert_eq!(child.key, puzzle.key(&next), "{:?}: the key", child.mv);
                assert_eq!(child.score, puzzle.score(&next), "{:?}: the score", child.mv);
                assert_eq!(child.over, puzzle.is_over(&next), "{:?}: the end", child.mv);
                assert_eq!(child.value, value, "{:?}: the value", child.mv);
            }
            if legal.is_empty() {
                break;
            }
            puzzle.play(&mut state, legal[rng.below(legal.len() as u32) as usize]);
        }
    }
}
