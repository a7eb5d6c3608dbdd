//! Results for other programs: a SQLite file anyone can query, and CSV.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, params};

use crate::Failure;
use crate::experiment::{Folder, Plan, Record};

const TABLE: &str = "CREATE TABLE results (
    instance TEXT NOT NULL, setting TEXT NOT NULL, opponent TEXT NOT NULL,
    budget TEXT NOT NULL,
    repetition INTEGER NOT NULL, seed INTEGER NOT NULL, score INTEGER NOT NULL,
    cleared INTEGER, length INTEGER NOT NULL, branching REAL NOT NULL,
    playouts INTEGER NOT NULL, nodes INTEGER NOT NULL, average_depth REAL NOT NULL,
    deepest INTEGER NOT NULL, seconds REAL NOT NULL, stop TEXT NOT NULL,
    version TEXT NOT NULL, moves TEXT NOT NULL,
    PRIMARY KEY (instance, setting, opponent, budget, repetition))";

const INSERT: &str = "INSERT INTO results VALUES
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Writes all results to a new SQLite file, which takes the place of an old one
/// when it is whole.
pub fn export_sqlite(plan: &Plan, folder: &Folder, path: &Path) -> Result<()> {
    let beside = path.with_extension("sqlite.new");
    let _ = std::fs::remove_file(&beside);
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let fill = || -> Result<()> {
        let mut database = Connection::open(&beside)?;
        let batch = database.transaction()?;
        batch.execute(TABLE, [])?;
        {
            let mut insert = batch.prepare(INSERT)?;
            let mut trouble = None;
            folder.read(plan, |_, record| {
                if trouble.is_none() {
                    trouble = insert_into(&mut insert, record).err();
                }
            })?;
            if let Some(error) = trouble {
                return Err(error.into());
            }
        }
        batch.commit()?;
        Ok(())
    };
    fill().map_err(|error| failed(&error))?;
    std::fs::rename(&beside, path).map_err(|error| failed(&error))
}

fn insert_into(insert: &mut rusqlite::Statement<'_>, record: &Record) -> rusqlite::Result<()> {
    insert.execute(params![
        record.instance,
        record.setting,
        record.opponent.as_deref().unwrap_or_default(),
        record.budget,
        record.repetition as i64,
        record.seed as i64,
        record.score,
        record.cleared,
        record.moves.len() as i64,
        record.branching,
        record.playouts as i64,
        record.nodes as i64,
        record.average_depth,
        record.deepest as i64,
        record.seconds,
        record.stop,
        record.version,
        record.moves.join(" "),
    ])?;
    Ok(())
}

/// Writes all results as CSV.
pub fn export_csv(plan: &Plan, folder: &Folder, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "instance,setting,opponent,budget,repetition,seed,score,cleared,length,branching,playouts,nodes,\
         average_depth,deepest,seconds,stop,version,moves"
    )?;
    let mut trouble = None;
    folder.read(plan, |_, record| {
        let cleared = record.cleared.map_or_else(String::new, |cleared| cleared.to_string());
        let written = writeln!(
            out,
            "{},{},{},{},{},{},{},{cleared},{},{},{},{},{},{},{},{},{},{}",
            quoted(&record.instance),
            quoted(&record.setting),
            quoted(record.opponent.as_deref().unwrap_or_default()),
            quoted(&record.budget),
            record.repetition,
            record.seed,
            record.score,
            record.moves.len(),
            record.branching,
            record.playouts,
            record.nodes,
            record.average_depth,
            record.deepest,
            record.seconds,
            record.stop,
            quoted(&record.version),
            record.moves.join(" ")
        );
        if let Err(error) = written {
            trouble.get_or_insert(error);
        }
    })?;
    trouble.map_or(Ok(()), |error| Err(error.into()))
}

/// A text as a cell of CSV (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
