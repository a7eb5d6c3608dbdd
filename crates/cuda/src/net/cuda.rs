//! Networks on an NVIDIA GPU.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::sys::CUfunction_attribute as FunctionAttribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
    result,
};
use solitree_nn::{Digits, DistantEvaluator, Folded, NetMachine, Network, Params};

use super::evaluator::NetEvaluator;
use super::machine::{NetCall, NetHost, NetKernel, NetLane};
use super::shape::{DENSE_WARPS, Limits, NetShape, Policy, SUM_THREADS};
use crate::driver::{compiled, words_of};

/// The first GPU whose tensor cores know what the kernels ask of them.
const CAPABILITY: (i32, i32) = (8, 0);

/// A GPU that evaluates networks.
pub struct Nets {
    context: Arc<CudaContext>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    lost: AtomicBool,
}

impl fmt::Debug for Nets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nets")
    }
}

impl Nets {
    pub(crate) fn new(context: Arc<CudaContext>, tell: Arc<dyn Fn(&str) + Send + Sync>) -> Nets {
        Nets { context, tell, lost: AtomicBool::new(false) }
    }
}

impl NetMachine for Nets {
    fn evaluator(
        &self,
        network: &Network,
        params: &Params,
        digits: Digits,
    ) -> Result<Box<dyn DistantEvaluator>, String> {
        let driver = |error: DriverError| words_of(&error);
        let capability = self.context.compute_capability().map_err(driver)?;
        if capability < CAPABILITY {
            let (major, minor) = capability;
            return Err(format!(
                "networks need compute capability 8.0, and it has {major}.{minor}"
            ));
        }
        let bytes = |attribute| self.context.attribute(attribute).map_err(driver);
        let block = bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let all = bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        let limits = Limits { block: block as usize, multiprocessor: all as usize };
        let folded = Folded::new(network, params);
        let shape = NetShape::new(&folded, digits, limits)?;
        let host = Arc::new(Cuda::new(&self.context, &shape)?);
        Ok(Box::new(NetEvaluator::new(host, shape, &folded)?))
    }

    fn lose(&self, reason: &str) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            (self.tell)(reason);
        }
    }
}

/// The kernels of one network, on one GPU.
struct Cuda {
    context: Arc<CudaContext>,
    kernels: Arc<[Ready]>,
    blocks: u32,
}

/// A kernel that can be run.
struct Ready {
    kernel: NetKernel,
    function: CudaFunction,
    threads: u32,
    shared: u32,
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("blocks", &self.blocks).finish_non_exhaustive()
    }
}

// SAFETY: plain numbers and addresses, laid out as C does.
unsafe impl DeviceRepr for NetCall {}

fn bound<T>(
    context: &CudaContext,
    work: impl FnOnce() -> Result<T, DriverError>,
) -> Result<T, String> {
    context.bind_to_thread().and_then(|()| work()).map_err(|error| words_of(&error))
}

impl Cuda {
    fn new(context: &Arc<CudaContext>, shape: &NetShape) -> Result<Cuda, String> {
        let source =
            format!("{}{}{}", shape.defines(), include_str!("device.h"), include_str!("net.cu"));
        let module = compiled(context, source, "net.cu")?;
        let mut wanted = vec![(NetKernel::Evaluate, shape.threads(), shape.shared_bytes())];
        if let Policy::Whole(_) = shape.policy {
            wanted.push((NetKernel::ThroughEverything, DENSE_WARPS * 32, 0));
            wanted.push((NetKernel::AddUp, SUM_THREADS, 0));
        }
        let mut kernels = Vec::new();
        for (kernel, threads, shared) in wanted {
            let (threads, shared) = (threads as u32, shared as u32);
            let function = bound(context, || {
                let function = module.load_function(kernel.name())?;
                let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                function.set_attribute(most, shared as i32)?;
                Ok(function)
            })?;
            kernels.push(Ready { kernel, function, threads, shared });
        }
        let Ready { function, threads, shared, .. } = &kernels[0];
        let blocks = bound(context, || {
            let each = function.occupancy_max_active_blocks_per_multiprocessor(
                *threads,
                *shared as usize,
                None,
            )?;
            let count = Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
            Ok(each.max(1) * context.attribute(count)?.max(1) as u32)
        })?;
        Ok(Cuda { context: Arc::clone(context), kernels: kernels.into(), blocks })
    }
}

impl NetHost for Cuda {
    fn take(&self, bytes: usize, shared: bool) -> Result<u64, String> {
        // SAFETY: memory without contents may be had at any time; what is shared is
        // seen by the GPU under the same address, as by any of this process.
        let taken = bound(&self.context, || unsafe {
            match shared {
                true => result::malloc_host(bytes, 0).map(|address| address as u64),
                false => result::malloc_sync(bytes),
            }
        });
        taken.map_err(|error| format!("{bytes} bytes of memory: {error}"))
    }

    fn give(&self, address: u64, shared: bool) {
        // SAFETY: it came from `take` and is given back once. A GPU that is lost has
        // lost the memory too.
        let _ = bound(&self.context, || unsafe {
            match shared {
                true => result::free_host(address as *mut c_void),
                false => result::free_sync(address),
            }
        });
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: `Held` asks for what it owns.
        bound(&self.context, || unsafe { result::memcpy_htod_sync(address, bytes) })
    }

    fn blocks(&self) -> u32 {
        self.blocks
    }

    fn lane(&self) -> Result<Box<dyn NetLane>, String> {
        let stream = self.context.new_stream().map_err(|error| words_of(&error))?;
        Ok(Box::new(Lane { stream, kernels: Arc::clone(&self.kernels) }))
    }
}

struct Lane {
    stream: Arc<CudaStream>,
    kernels: Arc<[Ready]>,
}

impl NetLane for Lane {
    fn run(&self, kernel: NetKernel, blocks: [u32; 3], call: &NetCall) -> Result<(), String> {
        let ready = self.kernels.iter().find(|ready| ready.kernel == kernel);
        let ready = ready.ok_or_else(|| format!("there is no kernel {}", kernel.name()))?;
        let [x, y, z] = blocks;
        let config = LaunchConfig {
            grid_dim: (x, y, z),
            block_dim: (ready.threads, 1, 1),
            shared_mem_bytes: ready.shared,
        };
        bound(self.stream.context(), || {
            let mut launch = self.stream.launch_builder(&ready.function);
            // SAFETY: every kernel takes this one argument, and stays within the memory
            // and counts that it names.
            unsafe { launch.arg(call).launch(config) }.map(|_| ())
        })
    }

    fn wait(&self) -> Result<(), String> {
        bound(self.stream.context(), || self.stream.synchronize())
    }
}
