//! The four games: how long a line is, and how far lines stay apart.

use std::fmt;

/// One of the four games that are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Lines of five, which may touch at their ends.
    FiveTouching,
    /// Lines of five, which share no point.
    FiveDisjoint,
    /// Lines of four, which may touch at their ends.
    FourTouching,
    /// Lines of four, which share no point.
    FourDisjoint,
}

/// A text that names no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a variant of morpion: there are 5T, 5D, 4T and 4D")]
pub struct NotAVariant(String);

/// The best score known of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// Moves.
    pub score: i64,
    /// Where it is from.
    pub source: &'static str,
}

impl Variant {
    /// All of them.
    pub const ALL: &'static [Variant] = &[
        Variant::FiveTouching,
        Variant::FiveDisjoint,
        Variant::FourTouching,
        Variant::FourDisjoint,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Variant::FiveTouching => "5T",
            Variant::FiveDisjoint => "5D",
            Variant::FourTouching => "4T",
            Variant::FourDisjoint => "4D",
        }
    }

    /// Points of a line.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            Variant::FiveTouching | Variant::FiveDisjoint => 5,
            Variant::FourTouching | Variant::FourDisjoint => 4,
        }
    }

    /// How many points two lines of one direction may share: an end, or none.
    #[must_use]
    pub const fn shared(self) -> usize {
        match self {
            Variant::FiveTouching | Variant::FourTouching => 1,
            Variant::FiveDisjoint | Variant::FourDisjoint => 0,
        }
    }

    /// The best score known. The records are those of morpionsolitaire.com; of
    /// the games with lines of four they are proved to be the best there is.
    #[must_use]
    pub const fn best(self) -> Best {
        match self {
            Variant::FiveTouching => Best { score: 178, source: "Rosin 2011" },
            Variant::FiveDisjoint => Best { score: 82, source: "Rosin 2010" },
            Variant::FourTouching => Best { score: 62, source: "proved optimal, Quist 2008" },
            Variant::FourDisjoint => Best { score: 35, source: "proved optimal, Quist 2008" },
        }
    }

    /// A number of moves that no game exceeds, proved: Quist (2008) for lines
    /// of four; Michalewski, Nagórko and Pawlewicz (2015) for lines of five.
    #[must_use]
    pub const fn longest(self) -> usize {
        match self {
            Variant::FiveTouching => 485,
            Variant::FiveDisjoint => 84,
            Variant::FourTouching => 62,
            Variant::FourDisjoint => 35,
        }
    }

    /// The points of the start, a Greek cross whose sides are one point shorter
    /// than a line, from the lower left corner of the square around it.
    pub(super) fn cross(self) -> Vec<(usize, usize)> {
        let side = self.length() - 2;
        let last = 3 * side;
        let on_side = |a: usize, b: usize| match a {
            // The two outermost sides; the arms; the corners between arms.
            _ if a == 0 || a == last => b >= side && b <= 2 * side,
            _ if a == side || a == 2 * side => b <= side || b >= 2 * side,
            _ => false,
        };
        let points = (0..=last).flat_map(|y| (0..=last).map(move |x| (x, y)));
        points.filter(|&(x, y)| on_side(x, y) || on_side(y, x)).collect()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Variant {
    type Err = NotAVariant;

    fn from_str(text: &str) -> Result<Self, NotAVariant> {
        let named = |variant: &&Variant| variant.name().eq_ignore_ascii_case(text);
        Variant::ALL.iter().find(named).copied().ok_or_else(|| NotAVariant(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crosses_are_those_of_the_books() {
        for variant in Variant::ALL {
            let side = variant.length() - 2;
            let points = variant.cross();
            assert_eq!(points.len(), 12 * side, "{variant}");
            let mirrored = |&(x, y): &(usize, usize)| points.contains(&(3 * side - x, y));
            let turned = |&(x, y): &(usize, usize)| points.contains(&(y, x));
            assert!(points.iter().all(mirrored) && points.iter().all(turned));
        }
        let row = |y| Variant::FourDisjoint.cross().iter().filter(|point| point.1 == y).count();
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(row), [3, 2, 6, 2, 6, 2, 3]);
    }

    #[test]
    fn names_read_back_in_any_case() {
        for &variant in Variant::ALL {
            assert_eq!(variant.name().parse(), Ok(variant));
            assert_eq!(variant.name().to_lowercase().parse(), Ok(variant));
        }
        assert_eq!(
            "6X".parse::<Variant>().unwrap_err().to_string(),
            "'6X' is not a variant of morpion: there are 5T, 5D, 4T and 4D"
        );
    }
}
