//! A contestant with all that was found of its nets.

use super::{Answers, find, read, solved};
use crate::{Contestant, Entrant, Inquiry, MeasureError, NetId, Pace, Solved, Trained, losses};
use nnue::QuantisationError;
use report::{EloResult, RunRow, SetRow};
use training::EpochMetrics;

/// Nets that differ by their seed only.
pub(super) struct Arm<'i> {
    pub contestant: &'i Contestant,
    /// In the contestant's order.
    pub nets: Vec<ArmNet<'i>>,
    /// Cost of its nodes.
    pub pace: Option<Pace>,
    /// Those that came to no net: their seeds, and why.
    pub failed: Vec<(Option<u64>, String)>,
}

/// A net with all that was found of it.
pub(super) struct ArmNet<'i> {
    pub entrant: &'i Entrant,
    /// Its place among the contestant's nets.
    pub place: usize,
    pub trained: Option<Trained>,
    /// Epochs of a training that is not done.
    so_far: Vec<EpochMetrics>,
    pub loss: Option<f64>,
    pub quantisation: Option<QuantisationError>,
    pub one_ply: Option<Solved>,
    pub puzzles: Option<Solved>,
}

impl<'i> Arm<'i> {
    pub(super) fn load(
        contestant: &'i Contestant,
        inquiry: &Inquiry,
        answers: &dyn Answers,
    ) -> Result<Self, MeasureError> {
        let speed = inquiry.speed_of(contestant);
        let pace = speed.map(|speed| find(answers, &speed)).transpose()?.flatten();
        let mut arm = Self { contestant, nets: Vec::new(), pace, failed: Vec::new() };
        for (place, entrant) in contestant.nets.iter().enumerate() {
            let failure = entrant.trained.map(|key| answers.failure(key)).transpose()?.flatten();
            match failure {
                Some(reason) => arm.failed.push((entrant.seed, reason)),
                None => arm.nets.extend(ArmNet::load(place, entrant, inquiry, answers)?),
            }
        }
        Ok(arm)
    }

    pub(super) fn label(&self) -> String {
        self.contestant.label()
    }

    /// Of all its seeds.
    pub(super) fn validation_losses(&self) -> Vec<f64> {
        self.nets.iter().filter_map(ArmNet::validation_loss).collect()
    }

    /// What needs no other arm.
    pub(super) fn row(&self) -> SetRow {
        let searched = || self.nets.iter().filter_map(|net| net.puzzles.as_ref());
        let Contestant { features, variant, factors, size, taught, .. } = self.contestant;
        SetRow {
            features: features.clone(),
            variant: variant.clone(),
            factors: factors.clone(),
            positions: taught.as_ref().map(|taught| taught.asked),
            size: *size,
            puzzle_accuracy: solved::accuracy(searched()),
            one_ply: solved::accuracy(self.nets.iter().filter_map(|net| net.one_ply.as_ref())),
            puzzle_buckets: solved::buckets(searched()),
            nodes_per_second: self.pace.as_ref().map(Pace::nodes_per_second),
            rows_updated_per_node: self.pace.as_ref().map(|pace| pace.rows_per_node),
            rows_refreshed_per_node: self.pace.as_ref().map(|pace| pace.refreshed_rows_per_node),
            ..SetRow::default()
        }
    }

    pub(super) fn runs(&self, elo: impl Fn(usize) -> Vec<EloResult>) -> Vec<RunRow> {
        self.nets.iter().map(|net| net.row(elo(net.place))).collect()
    }
}

impl<'i> ArmNet<'i> {
    /// `None` of a net whose training has told nothing.
    fn load(
        place: usize,
        entrant: &'i Entrant,
        inquiry: &Inquiry,
        answers: &dyn Answers,
    ) -> Result<Option<Self>, MeasureError> {
        let trained: Option<Trained> = match entrant.trained {
            Some(key) => read(answers, key, "train")?,
            None => None,
        };
        let so_far = match (&trained, &entrant.net) {
            (None, NetId::Trained(key)) => answers.so_far(*key)?,
            _ => Vec::new(),
        };
        if trained.is_none() && so_far.is_empty() && matches!(entrant.net, NetId::Trained(_)) {
            return Ok(None);
        }
        let [one_ply, puzzles] = inquiry.puzzles_of(&entrant.net);
        let solved = |one: Option<crate::Puzzles>| -> Result<Option<Solved>, MeasureError> {
            Ok(one.map(|one| find(answers, &one)).transpose()?.flatten())
        };
        let loss = entrant.loss.as_ref().map(|one| find(answers, one)).transpose()?;
        let quantisation =
            entrant.quantisation.as_ref().map(|one| find(answers, one)).transpose()?;
        Ok(Some(Self {
            entrant,
            place,
            trained,
            so_far,
            loss: loss.flatten().flatten(),
            quantisation: quantisation.flatten().flatten(),
            one_ply: solved(one_ply)?,
            puzzles: solved(puzzles)?,
        }))
    }

    /// That of its training; of a net from elsewhere that of its integers.
    pub(super) fn validation_loss(&self) -> Option<f64> {
        match &self.trained {
            Some(trained) => trained.validation_loss(),
            None => self.loss,
        }
    }

    /// How many times the training loss the validation loss is in the last epoch of which the
    /// net has anything.
    pub(super) fn gap(&self) -> Option<f64> {
        let trained = self.trained.as_ref()?;
        let told = |epoch: &&EpochMetrics| epoch.epoch <= trained.kept.epoch;
        let last = trained.epochs.iter().rfind(told)?;
        let gap = last.validation_loss? / last.train_loss;
        gap.is_finite().then_some(gap)
    }

    fn row(&self, elo: Vec<EloResult>) -> RunRow {
        let epochs = self.trained.as_ref().map_or(&self.so_far, |trained| &trained.epochs);
        RunRow {
            seed: self.entrant.seed,
            losses: losses(epochs),
            kept: self.trained.as_ref().map(|trained| trained.kept.epoch),
            validation_loss: self.trained.as_ref().and_then(Trained::validation_loss),
            net: self.entrant.file.clone(),
            quantised_loss: self.loss,
            quantisation: self.quantisation.map(quantisation),
            elo,
            first_layer: self.trained.as_ref().and_then(|trained| trained.first_layer.picture()),
            following: self.trained.as_ref().map_or(Vec::new(), |one| one.following.clone()),
        }
    }
}

fn quantisation(error: QuantisationError) -> report::QuantisationError {
    report::QuantisationError {
        mean_cp: error.mean,
        percentile_99_cp: error.percentile_99,
        max_cp: error.largest,
        positions: error.positions as u64,
        clipped: error.clipped,
        histogram: Some(error.histogram),
    }
}
