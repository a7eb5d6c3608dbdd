//! The groups of a board given as a byte a cell.

/// Classes of cells: in no group, and for each class of size whether the cell
/// names its group.
pub(super) const CLASSES: usize = 1 + 2 * LARGEST.len();

/// The largest group of each class of size.
const LARGEST: [u16; 8] = [2, 3, 4, 6, 9, 14, 24, u16::MAX];

/// The group of every cell.
pub(crate) struct Groups {
    /// The cell that names the group of each cell; its own for a single block
    /// and an empty cell.
    name: Vec<u16>,
    /// The size of the group each cell names; 0 for one that names none.
    size: Vec<u16>,
}

impl Groups {
    /// The groups of a board whose columns have so many cells.
    pub(crate) fn of(contents: &[u8], height: usize) -> Groups {
        const NONE: u16 = u16::MAX;
        let mut name = vec![NONE; contents.len()];
        let mut size = vec![0; contents.len()];
        let mut waiting: Vec<u16> = Vec::new();
        // In ascending order a group is met first at its lowest cell in its
        // leftmost column.
        for first in 0..contents.len() {
            if name[first] != NONE {
                continue;
            }
            name[first] = first as u16;
            if contents[first] == 0 {
                continue;
            }
            waiting.push(first as u16);
            while let Some(cell) = waiting.pop() {
                let cell = usize::from(cell);
                size[first] += 1;
                let row = cell % height;
                let mut meet = |there: bool, neighbour: usize| {
                    if there && name[neighbour] == NONE && contents[neighbour] == contents[first] {
                        name[neighbour] = first as u16;
                        waiting.push(neighbour as u16);
                    }
                };
                meet(row > 0, cell.wrapping_sub(1));
                meet(row + 1 < height, cell + 1);
                meet(cell >= height, cell.wrapping_sub(height));
                meet(cell + height < contents.len(), cell + height);
            }
        }
        Groups { name, size }
    }

    /// The cell that names the group of a cell.
    pub(crate) fn name(&self, cell: usize) -> usize {
        usize::from(self.name[cell])
    }

    /// Whether a cell names a group that can be played.
    pub(crate) fn names(&self, cell: usize) -> bool {
        self.size[cell] >= 2
    }

    /// The size of the group of a cell, 0 for an empty cell.
    pub(crate) fn size(&self, cell: usize) -> u16 {
        self.size[self.name(cell)]
    }

    /// The class of a cell.
    pub(super) fn class(&self, cell: usize) -> u8 {
        let size = self.size(cell);
        if size < 2 {
            return 0;
        }
        let class = LARGEST.iter().take_while(|&&largest| largest < size).count();
        1 + 2 * class as u8 + u8::from(self.names(cell))
    }
}
