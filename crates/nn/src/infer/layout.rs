//! From encoded positions to frames, and from frames to linear layers.

use crate::encoder::Input;
use crate::frame::Frame;
use crate::network::Shape;
use crate::simd::padded;

/// Writes the marks of positions into their places in a frame.
pub(crate) fn set_marks(frame: Frame, input: Input, positions: &[u8], marks: &mut [u8]) {
    for (index, position) in positions.chunks_exact(input.bytes()).enumerate() {
        for (cell, from) in position.chunks_exact(input.marks).enumerate() {
            marks[frame.cell(index, cell) * input.marks..][..input.marks].copy_from_slice(from);
        }
    }
}

/// Writes the numbers of a node as a linear layer reads them, channel by channel.
pub(crate) fn flatten(frame: Frame, shape: Shape, count: usize, said: &[f32], flat: &mut [f32]) {
    each_flat(frame, shape, count, |place, flat_place| flat[flat_place] = said[place]);
}

/// Adds numbers in the order of a linear layer to those of a node.
pub(crate) fn unflatten(frame: Frame, shape: Shape, count: usize, flat: &[f32], said: &mut [f32]) {
    each_flat(frame, shape, count, |place, flat_place| said[place] += flat[flat_place]);
}

/// Where each number of a node is, and where a linear layer looks for it.
fn each_flat(frame: Frame, shape: Shape, count: usize, mut visit: impl FnMut(usize, usize)) {
    match shape {
        Shape::Flat(numbers) => (0..count * padded(numbers)).for_each(|place| visit(place, place)),
        Shape::Grid { channels, margin } => {
            let (cells, step) = (frame.cells(margin), padded(channels));
            let inputs = padded(channels * cells);
            for index in 0..count {
                for (number, cell) in frame.columns(index, margin).flatten().enumerate() {
                    for channel in 0..channels {
                        let flat = index * inputs + channel * cells + number;
                        visit(cell * step + channel, flat);
                    }
                }
            }
        }
    }
}
