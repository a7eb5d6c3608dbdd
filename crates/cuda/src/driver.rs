//! CUDA: finding a GPU, compiling the kernels for it, and running them.
//!
//! Everything is looked for when it is asked for, so that a program built
//! without CUDA runs with it, and one without a GPU says so.

use std::ffi::CStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::sys::CUfunction_attribute as FunctionAttribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DeviceRepr, DriverError, LaunchConfig,
    PushKernelArg, result,
};
use cudarc::nvrtc::{CompileError, CompileOptions, Ptx, compile_ptx_with_opts};
use solitree_games::samegame::BulkShape;

use crate::anneal::{Annealing, bench_bytes};
use crate::bulk::Bulk;
use crate::layer::Layer;
use crate::machine::{Argument, Kernel, Machine};
use crate::net::Nets;
use crate::swarm::{self, Swarm};

/// Threads of a block: the portion in which work is dealt out. No thread needs
/// another one but those of its warp.
const BLOCK: u32 = 128;
/// Threads of a block that anneals, at most: as many as have room beside the tables that
/// they share, and registers.
const ANNEALERS: u32 = 896;
/// The fewest that are worth it.
const FEW: u32 = 128;

/// A GPU and what it is called.
pub struct Gpu {
    /// Its name.
    pub name: String,
    /// Plays SameGame.
    pub bulk: Bulk,
    /// Evaluates networks.
    pub nets: Nets,
}

/// Finds the first GPU; the error says what is missing. `tell` hears why it is
/// lost, if it is later.
pub fn find(tell: impl Fn(&str) + Send + Sync + 'static) -> Result<Gpu, String> {
    // SAFETY: looking for a library runs its start-up code, as any use would.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return Err("no NVIDIA driver is installed (libcuda is missing)".to_owned());
    }
    let context = CudaContext::new(0).map_err(|error| format!("no GPU: {}", words_of(&error)))?;
    load_compiler()?;
    let name = context.name().map_err(|error| words_of(&error))?;
    let (free, _) = context.mem_get_info().map_err(|error| words_of(&error))?;
    let tell: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(tell);
    let nets = Nets::new(Arc::clone(&context), Arc::clone(&tell));
    let maker = Box::new(move |shape: &BulkShape| -> Result<Arc<dyn Machine>, String> {
        Ok(Arc::new(Cuda::new(&context, shape)))
    });
    // Some of it is left to others.
    let bulk = Bulk::new(maker, free as u64 / 10 * 9, move |reason| tell(reason));
    Ok(Gpu { name, bulk, nets })
}

/// Finds NVRTC: where the system looks, or where CUDA installs it.
fn load_compiler() -> Result<(), String> {
    // SAFETY: as above.
    if unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        return Ok(());
    }
    let roots = ["CUDA_PATH", "CUDA_HOME"].map(std::env::var_os).into_iter().flatten();
    let roots = roots.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    for file in roots.map(|root| root.join("lib64/libnvrtc.so")) {
        // SAFETY: as above. Once loaded it is found by its name, so it must stay.
        if let Ok(library) = unsafe { libloading::Library::new(&file) } {
            std::mem::forget(library);
            return Ok(());
        }
    }
    Err("CUDA's compiler at run time (libnvrtc) is missing: install it, or set CUDA_PATH"
        .to_owned())
}

pub(crate) fn words_of(error: &DriverError) -> String {
    match error.error_string().map(CStr::to_str) {
        Ok(Ok(text)) => text.to_owned(),
        _ => format!("{error:?}"),
    }
}

/// The source of kernels with what they are made for, what `more` has last. Short searches
/// and annealing are apart: they take a while to compile, and not everybody wants them.
fn source(shape: &BulkShape, more: &str) -> String {
    let BulkShape { width, planes, .. } = shape;
    format!(
        "#define WIDTH {width}\n#define PLANES {planes}\n\
         #define THREADS_PER_BLOCK {BLOCK}\n#define TABLE_BITS {}\n{}\n{}\n{more}",
        swarm::TABLE_BITS,
        include_str!("device.h"),
        include_str!("samegame.cu"),
    )
}

