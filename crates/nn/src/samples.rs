//! Positions with what was found out about them: what a network learns from.

use crate::encoder::{Encoder, EncoderId};

/// One position and what was found out about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    /// A byte a cell, as the encoder has it.
    pub contents: &'a [u8],
    /// Moves to learn, as cells; none if only the rest is to be learnt.
    pub moves: &'a [u16],
    /// How much each of them counts; they sum to 1.
    pub weights: &'a [f32],
    /// What the rest of the game brought, in points.
    pub value: Option<f32>,
    /// Whether the board was cleared.
    pub cleared: Option<bool>,
}

/// What is wrong with a sample.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// Contents of another size, or that no position has.
    #[error("the board is not a position of {0}")]
    Contents(String),
    /// A move that the position does not have.
    #[error("cell {0} is not a legal move")]
    Move(u16),
    /// Weights that do not belong to the moves or do not sum to 1.
    #[error("the weights of the moves are not positive numbers, one a move, that sum to 1")]
    Weights,
    /// A value that is no number.
    #[error("the value is not a finite number")]
    Value,
}

/// Many samples of one game and size, held compactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub(crate) encoder: EncoderId,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rules: String,
    pub(crate) contents: Vec<u8>,
    /// Where the moves of each sample end.
    pub(crate) ends: Vec<u32>,
    pub(crate) moves: Vec<u16>,
    pub(crate) weights: Vec<f32>,
    /// Not a number where unknown.
    pub(crate) values: Vec<f32>,
    /// 0, 1, or 2 where unknown.
    pub(crate) cleared: Vec<u8>,
}

impl Samples {
    /// No samples yet of positions of an encoder, under rules.
    #[must_use]
    pub fn new(encoder: &dyn Encoder, rules: &str) -> Samples {
        let input = encoder.input();
        Samples {
            encoder: encoder.id(),
            width: input.width,
            height: input.height,
            rules: rules.to_owned(),
            contents: Vec::new(),
            ends: Vec::new(),
            moves: Vec::new(),
            weights: Vec::new(),
            values: Vec::new(),
            cleared: Vec::new(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What encodes the positions.
    #[must_use]
    pub fn encoder(&self) -> &EncoderId {
        &self.encoder
    }

    /// Columns and rows of the boards.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Under which rules they were found.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// Adds a sample, if it makes sense to the encoder.
    pub fn push(&mut self, encoder: &dyn Encoder, sample: Sample<'_>) -> Result<(), SampleError> {
        check(encoder, sample)?;
        self.contents.extend_from_slice(sample.contents);
        self.moves.extend_from_slice(sample.moves);
        self.weights.extend_from_slice(sample.weights);
        self.ends.push(self.moves.len() as u32);
        self.values.push(sample.value.unwrap_or(f32::NAN));
        self.cleared.push(sample.cleared.map_or(2, u8::from));
        Ok(())
    }

    /// The sample numbered `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Sample<'_> {
        let cells = self.width * self.height;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let moves = start..self.ends[index] as usize;
        Sample {
            contents: &self.contents[index * cells..][..cells],
            moves: &self.moves[moves.clone()],
            weights: &self.weights[moves],
            value: Some(self.values[index]).filter(|value| !value.is_nan()),
            cleared: [Some(false), Some(true), None][usize::from(self.cleared[index]).min(2)],
        }
    }

    /// Every sample, in order.
    pub fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Mean and standard deviation of the values that are known.
    #[must_use]
    pub fn scale(&self) -> Scale {
        let known: Vec<f64> =
            self.values.iter().filter(|x| !x.is_nan()).map(|&x| f64::from(x)).collect();
        if known.is_empty() {
            return Scale::default();
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let square = known.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / known.len() as f64;
        let spread = if square > 0.0 { square.sqrt() as f32 } else { 1.0 };
        Scale { mean: mean as f32, spread }
    }
}

pub(crate) fn check(encoder: &dyn Encoder, sample: Sample<'_>) -> Result<(), SampleError> {
    if !encoder.accepts(sample.contents) {
        let input = encoder.input();
        let name = format!("{} on {}x{}", encoder.id(), input.width, input.height);
        return Err(SampleError::Contents(name));
    }
    if !sample.moves.is_empty() {
        let mut legal = Vec::new();
        encoder.legal(sample.contents, &mut legal);
        if let Some(&mv) = sample.moves.iter().find(|mv| !legal.contains(mv)) {
            return Err(SampleError::Move(mv));
        }
        let sum: f32 = sample.weights.iter().sum();
        let positive = sample.weights.iter().all(|&weight| weight > 0.0);
        if sample.weights.len() != sample.moves.len() || !positive || (sum - 1.0).abs() > 1e-3 {
            return Err(SampleError::Weights);
        }
    } else if !sample.weights.is_empty() {
        return Err(SampleError::Weights);
    }
    match sample.value {
        Some(value) if !value.is_finite() => Err(SampleError::Value),
        _ => Ok(()),
    }
}

/// How the values a network gives are turned into points.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scale {
    /// Points at 0.
    pub mean: f32,
    /// Points between 0 and 1.
    pub spread: f32,
}

impl Default for Scale {
    fn default() -> Scale {
        Scale { mean: 0.0, spread: 1.0 }
    }
}

impl Scale {
    /// What a network's value is worth in points.
    #[must_use]
    pub fn points(self, value: f32) -> f32 {
        self.mean + self.spread * value
    }

    /// What a network should say for so many points.
    #[must_use]
    pub fn value(self, points: f32) -> f32 {
        (points - self.mean) / self.spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, SameGameEncoder};

    #[test]
    fn only_sound_samples_are_taken() {
        let encoder = SameGameEncoder::new(3, 2, 2, Features::Colours).unwrap();
        let mut samples = Samples::new(&encoder, "samegame");
        let good = Sample {
            contents: &[1, 1, 2, 2, 1, 2],
            moves: &[0, 2],
            weights: &[0.25, 0.75],
            value: Some(12.0),
            cleared: None,
        };
        samples.push(&encoder, good).unwrap();
        assert_eq!((samples.len(), samples.get(0)), (1, good));
        let mut message = |sample| samples.push(&encoder, sample).unwrap_err().to_string();
        for contents in [&[1, 1, 2, 2, 1][..], &[1, 1, 2, 2, 1, 3], &[0, 1, 2, 2, 1, 2]] {
            let board = "the board is not a position of samegame/colours2/v1 on 3x2";
            assert_eq!(message(Sample { contents, ..good }), board);
        }
        assert_eq!(message(Sample { moves: &[0, 1], ..good }), "cell 1 is not a legal move");
        for weights in [&[1.0][..], &[0.5, 0.4], &[1.5, -0.5], &[f32::NAN, 0.5]] {
            assert!(message(Sample { weights, ..good }).starts_with("the weights of the moves"));
        }
        let value = Some(f32::INFINITY);
        assert_eq!(message(Sample { value, ..good }), "the value is not a finite number");
    }

    #[test]
    fn values_are_scaled() {
        let encoder = SameGameEncoder::new(1, 1, 1, Features::Colours).unwrap();
        let mut samples = Samples::new(&encoder, "samegame");
        for value in [Some(10.0), Some(30.0), None] {
            let sample =
                Sample { contents: &[1], moves: &[], weights: &[], value, cleared: Some(true) };
            samples.push(&encoder, sample).unwrap();
        }
        let scale = samples.scale();
        assert_eq!(scale, Scale { mean: 20.0, spread: 10.0 });
        assert_eq!((scale.value(30.0), scale.points(-1.0)), (1.0, 10.0));
    }
}
