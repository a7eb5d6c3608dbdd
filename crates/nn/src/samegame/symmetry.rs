//! Boards that the rules of SameGame cannot tell apart.
//!
//! Colours may be exchanged. And the order of the columns that hold blocks may
//! be reversed: an empty column closes up, so that only the order of the others
//! matters, and in which direction they close up does not. (The empty columns
//! stay on the right.) A property test plays whole games on both.

use solitree_core::Rng;
use solitree_games::samegame::MAX_COLOURS;

use super::Groups;

/// One way to turn a board into a twin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    mirror: bool,
    /// What each colour becomes; 0 stays 0.
    colours: [u8; MAX_COLOURS + 1],
}

impl Symmetry {
    /// Everything stays as it is.
    pub const IDENTITY: Symmetry =
        Symmetry { mirror: false, colours: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] };

    /// Left and right are exchanged.
    pub const MIRROR: Symmetry = Symmetry { mirror: true, ..Symmetry::IDENTITY };

    /// A uniformly drawn one that exchanges the first colours only.
    #[must_use]
    pub fn random(colours: usize, rng: &mut Rng) -> Symmetry {
        let mut symmetry = Symmetry::IDENTITY;
        symmetry.mirror = rng.below(2) == 1;
        rng.shuffle(&mut symmetry.colours[1..=colours]);
        symmetry
    }

    /// Turns the contents of a board and the moves that go with it.
    pub fn apply(&self, height: usize, contents: &mut [u8], moves: &mut [u16]) {
        for colour in &mut *contents {
            *colour = self.colours[usize::from(*colour)];
        }
        if !self.mirror {
            return;
        }
        let used = contents.chunks(height).take_while(|column| column[0] != 0).count();
        for column in 0..used / 2 {
            let other = used - 1 - column;
            let (left, right) = contents.split_at_mut(other * height);
            left[column * height..][..height].swap_with_slice(&mut right[..height]);
        }
        let groups = Groups::of(contents, height);
        for mv in moves {
            let (column, row) = (usize::from(*mv) / height, usize::from(*mv) % height);
            *mv = groups.name((used - 1 - column) * height + row) as u16;
        }
    }
}
