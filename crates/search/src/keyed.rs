//! Maps whose keys are spread well already and need no hashing of their own.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from the key of a position, or the slot of a move code.
pub(crate) type KeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// Takes a key as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    /// A slot has too few bits for a table that looks at the highest.
    fn write_u32(&mut self, slot: u32) {
        self.0 = u64::from(slot).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
