//! Games steered by weights of moves, and what is remembered of them.
//!
//! Searches that learn (NRPA and its family) keep a weight for every *move
//! code*: what stands for the same decision in different positions. A
//! [`Guide`] says which moves a steered game may choose among and their codes;
//! [`Guide::steer`] plays a game to its end, each choice with a probability in
//! proportion to its weight.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Puzzle, Rng, Score};

/// A move that a steered game may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<M> {
    /// The move, one of [`Puzzle::moves`].
    pub mv: M,
    /// Its code.
    pub code: u64,
    /// What its weight is multiplied by: e to the power of its bias, 1 where
    /// the domain has no opinion.
    pub factor: f32,
}

/// Who is shown every position of a game and its choices, and changes their factors.
pub type Favour<'a, P> =
    &'a mut dyn FnMut(&<P as Puzzle>::State, &mut [Choice<<P as Puzzle>::Move>]);

/// What a domain knows of choosing moves.
pub trait Guide<P: Puzzle>: Send + Sync {
    /// Replaces the contents of `out` by the moves a game may choose among
    /// after `played` moves: some of the legal ones, and at least one of them
    /// unless the game is over. Codes may depend on the position that a game
    /// began in; here they are those of a game that begins in this one.
    fn choices(&self, puzzle: &P, state: &P::State, played: usize, out: &mut Vec<Choice<P::Move>>);

    /// The game that moves are from a position that `before` moves led to, with
    /// the options there were. A move that is not one of the choices gets no
    /// step: nothing can be learned from it.
    fn retrace(
        &self,
        puzzle: &P,
        start: &P::State,
        before: usize,
        moves: &[P::Move],
    ) -> Trace<P::Move> {
        let mut trace = Trace { before, ..Trace::default() };
        let mut state = start.clone();
        let mut choices = Vec::new();
        for &mv in moves {
            self.choices(puzzle, &state, before + trace.moves.len(), &mut choices);
            trace.follow(&choices, mv);
            puzzle.play(&mut state, mv);
        }
        trace.score = puzzle.score(&state);
        trace
    }

    /// Plays to the end after `played` moves, always the choice that pays most at
    /// once, the first of equals; replaces the contents of `moves` by the game and
    /// returns its score. Domains override it with a faster way, which may leave
    /// out of account what the end of the game pays.
    fn greedy(
        &self,
        puzzle: &P,
        state: &P::State,
        played: usize,
        moves: &mut Vec<P::Move>,
    ) -> Score {
        let mut state = state.clone();
        let mut choices = Vec::new();
        moves.clear();
        loop {
            self.choices(puzzle, &state, played + moves.len(), &mut choices);
            let mut best: Option<(Score, P::Move, P::State)> = None;
            for choice in &choices {
                let mut next = state.clone();
                puzzle.play(&mut next, choice.mv);
                let score = puzzle.score(&next);
                if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                    best = Some((score, choice.mv, next));
                }
            }
            let Some((_, mv, next)) = best else { return puzzle.score(&state) };
            moves.push(mv);
            state = next;
        }
    }

    /// Plays to the end, choosing by weight, and adds every choice to the
    /// trace. Domains override it with a faster way, which may list the options
    /// of a step in another order.
    fn steer(
        &self,
        puzzle: &P,
        state: &P::State,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<P::Move>,
    ) {
        self.steer_favoured(puzzle, state, (weights, &mut |_, _| {}), rng, trace);
    }

    /// The same with an opinion from elsewhere: in every position it may change the
    /// factors of the choices.
    fn steer_favoured(
        &self,
        puzzle: &P,
        state: &P::State,
        (weights, favour): (&Weights, Favour<'_, P>),
        rng: &mut Rng,
        trace: &mut Trace<P::Move>,
    ) {
        let mut state = state.clone();
        let mut choices = Vec::new();
        let mut sums = Vec::new();
        loop {
            let played = trace.before + trace.moves.len();
            self.choices(puzzle, &state, played, &mut choices);
            if choices.is_empty() {
                break;
            }
            favour(&state, &mut choices);
            let mut total = 0.0;
            sums.clear();
            for choice in &choices {
                let slot = slot(choice.code);
                trace.slots.push(slot);
                trace.factors.push(choice.factor);
                total += weights.get(slot) * choice.factor;
                sums.push(total);
            }
            let index = drawn(&sums, rng);
            trace.chose(index);
            trace.moves.push(choices[index].mv);
            puzzle.play(&mut state, choices[index].mv);
        }
        trace.score = puzzle.score(&state);
    }
}

/// The index that a random number picks from running sums of weights.
#[inline(always)]
pub fn drawn(sums: &[f32], rng: &mut Rng) -> usize {
    let total = sums[sums.len() - 1];
    let mark = (rng.next_u64() >> 40) as f32 * (1.0 / (1u32 << 24) as f32) * total;
    let mut index = 0;
    // The last needs no look: rounding must not lead beyond it.
    for &sum in &sums[..sums.len() - 1] {
        index += usize::from(sum <= mark);
    }
    index
}

const SLOT_BITS: u32 = 18;

