//! Samples of several generations, the oldest dropped as new ones come.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;
use solitree_core::Rng;
use solitree_nn::{Sample, Samples};

use super::play::{Ground, Replayed};
use super::{Game, Training};
use crate::Failure;

/// Of so many samples one is kept for validation.
const SPLIT: usize = 10;
/// Lines that count less than this beside the best of their board are left out.
const LEAST: f64 = 0.05;

/// A position and the moves to learn there, each with how much it counts.
#[derive(Clone, Debug, PartialEq)]
struct Lesson {
    contents: Vec<u8>,
    moves: Vec<(u16, f32)>,
    rest: Rest,
}

/// What the best line through a position had still to come.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rest {
    points: i64,
    /// Whether the board was cleared in the end.
    cleared: bool,
}

/// What is learnt from, and what is kept to see how well.
pub(super) struct Buffers {
    training: VecDeque<Lesson>,
    validation: VecDeque<Lesson>,
    limit: usize,
    seed: u64,
}

impl Buffers {
    pub(super) fn new(training: &Training) -> Buffers {
        Buffers {
            training: VecDeque::new(),
            validation: VecDeque::new(),
            limit: training.buffer as usize,
            seed: training.seed,
        }
    }

    /// Adds the games of a generation: shuffled, nine parts to learn from and one
    /// for validation.
    pub(super) fn add(
        &mut self,
        ground: &Ground,
        number: u64,
        games: &[&Game],
        threads: usize,
    ) -> Result<()> {
        let mut lessons = lessons(ground, games, threads)?;
        Rng::stream(self.seed, number).shuffle(&mut lessons);
        // Of few samples too there is one of each kind.
        let kept = (lessons.len() / SPLIT).max(1).min(lessons.len().saturating_sub(1));
        self.validation.extend(lessons.drain(..kept));
        self.training.extend(lessons);
        let most =
            [(&mut self.training, self.limit), (&mut self.validation, self.limit / (SPLIT - 1))];
        for (buffer, limit) in most {
            let over = buffer.len().saturating_sub(limit.max(1));
            buffer.drain(..over);
        }
        Ok(())
    }

    /// How many there are of each.
    pub(super) fn len(&self) -> (u64, u64) {
        (self.training.len() as u64, self.validation.len() as u64)
    }

    /// As a trainer takes them.
    pub(super) fn samples(&self, ground: &Ground) -> (Samples, Samples) {
        (samples(ground, &self.training), samples(ground, &self.validation))
    }

    /// All of them, to be learnt by heart.
    #[cfg(test)]
    pub(super) fn everything(&self, ground: &Ground) -> Samples {
        samples(ground, self.training.iter().chain(&self.validation))
    }
}

fn samples<'a>(ground: &Ground, lessons: impl IntoIterator<Item = &'a Lesson>) -> Samples {
    let mut samples = Samples::new(ground.encoder(), ground.rules());
    for lesson in lessons {
        let (moves, weights): (Vec<u16>, Vec<f32>) = lesson.moves.iter().copied().unzip();
        let sample = Sample {
            contents: &lesson.contents,
            moves: &moves,
            weights: &weights,
            value: Some(lesson.rest.points as f32),
            cleared: Some(lesson.rest.cleared),
        };
        let pushed = samples.push(ground.encoder(), sample);
        pushed.unwrap_or_else(|error| panic!("positions of legal games: {error}"));
    }
    samples
}

/// The positions of games. Where several lines of a board meet, each move counts
/// by the scores of its lines.
fn lessons(ground: &Ground, games: &[&Game], threads: usize) -> Result<Vec<Lesson>> {
    let mut boards: BTreeMap<u64, Vec<&Game>> = BTreeMap::new();
    for game in games {
        boards.entry(ground.board_of(game)).or_default().push(game);
    }
    let boards: Vec<Vec<&Game>> = boards.into_values().collect();
    let share = boards.len().div_ceil(threads.max(1)).max(1);
    let parts: Vec<Result<Vec<Lesson>>> = std::thread::scope(|scope| {
        let part = |boards| scope.spawn(move || lessons_of(ground, boards));
        let threads: Vec<_> = boards.chunks(share).map(part).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    });
    let lessons: Vec<Lesson> = parts.into_iter().collect::<Result<Vec<_>>>()?.concat();
    if lessons.is_empty() {
        return Err(Failure::usage("no game has a move: the boards are too small to learn from"));
    }
    Ok(lessons)
}

