//! Trained weights: what they are for, how they were made, and the numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::container::{self, Array, FileError, Type};
use super::half::{from_half, to_half};
use crate::config::NetConfig;
use crate::encoder::{Encoder, EncoderId, Input};
use crate::network::{Network, TooSmall};
use crate::params::Params;
use crate::samples::Scale;

const KIND: &str = "weights";
const FORMAT: u64 = 1;

/// What weights are for and how they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsHeader {
    kind: String,
    format: u64,
    /// What the network was taught to see.
    pub encoder: EncoderId,
    /// The rules it was taught to play by.
    pub rules: String,
    /// The planes it was taught with, on boards of their size.
    pub input: Input,
    /// Which network.
    pub net: NetConfig,
    /// How its values are turned into points.
    pub scale: Scale,
    /// How it was taught.
    pub training: TrainingRecord,
}

/// How weights were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingRecord {
    /// The version of the program.
    pub version: String,
    /// The command, or another way to repeat it.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// Samples learnt from.
    pub samples: u64,
    /// Generations of policy iteration.
    pub generations: u64,
    /// The loss on samples kept for validation.
    pub validation_loss: f64,
    /// Anything else worth knowing.
    pub notes: String,
}

/// Which numbers a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Single precision: nothing is lost.
    Single,
    /// Half precision for weights; biases and what normalises stay single.
    Half,
}

/// Weights with all that is known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What they are for.
    pub header: WeightsHeader,
    /// The numbers.
    pub params: Params,
}

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// For another game.
    #[error("weights for the game {found}, and {expected} is played")]
    OtherGame {
        /// Their game.
        found: String,
        /// The game that is played.
        expected: String,
    },
    /// For other planes, as those of another number of colours.
    #[error("weights for the planes {found}, and {expected} are asked for")]
    OtherFeatures {
        /// Their planes.
        found: String,
        /// The planes asked for.
        expected: String,
    },
    /// For another version of the encoder.
    #[error("weights for version {found} of the encoder, and this program has version {expected}")]
    OtherEncoder {
        /// Their version.
        found: u32,
        /// The program's version.
        expected: u32,
    },
    /// For other rules.
    #[error("weights for the rules '{found}', and '{expected}' are played")]
    OtherRules {
        /// Their rules.
        found: String,
        /// The rules that are played.
        expected: String,
    },
    /// For boards of another size, where that matters.
    #[error("weights of {net} for boards of {found}, and this board is {expected}")]
    OtherSize {
        /// Their network.
        net: NetConfig,
        /// Their size.
        found: String,
        /// The size of the board.
        expected: String,
    },
    /// The board is too small for the network.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
    /// The tensors are not those of the network.
    #[error("tensor {name}: the file has {found}, and {net} has {expected}")]
    OtherTensor {
        /// Its name.
        name: String,
        /// What is there.
        found: String,
        /// The network.
        net: NetConfig,
        /// What should be there.
        expected: String,
    },
    /// A number that is none.
    #[error("tensor {0} holds a number that is not finite")]
    NotFinite(String),
    /// A number too large for half precision.
    #[error("tensor {0} holds a number too large for half precision: store single precision")]
    TooLarge(String),
}

impl Weights {
    /// Weights just learnt.
    #[must_use]
    pub fn new(
        encoder: &dyn Encoder,
        rules: &str,
        network: &Network,
        params: &Params,
        scale: Scale,
        training: TrainingRecord,
    ) -> Weights {
        let header = WeightsHeader {
            kind: KIND.to_owned(),
            format: FORMAT,
            encoder: encoder.id(),
            rules: rules.to_owned(),
            input: network.input(),
            net: network.config(),
            scale,
            training,
        };
        Weights { header, params: params.clone() }
    }

    /// Writes the weights, whole or not at all. Weights that are not finite are
    /// refused.
    pub fn write(&self, path: &Path, precision: Precision) -> Result<(), WeightsError> {
        let network = Network::new(self.header.net, self.header.input)?;
        let mut arrays = Vec::new();
        for (spec, data) in network.tensors().iter().zip(self.params.tensors()) {
            if !data.iter().all(|number| number.is_finite()) {
                return Err(WeightsError::NotFinite(spec.name.clone()));
            }
            let (name, shape) = (spec.name.clone(), spec.shape.clone());
            let array = if precision == Precision::Half && shape.len() > 1 {
                let halves: Vec<u16> = data.iter().map(|&number| to_half(number)).collect();
                if !halves.iter().all(|&half| from_half(half).is_finite()) {
                    return Err(WeightsError::TooLarge(name));
                }
                let bytes = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
                Array { name, kind: Type::F16, shape, bytes }
            } else {
                let bytes = data.iter().flat_map(|number| number.to_le_bytes()).collect();
                Array { name, kind: Type::F32, shape, bytes }
            };
            arrays.push(array);
        }
        container::write(path, &self.header, &arrays).map_err(FileError::Io)?;
        Ok(())
    }

