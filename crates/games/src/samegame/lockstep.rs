//! Playouts: several games of one policy advancing together.
//!
//! One game is a chain of dependent instructions, so a processor that plays
//! one mostly waits. Here `K` games take each step together and without
//! branches of their own, which keeps it busy; a lane that finishes its game
//! takes the next job.
//!
//! A move is drawn without listing the groups. A *corner* (see [`Links`]) is
//! drawn uniformly, its group is flooded, and the draw stands with probability
//! one over the number of the group's corners: exactly uniform over groups. A
//! refused draw is a step without a move.

use solitree_core::{Job, Rng, Score};

use super::board::{Cell, MAX_HEIGHT};
use super::kernel::{Links, of_colour};
use super::plane::Plane;
use super::policy::Draw;
use super::rules::Rules;
use super::{Engine, Kernels, SameGame};

/// What all games of a batch share.
pub struct Table<'a, D> {
    pub(super) rules: &'a Rules,
    pub(super) draw: &'a D,
    pub(super) epsilon: Epsilon,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// How often a move ignores the policy. The number of moves until the next
/// time is drawn at once (it is geometric), which costs nothing in between.
#[derive(Clone, Copy, Debug)]
pub enum Epsilon {
    Never,
    Always,
    /// 1 / ln(1 - epsilon).
    Scale(f64),
}

impl Epsilon {
    pub(super) fn new(epsilon: f64) -> Epsilon {
        if epsilon <= 0.0 {
            Epsilon::Never
        } else if epsilon >= 1.0 {
            Epsilon::Always
        } else {
            Epsilon::Scale(1.0 / libm::log1p(-epsilon))
        }
    }

    /// Moves to be played by the policy before one that is not.
    pub(super) fn wait(self, rng: &mut Rng) -> u32 {
        match self {
            Epsilon::Never => u32::MAX,
            Epsilon::Always => 0,
            // ln(1 - unit) is at most 0 and so is the scale.
            Epsilon::Scale(scale) => (libm::log1p(-rng.unit()) * scale) as u32,
        }
    }
}

/// Room for the moves of the longest game (256) and for a draw that is refused.
const TRACE: usize = 257;

/// A game in progress, but for its board: those are kept apart, so that they
/// can stay in registers.
struct Lane {
    rng: Rng,
    /// The number of the next move that ignores the policy.
    overruled_at: u32,
    score: i32,
    moves: u32,
    /// Where the next move is written down: a buffer with room for `TRACE`.
    trace: *mut Cell,
    job: Option<usize>,
}

impl Lane {
    /// A lane without a game; it writes its moves nowhere that matters.
    #[inline(always)]
    fn idle(nowhere: *mut Cell) -> Self {
        Lane {
            rng: Rng::new(0),
            overruled_at: u32::MAX,
            score: 0,
            moves: 0,
            trace: nowhere,
            job: None,
        }
    }
}

