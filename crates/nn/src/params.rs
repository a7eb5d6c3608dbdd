//! What a network has learnt.

use solitree_core::Rng;

use crate::network::{Network, Role};

/// The numbers of every tensor of a network, in the order of
/// [`Network::tensors`] and in PyTorch's layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub(crate) tensors: Vec<Vec<f32>>,
}

impl Params {
    /// Where learning starts: weights drawn from the normal distribution whose
    /// variance is two over the number of inputs (He et al. 2015), nothing
    /// added, nothing scaled.
    #[must_use]
    pub fn random(network: &Network, seed: u64) -> Params {
        let tensor = |(index, spec): (usize, &crate::network::TensorSpec)| {
            let mut rng = Rng::stream(seed, index as u64);
            let mut number = || match spec.role {
                Role::Weight { fan_in } => (rng.normal() * (2.0 / fan_in as f64).sqrt()) as f32,
                Role::Bias | Role::Mean => 0.0,
                Role::Gain | Role::Variance => 1.0,
            };
            (0..spec.len()).map(|_| number()).collect()
        };
        Params { tensors: network.tensors.iter().enumerate().map(tensor).collect() }
    }

    /// Tensors from elsewhere; `None` if they are not those of the network.
    #[must_use]
    pub fn from_tensors(network: &Network, tensors: Vec<Vec<f32>>) -> Option<Params> {
        let fits = tensors.len() == network.tensors.len()
            && tensors.iter().zip(&network.tensors).all(|(data, spec)| data.len() == spec.len());
        fits.then_some(Params { tensors })
    }

    /// The numbers of every tensor.
    #[must_use]
    pub fn tensors(&self) -> &[Vec<f32>] {
        &self.tensors
    }

    /// The number of the first tensor with a number that is not finite.
    #[must_use]
    pub fn not_finite(&self) -> Option<usize> {
        self.tensors.iter().position(|data| !data.iter().all(|number| number.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, NetConfig};

    #[test]
    fn a_seed_gives_the_same_weights_with_the_right_spread() {
        let input = Input { width: 5, height: 5, planes: 6, marks: 1 };
        let network = Network::new(NetConfig::SMALL, input).unwrap();
        let params = Params::random(&network, 3);
        assert_eq!(params, Params::random(&network, 3));
        assert_ne!(params, Params::random(&network, 4));
        let index = network.tensors.iter().position(|spec| spec.name == "block1.a.weight").unwrap();
        let data = &params.tensors[index];
        let variance = data.iter().map(|x| x * x).sum::<f32>() / data.len() as f32;
        assert!((variance * 32.0 * 9.0 / 2.0 - 1.0).abs() < 0.05, "{variance}");
    }
}
