//! Where lines of play meet: positions by their keys, with the families of moves
//! from there.

use super::family::Family;

/// A table with one place for a position; a newer one takes it.
pub(super) struct Meetings {
    places: Vec<(u64, Family)>,
}

impl Meetings {
    /// Room for so many positions, a power of two or none.
    pub(super) fn new(places: usize) -> Meetings {
        Meetings { places: vec![(0, Family::ROOT); places] }
    }

    fn place(&self, key: u64) -> usize {
        (key >> 32) as usize & (self.places.len() - 1)
    }

    pub(super) fn find(&self, key: u64) -> Option<Family> {
        let (known, family) = self.places[self.place(key)];
        (known == key && family != Family::ROOT).then_some(family)
    }

    pub(super) fn note(&mut self, key: u64, family: Family) {
        let place = self.place(key);
        self.places[place] = (key, family);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.places.fill((0, Family::ROOT));
    }
}