    /// Reads weights; everything that can be checked without a board is.
    pub fn read(path: &Path) -> Result<Weights, WeightsError> {
        let (header, arrays) = container::read(path, KIND, FORMAT)?;
        Weights::checked(header, &arrays)
    }

    /// The same from the bytes of a file.
    pub fn parse(file: &[u8]) -> Result<Weights, WeightsError> {
        let (header, arrays) = container::parse(file, KIND, FORMAT)?;
        Weights::checked(header, &arrays)
    }

    fn checked(header: WeightsHeader, arrays: &[Array]) -> Result<Weights, WeightsError> {
        let Input { width, height, planes, marks } = header.input;
        // Bounds that keep a strange header from asking for strange amounts of
        // memory.
        if [width, height, planes, marks].iter().any(|side| !(1..=255).contains(side)) {
            let what = format!("boards of {width}x{height} with {planes} planes, {marks} set");
            return Err(FileError::Malformed(what).into());
        }
        let network = Network::new(header.net, header.input)?;
        let other = |name: &str, found: Option<&[usize]>, expected: Option<&[usize]>| {
            let told = |shape: Option<&[usize]>| match shape {
                Some(shape) => format!("shape {shape:?}"),
                None => "none".to_owned(),
            };
            WeightsError::OtherTensor {
                name: name.to_owned(),
                found: told(found),
                net: header.net,
                expected: told(expected),
            }
        };
        let mut tensors = Vec::new();
        for spec in network.tensors() {
            let array = arrays.iter().find(|array| array.name == spec.name);
            let shape = array.map(|array| array.shape.as_slice());
            let data = array.and_then(numbers).filter(|_| shape == Some(&spec.shape));
            let data = data.ok_or_else(|| other(&spec.name, shape, Some(&spec.shape)))?;
            if !data.iter().all(|number| number.is_finite()) {
                return Err(WeightsError::NotFinite(spec.name.clone()));
            }
            tensors.push(data);
        }
        let known = |array: &&Array| network.tensors().iter().any(|spec| spec.name == array.name);
        if let Some(array) = arrays.iter().find(|array| !known(array)) {
            return Err(other(&array.name, Some(&array.shape), None));
        }
        Ok(Weights { header, params: Params { tensors } })
    }

    /// The network for an encoder's boards and rules, if the weights serve
    /// them. Networks without a layer over the whole board serve any size.
    pub fn network(&self, encoder: &dyn Encoder, rules: &str) -> Result<Network, WeightsError> {
        let (found, expected) = (&self.header.encoder, encoder.id());
        if found.game != expected.game {
            let found = found.game.clone();
            return Err(WeightsError::OtherGame { found, expected: expected.game });
        }
        if found.features != expected.features {
            let found = found.features.clone();
            return Err(WeightsError::OtherFeatures { found, expected: expected.features });
        }
        if found.version != expected.version {
            let (found, expected) = (found.version, expected.version);
            return Err(WeightsError::OtherEncoder { found, expected });
        }
        if self.header.rules != rules {
            let (found, expected) = (self.header.rules.clone(), rules.to_owned());
            return Err(WeightsError::OtherRules { found, expected });
        }
        let size = |input: Input| format!("{}x{}", input.width, input.height);
        let network = Network::new(self.header.net, encoder.input())?;
        let fits = network.tensors().iter().zip(self.params.tensors());
        if fits.into_iter().any(|(spec, data)| spec.len() != data.len()) {
            return Err(WeightsError::OtherSize {
                net: self.header.net,
                found: size(self.header.input),
                expected: size(encoder.input()),
            });
        }
        Ok(network)
    }
}

/// The numbers of an array of floats.
fn numbers(array: &Array) -> Option<Vec<f32>> {
    let (halves, _) = array.bytes.as_chunks::<2>();
    let (singles, _) = array.bytes.as_chunks::<4>();
    match array.kind {
        Type::F32 => Some(singles.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()),
        Type::F16 => {
            Some(halves.iter().map(|&bytes| from_half(u16::from_le_bytes(bytes))).collect())
        }
        _ => None,
    }
}
