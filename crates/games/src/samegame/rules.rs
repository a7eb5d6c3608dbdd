//! What a move, a cleared board and left-over blocks are worth, as data.

use std::fmt;
use std::sync::Arc;

use super::board::MAX_COLOURS;
use super::formula::{Formula, FormulaError};

/// The most blocks a board can have.
pub(super) const MAX_CELLS: usize = 512;

/// What all moves of a game, or its end, may bring: beyond it totals could
/// overflow.
const LIMIT: i64 = 500_000_000;

/// A named scoring rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rule, as [`Rules::parse`] reads it.
    pub text: &'static str,
    /// Where it comes from.
    pub about: &'static str,
}

/// Every named rule.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "samegame",
        text: "(n-2)^2;clear=1000;left=-(m-2)^2",
        about: "the papers' formula, taken literally: the default",
    },
    Preset {
        name: "samegame-clamped",
        text: "(n-2)^2;clear=1000;left=-max(m-2,0)^2",
        about: "one or two blocks left of a colour cost nothing, as in the authors' program",
    },
    Preset {
        name: "codingame",
        text: "(n-2)^2;clear=1000",
        about: "no penalty for blocks left: CodinGame and the NRPA papers",
    },
    Preset { name: "clickomania", text: "n", about: "every block removed is a point" },
    Preset { name: "bubble-breaker", text: "n(n-1)", about: "also known as Jawbreaker" },
];

/// A scoring rule, tabulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    name: String,
    /// Points of a group by its size.
    points: [i32; 2 * MAX_CELLS],
    /// What a cleared board adds.
    clear: i32,
    /// What `m` blocks left of one colour add; 0 for none left.
    left: [i32; MAX_CELLS + 1],
    penalises: bool,
    /// The most that `m` blocks of one colour can still bring when all go.
    best_cleared: Vec<Option<i32>>,
    /// The most that `m` blocks of one colour can bring when some may stay.
    best_any: Vec<i32>,
}

/// What is wrong with the text of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// Neither a preset nor a formula.
    #[error("rules '{0}': {1}")]
    Formula(String, FormulaError),
    /// A part that is not `clear=` or `left=`.
    #[error("rules: '{0}' is not 'clear=POINTS' or 'left=FORMULA OF m'")]
    Part(String),
    /// A value too large to add up safely.
    #[error("rules '{0}': the value for {1} is too large")]
    TooLarge(String, usize),
}

