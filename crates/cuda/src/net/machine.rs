//! What a network runs on: the little that is asked of a GPU, so that the tests can
//! put a C compiler in its place.

use std::fmt::Debug;
use std::sync::Arc;

/// The kernels of net.cu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKernel {
    /// The convolutions, and heads that need no other kernel.
    Evaluate,
    /// The linear layer of a policy through everything, in parts.
    ThroughEverything,
    /// The sums of its parts.
    AddUp,
}

impl NetKernel {
    /// Its name in the source.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NetKernel::Evaluate => "evaluate",
            NetKernel::ThroughEverything => "through_everything",
            NetKernel::AddUp => "add_up",
        }
    }
}

/// A convolution as the kernel sees it. The same in net.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Convolving {
    /// Where its weights begin, in sixteen bytes.
    pub weights: u32,
    /// Where its bias begins among the numbers.
    pub bias: u32,
    /// Neighbours: 9 or 1.
    pub taps: u32,
    /// Whether what is there is added.
    pub residual: u32,
    /// Distance of the result from the rim of the grid.
    pub margin: u32,
}

/// What the kernels are told; addresses first. The same in net.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct NetCall {
    /// Weights in the order of lanes.
    pub weights: u64,
    /// Numbers of full precision.
    pub numbers: u64,
    /// One [`Convolving`] after another.
    pub convolutions: u64,
    /// The encoded positions.
    pub marks: u64,
    /// The answers.
    pub policy: u64,
    /// As above.
    pub value: u64,
    /// As above.
    pub clear: u64,
    /// What a policy through everything is given.
    pub features: u64,
    /// The parts of its sums.
    pub partial: u64,
    /// How many convolutions there are.
    pub many_convolutions: u32,
    /// How many positions there are.
    pub positions: u32,
    /// Where the weights of the policy begin.
    pub policy_weights: u32,
    /// Where its bias begins.
    pub policy_bias: u32,
    /// Where the numbers of the value head begin.
    pub value_head: u32,
    /// Where those of the other one begin.
    pub clear_head: u32,
}

/// Memory, and the kernels of one network. What goes wrong is told in words; after
/// that nothing more can be expected of it.
pub trait NetHost: Debug + Send + Sync {
    /// Takes memory; if it is `shared`, this process sees it under the same address.
    fn take(&self, bytes: usize, shared: bool) -> Result<u64, String>;

    /// Gives it back.
    fn give(&self, address: u64, shared: bool);

    /// Copies into memory that is not shared.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String>;

    /// How many blocks of [`NetKernel::Evaluate`] run at the same time.
    fn blocks(&self) -> u32;

    /// A lane in which one thing is done after another, beside what other lanes do.
    fn lane(&self) -> Result<Box<dyn NetLane>, String>;
}

/// See [`NetHost::lane`].
pub trait NetLane: Send {
    /// Begins to run so many blocks of a kernel, when everything before in this lane
    /// is done.
    fn run(&self, kernel: NetKernel, blocks: [u32; 3], call: &NetCall) -> Result<(), String>;

    /// Waits until everything is done.
    fn wait(&self) -> Result<(), String>;
}

/// Memory of a host that is given back in the end.
#[derive(Debug)]
pub(super) struct Held {
    host: Arc<dyn NetHost>,
    address: u64,
    bytes: usize,
    shared: bool,
}

impl Held {
    /// So many bytes, whatever is in them.
    pub(super) fn new(host: &Arc<dyn NetHost>, bytes: usize, shared: bool) -> Result<Held, String> {
        let bytes = bytes.max(16);
        let address = host.take(bytes, shared)?;
        Ok(Held { host: Arc::clone(host), address, bytes, shared })
    }

    /// A copy of some numbers.
    pub(super) fn of<T: Copy>(host: &Arc<dyn NetHost>, numbers: &[T]) -> Result<Held, String> {
        let held = Held::new(host, size_of_val(numbers), false)?;
        // SAFETY: words, floats and `Convolving` are bytes without gaps.
        let bytes = unsafe {
            std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), size_of_val(numbers))
        };
        host.write(held.address, bytes)?;
        Ok(held)
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// The first bytes of shared memory, while the machine does not use it.
    pub(super) fn bytes(&mut self, len: usize) -> &mut [u8] {
        assert!(self.shared && len <= self.bytes, "there is no such memory");
        // SAFETY: it is ours, as long as this is held.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut u8, len) }
    }

    /// The first numbers of shared memory, while the machine does not use it.
    pub(super) fn numbers(&self, len: usize) -> &[f32] {
        assert!(self.shared && len * size_of::<f32>() <= self.bytes, "there is no such memory");
        // SAFETY: as above, and any bytes are a number.
        unsafe { std::slice::from_raw_parts(self.address as *const f32, len) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.host.give(self.address, self.shared);
    }
}
