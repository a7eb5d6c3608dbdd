//! Weights and samples survive being written, and anything wrong with them is
//! told in one line.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{position, shaken};
use solitree_core::Rng;
use solitree_nn::{
    Encoder, EncoderId, Features, FileError, Input, Network, Params, Precision, SameGameEncoder,
    Sample, Samples, Scale, TrainingRecord, Weights,
};

const RULES: &str = "samegame";

struct Folder {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

fn folder() -> Folder {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file.safetensors");
    Folder { _dir: dir, path }
}

fn encoder(side: usize) -> SameGameEncoder {
    SameGameEncoder::new(side, side, 3, Features::Colours).unwrap()
}

fn weights(config: &str) -> (Weights, Network) {
    let encoder = encoder(5);
    let network = Network::new(config.parse().unwrap(), encoder.input()).unwrap();
    let params = shaken(&network, 1);
    let scale = Scale { mean: 100.0, spread: 30.0 };
    let training = TrainingRecord { command: "by hand".to_owned(), ..TrainingRecord::default() };
    (Weights::new(&encoder, RULES, &network, &params, scale, training), network)
}

const NET: &str = "tiny(layers=1,filters=2)+policy+value";

fn message(path: &Path) -> String {
    Weights::read(path).unwrap_err().to_string()
}

#[test]
fn weights_survive() {
    let Folder { path, _dir } = folder();
    let (weights, network) = weights(NET);
    weights.write(&path, Precision::Single).unwrap();
    assert_eq!(Weights::read(&path).unwrap(), weights);
    let single = fs::metadata(&path).unwrap().len();
    weights.write(&path, Precision::Half).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < single);
    let half = Weights::read(&path).unwrap();
    assert_eq!(half.header, weights.header);
    for ((a, b), spec) in
        half.params.tensors().iter().zip(weights.params.tensors()).zip(network.tensors())
    {
        for (a, b) in a.iter().zip(b) {
            let error = if spec.shape.len() == 1 { 0.0 } else { b.abs() / 2000.0 + 1e-7 };
            assert!((a - b).abs() <= error, "{}: {a} and {b}", spec.name);
        }
    }
}

#[test]
fn cuts_and_flipped_bits_are_noticed() {
    let Folder { path, _dir } = folder();
    weights("tiny(layers=1,filters=1)+policy").0.write(&path, Precision::Half).unwrap();
    let bytes = fs::read(&path).unwrap();
    for len in (0..bytes.len()).step_by(3) {
        fs::write(&path, &bytes[..len]).unwrap();
        assert!(Weights::read(&path).is_err(), "cut to {len}");
    }
    for bit in (0..bytes.len() * 8).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        assert!(Weights::read(&path).is_err(), "bit {bit}");
    }
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let Folder { path, _dir } = folder();
    assert!(message(&path).contains("No such file"), "{}", message(&path));
    fs::write(&path, "something else altogether").unwrap();
    assert_eq!(message(&path), "not a safetensors file of solitree: no header");
    fs::write(&path, "").unwrap();
    assert_eq!(message(&path), "not a safetensors file of solitree: no header");

    let (weights, _) = weights(NET);
    weights.write(&path, Precision::Single).unwrap();
    let bytes = fs::read(&path).unwrap();
    let (all, cut) = (bytes.len(), bytes.len() - 7);
    fs::write(&path, &bytes[..cut]).unwrap();
    assert_eq!(message(&path), format!("cut short or overlong: {cut} of {all} bytes"));
    let mut longer = bytes.clone();
    longer.push(0);
    fs::write(&path, longer).unwrap();
    assert_eq!(message(&path), format!("cut short or overlong: {} of {all} bytes", all + 1));
    let mut damaged = bytes.clone();
    damaged[all - 3] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert_eq!(message(&path), "damaged: its checksum does not match");

    samples(&encoder(5)).write(&path).unwrap();
    assert_eq!(message(&path), "holds samples, and weights are asked for");
    let foreign = r#"{"__metadata__":{"format":"pt"}}"#;
    let mut file = (foreign.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(foreign.as_bytes());
    fs::write(&path, file).unwrap();
    assert_eq!(message(&path), "not a safetensors file of solitree: no metadata of solitree");
}