impl Default for Rules {
    fn default() -> Self {
        Rules::preset("samegame").expect("the default rules are a preset")
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Rules {
    /// The rule of a name in [`PRESETS`].
    #[must_use]
    pub fn preset(name: &str) -> Option<Rules> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let rules = Rules::custom(preset.text).expect("presets are well formed");
        Some(Rules { name: name.to_owned(), ..rules })
    }

    /// A preset by name, or a rule such as `(n-2)^2;clear=1000;left=-(m-2)^2`:
    /// points of a group of `n`, what a cleared board adds, what `m` blocks
    /// left of one colour add.
    pub fn parse(text: &str) -> Result<Arc<Rules>, RulesError> {
        match Rules::preset(text.trim()) {
            Some(rules) => Ok(Arc::new(rules)),
            None => Rules::custom(text).map(Arc::new),
        }
    }

    fn custom(text: &str) -> Result<Rules, RulesError> {
        let mut parts = text.split(';').map(str::trim);
        let points_text = parts.next().unwrap_or_default();
        let (mut clear_text, mut left_text) = ("0", "0");
        for part in parts {
            if let Some(value) = part.strip_prefix("clear=") {
                clear_text = value;
            } else if let Some(value) = part.strip_prefix("left=") {
                left_text = value;
            } else {
                return Err(RulesError::Part(part.to_owned()));
            }
        }
        let mut points = [0; 2 * MAX_CELLS];
        let group = formula(points_text, "n")?;
        for (size, points) in points.iter_mut().enumerate().take(MAX_CELLS + 1).skip(2) {
            // A game has at most so many groups of this size.
            *points = tabulate(&group, points_text, size, MAX_CELLS / size)?;
        }
        let mut left = [0; MAX_CELLS + 1];
        let penalty = formula(left_text, "m")?;
        for (blocks, left) in left.iter_mut().enumerate().skip(1) {
            *left = tabulate(&penalty, left_text, blocks, MAX_COLOURS)?;
        }
        let clear = tabulate(&formula(clear_text, "")?, clear_text, 0, 1)?;
        let penalises = left.iter().any(|&points| points != 0);
        let (best_cleared, best_any) = bounds(&points, &left);
        Ok(Rules { name: text.to_owned(), points, clear, left, penalises, best_cleared, best_any })
    }

    /// Points of a group of `size` blocks; sizes beyond the largest board wrap.
    #[inline(always)]
    #[must_use]
    pub fn points(&self, size: u32) -> i32 {
        self.points[size as usize % (2 * MAX_CELLS)]
    }

    /// What a cleared board adds.
    #[must_use]
    pub fn clear(&self) -> i32 {
        self.clear
    }

    /// What blocks left of one colour add; numbers beyond the largest board wrap.
    #[inline(always)]
    #[must_use]
    pub fn left(&self, blocks: u32) -> i32 {
        self.left[blocks as usize % (MAX_CELLS + 1)]
    }

    /// Whether blocks left ever matter.
    pub(super) fn penalises(&self) -> bool {
        self.penalises
    }

    /// The most a position can still bring, from its blocks of each colour:
    /// the papers' over-estimator (all blocks of a colour in one group, the
    /// bonus unless a colour has a single block), made right for any rule by
    /// splitting each colour the best way.
    pub(super) fn upper_bound(&self, counts: impl Iterator<Item = u32> + Clone) -> i32 {
        let any: i32 = counts.clone().map(|m| self.best_any[m as usize]).sum();
        let cleared: Option<i32> = counts.map(|m| self.best_cleared[m as usize]).sum();
        cleared.map_or(any, |cleared| any.max(cleared + self.clear))
    }
}

fn formula(text: &str, variable: &str) -> Result<Formula, RulesError> {
    Formula::parse(text, variable).map_err(|error| RulesError::Formula(text.to_owned(), error))
}

fn tabulate(formula: &Formula, text: &str, at: usize, times: usize) -> Result<i32, RulesError> {
    formula
        .value(at as i64)
        .filter(|value| value.unsigned_abs() <= LIMIT as u64 / times as u64)
        .map(|value| value as i32)
        .ok_or_else(|| RulesError::TooLarge(text.to_owned(), at))
}

fn bounds(points: &[i32], left: &[i32]) -> (Vec<Option<i32>>, Vec<i32>) {
    let mut cleared: Vec<Option<i32>> = vec![Some(0), None];
    let mut any = vec![0, left[1]];
    for blocks in 2..=MAX_CELLS {
        let best =
            (2..=blocks).filter_map(|size| Some(points[size] + cleared[blocks - size]?)).max();
        cleared.push(best);
        let kept = left[blocks];
        any.push((2..=blocks).map(|size| points[size] + any[blocks - size]).fold(kept, i32::max));
    }
    (cleared, any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_pay_what_their_names_say() {
        let pays = |name: &str, size| Rules::preset(name).unwrap().points(size);
        assert_eq!((pays("samegame", 2), pays("samegame", 7)), (0, 25));
        assert_eq!((pays("clickomania", 2), pays("clickomania", 7)), (2, 7));
        assert_eq!((pays("bubble-breaker", 2), pays("bubble-breaker", 7)), (2, 42));
        let left = |name: &str, blocks| Rules::preset(name).unwrap().left(blocks);
        assert_eq!([left("samegame", 0), left("samegame", 1), left("samegame", 5)], [0, -1, -9]);
        assert_eq!([left("samegame-clamped", 1), left("samegame-clamped", 5)], [0, -9]);
        assert_eq!(left("codingame", 5), 0);
    }

    #[test]
    fn the_bound_is_the_papers_over_estimator() {
        let rules = Rules::default();
        assert_eq!(rules.upper_bound([45, 45, 45, 45, 45].into_iter()), 5 * 43 * 43 + 1000);
        // A single block cannot go: no bonus, and it costs its penalty of one.
        assert_eq!(rules.upper_bound([10, 1].into_iter()), 64 - 1);
        assert_eq!(rules.upper_bound([0, 0].into_iter()), 1000);
    }

    #[test]
    fn says_what_is_wrong() {
        let message = |text: &str| Rules::parse(text).unwrap_err().to_string();
        assert_eq!(message("samegam"), "rules 'samegam': column 1: unknown name 'samegam'");
        assert_eq!(
            message("n;bonus=3"),
            "rules: 'bonus=3' is not 'clear=POINTS' or 'left=FORMULA OF m'"
        );
        assert_eq!(message("n^9"), "rules 'n^9': the value for 6 is too large");
        assert_eq!(message("n;left=n"), "rules 'n': column 1: unknown name 'n'");
    }
}