const SEARCHES: &str = concat!(include_str!("team.cu"), include_str!("repair.cu"));
const ANNEALING: &str = concat!(include_str!("bench.cu"), include_str!("anneal.cu"));

/// The kernels for one shape of boards, on one GPU.
struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    shape: BulkShape,
    beams: OnceLock<Result<Vec<Ready>, String>>,
    searches: OnceLock<Result<Vec<Ready>, String>>,
    /// None where the GPU is too small for it.
    annealing: OnceLock<Result<Option<Ready>, String>>,
}

/// A kernel that can be run, and how many of its blocks run at the same time.
struct Ready {
    kernel: Kernel,
    function: CudaFunction,
    blocks: u32,
    /// Threads of a block, and the bytes that they share beside those it names itself.
    threads: u32,
    shared: u32,
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("shape", &self.shape).finish_non_exhaustive()
    }
}

// SAFETY: plain numbers and addresses, laid out as C does.
unsafe impl DeviceRepr for Layer {}
// SAFETY: as above.
unsafe impl DeviceRepr for Swarm {}
// SAFETY: as above.
unsafe impl DeviceRepr for Annealing {}

/// Compiles a source of this name.
pub(crate) fn compiled(
    context: &Arc<CudaContext>,
    source: String,
    name: &str,
) -> Result<Arc<CudaModule>, String> {
    let driver = |error: DriverError| words_of(&error);
    context.bind_to_thread().map_err(driver)?;
    let (major, minor) = context.compute_capability().map_err(driver)?;
    let options = CompileOptions {
        options: vec![format!("--gpu-architecture=compute_{major}{minor}")],
        name: Some(name.to_owned()),
        ..CompileOptions::default()
    };
    let ptx: Ptx = compile_ptx_with_opts(source, options).map_err(compiler)?;
    context.load_module(ptx).map_err(driver)
}

/// Compiles kernels of SameGame.
fn compile(
    context: &Arc<CudaContext>,
    source: String,
    kernels: &[Kernel],
    (threads, shared): (u32, u32),
) -> Result<Vec<Ready>, String> {
    let driver = |error: DriverError| words_of(&error);
    let module = compiled(context, source, "samegame.cu")?;
    let count = Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let multiprocessors = context.attribute(count).map_err(driver)?.max(1) as u32;
    let ready = |&kernel: &Kernel| {
        let function = module.load_function(kernel.name()).map_err(driver)?;
        let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(most, shared as i32).map_err(driver)?;
        let room = shared as usize;
        let each = function.occupancy_max_active_blocks_per_multiprocessor(threads, room, None);
        let blocks = each.map_err(driver)?.max(1) * multiprocessors;
        Ok(Ready { kernel, function, blocks, threads, shared })
    };
    kernels.iter().map(ready).collect()
}

impl Cuda {
    fn new(context: &Arc<CudaContext>, shape: &BulkShape) -> Cuda {
        let (context, stream) = (Arc::clone(context), context.default_stream());
        let (beams, searches, annealing) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Cuda { context, stream, shape: *shape, beams, searches, annealing }
    }

    /// The kernels of one source, compiled when the first of them is wanted.
    fn of_source(&self, kernel: Kernel) -> &Result<Vec<Ready>, String> {
        let (made, more, kernels) = match kernel {
            Kernel::Repair => (&self.searches, SEARCHES, &[Kernel::Repair][..]),
            _ => (&self.beams, "", &Kernel::BEAMS[..]),
        };
        let source = || source(&self.shape, more);
        made.get_or_init(|| compile(&self.context, source(), kernels, (BLOCK, 0)))
    }

