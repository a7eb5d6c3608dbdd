//! What the kernels run on: the little that is asked of a GPU, so that the
//! tests can put a C compiler in its place.

use std::fmt::Debug;
use std::sync::Arc;

use crate::anneal::Annealing;
use crate::layer::Layer;
use crate::swarm::Swarm;

/// The kernels of samegame.cu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Finds the moves.
    Expand,
    /// Drops what leads to the same positions.
    Distinct,
    /// Plays games out.
    PlayOut,
    /// Compares.
    Rank,
    /// Finds the best.
    Crown,
    /// Counts, to find out what is kept.
    Tally,
    /// Keeps it.
    Keep,
    /// Runs short searches.
    Repair,
    /// Anneals plans.
    Anneal,
}

impl Kernel {
    /// Those of beams.
    pub const BEAMS: [Kernel; 7] = [
        Kernel::Expand,
        Kernel::Distinct,
        Kernel::PlayOut,
        Kernel::Rank,
        Kernel::Crown,
        Kernel::Tally,
        Kernel::Keep,
    ];

    /// Its name in the source.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Expand => "expand",
            Kernel::Distinct => "distinct",
            Kernel::PlayOut => "play_out",
            Kernel::Rank => "rank",
            Kernel::Crown => "crown",
            Kernel::Tally => "tally",
            Kernel::Keep => "keep",
            Kernel::Repair => "repair",
            Kernel::Anneal => "anneal",
        }
    }
}

/// What a kernel is told.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// For beams.
    Layer(&'a Layer),
    /// For [`Kernel::Repair`].
    Swarm(&'a Swarm),
    /// For [`Kernel::Anneal`].
    Annealing(&'a Annealing),
}

/// Memory and kernels, made for one shape of boards. What goes wrong is told in
/// words; after that nothing more can be expected of it.
pub trait Machine: Debug + Send + Sync {
    /// Takes memory; the address is never 0.
    fn take(&self, bytes: usize) -> Result<u64, String>;

    /// Gives it back.
    fn give(&self, address: u64);

    /// Fills memory with zeros.
    fn clear(&self, address: u64, bytes: usize) -> Result<(), String>;

    /// Copies into its memory.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String>;

    /// Copies out of its memory, when everything before is done.
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), String>;

    /// Runs a kernel for so many pieces of work.
    fn run(&self, kernel: Kernel, work: u64, argument: Argument<'_>) -> Result<(), String>;

    /// Threads of a kernel that run at the same time; none if the machine is too small for it.
    fn threads(&self, kernel: Kernel) -> Result<usize, String>;
}

/// An array in a machine's memory.
#[derive(Debug)]
pub struct Array<T> {
    machine: Arc<dyn Machine>,
    address: u64,
    len: usize,
    of: std::marker::PhantomData<T>,
}

/// What arrays are made of: plain numbers.
pub trait Number: Copy + Default {}
impl Number for u8 {}
impl Number for u16 {}
impl Number for u32 {}
impl Number for i32 {}
impl Number for u64 {}

impl<T: Number> Array<T> {
    /// An array of so many numbers, whatever they are.
    pub fn new(machine: &Arc<dyn Machine>, len: usize) -> Result<Array<T>, String> {
        let address = machine.take((len * size_of::<T>()).max(8))?;
        let machine = Arc::clone(machine);
        Ok(Array { machine, address, len, of: std::marker::PhantomData })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How long it is.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes its first `len` numbers 0.
    pub fn clear(&self, len: usize) -> Result<(), String> {
        self.machine.clear(self.address, len.min(self.len) * size_of::<T>())
    }

    /// Copies numbers to its beginning.
    pub fn write(&self, numbers: &[T]) -> Result<(), String> {
        assert!(numbers.len() <= self.len, "there is no room for these numbers");
        // SAFETY: plain numbers are bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), size_of_val(numbers))
        };
        self.machine.write(self.address, bytes)
    }

    /// Copies numbers from `from` on.
    pub fn read(&self, from: usize, len: usize) -> Result<Vec<T>, String> {
        assert!(from + len <= self.len, "there are no such numbers");
        let mut numbers = vec![T::default(); len];
        // SAFETY: any bytes are plain numbers.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast::<u8>(), len * size_of::<T>())
        };
        self.machine.read(self.address + (from * size_of::<T>()) as u64, bytes)?;
        Ok(numbers)
    }

    /// One number.
    pub fn get(&self, at: usize) -> Result<T, String> {
        Ok(self.read(at, 1)?[0])
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        self.machine.give(self.address);
    }
}
