//! Teaching a network what is in the buffers.

use std::ops::ControlFlow;

use anyhow::Result;
use solitree_core::mix;
use solitree_nn::{
    Encoder, Network, Params, Samples, Scale, TrainConfig, TrainError, Trainer, TrainingRecord,
    Weights,
};

use super::buffers::Buffers;
use super::folder::Folder;
use super::measure::short;
use super::play::Ground;
use super::{Crew, Step, Torch, Training};

/// What one generation is taught, and from where it starts.
pub(super) struct Class<'a> {
    pub(super) training: &'a Training,
    pub(super) ground: &'a Ground,
    pub(super) buffers: &'a Buffers,
    /// The generation.
    pub(super) number: u64,
    /// What the generation before has learnt.
    pub(super) before: Option<Weights>,
    /// Who teaches; none for the trainer of this program.
    pub(super) torch: Option<&'a Torch>,
    /// What repeats the training.
    pub(super) command: &'a str,
}

/// How it went.
pub(super) struct Taught {
    pub(super) params: Params,
    pub(super) scale: Scale,
    /// While learning and on the samples for validation, at the epoch that was kept.
    pub(super) loss: (f64, f64),
    pub(super) accuracy: f64,
    /// Epochs gone through, and the one that was kept.
    pub(super) epochs: (u64, u64),
}

impl Class<'_> {
    /// Teaches it; none if it was stopped.
    pub(super) fn teach(
        &self,
        folder: &Folder,
        crew: Crew<'_>,
        note: &str,
        see: &mut dyn FnMut(Step),
    ) -> Result<Option<(Taught, Weights)>> {
        let taught = match self.torch {
            Some(torch) => torch.teach(self, &folder.path().join("torch"), crew, see)?,
            None => self.teach_here(crew, see)?,
        };
        Ok(taught.map(|taught| {
            let weights = self.weights(&taught.params, taught.scale, taught.loss.1, note);
            (taught, weights)
        }))
    }

    /// The network that is taught.
    pub(super) fn network(&self) -> Result<Network> {
        Ok(Network::new(self.training.net, self.ground.encoder().input())?)
    }

    /// Where it starts.
    pub(super) fn first(&self, network: &Network) -> Params {
        match self.before.as_ref().filter(|_| self.training.keep_weights) {
            Some(weights) => weights.params.clone(),
            None => Params::random(network, self.seed()),
        }
    }

    /// How points are scaled for the value: by the samples, or as they were for the weights
    /// that it goes on with.
    pub(super) fn scale(&self, samples: &Samples) -> Scale {
        let before = self.before.as_ref().filter(|_| self.training.keep_weights);
        match before {
            _ if !self.training.net.heads.value => Scale::default(),
            Some(weights) => weights.header.scale,
            None => samples.scale(),
        }
    }

    pub(super) fn seed(&self) -> u64 {
        mix(self.training.seed ^ mix(self.number))
    }

    /// Parameters with all that is known of them.
    pub(super) fn weights(
        &self,
        params: &Params,
        scale: Scale,
        validation_loss: f64,
        note: &str,
    ) -> Weights {
        let encoder = self.ground.encoder();
        let network = Network::new(self.training.net, encoder.input())
            .unwrap_or_else(|error| panic!("the network was checked: {error}"));
        let record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.to_owned(),
            seed: self.training.seed,
            samples: self.buffers.len().0,
            generations: self.number,
            validation_loss,
            notes: note.to_owned(),
        };
        Weights::new(encoder, &self.training.rules, &network, params, scale, record)
    }

    fn teach_here(&self, crew: Crew<'_>, see: &mut dyn FnMut(Step)) -> Result<Option<Taught>> {
        let (training, validation) = self.buffers.samples(self.ground);
        let scale = self.scale(&training);
        let config = TrainConfig {
            seed: self.seed(),
            batch: self.training.batch,
            learning_rate: self.training.learning_rate,
            epochs: self.training.epochs,
            patience: self.training.patience,
            cuts: self.training.cuts,
            scale,
            threads: crew.threads,
            ..TrainConfig::default()
        };
        let network = self.network()?;
        let params = self.first(&network);
        let mut trainer = Trainer::with_params(self.ground.encoder(), network, params, config);
        let fit = trainer.fit(&training, &validation, |epoch| {
            see(Step::Epoch(epoch.number as u64, epoch.validation.total));
            match crew.is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        let kept = fit.best.checked_sub(1).and_then(|best| fit.epochs.get(best));
        let kept = kept.ok_or(TrainError::NotFinite { epoch: 1, batch: 1 })?;
        let taught = Taught {
            params: trainer.params().clone(),
            scale,
            loss: (short(kept.training.total), short(kept.validation.total)),
            accuracy: short(kept.validation.accuracy),
            epochs: (fit.epochs.len() as u64, fit.best as u64),
        };
        Ok((!crew.is_stopped()).then_some(taught))
    }
}