/// The place of a move code in [`Weights`].
#[inline(always)]
#[must_use]
pub const fn slot(code: u64) -> u32 {
    (code.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOT_BITS)) as u32
}

/// A weight for every move code, as a dense array: codes share a slot by
/// chance, one in thousands that matter, and no table has to be searched.
///
/// What is kept is e to the power of the weight, which is all that a game
/// needs; a change of the weight is a multiplication.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    table: Box<[f32]>,
}

/// The range that a weight is kept in.
const RANGE: f32 = (1u64 << 60) as f32;

impl Default for Weights {
    fn default() -> Self {
        Weights { table: vec![1.0; 1 << SLOT_BITS].into_boxed_slice() }
    }
}

impl Weights {
    /// The bytes of one.
    pub const BYTES: u64 = 4 << SLOT_BITS;

    /// The exponential of the weight in a slot.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: u32) -> f32 {
        self.table[slot as usize]
    }

    /// All of them, by slot; as many as a slot can tell apart.
    #[inline(always)]
    #[must_use]
    pub fn table(&self) -> &[f32; 1 << SLOT_BITS] {
        self.table[..].try_into().expect("the table has one value for each slot")
    }

    /// Multiplies the exponential: adds to the weight.
    #[inline(always)]
    pub fn scale(&mut self, slot: u32, factor: f32) {
        let value = &mut self.table[slot as usize];
        *value = (*value * factor).clamp(1.0 / RANGE, RANGE);
    }

    /// Takes over the values of another without a new allocation.
    pub fn copy_from(&mut self, other: &Weights) {
        self.table.copy_from_slice(&other.table);
    }
}

/// The slots that are not at rest and their values: most are.
impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let moved = |&(_, value): &(usize, &f32)| *value != 1.0;
        let moved: Vec<(u32, f32)> = self
            .table
            .iter()
            .enumerate()
            .filter(moved)
            .map(|(slot, &value)| (slot as u32, value))
            .collect();
        moved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut weights = Weights::default();
        for (slot, value) in Vec::<(u32, f32)>::deserialize(deserializer)? {
            match weights.table.get_mut(slot as usize) {
                Some(place) if (1.0 / RANGE..=RANGE).contains(&value) => *place = value,
                _ => return Err(serde::de::Error::custom("a weight that cannot be")),
            }
        }
        Ok(weights)
    }
}

/// One choice of a game in a [`Trace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where its options end in the list of slots; they begin where those of
    /// the step before end.
    pub end: u32,
    /// The place of the chosen one in the list.
    pub chosen: u32,
}

/// A game with everything it might have chosen, so that weights can be moved
/// towards it without playing it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace<M> {
    /// Moves played before the position it begins in.
    pub before: usize,
    /// The final score.
    pub score: Score,
    /// The moves.
    pub moves: Vec<M>,
    /// The slots of the options of every step.
    pub slots: Vec<u32>,
    /// Their factors; may be empty if all are 1.
    pub factors: Vec<f32>,
    /// The steps, one a move.
    pub steps: Vec<Step>,
}

impl<M> Default for Trace<M> {
    fn default() -> Self {
        Trace {
            before: 0,
            score: Score::MIN,
            moves: Vec::new(),
            slots: Vec::new(),
            factors: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl<M> Trace<M> {
    /// Forgets the game; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.before = 0;
        self.score = Score::MIN;
        self.moves.clear();
        self.slots.clear();
        self.factors.clear();
        self.steps.clear();
    }

    /// Adds a step of a game that is known, if its move is one of the choices.
    pub fn follow(&mut self, choices: &[Choice<M>], mv: M)
    where
        M: Copy + PartialEq,
    {
        if let Some(index) = choices.iter().position(|choice| choice.mv == mv) {
            self.slots.extend(choices.iter().map(|choice| slot(choice.code)));
            self.factors.extend(choices.iter().map(|choice| choice.factor));
            self.chose(index);
        }
        self.moves.push(mv);
    }

    /// Closes a step whose options have been added.
    #[inline(always)]
    pub fn chose(&mut self, index: usize) {
        let begin = self.steps.last().map_or(0, |step| step.end);
        self.steps.push(Step { end: self.slots.len() as u32, chosen: begin + index as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_in_proportion_to_the_weights() {
        let weights = [1.0f32, 0.0, 5.0, 0.25, 2.75, 1.0];
        let mut total = 0.0;
        let sums = weights.map(|weight| {
            total += weight;
            total
        });
        let mut rng = Rng::new(11);
        let mut counts = [0u32; 6];
        for _ in 0..100_000 {
            counts[drawn(&sums, &mut rng)] += 1;
        }
        assert_eq!(counts[1], 0, "what weighs nothing is never drawn");
        let expected = weights.map(|weight| f64::from(weight) * 10_000.0);
        let parts = counts.iter().zip(expected).filter(|(_, expected)| *expected > 0.0);
        // Chi-square with 4 degrees of freedom: 18.5 is the 0.1 % point.
        let chi: f64 = parts.map(|(&n, mean)| (f64::from(n) - mean).powi(2) / mean).sum();
        assert!(chi < 18.5, "{counts:?}");
        assert_eq!(drawn(&[3.0], &mut rng), 0, "one option is no choice");
    }
}
