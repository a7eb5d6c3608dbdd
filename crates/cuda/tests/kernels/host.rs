//! The kernels, built by a C compiler, as a machine.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use solitree_cuda::{Argument, Bulk, Kernel, Machine, TABLE_BITS};
use solitree_games::samegame::{
    BoardName, BulkShape, KitConfig, Rules, SameGameKit, SmallSameGame,
};

/// The kernels as functions of this process; its memory is ours.
pub struct Host {
    library: libloading::Library,
    planes: usize,
    /// It runs one kernel at a time, as a GPU's stream does: lanes are told apart by a global.
    turn: Mutex<()>,
    taken: Mutex<Vec<Box<[u64]>>>,
    _folder: tempfile::TempDir,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    fn make(shape: &BulkShape) -> Result<Arc<Host>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let sources = here.join("src");
        let quoted = |name: &str| format!("{:?}", sources.join(name));
        let file = folder.path().join("kernels.so");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let output = Command::new(&compiler)
            .args(["-O1", "-fPIC", "-shared", "-Wall", "-Werror", "-x", "c", "-include"])
            .arg(sources.join("host.h"))
            .arg(format!("-DWIDTH={}", shape.width))
            .arg(format!("-DPLANES={}", shape.planes))
            .arg(format!("-DTABLE_BITS={TABLE_BITS}"))
            .arg(format!("-DSAMEGAME={}", quoted("samegame.cu")))
            .arg(format!("-DTEAMS_AT_PLAY={}", quoted("team.cu")))
            .arg(format!("-DREPAIR={}", quoted("repair.cu")))
            .arg(format!("-DBENCHES={}", quoted("bench.cu")))
            .arg(format!("-DANNEAL={}", quoted("anneal.cu")))
            .arg(here.join("tests/kernels/lanes.c"))
            .arg("-o")
            .arg(&file)
            .arg("-lm")
            .output()
            .map_err(|error| format!("{compiler}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        // SAFETY: it was just built, and has no start-up code.
        let library = unsafe { libloading::Library::new(&file) }.map_err(|e| e.to_string())?;
        let (turn, taken) = (Mutex::default(), Mutex::default());
        Ok(Arc::new(Host { library, planes: shape.planes, turn, taken, _folder: folder }))
    }

    /// After a repair without iterations: the slots that could be chosen at a step of
    /// its line, and the one that was.
    pub fn choices_at(&self, step: usize) -> (Vec<u32>, u32) {
        let (mut slots, mut pick) = ([0; 56], 0);
        // SAFETY: lanes.c has it so.
        unsafe {
            let function: libloading::Symbol<'_, extern "C" fn(u32, *mut u32, *mut u32)> =
                self.library.get(b"choices_at").unwrap();
            function(step as u32, slots.as_mut_ptr(), &raw mut pick);
        }
        let chosen = slots[pick as usize];
        (slots.into_iter().filter(|&slot| slot != u32::MAX).collect(), chosen)
    }

    /// The bits of a colour.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// The bytes that the threads of a block share when they anneal.
    pub fn bench_bytes(&self) -> u64 {
        // SAFETY: lanes.c has it so.
        unsafe {
            let function: libloading::Symbol<'_, extern "C" fn() -> u64> =
                self.library.get(b"bench_bytes").unwrap();
            function()
        }
    }

    /// Runs a function of one argument.
    fn call<T: Copy>(&self, name: &str, argument: &T) -> Result<(), String> {
        let _turn = self.turn.lock().unwrap();
        // SAFETY: every kernel takes one argument, by its value.
        unsafe {
            let function: libloading::Symbol<'_, extern "C" fn(T)> =
                self.library.get(name.as_bytes()).map_err(|e| e.to_string())?;
            function(*argument);
        }
        Ok(())
    }
}

impl Machine for Host {
    fn take(&self, bytes: usize) -> Result<u64, String> {
        // What is never written is not 0.
        let memory = vec![0xA5A5_A5A5_A5A5_A5A5; bytes.div_ceil(8)].into_boxed_slice();
        let address = memory.as_ptr() as u64;
        self.taken.lock().unwrap().push(memory);
        Ok(address)
    }

    fn give(&self, address: u64) {
        self.taken.lock().unwrap().retain(|memory| memory.as_ptr() as u64 != address);
    }

    fn clear(&self, address: u64, bytes: usize) -> Result<(), String> {
        // SAFETY: the callers own this memory.
        unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes) };
        Ok(())
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: as above.
        unsafe { std::ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), String> {
        // SAFETY: as above.
        unsafe { std::ptr::copy(address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn run(&self, kernel: Kernel, work: u64, argument: Argument<'_>) -> Result<(), String> {
        match argument {
            _ if work == 0 => Ok(()),
            Argument::Layer(layer) => self.call(kernel.name(), layer),
            Argument::Swarm(swarm) => self.call("repair_by_lanes", swarm),
            Argument::Annealing(annealing) => self.call("anneal_by_lanes", annealing),
        }
    }

    /// One warp.
    fn threads(&self, _: Kernel) -> Result<usize, String> {
        Ok(32)
    }
}

/// The machine as the searches have it, and what it is made of: one for each shape.
pub type Hosts = Arc<Mutex<Vec<Arc<Host>>>>;

pub fn bulk() -> (Arc<Bulk>, Hosts) {
    let hosts = Hosts::default();
    let all = Arc::clone(&hosts);
    let make = move |shape: &BulkShape| -> Result<Arc<dyn Machine>, String> {
        let host = Host::make(shape)?;
        all.lock().unwrap().push(Arc::clone(&host));
        Ok(host)
    };
    (Arc::new(Bulk::new(Box::new(make), 1 << 30, |reason| panic!("{reason}"))), hosts)
}

/// A kit whose playouts keep a colour and perhaps a second one, with the machine.
pub fn kit(game: &SmallSameGame, (kept, second): (u64, u64), bulk: &Arc<Bulk>) -> SameGameKit {
    let mut config = KitConfig::default();
    (config.playout.epsilon, config.playout.keep) = (0.0, kept);
    config.playout.second = second;
    SameGameKit::new(&config, game).with_accelerator(Some(Arc::clone(bulk) as _))
}

/// Boards of several shapes and rules, and the colours that are kept.
pub fn games() -> Vec<(SmallSameGame, (u64, u64))> {
    [
        ("std:1", "samegame", (5, 0)),
        ("std:11", "samegame", (2, 3)),
        ("random:3:15x15x5", "codingame", (1, 0)),
        ("random:4:7x7x3", "samegame-clamped", (3, 1)),
        ("random:5:16x15x7", "samegame", (7, 2)),
        ("random:6:10x12x6", "n(n-1);clear=77;left=-m", (4, 0)),
        ("random:7:2x15x2", "samegame", (1, 0)),
        ("random:9:12x12x7", "samegame", (3, 7)),
        ("random:8:1x9x2", "samegame", (2, 1)),
    ]
    .into_iter()
    .map(|(board, rules, kept)| {
        let board = board.parse::<BoardName>().unwrap().board();
        (SmallSameGame::new(&board, &Rules::parse(rules).unwrap()), kept)
    })
    .collect()
}
