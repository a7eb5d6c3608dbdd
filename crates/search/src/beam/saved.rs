//! A beam as it is written down: lines instead of positions, which are played
//! again when it is read.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::Puzzle;

use super::Desk;
use super::config::Shape;
use super::pass::{Pass, SavedPass};
use super::schedule::Schedule;

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct SavedDesk<M> {
    schedule: Schedule,
    pass: SavedPass<M>,
    finished: bool,
}

impl<P: Puzzle> Desk<P> {
    pub(super) fn save(&self) -> Vec<u8> {
        let saved = SavedDesk {
            schedule: self.schedule.clone(),
            pass: self.pass.save(),
            finished: self.finished,
        };
        postcard::to_stdvec(&saved).unwrap_or_default()
    }

    pub(super) fn load(&mut self, puzzle: &P, shape: Shape, bytes: &[u8]) -> Result<(), String> {
        let saved: SavedDesk<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.pass = Pass::load(puzzle, shape, saved.pass)?;
        self.schedule = saved.schedule;
        self.finished = saved.finished;
        Ok(())
    }
}
