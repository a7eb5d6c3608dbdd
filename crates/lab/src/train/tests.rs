//! The whole loop on tiny boards.

use std::ops::ControlFlow;

use solitree_nn::{
    Answers, Encoder, Evaluator, NetConfig, Network, PlainEvaluator, Scale, TrainConfig, Trainer,
    TrainingRecord,
};

use super::*;

/// The whole loop in a second or so.
pub(crate) fn tiny() -> Training {
    Training {
        size: "5x5x3".to_owned(),
        rules: "samegame".to_owned(),
        net: "tiny(layers=2,filters=8)+policy".parse().unwrap(),
        features: "groups".to_owned(),
        generations: 3,
        runs: 24,
        lines: 1,
        any_order: false,
        simulations: 12,
        first_simulations: 20,
        teacher: None,
        playouts: 300,
        set: Vec::new(),
        buffer: 200,
        batch: 32,
        learning_rate: 3e-3,
        epochs: 6,
        patience: 2,
        cuts: 0,
        keep_weights: false,
        validation: 20,
        seed: 1,
    }
}

fn run(
    training: &Training,
    folder: &Path,
    threads: usize,
    stop_after: Option<u64>,
) -> Result<Option<Vec<Generation>>> {
    let interrupt = AtomicBool::new(false);
    let mut left = stop_after;
    let mut watchers = Watchers {
        teacher: &mut |_| {},
        baseline: &mut |_| {},
        generation: &mut |_| {},
        step: &mut |_, _| {
            if let Some(left) = &mut left {
                *left = left.saturating_sub(1);
                interrupt.store(*left == 0, Ordering::Relaxed);
            }
        },
    };
    training.run(
        folder,
        Crew { threads, torch: None, machines: &Machines::default(), interrupt: &interrupt },
        &mut watchers,
    )
}

pub(super) fn trained(training: &Training, folder: &Path, threads: usize) -> Vec<Generation> {
    run(training, folder, threads, None).unwrap().unwrap()
}

fn refused(training: &Training, folder: &Path) -> String {
    run(training, folder, 1, None).unwrap_err().to_string()
}

fn bytes(folder: &Path) -> Vec<Vec<u8>> {
    let names = ["generation-001", "generation-002", "generation-003", "policy"];
    let read = |name: &&str| std::fs::read(folder.join(format!("{name}.safetensors"))).unwrap();
    let mut files: Vec<Vec<u8>> = names.iter().map(read).collect();
    files.push(std::fs::read(folder.join("generations.jsonl")).unwrap());
    files
}

#[test]
fn stopped_anywhere_it_ends_with_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let done = trained(&tiny(), &at("whole"), 1);
    assert_eq!(done.len(), 3);
    let report = std::fs::read_to_string(at("whole").join("report.html")).unwrap();
    assert!(report.contains("the policy alone") && report.contains("3 of 3 generations"));
    let whole = bytes(&at("whole"));
    trained(&tiny(), &at("threads"), 3);
    assert_eq!(bytes(&at("threads")), whole, "whatever the number of threads");
    let mut stops = 0;
    for after in [5, 27, 45] {
        let folder = at(&format!("stopped-{after}"));
        stops += u64::from(run(&tiny(), &folder, 2, Some(after)).unwrap().is_none());
        let report = std::fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(report.contains(" of 3 generations"), "there is one from the beginning");
        assert_eq!(trained(&tiny(), &folder, 1), done, "stopped at {after}");
        assert_eq!(bytes(&folder), whole, "stopped at {after}");
    }
    assert_eq!(stops, 3, "it was really stopped");
    let longer = Training { generations: 4, ..tiny() };
    assert_eq!(trained(&longer, &at("whole"), 1)[..3], done);
    assert!(refused(&tiny(), &at("whole")).contains("a training of 4 generations"));
}

