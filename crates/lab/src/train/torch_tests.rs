//! The script without PyTorch: its files, and how it is called and understood.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use solitree_nn::{TrainConfig, Trainer};

use super::*;
use crate::Machines;
use crate::train::buffers::Buffers;
use crate::train::folder::Folder;
use crate::train::play::Ground;
use crate::train::tests::{tiny, trained};
use crate::train::{Generation, Training, Watchers};

/// A program that stands in for an interpreter with PyTorch.
fn stand_in(folder: &Path, check: &str, teach: &str) -> Torch {
    let path = folder.join("python");
    let text = format!(
        "#!/bin/sh\nhere=$(dirname \"$4\")\ncase $3 in check) {check};; teach) {teach};; esac\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Torch { python: path.display().to_string(), device: Device::Auto }
}

const READY: &str = r#"echo '{"torch": "9.9", "device": "a GPU"}'"#;
const EPOCHS: &str = r#"
    echo '{"epoch": 1, "training": 2.0, "validation": 1.5, "accuracy": 0.25, "best": true}'
    echo '{"epoch": 2, "training": 1.0, "validation": 1.6, "accuracy": 0.5, "best": false}'"#;
const LEARNT: &str = r#"cp "$here/first.safetensors" "$here/learnt.safetensors""#;

fn short_training() -> Training {
    Training { generations: 1, ..tiny() }
}

/// Trains in a folder, stopped at the first epoch if asked for.
fn train(torch: &Torch, folder: &Path, stop: bool) -> Result<Option<Vec<Generation>>> {
    train_as(&short_training(), torch, folder, stop)
}

fn train_as(
    training: &Training,
    torch: &Torch,
    folder: &Path,
    stop: bool,
) -> Result<Option<Vec<Generation>>> {
    let interrupt = AtomicBool::new(false);
    let mut watchers = Watchers {
        teacher: &mut |_| {},
        baseline: &mut |_| {},
        generation: &mut |_| {},
        step: &mut |_, step| {
            interrupt.store(stop && matches!(step, Step::Epoch(..)), Ordering::Relaxed);
        },
    };
    let crew = Crew {
        threads: 2,
        torch: Some(torch),
        machines: &Machines::default(),
        interrupt: &interrupt,
    };
    training.run(folder, crew, &mut watchers)
}

#[test]
fn what_the_script_says_and_learns_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let torch = stand_in(dir.path(), READY, &format!("{EPOCHS}\n{LEARNT}"));
    let folder = dir.path().join("run");
    let done = train(&torch, &folder, false).unwrap().unwrap();
    assert_eq!((done[0].epochs, done[0].loss, done[0].accuracy), ((2, 1), (2.0, 1.5), 0.25));
    let weights = Weights::read(&folder.join("policy.safetensors")).unwrap();
    assert_eq!(weights.header.training.notes, "PyTorch 9.9 on a GPU");
    assert!(weights.header.training.command.ends_with("--backend torch --device auto"));
    assert!(weights.header.training.samples > 0);
    assert!(!folder.join("torch").exists(), "its files are gone");
}

#[test]
fn an_interrupt_ends_the_script_and_it_begins_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run");
    let slow = stand_in(dir.path(), READY, &format!("{EPOCHS}\nexec sleep 60"));
    let start = std::time::Instant::now();
    assert!(train(&slow, &folder, true).unwrap().is_none());
    assert!(start.elapsed() < Duration::from_secs(30));
    let torch = stand_in(dir.path(), READY, &format!("{EPOCHS}\n{LEARNT}"));
    assert_eq!(train(&torch, &folder, false).unwrap().unwrap().len(), 1);
}