/// Changes the header of a file and makes its checksum right again.
fn rewritten(path: &Path, from: &str, to: &str) {
    let bytes = fs::read(path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut text: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let header = text["__metadata__"]["solitree"].as_str().unwrap().to_owned();
    assert!(header.contains(from), "{header}");
    let header = header.replace(from, to);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header.as_bytes());
    for (name, entry) in text.as_object().unwrap() {
        if name == "__metadata__" {
            continue;
        }
        let (kind, shape) = (entry["dtype"].as_str().unwrap(), &entry["shape"]);
        let shape: Vec<u64> =
            shape.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        hasher.update(format!("\n{name} {kind} {shape:?}\n").as_bytes());
        let place = |end: usize| 8 + length + entry["data_offsets"][end].as_u64().unwrap() as usize;
        hasher.update(&bytes[place(0)..place(1)]);
    }
    text["__metadata__"]["checksum"] = format!("{:08x}", hasher.finalize()).into();
    text["__metadata__"]["solitree"] = header.into();
    let text = text.to_string();
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(text.as_bytes());
    file.extend_from_slice(&bytes[8 + length..]);
    fs::write(path, file).unwrap();
}

#[test]
fn says_what_is_wrong_with_a_header() {
    let Folder { path, _dir } = folder();
    let (weights, _) = weights(NET);
    let told = |from: &str, to: &str| {
        weights.write(&path, Precision::Single).unwrap();
        rewritten(&path, from, to);
        message(&path)
    };
    let format = "of format 2, and this program reads format 1";
    assert_eq!(told(r#""format":1"#, r#""format":2"#), format);
    assert_eq!(
        told("filters=2", "filters=3"),
        "tensor conv1.weight: the file has shape [2, 4, 3, 3], and \
         tiny(layers=1,filters=3)+policy+value has shape [3, 4, 3, 3]"
    );
    assert_eq!(
        told("+policy+value", "+policy"),
        "tensor value.hidden.weight: the file has shape [32, 2], and \
         tiny(layers=1,filters=2)+policy has none"
    );
    assert_eq!(
        told("+policy+value", "+policy+value+clear"),
        "tensor clear.hidden.weight: the file has none, and \
         tiny(layers=1,filters=2)+policy+value+clear has shape [32, 2]"
    );
    let unknown = told("tiny(", "teeny(");
    assert!(unknown.starts_with("not understood: 'teeny(layers=1,filters=2)' is not"), "{unknown}");
    let huge = told(r#""width":5"#, r#""width":5000000000"#);
    assert!(huge.starts_with("not understood: boards of 5000000000x5"), "{huge}");
    assert!(told(r#""scale""#, r#""scales""#).starts_with("not understood: unknown field"));
}

#[test]
fn numbers_must_be_finite() {
    let Folder { path, _dir } = folder();
    let (mut weights, network) = weights(NET);
    let mut tensors = weights.params.tensors().to_vec();
    tensors[0][3] = f32::NAN;
    weights.params = Params::from_tensors(&network, tensors.clone()).unwrap();
    let not_finite = "tensor conv1.weight holds a number that is not finite";
    let refused = weights.write(&path, Precision::Single).unwrap_err();
    assert_eq!(refused.to_string(), not_finite);
    // A file that somebody else wrote.
    tensors[0][3] = 1.25;
    weights.params = Params::from_tensors(&network, tensors.clone()).unwrap();
    weights.write(&path, Precision::Single).unwrap();
    let bytes = fs::read(&path).unwrap();
    let place = bytes.windows(4).rposition(|four| four == 1.25_f32.to_le_bytes()).unwrap();
    let mut wrong = bytes.clone();
    wrong[place..place + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, wrong).unwrap();
    rewritten(&path, "by hand", "by hand");
    assert_eq!(message(&path), not_finite);
    tensors[0][3] = 1e6;
    weights.params = Params::from_tensors(&network, tensors).unwrap();
    assert_eq!(
        weights.write(&path, Precision::Half).unwrap_err().to_string(),
        "tensor conv1.weight holds a number too large for half precision: store single precision"
    );
}

/// An encoder that goes by another name.
struct Named(SameGameEncoder, &'static str);

impl Encoder for Named {
    fn id(&self) -> EncoderId {
        self.1.parse().unwrap()
    }
    fn input(&self) -> Input {
        self.0.input()
    }
    fn accepts(&self, contents: &[u8]) -> bool {
        self.0.accepts(contents)
    }
    fn encode(&self, contents: &[u8], marks: &mut [u8]) {
        self.0.encode(contents, marks);
    }
    fn legal(&self, contents: &[u8], out: &mut Vec<u16>) {
        self.0.legal(contents, out);
    }
}

#[test]
fn weights_serve_what_they_were_made_for() {
    let (weights, _) = weights(NET);
    assert!(weights.network(&encoder(5), RULES).is_ok());
    // No layer over the whole board: any size will do.
    assert_eq!(weights.network(&encoder(9), RULES).unwrap().input().width, 9);
    let told = |encoder: &dyn Encoder, rules: &str| {
        weights.network(encoder, rules).unwrap_err().to_string()
    };
    assert_eq!(
        told(&Named(encoder(5), "morpion/lines/v1"), RULES),
        "weights for the game samegame, and morpion is played"
    );
    let five = SameGameEncoder::new(5, 5, 5, Features::Colours).unwrap();
    assert_eq!(told(&five, RULES), "weights for the planes colours3, and colours5 are asked for");
    assert_eq!(
        told(&Named(encoder(5), "samegame/colours3/v9"), RULES),
        "weights for version 1 of the encoder, and this program has version 9"
    );
    assert_eq!(
        told(&encoder(5), "clickomania"),
        "weights for the rules 'samegame', and 'clickomania' are played"
    );
}

#[test]
fn the_papers_network_serves_one_size() {
    let (weights, _) = weights("paper+policy");
    assert!(weights.network(&encoder(5), RULES).is_ok());
    assert_eq!(
        weights.network(&encoder(7), RULES).unwrap_err().to_string(),
        "weights of paper+policy for boards of 5x5, and this board is 7x7"
    );
    assert!(weights.network(&encoder(2), RULES).unwrap_err().to_string().contains("3x3 and more"));
}

fn samples(encoder: &SameGameEncoder) -> Samples {
    let mut samples = Samples::new(encoder, RULES);
    let (mut rng, mut legal) = (Rng::new(8), Vec::new());
    for number in 0..20 {
        let contents = encoder.board(&position(encoder, &mut rng)).unwrap();
        encoder.legal(&contents, &mut legal);
        let count = legal.len().min(number % 3);
        let weights = vec![1.0 / count as f32; count];
        let sample = Sample {
            contents: &contents,
            moves: &legal[..count],
            weights: &weights,
            value: (number % 4 > 0).then_some(number as f32),
            cleared: [None, Some(false), Some(true)][number % 3],
        };
        samples.push(encoder, sample).unwrap();
    }
    samples
}

#[test]
fn samples_survive() {
    let Folder { path, _dir } = folder();
    let encoder = encoder(4);
    let samples = samples(&encoder);
    samples.write(&path).unwrap();
    let again = Samples::read(&path, &encoder).unwrap();
    assert!(samples.iter().eq(again.iter()));
    assert_eq!((again.rules(), again.size(), again.len()), (RULES, (4, 4), 20));
    let empty = Samples::new(&encoder, RULES);
    empty.write(&path).unwrap();
    assert!(Samples::read(&path, &encoder).unwrap().is_empty());
}

#[test]
fn says_what_is_wrong_with_samples() {
    let Folder { path, _dir } = folder();
    let encoder4 = encoder(4);
    samples(&encoder4).write(&path).unwrap();
    let told = |encoder: &dyn Encoder| Samples::read(&path, encoder).unwrap_err().to_string();
    assert_eq!(
        told(&encoder(5)),
        "holds samples of samegame/colours3/v1 on 4x4, and samples of samegame/colours3/v1 on \
         5x5 are asked for"
    );
    let bytes = fs::read(&path).unwrap();
    for bit in (0..bytes.len() * 8).step_by(13) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        assert!(Samples::read(&path, &encoder4).is_err(), "bit {bit}");
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(told(&encoder4).starts_with("cut short or overlong"));
    // A board that floats, with a checksum that is right.
    fs::write(&path, &bytes).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut wrong = bytes.clone();
    wrong[8 + length] = 9;
    fs::write(&path, &wrong).unwrap();
    rewritten(&path, RULES, RULES);
    assert_eq!(
        told(&encoder4),
        "not understood: sample 1: the board is not a position of samegame/colours3/v1 on 4x4"
    );
    let (weights, _) = weights(NET);
    weights.write(&path, Precision::Half).unwrap();
    assert!(matches!(Samples::read(&path, &encoder4), Err(FileError::OtherKind { .. })));
}