#[test]
fn options_change_what_is_learnt() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, training: Training| {
        trained(&Training { generations: 2, ..training }, &dir.path().join(name), 2)
    };
    let plain = run("plain", tiny());
    for (name, training) in [
        ("keep", Training { keep_weights: true, ..tiny() }),
        ("teacher", Training { teacher: Some("mc-beam".to_owned()), ..tiny() }),
        ("order", Training { any_order: true, ..tiny() }),
        ("cuts", Training { cuts: 2, epochs: 20, ..tiny() }),
        ("lines", Training { lines: 3, ..tiny() }),
        ("colours", Training { features: "colours".to_owned(), ..tiny() }),
        ("set", Training { set: vec!["c=1".to_owned()], ..tiny() }),
        ("seed", Training { seed: 2, ..tiny() }),
    ] {
        assert_ne!(run(name, training)[1], plain[1], "{name}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (training, word) in [
        (Training { size: "7x7".to_owned(), ..tiny() }, "--size: '7x7' is not a size"),
        (Training { size: "1x1x2".to_owned(), ..tiny() }, "no move is possible on 1x1x2"),
        (Training { size: "99x1x2".to_owned(), ..tiny() }, "--size: 99x1x2"),
        (Training { rules: "nim".to_owned(), ..tiny() }, "--rules: "),
        (
            Training { net: "tiny(layers=2,filters=8)+value".parse().unwrap(), ..tiny() },
            "+value: without a policy nothing plays by it",
        ),
        (
            Training { net: "paper+policy".parse().unwrap(), size: "2x2x2".to_owned(), ..tiny() },
            "--net paper+policy: ",
        ),
        (Training { lines: 5, ..tiny() }, "--runs 24: not a multiple of --lines 5"),
        (Training { set: vec!["cc=1".to_owned()], ..tiny() }, "unknown parameter 'cc'"),
        (Training { teacher: Some("mc-bream".to_owned()), ..tiny() }, "did you mean 'mc-beam'?"),
        (Training { teacher: Some("beam".to_owned()), ..tiny() }, "it plays no games out"),
        (Training { learning_rate: f32::NAN, ..tiny() }, "--learning-rate"),
        (Training { set: vec!["simulations=0".to_owned()], ..tiny() }, "--set simulations=0: a tr"),
        (Training { set: vec![" weights = x".to_owned()], ..tiny() }, "a training settles 'weigh"),
        (Training { simulations: 0, ..tiny() }, "--simulations 0: not a count above 0"),
        (Training { validation: 1_000_001, ..tiny() }, "--validation 1000001: more than 1000000"),
        (Training { runs: (1 << 32) + 1, ..tiny() }, "--runs 4294967297: more than 4294967296"),
    ] {
        let message = refused(&training, &dir.path().join("new"));
        assert!(message.contains(word), "{message}");
        assert!(!dir.path().join("new").exists(), "nothing is left behind");
    }
}

#[test]
fn a_folder_is_of_one_training_and_its_weights_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let short = Training { generations: 1, ..tiny() };
    trained(&short, dir.path(), 1);
    let other = refused(&Training { seed: 2, ..short.clone() }, dir.path());
    assert!(other.contains("it has `seed = 1` where this has `seed = 2`"), "{other}");
    let path = dir.path().join("generation-001.safetensors");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let longer = Training { generations: 2, ..short };
    let broken = refused(&longer, dir.path());
    assert!(broken.contains("generation-001.safetensors: damaged"), "{broken}");
    // Whole, but of another network.
    let other = dir.path().join("other");
    let net = "tiny(layers=1,filters=4)+policy".parse().unwrap();
    trained(&Training { net, generations: 1, ..tiny() }, &other, 1);
    std::fs::copy(other.join("policy.safetensors"), &path).unwrap();
    let strange = refused(&longer, dir.path());
    let told = "generation-001.safetensors: weights of tiny(layers=1,filters=4)+policy, and \
                tiny(layers=2,filters=8)+policy is taught here";
    assert!(strange.ends_with(told), "{strange}");
}

#[test]
fn weights_too_large_for_half_precision_are_kept_in_single() {
    let dir = tempfile::tempdir().unwrap();
    let training = tiny();
    let ground = Ground::new(&training).unwrap();
    let encoder = ground.encoder();
    let network = Network::new(training.net, encoder.input()).unwrap();
    let mut tensors = solitree_nn::Params::random(&network, 1).tensors().to_vec();
    tensors[0][0] = 1e6;
    let params = solitree_nn::Params::from_tensors(&network, tensors).unwrap();
    let record = TrainingRecord::default();
    let weights = Weights::new(encoder, "samegame", &network, &params, Scale::default(), record);
    let folder = Folder::open(dir.path(), &training).unwrap();
    folder.write_weights(1, &weights).unwrap();
    assert_eq!(folder.read_weights(1, training.net).unwrap(), weights);
    assert_eq!(Weights::read(&dir.path().join("policy.safetensors")).unwrap(), weights);
}

#[test]
fn a_command_says_who_teaches() {
    let torch = Torch { python: "python3".to_owned(), device: Device::Cuda };
    let (interrupt, machines) = (AtomicBool::new(false), Machines::default());
    let crew = |torch| Crew { threads: 1, torch, machines: &machines, interrupt: &interrupt };
    assert!(tiny().command(crew(None)).ends_with("--seed 1 --renew"));
    let taught = tiny().command(crew(Some(&torch)));
    assert!(taught.ends_with("--seed 1 --renew --backend torch --device cuda"), "{taught}");
}

#[test]
fn a_loss_that_is_no_number_stops_it_and_keeps_the_last_weights() {
    let dir = tempfile::tempdir().unwrap();
    let wild = Training { learning_rate: 1e30, ..tiny() };
    let message = refused(&wild, dir.path());
    assert!(message.starts_with("generation 1, epoch 1, batch "), "{message}");
    assert!(message.ends_with("no generation is done yet"), "{message}");
}

