//! Named arrays in one file: safetensors, with a header of ours in its metadata
//! and a checksum over everything.
//!
//! A safetensors file is the length of a JSON text (eight bytes, the lowest
//! first), that text, and the arrays one after another. The text says of each
//! array its type, its shape and where it lies; its `__metadata__` holds texts.
//! Ours are `solitree`, a JSON object, and `checksum`, the CRC-32 of that text
//! and of name, type, shape and bytes of each array in the order of their places.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Something else altogether.
    #[error("not a safetensors file of solitree: {0}")]
    NotOurs(String),
    /// It holds something else.
    #[error("holds {found}, and {expected} are asked for")]
    OtherKind {
        /// What it holds.
        found: String,
        /// What is asked for.
        expected: String,
    },
    /// Laid out in a way this program does not know.
    #[error("of format {found}, and this program reads format {expected}")]
    OtherFormat {
        /// Its format.
        found: u64,
        /// The format that is read.
        expected: u64,
    },
    /// Cut short, or longer than it should be.
    #[error("cut short or overlong: {found} of {expected} bytes")]
    Length {
        /// Bytes there.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The checksum differs.
    #[error("damaged: its checksum does not match")]
    Damaged,
    /// The checksum is right and yet it makes no sense.
    #[error("not understood: {0}")]
    Malformed(String),
}

/// The type of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    F32,
    F16,
    U8,
    U16,
    U32,
}

const TYPES: [(Type, &str, usize); 5] = [
    (Type::F32, "F32", 4),
    (Type::F16, "F16", 2),
    (Type::U8, "U8", 1),
    (Type::U16, "U16", 2),
    (Type::U32, "U32", 4),
];

impl Type {
    fn name(self) -> &'static str {
        TYPES[self as usize].1
    }

    fn bytes(self) -> usize {
        TYPES[self as usize].2
    }
}

/// A named array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

/// Writes a header and arrays: whole or not at all.
pub(super) fn write(path: &Path, header: &impl Serialize, arrays: &[Array]) -> io::Result<()> {
    write_atomically(path, &to_bytes(header, arrays)?)
}

fn to_bytes(header: &impl Serialize, arrays: &[Array]) -> io::Result<Vec<u8>> {
    let header = serde_json::to_string(header)?;
    let checksum = checksum(&header, arrays);
    let mut text = Map::new();
    text.insert(
        "__metadata__".to_owned(),
        json!({ "solitree": header, "checksum": format!("{checksum:08x}") }),
    );
    let mut end = 0;
    for array in arrays {
        let start = end;
        end += array.bytes.len();
        let entry = json!({ "dtype": array.kind.name(), "shape": array.shape, "data_offsets": [start, end] });
        text.insert(array.name.clone(), entry);
    }
    let mut text = serde_json::to_string(&text)?;
    // Arrays begin at a multiple of eight bytes, as the format recommends.
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(text.as_bytes());
    arrays.iter().for_each(|array| file.extend_from_slice(&array.bytes));
    Ok(file)
}

/// Reads the header, of a kind and format, and the arrays in the order of their
/// places, and checks everything that can be checked without knowing what they
/// are for.
pub(super) fn read<H: DeserializeOwned>(
    path: &Path,
    kind: &str,
    format: u64,
) -> Result<(H, Vec<Array>), FileError> {
    parse(&fs::read(path)?, kind, format)
}

