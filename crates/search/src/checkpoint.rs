//! Snapshots as files that cannot be half written or half believed.
//!
//! A file is a magic word, a format version, the version of the program, the
//! length and the checksum of what follows, and then the payload, compressed.
//! It is written beside its place and renamed into it, so that a reader finds
//! the old one or the new one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: &[u8; 8] = b"SOLITREE";
const FORMAT: u32 = 4;
const COMPRESSION: i32 = 1;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Something else altogether.
    #[error("not a checkpoint of solitree")]
    NotACheckpoint,
    /// Written by another version, whose searches may differ.
    #[error(
        "written by solitree {found}, and this is {expected}: a search only goes on in the version that began it"
    )]
    OtherVersion {
        /// The version that wrote it.
        found: String,
        /// The version that reads it.
        expected: String,
    },
    /// Laid out in a way this program does not know.
    #[error("of format {0}, and this program reads format {FORMAT}")]
    OtherFormat(u32),
    /// Cut short.
    #[error("cut short: {found} of {expected} bytes")]
    Truncated {
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

/// Writes a checkpoint, whole or not at all.
pub fn write(path: &Path, version: &str, value: &impl Serialize) -> Result<(), CheckpointError> {
    let plain = pack(value)?;
    let payload = zstd::encode_all(plain.as_slice(), COMPRESSION)?;
    let mut file = Vec::with_capacity(payload.len() + 64);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&FORMAT.to_le_bytes());
    file.extend_from_slice(&(version.len() as u32).to_le_bytes());
    file.extend_from_slice(version.as_bytes());
    file.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    file.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
    file.extend_from_slice(&payload);
    write_atomically(path, &file)?;
    Ok(())
}

/// Reads what [`write()`] wrote with the same version.
pub fn read<T: DeserializeOwned>(path: &Path, version: &str) -> Result<T, CheckpointError> {
    let file = fs::read(path)?;
    let total = file.len() as u64;
    let mut rest = file.as_slice();
    let mut take = |bytes: usize| -> Result<&[u8], CheckpointError> {
        let truncated = || CheckpointError::Truncated {
            found: total,
            expected: total - rest.len() as u64 + bytes as u64,
        };
        let (head, tail) = rest.split_at_checked(bytes).ok_or_else(truncated)?;
        rest = tail;
        Ok(head)
    };
    if take(MAGIC.len()).ok() != Some(MAGIC) {
        return Err(CheckpointError::NotACheckpoint);
    }
    let format = number(take(4)?) as u32;
    if format != FORMAT {
        return Err(CheckpointError::OtherFormat(format));
    }
    let version_len = number(take(4)?) as usize;
    let written_by = String::from_utf8_lossy(take(version_len)?).into_owned();
    if written_by != version {
        return Err(CheckpointError::OtherVersion {
            found: written_by,
            expected: version.to_owned(),
        });
    }
    let length = number(take(8)?) as usize;
    let checksum = number(take(4)?) as u32;
    let payload = take(length)?;
    if crc32fast::hash(payload) != checksum {
        return Err(CheckpointError::Damaged);
    }
    unpack(&zstd::decode_all(payload)?)
}

/// A value as bytes, for a part of a checkpoint whose type only some of its
/// readers know.
pub fn pack(value: &impl Serialize) -> Result<Vec<u8>, CheckpointError> {
    postcard::to_stdvec(value).map_err(|error| CheckpointError::Malformed(error.to_string()))
}

/// The value that [`pack`] made bytes of.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CheckpointError> {
    postcard::from_bytes(bytes).map_err(|error| CheckpointError::Malformed(error.to_string()))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Writes a file beside its place, then renames it into it.
pub fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("not a file name"))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&beside, path));
    if renamed.is_err() {
        // What is left of it helps nobody; that it cannot be removed either
        // adds nothing to the error.
        let _ = fs::remove_file(&beside);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint");
        write(&path, "1.2.3", &vec![1u64, 2, 3]).unwrap();
        let bytes = fs::read(&path).unwrap();
        (dir, path, bytes)
    }

    #[test]
    fn reads_what_was_written() {
        let (dir, path, _) = written();
        assert_eq!(read::<Vec<u64>>(&path, "1.2.3").unwrap(), [1, 2, 3]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn another_version_is_refused() {
        let (_dir, path, _) = written();
        let error = read::<Vec<u64>>(&path, "1.2.4").unwrap_err().to_string();
        assert!(error.starts_with("written by solitree 1.2.3, and this is 1.2.4"), "{error}");
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let (_dir, path, bytes) = written();
        for len in 0..bytes.len() {
            fs::write(&path, &bytes[..len]).unwrap();
            assert!(read::<Vec<u64>>(&path, "1.2.3").is_err(), "cut to {len}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            assert!(read::<Vec<u64>>(&path, "1.2.3").is_err(), "bit {bit}");
        }
    }
}