/// Runs its body once for each lane with the lane's number a constant, so that
/// what the lanes hold stays in registers.
macro_rules! each_lane {
    ($i:ident < $k:ident: $body:block) => {
        each_lane!(@ $i $k $body 0 1 2 3 4 5)
    };
    (@ $i:ident $k:ident $body:block $($n:literal)+) => {
        $( #[allow(non_upper_case_globals)] { const $i: usize = $n; if $i < $k $body } )+
    };
}

/// The most lanes there can be.
pub(super) const MAX_LANES: usize = 6;

/// The games of a batch, dealt out in order.
struct Deck<'a, const W: usize, const P: usize>
where
    Kernels: Engine<W, P>,
{
    jobs: &'a mut [Job<SameGame<W, P>>],
    next: usize,
    /// Where lanes without a game write.
    nowhere: *mut Cell,
}

/// Finishes every game of the batch, `K` at a time.
#[inline(always)]
pub(super) fn run<const W: usize, const P: usize, const K: usize, V, D>(
    table: &Table<'_, D>,
    jobs: &mut [Job<SameGame<W, P>>],
) where
    V: Plane<W>,
    D: Draw,
    Kernels: Engine<W, P>,
{
    let mut nowhere = Cell::from_bit(0);
    let nowhere = &raw mut nowhere;
    let mut deck = Deck { jobs, next: 0, nowhere };
    let mut lanes: [Lane; K] = std::array::from_fn(|_| Lane::idle(nowhere));
    let mut boards = [[V::empty(); P]; K];
    let tools = V::tools();
    let mut playing = 0;
    for i in 0..K {
        playing += usize::from(deck.deal(table, &mut lanes[i], &mut boards[i]));
    }
    // A last few games are faster finished one by one.
    while K > 1 && playing > K / 2 {
        let mut over = step(table, &mut lanes, &mut boards, tools);
        while over != 0 {
            let i = over.trailing_zeros() as usize;
            over &= over - 1;
            if deck.finish(table, &mut lanes[i], &boards[i])
                && !deck.deal(table, &mut lanes[i], &mut boards[i])
            {
                playing -= 1;
            }
        }
    }
    for i in 0..K {
        while lanes[i].job.is_some() {
            let mut alone = [boards[i]];
            while step(table, std::array::from_mut(&mut lanes[i]), &mut alone, tools) == 0 {}
            deck.finish(table, &mut lanes[i], &alone[0]);
            deck.deal(table, &mut lanes[i], &mut boards[i]);
        }
    }
}

impl<const W: usize, const P: usize> Deck<'_, W, P>
where
    Kernels: Engine<W, P>,
{
    /// Gives a lane the next game, if there is one.
    #[inline(always)]
    fn deal<V: Plane<W>, D: Draw>(
        &mut self,
        table: &Table<'_, D>,
        lane: &mut Lane,
        board: &mut [V; P],
    ) -> bool {
        let Some(job) = self.jobs.get_mut(self.next) else {
            *lane = Lane::idle(self.nowhere);
            *board = [V::empty(); P];
            return false;
        };
        job.moves.clear();
        job.moves.reserve(TRACE);
        lane.trace = job.moves.as_mut_ptr();
        *board = job.state.planes.map(V::from_words);
        lane.rng = Rng::new(job.seed);
        lane.overruled_at = table.epsilon.wait(&mut lane.rng);
        lane.score = job.state.score;
        lane.moves = 0;
        lane.job = Some(self.next);
        table.draw.begin(board, &mut lane.rng);
        self.next += 1;
        true
    }

    /// Writes down how a lane's game ended; says whether it had one.
    #[inline(always)]
    fn finish<V: Plane<W>, D>(
        &mut self,
        table: &Table<'_, D>,
        lane: &mut Lane,
        board: &[V; P],
    ) -> bool {
        let Some(index) = lane.job.take() else { return false };
        let job = &mut self.jobs[index];
        let end = end_points(table.rules, board);
        job.score = Score(i64::from(lane.score + end));
        job.end = Score(i64::from(end));
        // SAFETY: `lane.trace` is the buffer of this vector, which has room for
        // `TRACE` moves, and the first `lane.moves` of them have been written.
        unsafe { job.moves.set_len(lane.moves as usize) };
        true
    }
}

/// What the end of a game adds to its points.
#[inline(always)]
pub(super) fn end_points<const W: usize, const P: usize, V: Plane<W>>(
    rules: &Rules,
    planes: &[V; P],
) -> i32 {
    if super::kernel::occupied(planes).is_empty() {
        rules.clear()
    } else if rules.penalises() {
        let mut points = 0;
        for colour in 1..1 << P {
            points += rules.left(of_colour(planes, colour).count());
        }
        points
    } else {
        0
    }
}

/// One draw in every lane; the bits of the result are the lanes whose game is
/// over. With several lanes it goes without branches of any one; a single game
/// is better off guessing what comes next than waiting for it.
#[inline(always)]
fn step<const W: usize, const P: usize, const K: usize, V, D>(
    table: &Table<'_, D>,
    lanes: &mut [Lane; K],
    boards: &mut [[V; P]; K],
    tools: V::Tools,
) -> u32
where
    V: Plane<W>,
    D: Draw,
{
    let none = V::empty();
    let mut planes = *boards;
    let mut links = [Links::none(tools); K];
    let mut eligible = [none; K];
    let mut groups = [none; K];
    let mut cells = [0u32; K];
    let mut random = [0u64; K];
    let (mut over, mut overruled) = (0, 0);
    each_lane!(i < K: {
        let lane = &mut lanes[i];
        links[i] = Links::of(&planes[i], tools);
        let all = if D::SCAN { links[i].cells() } else { links[i].corners };
        let wanted = table.draw.eligible(&planes[i], all, &mut lane.rng);
        // A policy that allows nothing, or that epsilon overrules: all groups.
        let any = wanted.is_empty() | (lane.moves == lane.overruled_at);
        eligible[i] = if K > 1 {
            wanted.or(all.and(V::all_if(any)))
        } else if any {
            all
        } else {
            wanted
        };
        random[i] = lane.rng.next_u64();
        let (cell, found) = if D::SCAN {
            scan(table, eligible[i], random[i])
        } else {
            pick(eligible[i], random[i])
        };
        over |= u32::from(!found) << i;
        cells[i] = cell;
        groups[i] = V::single(cell).and(eligible[i]);
    });
    for _ in 0..if K == 1 { 2 } else { 4 } {
        each_lane!(i < K: { groups[i] = links[i].grow(groups[i]); });
    }
    loop {
        let mut changed = none;
        each_lane!(i < K: {
            let grown = links[i].grow(groups[i]);
            changed = changed.or(grown.xor(groups[i]));
            groups[i] = grown;
        });
        if changed.is_empty() {
            break;
        }
        each_lane!(i < K: { groups[i] = links[i].grow(links[i].grow(groups[i])); });
    }
    each_lane!(i < K: {
        let lane = &mut lanes[i];
        let (size, corners) = V::count_both(groups[i], groups[i].and(eligible[i]));
        let stands = if D::SCAN {
            size > 0
        } else {
            (corners > 0) & (u64::from(random[i] as u32) * u64::from(corners) < 1 << 32)
        };
        if K == 1 && !stands {
            return over;
        }
        groups[i] = groups[i].and(V::all_if(stands));
        // A look-up at 0 when the draw is refused, not a branch.
        lane.score += table.rules.points(size & u32::from(stands).wrapping_neg());
        // SAFETY: the buffer of a game has room for `TRACE` moves; a move takes
        // at least two of at most 512 blocks, so there are at most 256. The
        // buffer of an idle lane has room for one, and it makes none.
        unsafe { *lane.trace.add(lane.moves as usize) = Cell::from_bit(cells[i]) };
        lane.moves += u32::from(stands);
        overruled |= u32::from(lane.moves > lane.overruled_at) << i;
    });
    loop {
        let mut holes = none;
        each_lane!(i < K: {
            groups[i] = V::settle_step(&mut planes[i], groups[i]);
            holes = holes.or(groups[i]);
        });
        if holes.is_empty() {
            break;
        }
    }
    each_lane!(i < K: {
        V::close_columns(&mut planes[i]);
    });
    *boards = planes;
    // Last, and apart: it is rare, and a call amid the above would cost every
    // register its place.
    while overruled != 0 {
        let lane = &mut lanes[overruled.trailing_zeros() as usize];
        overruled &= overruled - 1;
        lane.overruled_at = lane.moves.saturating_add(table.epsilon.wait(&mut lane.rng));
    }
    over
}

/// A uniformly drawn bit of a plane, from the high half of a random word.
#[inline(always)]
fn pick<const W: usize, V: Plane<W>>(plane: V, random: u64) -> (u32, bool) {
    let words = plane.words();
    let mut before = [0; W];
    let mut total = 0;
    for i in 0..W {
        before[i] = total;
        total += words[i].count_ones();
    }
    let rank = (((random >> 32) * u64::from(total)) >> 32) as u32;
    let (mut index, mut skipped) = (0, 0);
    for &count in &before[1..] {
        let past = rank >= count;
        index += usize::from(past);
        skipped = if past { count } else { skipped };
    }
    let bit = V::select_in_word(words[index % W], rank - skipped);
    (index as u32 * 64 + bit, total > 0)
}

/// The authors' way to a move: a random cell of the board, and from there down
/// its column and on from the top of the next until there is a group.
#[inline(always)]
fn scan<const W: usize, V: Plane<W>, D>(
    table: &Table<'_, D>,
    plane: V,
    random: u64,
) -> (u32, bool) {
    let words = plane.words();
    let cell = (((random >> 32) * (table.width * table.height) as u64) >> 32) as usize;
    let (start, row) = (cell / table.height, cell % table.height);
    let column = |c: usize| (words[c / 4] >> (c % 4 * MAX_HEIGHT)) as u16;
    let at = |c: usize, bits: u16| (c as u32 * 16 + 15 - bits.leading_zeros(), true);
    let here = column(start) & (u16::MAX >> (MAX_HEIGHT - 1 - row));
    if here != 0 {
        return at(start, here);
    }
    for i in 1..=table.width {
        let c = (start + i) % table.width;
        if column(c) != 0 {
            return at(c, column(c));
        }
    }
    (0, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_is_how_often_a_move_ignores_the_policy() {
        for epsilon in [0.003, 0.2, 0.9] {
            let mut rng = Rng::new(1);
            let waits: f64 =
                (0..100_000).map(|_| f64::from(Epsilon::new(epsilon).wait(&mut rng)) + 1.0).sum();
            let frequency = 100_000.0 / waits;
            assert!((frequency / epsilon - 1.0).abs() < 0.02, "{epsilon}: {frequency}");
        }
        assert_eq!(Epsilon::new(0.0).wait(&mut Rng::new(1)), u32::MAX);
        assert_eq!(Epsilon::new(1.0).wait(&mut Rng::new(1)), 0);
    }
}
