//! Samples worked out, for a program that knows networks but no game.
//!
//! There are two rows a sample, the position and its mirror image, and seven arrays:
//! `marks` (the planes that are set, bytes, `[rows, cells * marks]`), `legal` (1 for
//! each cell that is a move, `[rows, cells]`), `ends` (where the moves of each row
//! end), `moves` (cells) and `weights` of them, and of each sample `values` (points, not a
//! number where they are not known) and `cleared` (0, 1, or 2 where it is not known). The header says which planes stand
//! for colours: they may be exchanged.

use std::path::Path;

use serde::Serialize;

use super::container::{self, Array, FileError, Type};
use crate::encoder::{Encoder, Input};
use crate::samegame::{SameGameEncoder, Symmetry};
use crate::samples::{Sample, Samples};

#[derive(Serialize)]
struct Header {
    kind: &'static str,
    format: u64,
    input: Input,
    /// The first plane of a colour, and how many there are.
    colours: (usize, usize),
}

impl Samples {
    /// Writes what there is to learn, worked out for a program that
    /// knows no game.
    pub fn write_lessons(&self, path: &Path, encoder: &SameGameEncoder) -> Result<(), FileError> {
        let input = encoder.input();
        let rows = 2 * self.len();
        let mut marks = vec![0; rows * input.bytes()];
        let mut legal = vec![0; rows * input.cells()];
        let (mut ends, mut moves, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut named = Vec::new();
        for row in 0..rows {
            let sample = self.get(row / 2);
            let (mut contents, mut played) = (sample.contents.to_vec(), sample.moves.to_vec());
            if row % 2 == 1 {
                Symmetry::MIRROR.apply(input.height, &mut contents, &mut played);
            }
            encoder.encode(&contents, &mut marks[row * input.bytes()..][..input.bytes()]);
            encoder.legal(&contents, &mut named);
            for &cell in &named {
                legal[row * input.cells() + usize::from(cell)] = 1;
            }
            moves.extend(played);
            weights.extend_from_slice(sample.weights);
            ends.push(moves.len() as u32);
        }
        let value = |sample: Sample<'_>| sample.value.unwrap_or(f32::NAN).to_le_bytes();
        let values = self.iter().flat_map(value).collect();
        let cleared = self.iter().map(|sample| sample.cleared.map_or(2, u8::from)).collect();
        let array = |name: &str, kind, shape: &[usize], bytes| Array {
            name: name.to_owned(),
            kind,
            shape: shape.to_vec(),
            bytes,
        };
        let arrays = [
            array("marks", Type::U8, &[rows, input.bytes()], marks),
            array("legal", Type::U8, &[rows, input.cells()], legal),
            array("ends", Type::U32, &[rows], ends.iter().flat_map(|x| x.to_le_bytes()).collect()),
            array(
                "moves",
                Type::U16,
                &[moves.len()],
                moves.iter().flat_map(|x| x.to_le_bytes()).collect(),
            ),
            array(
                "weights",
                Type::F32,
                &[weights.len()],
                weights.iter().flat_map(|x| x.to_le_bytes()).collect(),
            ),
            array("values", Type::F32, &[self.len()], values),
            array("cleared", Type::U8, &[self.len()], cleared),
        ];
        let colours = (1, encoder.colours());
        container::write(path, &Header { kind: "lessons", format: 1, input, colours }, &arrays)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;

    #[test]
    fn a_position_and_its_mirror_image_are_written() {
        let encoder = SameGameEncoder::new(3, 2, 2, Features::Colours).unwrap();
        let mut samples = Samples::new(&encoder, "samegame");
        // Columns from the left, each from the bottom: 1 1 | 2 2 | 1 2.
        let sample = Sample {
            contents: &[1, 1, 2, 2, 1, 2],
            moves: &[0, 2],
            weights: &[0.25, 0.75],
            value: None,
            cleared: Some(true),
        };
        samples.push(&encoder, sample).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lessons");
        samples.write_lessons(&path, &encoder).unwrap();
        let (header, arrays): (serde_json::Value, _) =
            container::read(&path, "lessons", 1).unwrap();
        assert_eq!(header["colours"], serde_json::json!([1, 2]));
        let bytes = |name: &str| {
            let array = arrays.iter().find(|array: &&Array| array.name == name).unwrap();
            array.bytes.clone()
        };
        assert_eq!(bytes("marks"), [1, 1, 2, 2, 1, 2, 1, 2, 2, 2, 1, 1]);
        // The group of twos reaches into the first column of the mirror image.
        assert_eq!(bytes("legal"), [1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0]);
        assert_eq!(bytes("moves"), [0, 0, 2, 0, 4, 0, 1, 0]);
        assert_eq!(bytes("ends"), [2, 0, 0, 0, 4, 0, 0, 0]);
        assert_eq!(arrays[4].shape, [4]);
        assert_eq!((bytes("values"), bytes("cleared")), (f32::NAN.to_le_bytes().to_vec(), vec![1]));
    }
}