#[test]
fn an_interrupt_ends_the_check_of_pytorch_too() {
    let dir = tempfile::tempdir().unwrap();
    let slow = stand_in(dir.path(), "exec sleep 60", "true");
    let interrupt = AtomicBool::new(true);
    let crew =
        Crew { threads: 1, torch: None, machines: &Machines::default(), interrupt: &interrupt };
    let start = std::time::Instant::now();
    assert!(slow.check(crew).unwrap().is_none());
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_single_sample_is_too_few() {
    let dir = tempfile::tempdir().unwrap();
    let torch = stand_in(dir.path(), READY, &format!("{EPOCHS}\n{LEARNT}"));
    let training = Training { size: "2x1x1".to_owned(), runs: 1, ..short_training() };
    let told = train_as(&training, &torch, &dir.path().join("run"), false).unwrap_err().to_string();
    assert!(told.starts_with("generation 1, no samples to validate with"), "{told}");
}

#[test]
fn what_goes_wrong_is_told_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let message = |check: &str, teach: &str| {
        let torch = stand_in(dir.path(), check, teach);
        train(&torch, &dir.path().join("run"), false).unwrap_err().to_string()
    };
    let missing = Torch { python: "no-such-python".to_owned(), device: Device::Cuda };
    let never = AtomicBool::new(false);
    let crew = Crew { threads: 1, torch: None, machines: &Machines::default(), interrupt: &never };
    let told = missing.check(crew).unwrap_err().to_string();
    assert!(told.starts_with("no-such-python: no such program (--backend torch needs"), "{told}");
    let told = message(r#"echo '{"error": "PyTorch cannot be imported"}'; exit 3"#, "true");
    assert!(told.ends_with("python: PyTorch cannot be imported"), "{told}");
    assert!(!dir.path().join("run").exists(), "before a game is played");
    let told = message("echo Traceback >&2; echo KeyError: 1 >&2; exit 1", "true");
    assert!(told.contains("exit status: 1: KeyError: 1 ("), "{told}");
    let told = message(READY, "echo hello");
    assert!(told.contains("it said 'hello'"), "{told}");
    let told = message(READY, "true");
    assert!(told.contains("it told of no epoch"), "{told}");
    let told = message(READY, EPOCHS);
    assert!(told.contains("torch: "), "{told}");
    let told = message(READY, r#"echo '{"epoch": 3, "not_finite": 7}'; exit 1"#);
    assert!(told.starts_with("generation 1, epoch 3, batch 7: the loss is not"), "{told}");
}

#[test]
fn devices_print_and_parse() {
    for (device, word) in DEVICES {
        assert_eq!((device.to_string().as_str(), word.parse()), (word, Ok(device)));
    }
    assert_eq!("gpu".parse::<Device>().unwrap_err(), "'gpu' is not auto, cpu or cuda");
}

/// Runs lines of Python behind the script's own; none without an interpreter.
fn python(lines: &str, paths: &[PathBuf]) -> Option<(bool, String)> {
    python_in(Path::new("."), lines, paths)
}

fn python_in(folder: &Path, lines: &str, paths: &[PathBuf]) -> Option<(bool, String)> {
    let code = format!("{}\n{lines}", SCRIPT.replace("__main__", "a module"));
    let mut command = Command::new("python3");
    command.current_dir(folder).arg("-c").arg(code).args(paths);
    let output = command.output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&said).into_owned()))
}

#[test]
fn the_script_reads_and_writes_our_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    // What is written before the script begins is left behind by one that fails.
    let torch = stand_in(dir.path(), READY, "exit 1");
    train(&torch, &path("run"), false).unwrap_err();
    let (first, lessons) =
        (path("run/torch/first.safetensors"), path("run/torch/training.safetensors"));
    let copied = python("write(sys.argv[2], *read(sys.argv[1]))", &[first.clone(), path("copy")]);
    let Some((success, said)) = copied else { return };
    assert!(success, "{said}");
    assert_eq!(Weights::read(&path("copy")).unwrap(), Weights::read(&first).unwrap());
    let names = "header, arrays = read(sys.argv[1])\nprint(json.loads(header)['colours'], *[a[0] for a in arrays])";
    let (success, said) = python(names, &[lessons]).unwrap();
    assert!(success, "{said}");
    assert_eq!(said.trim(), "[1, 3] marks legal ends moves weights values cleared");
    let mut bytes = std::fs::read(&first).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(path("broken"), bytes).unwrap();
    let (success, said) = python("read(sys.argv[1])", &[path("broken")]).unwrap();
    assert!(!success && said.contains("damaged: its checksum does not match"), "{said}");
}

