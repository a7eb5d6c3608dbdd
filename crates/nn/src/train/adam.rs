//! Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter
//! 2019).

use super::TrainConfig;
use crate::network::{Network, Role};
use crate::params::Params;

const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// What is remembered of earlier steps.
#[derive(Clone, Debug)]
pub(super) struct Adam {
    steps: i32,
    means: Vec<Vec<f32>>,
    squares: Vec<Vec<f32>>,
}

impl Adam {
    pub(super) fn new(params: &Params) -> Adam {
        let noughts: Vec<Vec<f32>> = params.tensors.iter().map(|t| vec![0.0; t.len()]).collect();
        Adam { steps: 0, means: noughts.clone(), squares: noughts }
    }

    /// Moves the parameters against their slopes, which are first shortened to
    /// the configured length, `rate` far. `false`, and nothing moved, if they are
    /// not finite.
    pub(super) fn step(
        &mut self,
        network: &Network,
        (config, rate): (&TrainConfig, f32),
        mut slopes: Vec<Vec<f32>>,
        params: &mut Params,
    ) -> bool {
        let square: f64 =
            slopes.iter().flatten().map(|&slope| f64::from(slope) * f64::from(slope)).sum();
        let length = square.sqrt();
        if !length.is_finite() {
            return false;
        }
        if let Some(longest) = config.clip.map(f64::from).filter(|&longest| length > longest) {
            let factor = (longest / length) as f32;
            slopes.iter_mut().flatten().for_each(|slope| *slope *= factor);
        }
        self.steps += 1;
        let unbias = |decay: f32| 1.0 - libm::pow(f64::from(decay), f64::from(self.steps)) as f32;
        let (first, second) = (unbias(FIRST), unbias(SECOND));
        for (index, spec) in network.tensors.iter().enumerate() {
            if !spec.role.learns() {
                continue;
            }
            let decay = match spec.role {
                Role::Weight { .. } => rate * config.weight_decay,
                _ => 0.0,
            };
            let memory = self.means[index].iter_mut().zip(&mut self.squares[index]);
            for ((number, slope), (mean, square)) in
                params.tensors[index].iter_mut().zip(&slopes[index]).zip(memory)
            {
                *mean += (1.0 - FIRST) * (slope - *mean);
                *square += (1.0 - SECOND) * (slope * slope - *square);
                let step = (*mean / first) / ((*square / second).sqrt() + EPSILON);
                *number -= rate * step + decay * *number;
            }
        }
        true
    }
}
