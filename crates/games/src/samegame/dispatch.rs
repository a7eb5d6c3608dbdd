//! The choice of instructions, made once at run time.
//!
//! The kernels are written once, on any [`Plane`], and compiled here for each
//! set of instructions. All sets give the same answers bit for bit.

use solitree_core::{Child, Job, Rng, Trace, Weights};

use super::board::Cell;
use super::evaluate::{self, Evaluation};
use super::kernel::{self, Links, MAX_GROUPS, each_group};
use super::lockstep::{self, Table};
use super::plane::{Plane, Words};
use super::policy::Draw;
use super::rules::Rules;
use super::steer::{self, Steering};
use super::{Group, SameGame, State};

/// A set of instructions the engine can use. There are values only of those
/// that this processor has, so that to hold one is to be allowed to use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Instructions {
    /// Plain 64-bit words.
    Scalar,
    /// 256-bit registers, three games abreast.
    Avx2,
    /// 256-bit registers with AVX-512 instructions, six games abreast.
    Avx512,
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Instructions::Scalar => "scalar",
            Instructions::Avx2 => "avx2",
            Instructions::Avx512 => "avx512",
        })
    }
}

impl Path {
    /// What every processor can do.
    pub const SCALAR: Path = Path(Instructions::Scalar);

    /// The best that this processor can do.
    #[must_use]
    pub fn best() -> Path {
        Path::available().pop().unwrap_or(Path::SCALAR)
    }