#[test]
fn a_policy_that_has_learnt_lines_by_heart_replays_them() {
    const GAMES: u64 = 6;
    let training = Training {
        size: "6x6x3".to_owned(),
        net: "residual(blocks=2,filters=16)+policy".parse().unwrap(),
        ..tiny()
    };
    let ground = Ground::new(&training).unwrap();
    let (player, never) =
        (ground.player(None, &Machines::default()).unwrap(), AtomicBool::new(false));
    let games: Vec<Game> =
        (0..GAMES).map(|game| player.play(1, game, &never).unwrap().unwrap()).collect();
    let mut buffers = Buffers::new(&training);
    buffers.add(&ground, 1, &games.iter().collect::<Vec<_>>(), 1).unwrap();
    let samples = buffers.everything(&ground);
    let config = TrainConfig {
        learning_rate: 5e-3,
        batch: 64,
        epochs: 1_000,
        patience: 1_000,
        ..TrainConfig::default()
    };
    let encoder = ground.encoder();
    let mut trainer = Trainer::new(encoder, training.net, config).unwrap();
    let fit = trainer.fit(&samples, &samples, |epoch| match epoch.validation.total < 0.02 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let fit = fit.unwrap();
    let network = Network::new(training.net, encoder.input()).unwrap();
    let record = TrainingRecord::default();
    let params = trainer.params();
    let weights = Weights::new(encoder, "samegame", &network, params, Scale::default(), record);
    let learnt = ground.fitting(&weights).unwrap();
    let pupil = ground.candidate(Some(&learnt), &Machines::default()).unwrap();
    for (board, game) in games.iter().enumerate() {
        let last = fit.epochs.last();
        assert_eq!(pupil.alone(1, board as u64), game.score, "board {board}, {last:?}");
    }
}

#[test]
fn values_are_taught_beside_the_policy() {
    let dir = tempfile::tempdir().unwrap();
    let net: NetConfig = "tiny(layers=2,filters=8)+policy+value+clear".parse().unwrap();
    let (runs, buffer, epochs) = (120, 2_000, 40);
    let rules = "n(n-1)".to_owned();
    let training =
        Training { net, rules, generations: 1, runs, buffer, epochs, patience: 5, ..tiny() };
    trained(&training, dir.path(), 2);
    let weights = Weights::read(&dir.path().join("policy.safetensors")).unwrap();
    let scale = weights.header.scale;
    assert!(scale.spread > 1.0, "{scale:?}");
    // Boards that it has not seen.
    let ground = Ground::new(&Training { seed: 99, ..training.clone() }).unwrap();
    let (player, never) =
        (ground.player(None, &Machines::default()).unwrap(), AtomicBool::new(false));
    let games: Vec<Game> =
        (0..40).map(|game| player.play(1, game, &never).unwrap().unwrap()).collect();
    let mut buffers = Buffers::new(&training);
    buffers.add(&ground, 1, &games.iter().collect::<Vec<_>>(), 1).unwrap();
    let samples = buffers.everything(&ground);
    let (encoder, network) = (ground.encoder(), Network::new(net, ground.encoder().input()));
    let mut evaluator = PlainEvaluator::new(&network.unwrap(), &weights.params);
    let (mut marks, mut answers) = (vec![0; encoder.input().bytes()], Answers::default());
    let mut errors = [0.0, 0.0];
    for sample in samples.iter() {
        encoder.encode(sample.contents, &mut marks);
        evaluator.evaluate(&marks, &mut answers);
        let known = f64::from(sample.value.unwrap());
        let said = f64::from(scale.points(answers.value[0]));
        for (error, guess) in errors.iter_mut().zip([said, f64::from(scale.mean)]) {
            *error += (guess - known).powi(2);
        }
        assert!(sample.cleared.is_some() && answers.clear[0].is_finite());
    }
    let [said, mean] = errors;
    assert!(said < 0.8 * mean, "{said} beside {mean} of the mean");
}

#[test]
fn a_short_training_beats_moves_at_random_by_far() {
    let dir = tempfile::tempdir().unwrap();
    let training = Training {
        generations: 2,
        runs: 900,
        simulations: 16,
        first_simulations: 40,
        buffer: 20_000,
        epochs: 12,
        validation: 400,
        keep_weights: true,
        ..tiny()
    };
    let done = trained(&training, dir.path(), 2);
    let text = std::fs::read_to_string(dir.path().join("baseline.json")).unwrap();
    let (random, error) = serde_json::from_str::<Baseline>(&text).unwrap().random();
    let (policy, spread) = done[1].policy;
    assert!(policy - random > 4.0 * error.hypot(spread), "{policy} and {random}: {done:#?}");
    assert!(done[1].gain.0 > 0.0, "{done:#?}");
}
