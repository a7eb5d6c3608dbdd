//! Lines that are known before a search begins: `solve --improve`.

use std::path::Path;

use anyhow::Result;
use solitree_lab::{Failure, Instance, replay};

use crate::claims::{self, Claim};

/// The lines of a file, each with the place where it stands.
pub struct KnownLines {
    lines: Vec<(String, Claim)>,
}

impl KnownLines {
    /// Reads a file. A line's board is a name or rows, never a file.
    pub fn read(file: &Path) -> Result<KnownLines> {
        let mut lines = Vec::new();
        for line in claims::read(file)? {
            let (place, mut claim) = line?;
            let instance = Instance::named(&claim.board, claim.rules.as_deref())
                .map_err(|error| Failure::input(format!("{place}: {error}")))?;
            claim.board = instance.name();
            lines.push((place, claim));
        }
        if lines.is_empty() {
            return Err(Failure::input(format!("{}: no solutions in it", file.display())));
        }
        Ok(KnownLines { lines })
    }

    /// The board of the first line, and its rules if they are named.
    pub fn first(&self) -> Option<(&str, Option<&str>)> {
        let (_, claim) = self.lines.first()?;
        Some((&claim.board, claim.rules.as_deref()))
    }

    /// The moves of the best line of an instance, by what the file says, if it
    /// has one. The first move that is not legal is an error.
    pub fn of(&self, instance: &Instance) -> Result<Option<Vec<String>>> {
        let name = instance.name();
        let best = self.lines.iter().filter(|(_, claim)| claim.board == name);
        let Some((place, claim)) = best.max_by_key(|(_, claim)| claim.score) else {
            return Ok(None);
        };
        let replay = replay(instance, &claim.moves)
            .map_err(|error| Failure::Condition(format!("{place}: {name}: {error}")))?;
        Ok(Some(replay.moves))
    }
}