/// Those of some boards, each given by its games.
fn lessons_of(ground: &Ground, boards: &[Vec<&Game>]) -> Result<Vec<Lesson>> {
    let mut lessons = Vec::new();
    for lines in boards {
        let best = lines.iter().map(|game| game.score).max().unwrap_or(0);
        let mut found: BTreeMap<Vec<u8>, (BTreeMap<u16, f64>, Rest)> = BTreeMap::new();
        for game in lines {
            let share = weight(game.score, best);
            if share < LEAST {
                continue;
            }
            let Replayed { positions, points, cleared } = ground.replay(game)?;
            let moves = ground.moves_to_learn(game, positions.first());
            for ((contents, moves), before) in positions.into_iter().zip(moves).zip(points) {
                let here = Rest { points: game.score - before, cleared };
                let (position, rest) = found.entry(contents).or_insert((BTreeMap::new(), here));
                if here.points > rest.points {
                    *rest = here;
                }
                for &mv in &moves {
                    *position.entry(mv).or_default() += share / moves.len() as f64;
                }
            }
        }
        for (contents, (moves, rest)) in found {
            let total: f64 = moves.values().sum();
            let moves = moves.into_iter().map(|(mv, share)| (mv, (share / total) as f32)).collect();
            lessons.push(Lesson { contents, moves, rest });
        }
    }
    Ok(lessons)
}

/// How much a line counts beside the best of its board: a third at a tenth less.
fn weight(score: i64, best: i64) -> f64 {
    let (score, best) = (score as f64, best as f64);
    libm::exp(-10.0 * ((best - score) / best.abs().max(10.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::tiny;

    fn game(number: u64, score: i64, moves: &[u16]) -> Game {
        Game { generation: 1, game: number, score, moves: moves.to_vec() }
    }

    /// A legal game of one move on every board of the generation.
    fn opening(ground: &Ground, number: u64) -> Vec<u16> {
        let start = ground.replay(&game(number, 0, &[])).unwrap();
        assert!(start.positions.is_empty());
        let legal = (0..64).filter(|&cell| ground.replay(&game(number, 0, &[cell])).is_ok());
        legal.collect()
    }

    #[test]
    fn lines_of_a_board_share_its_positions() {
        let ground = Ground::new(&Training { lines: 2, ..tiny() }).unwrap();
        let legal = opening(&ground, 0);
        let games = [game(0, 100, &legal[..1]), game(1, 90, &legal[1..2])];
        let found = lessons(&ground, &[&games[0], &games[1]], 2).unwrap();
        assert_eq!(found.len(), 1, "one position");
        let share = (1.0 + (-1.0f32).exp()).recip();
        let of = |mv: u16| found[0].moves.iter().find(|(other, _)| *other == mv).unwrap().1;
        assert!((of(legal[0]) - share).abs() < 1e-6 && (of(legal[1]) - (1.0 - share)).abs() < 1e-6);
        let far = game(1, 10, &legal[1..2]);
        let found = lessons(&ground, &[&games[0], &far], 1).unwrap();
        assert_eq!(found[0].moves, [(legal[0], 1.0)], "far behind counts nothing");
        assert_eq!(found[0].rest, Rest { points: 100, cleared: false }, "of the best line");
    }

    #[test]
    fn scores_of_any_size_are_weighed() {
        assert_eq!((weight(7, 7), weight(i64::MIN, i64::MIN)), (1.0, 1.0));
        assert!((weight(90, 100) - (-1.0f64).exp()).abs() < 1e-12);
        assert!(weight(i64::MIN, i64::MAX) < 1e-8);
    }

    #[test]
    fn the_oldest_samples_go_first() {
        let training = Training { buffer: 9, ..tiny() };
        let ground = Ground::new(&training).unwrap();
        let mut buffers = Buffers::new(&training);
        let legal = |number| opening(&ground, number)[..1].to_vec();
        let first: Vec<Game> = (0..8).map(|number| game(number, 1, &legal(number))).collect();
        buffers.add(&ground, 1, &first.iter().collect::<Vec<_>>(), 3).unwrap();
        assert_eq!(buffers.len(), (7, 1));
        let before: Vec<Lesson> = buffers.training.iter().cloned().collect();
        buffers.add(&ground, 1, &first.iter().collect::<Vec<_>>(), 3).unwrap();
        assert_eq!(buffers.len(), (9, 1));
        assert_eq!(buffers.training.iter().take(2).cloned().collect::<Vec<_>>(), before[5..]);
    }

    #[test]
    fn a_move_that_is_not_legal_is_found_out() {
        let ground = Ground::new(&tiny()).unwrap();
        let error = lessons(&ground, &[&game(0, 1, &[999])], 1).unwrap_err().to_string();
        assert_eq!(error, "games.jsonl: generation 1, game 0: move 1 is not legal there");
    }
}