    /// The kernel that anneals, with as many threads as the GPU's shared memory is for.
    fn annealing(&self) -> Result<Option<Ready>, String> {
        let most = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let room = self.bound(|| self.context.attribute(most))?.max(0) as usize;
        let bytes = |threads: u32| bench_bytes(threads as usize, self.shape.planes);
        let suits = |threads: &u32| bytes(*threads) <= room;
        let Some(threads) = (FEW..=ANNEALERS).rev().step_by(64).find(suits) else {
            return Ok(None);
        };
        let defines = format!("#define ANNEAL_THREADS {threads}\n");
        let source = source(&self.shape, &(defines + ANNEALING));
        let shape = (threads, bytes(threads) as u32);
        Ok(compile(&self.context, source, &[Kernel::Anneal], shape)?.pop())
    }

    /// A kernel; none if the GPU is too small for it.
    fn found(&self, kernel: Kernel) -> Result<Option<&Ready>, String> {
        if kernel == Kernel::Anneal {
            let made = self.annealing.get_or_init(|| self.annealing());
            return made.as_ref().map(Option::as_ref).map_err(Clone::clone);
        }
        match self.of_source(kernel) {
            Ok(ready) => Ok(ready.iter().find(|ready| ready.kernel == kernel)),
            Err(reason) => Err(reason.clone()),
        }
    }

    fn ready(&self, kernel: Kernel) -> Result<&Ready, String> {
        let missing = || format!("there is no kernel {}", kernel.name());
        self.found(kernel)?.ok_or_else(missing)
    }

    fn bound<T>(&self, work: impl FnOnce() -> Result<T, DriverError>) -> Result<T, String> {
        self.context.bind_to_thread().and_then(|()| work()).map_err(|error| words_of(&error))
    }
}

fn compiler(error: CompileError) -> String {
    match error {
        CompileError::CompileError { log, .. } => {
            format!("the kernels do not compile: {}", log.to_string_lossy().trim())
        }
        other => format!("the kernels do not compile: {other:?}"),
    }
}

impl Machine for Cuda {
    fn take(&self, bytes: usize) -> Result<u64, String> {
        // SAFETY: memory without contents may be had at any time.
        self.bound(|| unsafe { result::malloc_sync(bytes) })
            .map_err(|error| format!("{bytes} bytes of its memory: {error}"))
    }

    fn give(&self, address: u64) {
        // SAFETY: it came from `take` and is given back once. A GPU that is lost
        // has lost the memory too.
        let _ = self.bound(|| unsafe { result::free_sync(address) });
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), String> {
        let stream = self.stream.cu_stream();
        // SAFETY: `Array` asks for what it owns.
        self.bound(|| unsafe { result::memset_d8_async(address, 0, bytes, stream) })
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: as above.
        self.bound(|| unsafe { result::memcpy_htod_sync(address, bytes) })
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), String> {
        // SAFETY: as above.
        self.bound(|| unsafe { result::memcpy_dtoh_sync(bytes, address) })
    }

    fn run(&self, kernel: Kernel, work: u64, argument: Argument<'_>) -> Result<(), String> {
        if work == 0 {
            return Ok(());
        }
        let ready = self.ready(kernel)?;
        let blocks = work.div_ceil(u64::from(ready.threads)).min(u64::from(ready.blocks)) as u32;
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (ready.threads, 1, 1),
            shared_mem_bytes: ready.shared,
        };
        self.bound(|| {
            let mut launch = self.stream.launch_builder(&ready.function);
            let launch = match argument {
                Argument::Layer(layer) => launch.arg(layer),
                Argument::Swarm(swarm) => launch.arg(swarm),
                Argument::Annealing(annealing) => launch.arg(annealing),
            };
            // SAFETY: every kernel takes this one argument, and stays within the
            // arrays and counts that it names.
            unsafe { launch.launch(config) }.map(|_| ())
        })
    }

    fn threads(&self, kernel: Kernel) -> Result<usize, String> {
        Ok(self.found(kernel)?.map_or(0, |ready| (ready.blocks * ready.threads) as usize))
    }
}
