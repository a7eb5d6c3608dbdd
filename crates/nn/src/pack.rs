//! Tensors in the order in which the inner loops read them.
//!
//! PyTorch's `[to, from, 3, 3]` becomes `[neighbour][from][to]`, channels padded
//! with noughts.

use crate::simd::padded;

/// The sizes of a convolution or a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Neighbours: 9 or 1.
    pub(crate) taps: usize,
    /// Rows set aside for each neighbour: `from`, padded, or for a look-up one
    /// more than there are planes.
    pub(crate) rows: usize,
}

impl Sizes {
    /// Of a convolution or a linear layer.
    pub(crate) fn conv(from: usize, to: usize, taps: usize) -> Sizes {
        Sizes { from, to, taps, rows: padded(from) }
    }

    /// Of a look-up.
    pub(crate) fn lookup(planes: usize, to: usize) -> Sizes {
        Sizes { from: planes, to, taps: 9, rows: planes + 1 }
    }

    /// How many numbers there are when packed.
    pub(crate) fn packed(self) -> usize {
        self.taps * self.rows * padded(self.to)
    }

    fn each(self, mut visit: impl FnMut(usize, usize)) {
        let to = padded(self.to);
        for tap in 0..self.taps {
            for from in 0..self.from {
                for target in 0..self.to {
                    let torch = (target * self.from + from) * self.taps + tap;
                    visit(torch, (tap * self.rows + from) * to + target);
                }
            }
        }
    }

    /// Packs a tensor.
    pub(crate) fn pack(self, tensor: &[f32]) -> Vec<f32> {
        let mut packed = vec![0.0; self.packed()];
        self.each(|torch, place| packed[place] = tensor[torch]);
        packed
    }

    /// Packs a tensor for the way back: `[neighbour][to][from]`, the neighbours
    /// in the opposite order.
    pub(crate) fn pack_back(self, tensor: &[f32]) -> Vec<f32> {
        let (from_pad, to_pad) = (padded(self.from), padded(self.to));
        let mut packed = vec![0.0; self.taps * from_pad * to_pad];
        for tap in 0..self.taps {
            for from in 0..self.from {
                for to in 0..self.to {
                    let torch = (to * self.from + from) * self.taps + (self.taps - 1 - tap);
                    packed[(tap * to_pad + to) * from_pad + from] = tensor[torch];
                }
            }
        }
        packed
    }

    /// Takes what was packed back into PyTorch's order.
    pub(crate) fn unpack(self, packed: &[f32], tensor: &mut [f32]) {
        self.each(|torch, place| tensor[torch] = packed[place]);
    }
}

/// Numbers, one a channel, padded with noughts.
pub(crate) fn pad(numbers: impl ExactSizeIterator<Item = f32>) -> Vec<f32> {
    let mut all = vec![0.0; padded(numbers.len())];
    for (place, number) in all.iter_mut().zip(numbers) {
        *place = number;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_undoes_packing() {
        for sizes in [Sizes::conv(5, 20, 9), Sizes::conv(16, 3, 1), Sizes::lookup(6, 8)] {
            let tensor: Vec<f32> =
                (0..sizes.from * sizes.to * sizes.taps).map(|n| n as f32 + 1.0).collect();
            let packed = sizes.pack(&tensor);
            assert_eq!(packed.len(), sizes.packed());
            let mut again = vec![0.0; tensor.len()];
            sizes.unpack(&packed, &mut again);
            assert_eq!(tensor, again);
        }
    }
}
