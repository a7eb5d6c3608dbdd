//! Networks of every kind, against the obvious way on the processor.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use solitree_cuda::{Limits, NetCall, NetEvaluator, NetHost, NetKernel, NetLane, NetShape};
use solitree_nn::{
    Answers, Digits, DistantEvaluator, Encoder, Evaluator, Features, Folded, Network, Params,
    PlainEvaluator, SameGameEncoder, Weights,
};

use crate::common::{positions, shaken};

/// Those of the GPU that this was written for.
const LIMITS: Limits = Limits { block: 232_448, multiprocessor: 233_472 };

/// The kernels as functions of this process; its memory is ours.
struct Host {
    /// They have but one memory that is shared: one call at a time.
    library: Arc<Mutex<libloading::Library>>,
    taken: Mutex<Vec<Box<[u128]>>>,
    _folder: tempfile::TempDir,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    fn make(shape: &NetShape) -> Arc<Host> {
        let folder = tempfile::tempdir().unwrap();
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let (defines, file) = (folder.path().join("defines.h"), folder.path().join("net.so"));
        std::fs::write(&defines, shape.defines()).unwrap();
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let output = Command::new(&compiler)
            .args(["-O2", "-fPIC", "-shared", "-Wall", "-Werror", "-x", "c", "-include"])
            .arg(&defines)
            .arg(format!("-DNET={:?}", here.join("src/net/net.cu")))
            .arg(here.join("tests/kernels/net_lanes.c"))
            .arg("-o")
            .arg(&file)
            .arg("-lm")
            .output()
            .unwrap_or_else(|error| panic!("{compiler}: {error}"));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        // SAFETY: it was just built, and has no start-up code.
        let library = unsafe { libloading::Library::new(&file) }.unwrap();
        // SAFETY: net_lanes.c has it so.
        let bytes = unsafe {
            let bytes: libloading::Symbol<'_, extern "C" fn() -> u32> =
                library.get(b"shared_bytes").unwrap();
            bytes()
        };
        assert_eq!(bytes as usize, shape.shared_bytes(), "both reckon alike");
        let library = Arc::new(Mutex::new(library));
        Arc::new(Host { library, taken: Mutex::default(), _folder: folder })
    }
}

impl NetHost for Host {
    fn take(&self, bytes: usize, _: bool) -> Result<u64, String> {
        // What is never written is not a number.
        let memory = vec![u128::MAX; bytes.div_ceil(16)].into_boxed_slice();
        let address = memory.as_ptr() as u64;
        self.taken.lock().unwrap().push(memory);
        Ok(address)
    }

