//! Sets of cells in one word or several. A column is as many bits as there are
//! rows and one more, which is always empty: nothing runs from the top of a
//! column into the next.

/// A set of cells.
pub(super) type Cells<const N: usize> = [u64; N];

#[inline(always)]
pub(super) fn has<const N: usize>(cells: &Cells<N>, bit: u32) -> bool {
    cells[(bit / 64) as usize % N] >> (bit % 64) & 1 != 0
}

#[inline(always)]
pub(super) fn insert<const N: usize>(cells: &mut Cells<N>, bit: u32) {
    cells[(bit / 64) as usize % N] |= 1 << (bit % 64);
}

/// The length of a line and the bits of a column.
pub(super) trait Geometry: Copy {
    fn line(self) -> u32;
    fn stride(self) -> u32;
}

/// A geometry that the compiler knows: shifts by constants, loops unrolled.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const LINE: u32, const STRIDE: u32>;

impl<const LINE: u32, const STRIDE: u32> Geometry for Fixed<LINE, STRIDE> {
    #[inline(always)]
    fn line(self) -> u32 {
        LINE
    }
    #[inline(always)]
    fn stride(self) -> u32 {
        STRIDE
    }
}

/// Any other.
#[derive(Clone, Copy)]
pub(super) struct Free {
    pub(super) line: u32,
    pub(super) stride: u32,
}

impl Geometry for Free {
    #[inline(always)]
    fn line(self) -> u32 {
        self.line
    }
    #[inline(always)]
    fn stride(self) -> u32 {
        self.stride
    }
}

/// The four ways a line can run, as distances between its cells.
#[inline(always)]
fn ways(stride: u32) -> [u32; 4] {
    [1, stride, stride - 1, stride + 1]
}

/// Whether a word has a line somewhere.
#[inline(always)]
pub(super) fn has_line(cells: u64, geometry: impl Geometry) -> bool {
    let (line, stride) = (geometry.line(), geometry.stride());
    let mut found = 0;
    for way in ways(stride) {
        // Runs of one cell, then of two, of four, and so on.
        let (mut runs, mut length) = (cells, 1);
        while length < line {
            let step = length.min(line - length);
            runs &= runs.checked_shr(step * way).unwrap_or(0);
            length += step;
        }
        found |= runs;
    }
    found != 0
}

/// The cells of a word, empty or not, that would be in a line if they were in the
/// set.
#[inline(always)]
pub(super) fn missing(cells: u64, geometry: impl Geometry) -> u64 {
    let (line, stride) = (geometry.line(), geometry.stride());
    let mut found = 0;
    for way in ways(stride) {
        // The cell is the lowest of the line, or the second, and so on. With a line
        // known to the compiler, what these have in common is computed once.
        for gap in 0..line {
            let mut others = u64::MAX;
            for place in 0..line {
                if place < gap {
                    others &= cells.checked_shl((gap - place) * way).unwrap_or(0);
                } else if place > gap {
                    others &= cells.checked_shr((place - gap) * way).unwrap_or(0);
                }
            }
            found |= others;
        }
    }
    found
}

/// Whether a line runs through a cell of the set.
pub(super) fn line_through<const N: usize>(
    cells: &Cells<N>,
    bit: u32,
    line: u32,
    stride: u32,
) -> bool {
    let size = 64 * N as u32;
    ways(stride).into_iter().any(|way| {
        let up = (1..line).take_while(|step| {
            let at = bit + step * way;
            at < size && has(cells, at)
        });
        let down = (1..line)
            .take_while(|step| bit.checked_sub(step * way).is_some_and(|at| has(cells, at)));
        1 + up.count() + down.count() >= line as usize
    })
}