#[test]
fn files_beside_the_script_are_not_taken_for_modules() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["json.py", "torch.py"] {
        std::fs::write(dir.path().join(name), "raise SystemExit('taken')").unwrap();
    }
    let lines = "sys.argv = ['', 'check', 'cpu']\nmain()";
    let Some((_, said)) = python_in(dir.path(), lines, &[]) else { return };
    let known = said.contains("\"torch\": ") || said.contains("No module named 'torch'");
    assert!(known && !said.contains("taken"), "{said}");
}

#[test]
fn memory_that_has_run_out_is_told_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("job.json");
    std::fs::write(&job, r#"{"seed": 1}"#).unwrap();
    let told = |error: &str| {
        let lines = format!(
            "import types\nclass Full(RuntimeError): pass\n\
             def full(seed): raise {error}\n\
             cuda = types.SimpleNamespace(OutOfMemoryError=Full)\n\
             sys.modules['torch'] = types.SimpleNamespace(cuda=cuda, manual_seed=full)\n\
             sys.argv = ['', 'teach', sys.argv[1]]\nmain()"
        );
        python(&lines, std::slice::from_ref(&job))
    };
    let clear =
        "{\"error\": \"not enough memory to learn: a smaller --batch or --buffer may help\"}";
    for error in [
        "Full('CUDA')",
        "MemoryError()",
        "RuntimeError('CUDA error: out of memory')",
        "RuntimeError('DefaultCPUAllocator: can\\'t allocate memory')",
    ] {
        let Some((success, said)) = told(error) else { return };
        assert!(!success && said.trim() == clear, "{said}");
    }
    let (success, said) = told("RuntimeError('shapes differ')").unwrap();
    assert!(!success && said.trim().ends_with("RuntimeError: shapes differ"), "{said}");
}

/// Where SOLITREE_TORCH names an interpreter with PyTorch: what it says of the weights
/// it has learnt is what our own network says, and it learns as well as our trainer.
#[test]
fn a_real_pytorch_computes_what_we_compute() {
    let Ok(python) = std::env::var("SOLITREE_TORCH") else { return };
    let torch = Torch { python, device: Device::Auto };
    for (net, features) in [
        ("tiny(layers=2,filters=8)+policy", "groups"),
        ("residual(blocks=1,filters=12)+policy", "colours"),
        ("paper+policy", "groups"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let training = Training {
            size: "6x5x3".to_owned(),
            net: net.parse().unwrap(),
            features: features.to_owned(),
            runs: 150,
            lines: 3,
            epochs: 10,
            learning_rate: 1e-3,
            cuts: 1,
            buffer: 5_000,
            ..short_training()
        };
        let path = dir.path().join("torch");
        let theirs = train_as(&training, &torch, &path, false).unwrap().unwrap().remove(0);
        let ours = trained(&training, &dir.path().join("own"), 2).remove(0);
        let ground = Ground::new(&training).unwrap();
        let folder = Folder::open(&path, &training).unwrap();
        let mut buffers = Buffers::new(&training);
        buffers.add(&ground, 1, &folder.games_of(1), 1).unwrap();
        let weights = folder.read_weights(1, training.net).unwrap();
        let network = weights.network(ground.encoder(), ground.rules()).unwrap();
        let config = TrainConfig::default();
        let trainer = Trainer::with_params(ground.encoder(), network, weights.params, config);
        let said = trainer.measure(&buffers.samples(&ground).1);
        // The weights were rounded to half precision in between.
        assert!((said.total - theirs.loss.1).abs() < 3e-3, "{net}: {said:?}, {theirs:?}");
        assert!((said.accuracy - theirs.accuracy).abs() < 0.02, "{net}: {said:?}, {theirs:?}");
        assert!((ours.loss.1 - theirs.loss.1).abs() < 0.1, "{net}: {ours:?}, {theirs:?}");
    }
}