/// The same from the bytes of a file.
pub(super) fn parse<H: DeserializeOwned>(
    file: &[u8],
    kind: &str,
    format: u64,
) -> Result<(H, Vec<Array>), FileError> {
    let ours = |what: &str| FileError::NotOurs(what.to_owned());
    let (length, rest) = file.split_first_chunk().ok_or_else(|| ours("no header"))?;
    let length = u64::from_le_bytes(*length);
    // The first byte tells a truncated file from something else.
    if rest.first().is_some_and(|&byte| byte != b'{') || length > 100 << 20 {
        return Err(ours("no header"));
    }
    if length > rest.len() as u64 {
        return Err(FileError::Length { found: file.len() as u64, expected: 8 + length });
    }
    let (text, data) = rest.split_at(length as usize);
    let text: Map<String, Value> =
        serde_json::from_slice(text).map_err(|error| FileError::NotOurs(error.to_string()))?;
    let metadata = text.get("__metadata__");
    let string = |key: &str| metadata?.get(key)?.as_str();
    let header = string("solitree").ok_or_else(|| ours("no metadata of solitree"))?;
    let expected = string("checksum").ok_or_else(|| ours("no checksum"))?;
    let arrays = arrays(&text, data, file.len())?;
    if format!("{:08x}", checksum(header, &arrays)) != expected {
        return Err(FileError::Damaged);
    }
    let malformed = |error: serde_json::Error| FileError::Malformed(error.to_string());
    let value: Value = serde_json::from_str(header).map_err(malformed)?;
    let found = value.get("kind").and_then(Value::as_str).unwrap_or("something unnamed");
    if found != kind {
        return Err(FileError::OtherKind { found: found.to_owned(), expected: kind.to_owned() });
    }
    let found = value.get("format").and_then(Value::as_u64).unwrap_or(0);
    if found != format {
        return Err(FileError::OtherFormat { found, expected: format });
    }
    Ok((serde_json::from_value(value).map_err(malformed)?, arrays))
}

/// The arrays that the text of a file describes, in the order in which they
/// follow each other in `data`; the whole file has `length` bytes.
fn arrays(text: &Map<String, Value>, data: &[u8], length: usize) -> Result<Vec<Array>, FileError> {
    let mut arrays = Vec::new();
    for (name, entry) in text.iter().filter(|(name, _)| *name != "__metadata__") {
        let malformed = |what: &str| FileError::Malformed(format!("array {name}: {what}"));
        let kind = entry.get("dtype").and_then(Value::as_str);
        let kind = TYPES.into_iter().find(|(_, text, _)| Some(*text) == kind);
        let kind = kind.ok_or_else(|| malformed("an unknown type"))?.0;
        let numbers = |key: &str| -> Option<Vec<usize>> {
            let list = entry.get(key)?.as_array()?;
            list.iter().map(|number| Some(number.as_u64()? as usize)).collect()
        };
        let shape = numbers("shape").ok_or_else(|| malformed("no shape"))?;
        let size = shape.iter().try_fold(kind.bytes(), |size, &side| size.checked_mul(side));
        let place = match (size, numbers("data_offsets").as_deref()) {
            (Some(size), Some(&[from, to])) if to.checked_sub(from) == Some(size) => from..to,
            _ => return Err(malformed("place and shape do not agree")),
        };
        // A file cut short is told as such below, once all of it is known.
        let bytes = data.get(place.clone()).unwrap_or_default().to_vec();
        arrays.push((place, Array { name: name.clone(), kind, shape, bytes }));
    }
    arrays.sort_by_key(|(place, _)| (place.start, place.end));
    let mut end = 0;
    for (place, array) in &arrays {
        if place.start != end {
            let what = format!("array {}: does not follow the one before", array.name);
            return Err(FileError::Malformed(what));
        }
        end = place.end;
    }
    if end != data.len() {
        let expected = ((length - data.len()) as u64).saturating_add(end as u64);
        return Err(FileError::Length { found: length as u64, expected });
    }
    Ok(arrays.into_iter().map(|(_, array)| array).collect())
}

fn checksum(header: &str, arrays: &[Array]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header.as_bytes());
    for array in arrays {
        let name = format!("\n{} {} {:?}\n", array.name, array.kind.name(), array.shape);
        hasher.update(name.as_bytes());
        hasher.update(&array.bytes);
    }
    hasher.finalize()
}

/// Writes a file beside its place, then renames it into it. What bears the name is
/// whole even after a loss of power.
fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("not a file name"))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = || -> io::Result<()> {
        let mut file = fs::File::create(&beside)?;
        file.write_all(contents)?;
        file.sync_data()
    };
    let renamed = written().and_then(|()| fs::rename(&beside, path));
    if renamed.is_err() {
        // What is left of it helps nobody; that it cannot be removed either
        // adds nothing to the error.
        let _ = fs::remove_file(&beside);
    }
    renamed
}
