//! Files that are only ever added to, one JSON line a record: experiments,
//! tunings and matches are kept so.
//!
//! The lines are the record of truth. A line that was cut short, by a crash or a
//! full disk, is dropped, and what it told of is done again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Failure;

/// Makes a folder, if it is not there, and holds it: nobody else may write to it
/// as long as the returned file is kept.
pub(crate) fn hold(folder: &Path) -> Result<File> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let lock = File::create(folder.join("lock")).map_err(|error| failed(&error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Failure::usage(format!(
            "{}: another run is writing to this folder",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}

/// Reads every whole line of a file and hands it to `see` with its number, from 1.
/// A file that is not there has none.
pub(crate) fn each_line<T: DeserializeOwned>(
    path: &Path,
    mut see: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let failed = |place: String, error: &dyn std::fmt::Display| {
        Failure::input(format!("{}{place}: {error}", path.display()))
    };
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(|error| failed(String::new(), &error))?,
    };
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    for number in 1.. {
        let failed = |error: &dyn std::fmt::Display| failed(format!(", line {number}"), error);
        text.clear();
        let read = reader.read_until(b'\n', &mut text).map_err(|error| failed(&error))?;
        if read == 0 || text.last() != Some(&b'\n') {
            break;
        }
        see(number, serde_json::from_slice(&text).map_err(|error| failed(&error))?)?;
    }
    Ok(())
}

/// Adds lines to a file.
#[derive(Debug)]
pub(crate) struct Appender {
    file: File,
    path: PathBuf,
    /// Bytes that are known to be whole lines.
    length: u64,
}

impl Appender {
    /// Opens a file, or makes one; says too whether a line at its end had to be
    /// dropped.
    pub(crate) fn open(path: &Path) -> Result<(Appender, bool)> {
        let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", path.display()));
        let options = OpenOptions::new().create(true).read(true).append(true).open(path);
        let mut file = options.map_err(failed)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let whole = end_of_last_line(&mut file, length).map_err(failed)?;
        if whole < length {
            file.set_len(whole).map_err(failed)?;
        }
        Ok((Appender { file, path: path.to_owned(), length: whole }, whole < length))
    }

    /// Adds a record. If that fails, what was there stays whole.
    pub(crate) fn add(&mut self, record: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            // A part of the line may have been written.
            let _ = self.file.set_len(self.length);
            let place = self.path.display();
            return Err(Failure::input(format!("{place}: {error}; what was there is whole")));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Makes sure that what was added survives a loss of power.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|error| Failure::input(format!("{}: {error}", self.path.display())))
    }
}

/// Writes a file that is there whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    std::fs::rename(&beside, path)
}

fn end_of_last_line(file: &mut File, length: u64) -> std::io::Result<u64> {
    const BLOCK: u64 = 1 << 16;
    let mut end = length;
    while end > 0 {
        let begin = end.saturating_sub(BLOCK);
        let mut bytes = vec![0; (end - begin) as usize];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|&byte| byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}
