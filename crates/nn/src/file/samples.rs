//! Samples as a file: boards, moves to learn, what the games brought.
//!
//! Six arrays: `boards` (bytes, `[samples, cells]`), `ends` (where the moves of
//! each sample end), `moves` (cells) and `weights` of them, `values` (points, not
//! a number where unknown) and `cleared` (0, 1, or 2 where unknown).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::container::{self, Array, FileError, Type};
use crate::encoder::{Encoder, EncoderId};
use crate::samples::{Samples, check};

const KIND: &str = "samples";
const FORMAT: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    kind: String,
    format: u64,
    encoder: EncoderId,
    rules: String,
    width: usize,
    height: usize,
}

impl Samples {
    /// Writes the samples, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let header = Header {
            kind: KIND.to_owned(),
            format: FORMAT,
            encoder: self.encoder.clone(),
            rules: self.rules.clone(),
            width: self.width,
            height: self.height,
        };
        let count = self.len();
        let array = |name: &str, kind, shape: &[usize], bytes| Array {
            name: name.to_owned(),
            kind,
            shape: shape.to_vec(),
            bytes,
        };
        let floats = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let ends = self.ends.iter().flat_map(|x| x.to_le_bytes()).collect();
        let moves = self.moves.iter().flat_map(|x| x.to_le_bytes()).collect();
        let arrays = [
            array("boards", Type::U8, &[count, self.width * self.height], self.contents.clone()),
            array("ends", Type::U32, &[count], ends),
            array("moves", Type::U16, &[self.moves.len()], moves),
            array("weights", Type::F32, &[self.moves.len()], floats(&self.weights)),
            array("values", Type::F32, &[count], floats(&self.values)),
            array("cleared", Type::U8, &[count], self.cleared.clone()),
        ];
        container::write(path, &header, &arrays)?;
        Ok(())
    }

    /// Reads samples for an encoder and checks every one of them.
    pub fn read(path: &Path, encoder: &dyn Encoder) -> Result<Samples, FileError> {
        let (header, arrays): (Header, Vec<Array>) = container::read(path, KIND, FORMAT)?;
        let input = encoder.input();
        let name = |id: &EncoderId, width, height| format!("samples of {id} on {width}x{height}");
        let found = name(&header.encoder, header.width, header.height);
        let expected = name(&encoder.id(), input.width, input.height);
        if found != expected {
            return Err(FileError::OtherKind { found, expected });
        }
        let find = |name: &str| arrays.iter().find(|array| array.name == name);
        let length = |name| find(name).map_or(0, |array| array.shape.iter().product());
        let (count, moves) = (length("ends"), length("moves"));
        let bytes = |name: &str, kind: Type, shape: &[usize]| {
            let array = find(name).filter(|array| array.kind == kind && array.shape == shape);
            let wrong = || FileError::Malformed(format!("no array {name} of shape {shape:?}"));
            array.map(|array| array.bytes.as_slice()).ok_or_else(wrong)
        };
        let floats = |bytes: &[u8]| {
            bytes.as_chunks::<4>().0.iter().map(|&x| f32::from_le_bytes(x)).collect::<Vec<f32>>()
        };
        let samples = Samples {
            encoder: header.encoder,
            width: header.width,
            height: header.height,
            rules: header.rules,
            contents: bytes("boards", Type::U8, &[count, input.cells()])?.to_vec(),
            ends: {
                let ends = bytes("ends", Type::U32, &[count])?.as_chunks::<4>().0;
                ends.iter().map(|&end| u32::from_le_bytes(end)).collect()
            },
            moves: {
                let cells = bytes("moves", Type::U16, &[moves])?.as_chunks::<2>().0;
                cells.iter().map(|&cell| u16::from_le_bytes(cell)).collect()
            },
            weights: floats(bytes("weights", Type::F32, &[moves])?),
            values: floats(bytes("values", Type::F32, &[count])?),
            cleared: bytes("cleared", Type::U8, &[count])?.to_vec(),
        };
        let ordered = samples.ends.is_sorted();
        if !ordered || samples.ends.last().map_or(0, |&end| end as usize) != moves {
            return Err(FileError::Malformed("the ends of moves are not in order".to_owned()));
        }
        for (index, sample) in samples.iter().enumerate() {
            let malformed = |error| FileError::Malformed(format!("sample {}: {error}", index + 1));
            check(encoder, sample).map_err(malformed)?;
        }
        Ok(samples)
    }
}
