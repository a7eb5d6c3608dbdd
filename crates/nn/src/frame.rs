//! Where the cells of a grid lie in memory.
//!
//! The columns of a grid follow each other with one empty cell between them
//! (before the first, too), an empty column before the first grid and behind
//! each. So the neighbours of a cell are always at the same distances, whatever
//! lies at the rim is nought, and a convolution is one loop over a stretch of
//! memory. What a layer without a border of noughts gives lies in the middle of
//! the same frame, `margin` away from the rim.

use std::ops::Range;

/// The layout of one grid after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    width: usize,
    height: usize,
    /// How far the board lies from the rim of the grid.
    border: usize,
}

impl Frame {
    pub(crate) fn new(width: usize, height: usize, border: usize) -> Frame {
        Frame { width, height, border }
    }

    /// The distance between neighbours in one row.
    fn stride(&self) -> usize {
        self.height + 1
    }

    /// The distance between grids.
    pub(crate) fn step(&self) -> usize {
        (self.width + 1) * self.stride()
    }

    /// Where the grid numbered `index` begins: its first cell.
    pub(crate) fn first(&self, index: usize) -> usize {
        index * self.step() + self.stride() + 1
    }

    /// From the first cell of a grid to behind its last.
    pub(crate) fn span(&self) -> usize {
        self.width * self.stride() - 1
    }

    /// Cells to set aside for so many grids, `spare` more at the end included.
    pub(crate) fn room(&self, grids: usize, spare: usize) -> usize {
        grids * self.step() + 2 * self.stride() + spare
    }

    /// The distances of the nine neighbours, column by column.
    pub(crate) fn neighbours(&self) -> [isize; 9] {
        let stride = self.stride() as isize;
        [-stride - 1, -stride, -stride + 1, -1, 0, 1, stride - 1, stride, stride + 1]
    }

    /// Columns and rows at least `margin` away from the rim.
    pub(crate) fn size(&self, margin: usize) -> (usize, usize) {
        (self.width - 2 * margin, self.height - 2 * margin)
    }

    /// How many cells are at least `margin` away from the rim.
    pub(crate) fn cells(&self, margin: usize) -> usize {
        let (width, height) = self.size(margin);
        width * height
    }

    /// The columns of a grid, each without what is closer than `margin` to the
    /// rim.
    pub(crate) fn columns(
        &self,
        index: usize,
        margin: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let (frame, (width, height)) = (*self, self.size(margin));
        (0..width).map(move |x| {
            let start = frame.first(index) + (x + margin) * frame.stride() + margin;
            start..start + height
        })
    }

    /// Where a cell of the board lies.
    pub(crate) fn cell(&self, index: usize, cell: usize) -> usize {
        let height = self.height - 2 * self.border;
        let (x, y) = (cell / height + self.border, cell % height + self.border);
        self.first(index) + x * self.stride() + y
    }

    /// Sets everything to nought that is closer than `margin` to the rim of its
    /// grid or outside of all grids.
    pub(crate) fn clear_rim(&self, grids: usize, margin: usize, channels: usize, data: &mut [f32]) {
        let mut last = 0;
        for index in 0..grids {
            for column in self.columns(index, margin) {
                data[last * channels..column.start * channels].fill(0.0);
                last = column.end;
            }
        }
        data[last * channels..].fill(0.0);
    }
}
