//! Parts of an experiment.

/// A part of the runs, for one of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// All of them.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Whether a run is one of it.
    #[must_use]
    pub fn has(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a part such as 1/4");
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let (index, count) =
            (index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
        if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(wrong()) }
    }
}