    /// Everything that this processor can do, the best last.
    #[must_use]
    pub fn available() -> Vec<Path> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut paths = vec![Path::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            let bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt");
            if bits && is_x86_feature_detected!("avx2") {
                paths.push(Path(Instructions::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                {
                    paths.push(Path(Instructions::Avx512));
                }
            }
        }
        paths
    }

    /// Whether there are AVX2, BMI1, BMI2, POPCNT and LZCNT.
    pub(super) fn gathers_bits(self) -> bool {
        self != Path::SCALAR
    }
}

/// The compiled kernels. [`Engine`] says for which board layouts there are any.
pub struct Kernels;

/// What the rest of SameGame asks of the kernels for boards of `P` planes of
/// `W` words.
pub trait Engine<const W: usize, const P: usize> {
    /// Removes the group that covers a cell; its size, or 0 if there is none.
    fn play(path: Path, planes: &mut [[u64; W]; P], bit: u32) -> u32;
    /// The group that covers a cell; empty if there is none.
    fn group_at(path: Path, planes: &[[u64; W]; P], bit: u32) -> [u64; W];
    /// Every group, in the order of its first cell.
    fn groups(path: Path, planes: &[[u64; W]; P], out: &mut Vec<Group<W>>);
    /// The first cell of every group, in order.
    fn moves(path: Path, planes: &[[u64; W]; P], out: &mut Vec<Cell>);
    /// Adds every position one move on, with its value.
    fn children(
        path: Path,
        rules: &Rules,
        evaluation: Evaluation,
        state: &State<W, P>,
        out: &mut Vec<Child<SameGame<W, P>>>,
    ) where
        Kernels: Engine<W, P>;
    /// Plays a game to its end by weights; returns its score.
    fn steer(
        path: Path,
        steering: &Steering<'_>,
        planes: &[[u64; W]; P],
        score: i32,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) -> i32;
    /// Finishes games by a rule for drawing.
    fn run<D: Draw>(path: Path, table: &Table<'_, D>, jobs: &mut [Job<SameGame<W, P>>])
    where
        Kernels: Engine<W, P>;
}

#[inline(always)]
fn groups<const W: usize, const P: usize, V: Plane<W>>(
    words: &[[u64; W]; P],
    out: &mut Vec<Group<W>>,
) {
    out.clear();
    // Room for all of them at once: no test for it at each.
    out.reserve(MAX_GROUPS + 1);
    let spare = out.spare_capacity_mut();
    let mut len = 0;
    each_group(&words.map(V::from_words), |cells, bit, first| {
        let mut colour = 0;
        for (k, plane) in words.iter().enumerate() {
            colour |= (plane[bit as usize / 64 % W] >> (bit % 64) & 1) << k;
        }
        let size = cells.count() as u16;
        let group =
            Group { cells: cells.words(), first: Cell::from_bit(bit), size, colour: colour as u8 };
        // SAFETY: there are at most `MAX_GROUPS` groups, and room for one more.
        unsafe { spare.get_unchecked_mut(len).write(group) };
        len += usize::from(first);
    });
    // SAFETY: the first `len` have just been written.
    unsafe { out.set_len(len) };
}

#[inline(always)]
fn moves<const W: usize, const P: usize, V: Plane<W>>(words: &[[u64; W]; P], out: &mut Vec<Cell>) {
    out.clear();
    each_group(&words.map(V::from_words), |_, bit, first| {
        if first {
            out.push(Cell::from_bit(bit));
        }
    });
}

#[inline(always)]
fn steer<const W: usize, const P: usize, V: Plane<W>>(
    steering: &Steering<'_>,
    planes: &[[u64; W]; P],
    score: i32,
    weights: &Weights,
    rng: &mut Rng,
    trace: &mut Trace<Cell>,
) -> i32 {
    match (steering.factors.is_some(), steering.blocks) {
        (false, false) => {
            steer::steer::<W, P, false, false, V>(steering, planes, score, weights, rng, trace)
        }
        (false, true) => {
            steer::steer::<W, P, false, true, V>(steering, planes, score, weights, rng, trace)
        }
        (true, false) => {
            steer::steer::<W, P, true, false, V>(steering, planes, score, weights, rng, trace)
        }
        (true, true) => {
            steer::steer::<W, P, true, true, V>(steering, planes, score, weights, rng, trace)
        }
    }
}

/// Whether no group is left. Plain words are fast enough for this one.
pub(super) fn is_over<const W: usize, const P: usize>(words: &[[u64; W]; P]) -> bool {
    Links::of(&words.map(Words::from_words), ()).corners.is_empty()
}

/// The kernels compiled for a set of instructions, with `K` games abreast.
#[cfg(target_arch = "x86_64")]
macro_rules! compile_for {
    ($name:ident, $plane:ty, $lanes:literal, $features:literal) => {
        mod $name {
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) fn play<const P: usize>(planes: &mut [[u64; 4]; P], bit: u32) -> u32 {
                kernel::play::<4, P, $plane>(planes, bit)
            }

            #[target_feature(enable = $features)]
            pub(super) fn group_at<const P: usize>(planes: &[[u64; 4]; P], bit: u32) -> [u64; 4] {
                kernel::group_at::<4, P, $plane>(planes, bit)
            }

            #[target_feature(enable = $features)]
            pub(super) fn groups<const P: usize>(planes: &[[u64; 4]; P], out: &mut Vec<Group<4>>) {
                super::groups::<4, P, $plane>(planes, out);
            }

            #[target_feature(enable = $features)]
            pub(super) fn moves<const P: usize>(planes: &[[u64; 4]; P], out: &mut Vec<Cell>) {
                super::moves::<4, P, $plane>(planes, out);
            }

            #[target_feature(enable = $features)]
            pub(super) fn children(
                rules: &Rules,
                evaluation: Evaluation,
                state: &State<4, 3>,
                out: &mut Vec<Child<SameGame<4, 3>>>,
            ) {
                evaluate::children::<4, 3, $plane>(rules, evaluation, state, out);
            }

            #[target_feature(enable = $features)]
            pub(super) fn steer<const P: usize>(
                steering: &Steering<'_>,
                planes: &[[u64; 4]; P],
                score: i32,
                weights: &Weights,
                rng: &mut Rng,
                trace: &mut Trace<Cell>,
            ) -> i32 {
                super::steer::<4, P, $plane>(steering, planes, score, weights, rng, trace)
            }

            #[target_feature(enable = $features)]
            pub(super) fn run<D: Draw>(table: &Table<'_, D>, jobs: &mut [Job<SameGame<4, 3>>]) {
                if jobs.len() == 1 {
                    lockstep::run::<4, 3, 1, $plane, D>(table, jobs);
                } else {
                    lockstep::run::<4, 3, $lanes, $plane, D>(table, jobs);
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile_for!(avx2, crate::samegame::plane_avx2::Avx2, 3, "avx2,bmi1,bmi2,popcnt,lzcnt");
#[cfg(target_arch = "x86_64")]
compile_for!(
    avx512,
    crate::samegame::plane_avx512::Avx512,
    6,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt,lzcnt"
);

/// Calls the version of a kernel for the path.
macro_rules! on_path {
    ($path:ident, $kernel:ident($($arg:expr),*), $scalar:expr) => {
        match $path.0 {
            // SAFETY: a `Path` beyond `SCALAR` is only ever made by
            // `Path::available`, after it found these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::$kernel($($arg),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::$kernel($($arg),*) },
            _ => $scalar,
        }
    };
}

/// Up to 16 columns and 7 colours: everything in three registers.
impl Engine<4, 3> for Kernels {
    #[inline]
    fn play(path: Path, planes: &mut [[u64; 4]; 3], bit: u32) -> u32 {
        on_path!(path, play(planes, bit), kernel::play::<4, 3, Words<4>>(planes, bit))
    }

    #[inline]
    fn group_at(path: Path, planes: &[[u64; 4]; 3], bit: u32) -> [u64; 4] {
        on_path!(path, group_at(planes, bit), kernel::group_at::<4, 3, Words<4>>(planes, bit))
    }

    #[inline]
    fn groups(path: Path, planes: &[[u64; 4]; 3], out: &mut Vec<Group<4>>) {
        on_path!(path, groups(planes, out), groups::<4, 3, Words<4>>(planes, out));
    }

    #[inline]
    fn moves(path: Path, planes: &[[u64; 4]; 3], out: &mut Vec<Cell>) {
        on_path!(path, moves(planes, out), moves::<4, 3, Words<4>>(planes, out));
    }

    #[inline]
    fn children(
        path: Path,
        rules: &Rules,
        evaluation: Evaluation,
        state: &State<4, 3>,
        out: &mut Vec<Child<SameGame<4, 3>>>,
    ) {
        on_path!(
            path,
            children(rules, evaluation, state, out),
            evaluate::children::<4, 3, Words<4>>(rules, evaluation, state, out)
        );
    }

    #[inline]
    fn steer(
        path: Path,
        steering: &Steering<'_>,
        planes: &[[u64; 4]; 3],
        score: i32,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) -> i32 {
        on_path!(
            path,
            steer(steering, planes, score, weights, rng, trace),
            steer::<4, 3, Words<4>>(steering, planes, score, weights, rng, trace)
        )
    }

    #[inline]
    fn run<D: Draw>(path: Path, table: &Table<'_, D>, jobs: &mut [Job<SameGame<4, 3>>]) {
        on_path!(path, run(table, jobs), lockstep::run::<4, 3, 1, Words<4>, D>(table, jobs));
    }
}

/// The largest boards, on plain words.
impl Engine<8, 4> for Kernels {
    #[inline]
    fn play(_: Path, planes: &mut [[u64; 8]; 4], bit: u32) -> u32 {
        kernel::play::<8, 4, Words<8>>(planes, bit)
    }

    #[inline]
    fn group_at(_: Path, planes: &[[u64; 8]; 4], bit: u32) -> [u64; 8] {
        kernel::group_at::<8, 4, Words<8>>(planes, bit)
    }

    #[inline]
    fn groups(_: Path, planes: &[[u64; 8]; 4], out: &mut Vec<Group<8>>) {
        groups::<8, 4, Words<8>>(planes, out);
    }

    #[inline]
    fn moves(_: Path, planes: &[[u64; 8]; 4], out: &mut Vec<Cell>) {
        moves::<8, 4, Words<8>>(planes, out);
    }

    #[inline]
    fn children(
        _: Path,
        rules: &Rules,
        evaluation: Evaluation,
        state: &State<8, 4>,
        out: &mut Vec<Child<SameGame<8, 4>>>,
    ) {
        evaluate::children::<8, 4, Words<8>>(rules, evaluation, state, out);
    }

    #[inline]
    fn steer(
        _: Path,
        steering: &Steering<'_>,
        planes: &[[u64; 8]; 4],
        score: i32,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) -> i32 {
        steer::<8, 4, Words<8>>(steering, planes, score, weights, rng, trace)
    }

    #[inline]
    fn run<D: Draw>(_: Path, table: &Table<'_, D>, jobs: &mut [Job<SameGame<8, 4>>]) {
        lockstep::run::<8, 4, 1, Words<8>, D>(table, jobs);
    }
}
