//! What is learnt in the order of the inner loops, and how the loss moves with
//! it.

use crate::network::Network;
use crate::pack::pad;
use crate::params::Params;
use crate::simd::padded;

/// The tensors of a network in the order of the inner loops, for one step.
pub(super) struct Packed {
    pub(super) forwards: Vec<Vec<f32>>,
    /// For the way back; empty where there is none.
    pub(super) backwards: Vec<Vec<f32>>,
}

impl Packed {
    pub(super) fn new(network: &Network, params: &Params) -> Packed {
        let mut forwards: Vec<Vec<f32>> =
            params.tensors.iter().map(|tensor| pad(tensor.iter().copied())).collect();
        let mut backwards = vec![Vec::new(); forwards.len()];
        for node in 0..network.nodes.len() {
            if let Some((weight, sizes)) = network.sizes(node) {
                forwards[weight] = sizes.pack(&params.tensors[weight]);
                if sizes.rows == padded(sizes.from) {
                    backwards[weight] = sizes.pack_back(&params.tensors[weight]);
                }
            }
        }
        Packed { forwards, backwards }
    }
}

/// Slopes of tensors, as long as the packed tensors.
#[derive(Clone)]
pub(super) struct Slopes {
    pub(super) tensors: Vec<Vec<f32>>,
}

impl Slopes {
    pub(super) fn new(network: &Network) -> Slopes {
        let mut tensors: Vec<Vec<f32>> =
            network.tensors.iter().map(|spec| vec![0.0; padded(spec.len())]).collect();
        for node in 0..network.nodes.len() {
            if let Some((weight, sizes)) = network.sizes(node) {
                tensors[weight] = vec![0.0; sizes.packed()];
            }
        }
        Slopes { tensors }
    }

    pub(super) fn clear(&mut self) {
        self.tensors.iter_mut().for_each(|tensor| tensor.fill(0.0));
    }

    pub(super) fn add(&mut self, other: &Slopes) {
        for (sum, slopes) in self.tensors.iter_mut().zip(&other.tensors) {
            sum.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
        }
    }

    /// In the order and layout of the parameters.
    pub(super) fn unpacked(&self, network: &Network) -> Vec<Vec<f32>> {
        let mut tensors: Vec<Vec<f32>> = network
            .tensors
            .iter()
            .zip(&self.tensors)
            .map(|(spec, slopes)| slopes[..spec.len().min(slopes.len())].to_vec())
            .collect();
        for node in 0..network.nodes.len() {
            if let Some((weight, sizes)) = network.sizes(node) {
                tensors[weight] = vec![0.0; network.tensors[weight].len()];
                sizes.unpack(&self.tensors[weight], &mut tensors[weight]);
            }
        }
        tensors
    }
}