    fn give(&self, address: u64, _: bool) {
        self.taken.lock().unwrap().retain(|memory| memory.as_ptr() as u64 != address);
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: the callers own this memory.
        unsafe { std::ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    /// So few that each has several positions.
    fn blocks(&self) -> u32 {
        2
    }

    fn lane(&self) -> Result<Box<dyn NetLane>, String> {
        Ok(Box::new(Lane(Arc::clone(&self.library))))
    }
}

struct Lane(Arc<Mutex<libloading::Library>>);

impl NetLane for Lane {
    fn run(&self, kernel: NetKernel, blocks: [u32; 3], call: &NetCall) -> Result<(), String> {
        let library = self.0.lock().unwrap();
        // SAFETY: net_lanes.c has a function of these arguments for every kernel.
        unsafe {
            let name = format!("run_{}", kernel.name());
            let run: libloading::Symbol<'_, extern "C" fn(*const u32, *const NetCall)> =
                library.get(name.as_bytes()).map_err(|error| error.to_string())?;
            run(blocks.as_ptr(), call);
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), String> {
        Ok(())
    }
}

fn close(label: &str, found: &[f32], plain: &[f32], most: f32) {
    assert_eq!(found.len(), plain.len(), "{label}");
    let scale = plain.iter().fold(1.0_f32, |scale, x| scale.max(x.abs()));
    for (place, (a, b)) in found.iter().zip(plain).enumerate() {
        assert!((a - b).abs() <= most * scale, "{label} {place}: {a} and {b}");
    }
}

fn compare(network: &Network, params: &Params, encoder: &SameGameEncoder, batch: usize) {
    let positions = positions(encoder, batch, 5);
    let (mut plain, mut found, mut one) = <(Answers, Answers, Answers)>::default();
    PlainEvaluator::new(network, params).evaluate(&positions, &mut plain);
    let folded = Folded::new(network, params);
    for (digits, most) in [(Digits::Half, 0.02), (Digits::Single, 1e-5)] {
        let label = format!("{} {digits:?}", network.config());
        let shape = NetShape::new(&folded, digits, LIMITS).unwrap();
        let host = Host::make(&shape);
        let first = NetEvaluator::new(host.clone(), shape, &folded).unwrap();
        let mut evaluator = first.another().unwrap();
        evaluator.evaluate(&positions, &mut found).unwrap();
        close(&format!("{label} policy"), &found.policy, &plain.policy, most);
        close(&format!("{label} value"), &found.value, &plain.value, most);
        close(&format!("{label} clear"), &found.clear, &plain.clear, most);
        let last = &positions[(batch - 1) * encoder.input().bytes()..];
        evaluator.evaluate(last, &mut one).unwrap();
        let begin = found.policy.len() - one.policy.len();
        assert_eq!(
            one.policy,
            found.policy[begin..],
            "{label}: whoever is beside it or was before"
        );
        drop((evaluator, first));
        assert!(host.taken.lock().unwrap().is_empty(), "all memory is given back");
    }
}

fn compare_random(config: &str, size: (usize, usize), features: Features, batch: usize) {
    let encoder = SameGameEncoder::new(size.0, size.1, 5, features).unwrap();
    let network = Network::new(config.parse().unwrap(), encoder.input()).unwrap();
    compare(&network, &shaken(&network, 3), &encoder, batch);
}

#[test]
fn small_networks_on_boards_of_many_shapes() {
    compare_random("tiny(layers=1,filters=1)+policy", (1, 9), Features::Colours, 9);
    compare_random("tiny(layers=3,filters=16)+policy+value", (7, 7), Features::Groups, 9);
    compare_random("tiny(layers=2,filters=40)+clear", (5, 8), Features::Groups, 3);
    compare_random("tiny(layers=2,filters=33)+policy", (15, 15), Features::Colours, 3);
    compare_random("tiny(layers=2,filters=16)+policy", (32, 16), Features::Groups, 2);
}

#[test]
fn more_positions_than_are_asked_about_in_one_go() {
    compare_random("tiny(layers=1,filters=1)+policy+value", (2, 3), Features::Colours, 1100);
}

#[test]
fn residual_networks() {
    compare_random("residual(blocks=2,filters=32)+policy", (10, 10), Features::Groups, 5);
    compare_random(
        "residual(blocks=1,filters=64)+policy+value+clear",
        (15, 15),
        Features::Groups,
        3,
    );
    compare_random("residual(blocks=1,filters=128)+policy", (6, 4), Features::Colours, 9);
}

#[test]
fn the_papers_network() {
    compare_random("paper+policy+value", (4, 6), Features::Colours, 20);
    compare_random("paper+policy", (15, 15), Features::Colours, 2);
}

#[test]
fn the_weights_in_the_box() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/weights");
    for (side, name) in [(15, "15x15x5"), (7, "7x7x5")] {
        let file = folder.join(format!("samegame-{name}.safetensors"));
        let weights = Weights::read(&file).unwrap();
        let encoder = SameGameEncoder::of(&weights.header.encoder, (side, side, 5)).unwrap();
        let network = weights.network(&encoder, "samegame").unwrap();
        compare(&network, &weights.params, &encoder, 3);
    }
}

#[test]
fn a_network_that_is_too_large_is_refused() {
    let encoder = SameGameEncoder::new(15, 15, 5, Features::Groups).unwrap();
    let config = "tiny(layers=2,filters=512)+policy".parse().unwrap();
    let network = Network::new(config, encoder.input()).unwrap();
    let folded = Folded::new(&network, &Params::random(&network, 1));
    let error = NetShape::new(&folded, Digits::Half, LIMITS).unwrap_err();
    assert!(error.starts_with("15x15 boards of 512 channels need "), "{error}");
}
