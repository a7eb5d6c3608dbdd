//! Hunting for records: attempt after attempt on some boards by some methods, for
//! as long as one likes.
//!
//! A folder has one file, to which every attempt adds a line. An attempt that was
//! better than all before it on its board is kept with its moves. So nothing is
//! lost when a hunt is killed, and the next one goes on where it was.

mod arms;
mod method;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::journal::{self, Appender};
use crate::{Failure, Instance, replay};

pub use arms::Arms;
pub use method::HuntMethod;

const FILE: &str = "attempts.jsonl";

/// An attempt at a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The board, by name or by its rows.
    pub board: String,
    /// The rules, where the game has some to choose from.
    pub rules: Option<String>,
    /// The method, or where a line was taken from.
    pub by: String,
    /// The seed.
    pub seed: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// What it came to.
    pub score: i64,
    /// By how much that was better than anything before; a first line is no gain.
    pub gain: i64,
    /// The moves, if it was better than anything before.
    pub moves: Option<Vec<String>>,
    /// The build that made it.
    pub build: String,
}

/// What is known of a board.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The best attempt.
    pub best: Attempt,
    /// Attempts in all, lines taken from elsewhere included.
    pub attempts: u64,
    /// Attempts since the best.
    pub since: u64,
    /// Seconds in all.
    pub seconds: f64,
}

/// A board with its rules: the best lines are kept for each.
pub type Prey = (String, Option<String>);

/// Everything a folder tells.
#[derive(Debug, Default)]
pub struct Bag {
    /// By board and rules.
    pub standings: BTreeMap<Prey, Standing>,
    /// What has been tried, to choose what is tried next.
    pub arms: Arms,
    /// Attempts in all.
    pub attempts: u64,
}

impl Bag {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Bag> {
        let file = folder.join(FILE);
        if !file.is_file() {
            return Err(Failure::input(format!("{}: there is no hunt in it", folder.display())));
        }
        Bag::of(&file)
    }

    fn of(file: &Path) -> Result<Bag> {
        let mut bag = Bag::default();
        journal::each_line(file, |_, attempt: Attempt| {
            bag.see(&attempt);
            Ok(())
        })?;
        Ok(bag)
    }

    /// The best of a board.
    #[must_use]
    pub fn best(&self, prey: &Prey) -> Option<&Attempt> {
        self.standings.get(prey).map(|standing| &standing.best)
    }

    fn see(&mut self, attempt: &Attempt) {
        self.attempts += 1;
        let prey = (attempt.board.clone(), attempt.rules.clone());
        self.arms.saw(&prey, &attempt.by, attempt.gain);
        match self.standings.get_mut(&prey) {
            Some(standing) => {
                standing.attempts += 1;
                standing.since += 1;
                standing.seconds += attempt.seconds;
                if attempt.moves.is_some() && attempt.score > standing.best.score {
                    standing.best = attempt.clone();
                    standing.since = 0;
                }
            }
            None if attempt.moves.is_some() => {
                let (best, seconds) = (attempt.clone(), attempt.seconds);
                self.standings.insert(prey, Standing { best, attempts: 1, since: 0, seconds });
            }
            None => {}
        }
    }
}

/// A folder that attempts are added to; nobody else may at the same time.
#[derive(Debug)]
pub struct Hunt {
    /// What it tells.
    pub bag: Bag,
    appender: Appender,
    build: String,
    _lock: File,
}

impl Hunt {
    /// Opens a folder, or makes one.
    pub fn open(folder: &Path, build: &str) -> Result<Hunt> {
        let lock = journal::hold(folder)?;
        let file: PathBuf = folder.join(FILE);
        let (appender, _) = Appender::open(&file)?;
        let bag = Bag::of(&file)?;
        Ok(Hunt { bag, appender, build: build.to_owned(), _lock: lock })
    }

    /// Adds what was found, after replaying it; says by how much it is better than
    /// anything before, if it is. The error of the rules is a text.
    pub fn add(&mut self, found: &Found<'_>) -> Result<Result<Option<i64>, String>> {
        let instance = match Instance::named(found.board, found.rules) {
            Ok(instance) => instance,
            Err(error) => return Ok(Err(error)),
        };
        let replay = match replay(&instance, found.moves) {
            Ok(replay) if replay.unfinished => {
                return Ok(Err("the game is not over after the last move".to_owned()));
            }
            Ok(replay) if replay.score.0 != found.score => {
                let (is, said) = (replay.score, found.score);
                return Ok(Err(format!("the score is {is}, not {said}")));
            }
            Ok(replay) => replay,
            Err(error) => return Ok(Err(error)),
        };
        let prey = (instance.name(), found.rules.map(str::to_owned));
        let before = self.bag.best(&prey).map(|best| best.score);
        let better = before.is_none_or(|before| found.score > before);
        let attempt = Attempt {
            board: prey.0,
            rules: prey.1,
            by: found.by.to_owned(),
            seed: found.seed,
            seconds: found.seconds,
            score: found.score,
            gain: before.map_or(0, |before| (found.score - before).max(0)),
            moves: better.then_some(replay.moves),
            build: self.build.clone(),
        };
        self.appender.add(&attempt)?;
        if better {
            self.appender.sync()?;
        }
        self.bag.see(&attempt);
        Ok(Ok(better.then_some(attempt.gain)))
    }
}

/// A line and what found it.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The board.
    pub board: &'a str,
    /// The rules.
    pub rules: Option<&'a str>,
    /// The method.
    pub by: &'a str,
    /// The seed.
    pub seed: u64,
    /// Seconds.
    pub seconds: f64,
    /// The score.
    pub score: i64,
    /// The moves.
    pub moves: &'a [String],
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const BOARD: &str = "112/122";

    fn found<'a>(score: i64, moves: &'a [String], by: &'a str) -> Found<'a> {
        Found { board: BOARD, rules: Some("clickomania"), by, seed: 1, seconds: 2.0, score, moves }
    }

    fn moves(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_better_is_kept_and_survives() {
        let folder = tempfile::tempdir().unwrap();
        let whole = moves("a1 a1");
        {
            let mut hunt = Hunt::open(folder.path(), "test").unwrap();
            assert_eq!(hunt.add(&found(6, &whole, "lns")).unwrap(), Ok(Some(0)));
            assert_eq!(hunt.add(&found(6, &whole, "lns")).unwrap(), Ok(None));
            assert!(Hunt::open(folder.path(), "test").is_err(), "two hunts in one folder");
        }
        // A line that a kill cut short.
        let file = folder.path().join(FILE);
        std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"{\"bo").unwrap();
        let hunt = Hunt::open(folder.path(), "test").unwrap();
        let standing = hunt.bag.standings.values().next().unwrap();
        assert_eq!((hunt.bag.attempts, standing.attempts, standing.since), (2, 2, 1));
        assert_eq!((standing.best.score, standing.best.moves.as_ref()), (6, Some(&whole)));
    }

    #[test]
    fn what_does_not_hold_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut hunt = Hunt::open(folder.path(), "test").unwrap();
        let mut refused = |score, text: &str| {
            let moves = moves(text);
            hunt.add(&found(score, &moves, "lns")).unwrap().unwrap_err()
        };
        assert_eq!(refused(7, "a1 a1"), "the score is 6, not 7");
        assert_eq!(refused(3, "a1"), "the game is not over after the last move");
        assert!(refused(6, "a1 c2").starts_with("move 2 (c2)"));
        assert!(hunt.bag.standings.is_empty());
        assert!(Bag::read(&folder.path().join("elsewhere")).is_err());
    }
}
