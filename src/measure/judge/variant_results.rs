//! A variant with the results of its nets.

use super::solved;
use crate::page::model::{RunRow, SetRow};
use crate::{EloResult, EvaluationPlan, Pace, Solved, Variant, VariantNet};
use arena::NetId;
use base::Key;
use nnue::QuantisationError;
use nnue_tools::FirstLayer;
use plan::{PlanError, Results};
use report::{Cell, Column, EpochLoss, FirstLayerPicture, Format};
use training::{EpochMetrics, Trained};

/// Nets that differ by their seed only.
pub(super) struct VariantResults<'i> {
    pub definition: &'i Variant,
    /// In the variant's order.
    pub nets: Vec<NetResults<'i>>,
    /// Cost of its nodes.
    pub pace: Option<Pace>,
    /// Failed runs: seeds and reasons.
    pub failed: Vec<(Option<u64>, String)>,
}

/// A net with its results.
pub(super) struct NetResults<'i> {
    pub net: &'i VariantNet,
    /// Its place among the variant's nets.
    pub place: usize,
    pub trained: Option<Trained>,
    /// Epochs of a training that is not done.
    so_far: Vec<EpochMetrics>,
    pub loss: Option<f64>,
    pub quantisation: Option<QuantisationError>,
    pub one_ply: Option<Solved>,
    pub puzzles: Option<Solved>,
    at_equal_time: Option<Solved>,
}

impl<'i> VariantResults<'i> {
    pub(super) fn load(
        index: usize,
        evaluation_plan: &'i EvaluationPlan,
        results: &Results,
    ) -> Result<Self, PlanError> {
        let variant = &evaluation_plan.variants[index];
        let speed = evaluation_plan.speed_of(variant);
        let pace = speed.map(|speed| results.output_of(&speed)).transpose()?.flatten();
        let mut loaded = Self { definition: variant, nets: Vec::new(), pace, failed: Vec::new() };
        for (place, net) in variant.nets.iter().enumerate() {
            let failure = net.trained.map(|key| results.failure(key)).transpose()?.flatten();
            match failure {
                Some(reason) => loaded.failed.push((net.seed, reason)),
                None => {
                    loaded.nets.extend(NetResults::load([index, place], evaluation_plan, results)?)
                }
            }
        }
        Ok(loaded)
    }

    pub(super) fn label(&self) -> String {
        self.definition.label()
    }

    /// Of all its seeds.
    pub(super) fn validation_losses(&self) -> Vec<f64> {
        self.nets.iter().filter_map(NetResults::validation_loss).collect()
    }

    /// Fields that need no other variant.
    pub(super) fn row(&self) -> SetRow {
        let searched = || self.nets.iter().filter_map(|net| net.puzzles.as_ref());
        let Variant { features, variant, factors, size, data_size, .. } = self.definition;
        SetRow {
            features: features.clone(),
            variant: variant.clone(),
            factors: factors.clone(),
            positions: data_size.as_ref().map(|data_size| data_size.requested),
            size: *size,
            puzzle_accuracy: solved::accuracy(searched()),
            one_ply: solved::accuracy(self.nets.iter().filter_map(|net| net.one_ply.as_ref())),
            puzzle_buckets: solved::buckets(searched()),
            nodes_per_second: self.pace.as_ref().map(Pace::nodes_per_second),
            figures: Pace::figures(self.pace.as_ref())
                .into_iter()
                .chain(self.equal_time())
                .collect(),
            ..SetRow::default()
        }
    }

    /// Puzzles with the nodes that take as long as the reference's, where they were solved.
    fn equal_time(&self) -> Option<(Column, Cell)> {
        let solved =
            solved::accuracy(self.nets.iter().filter_map(|net| net.at_equal_time.as_ref()));
        let title = "puzzles, equal time";
        let column = Column::estimate("puzzle_accuracy_equal_time", title, Format::Percent(1))
            .means("At equal time: nodes in inverse proportion to the time per node");
        solved.map(|solved| (column, solved.into()))
    }

    pub(super) fn runs(&self, elo: impl Fn(usize) -> Vec<EloResult>) -> Vec<RunRow> {
        self.nets.iter().map(|net| net.row(elo(net.place))).collect()
    }
}

impl<'i> NetResults<'i> {
    /// `None` for a net whose training has no result yet.
    fn load(
        [variant, place]: [usize; 2],
        evaluation_plan: &'i EvaluationPlan,
        results: &Results,
    ) -> Result<Option<Self>, PlanError> {
        let net = &evaluation_plan.variants[variant].nets[place];
        let trained: Option<Trained> = match net.trained {
            Some(key) => results.output(key)?,
            None => None,
        };
        let so_far = match (&trained, &net.net) {
            (None, NetId::Trained(key)) => epochs_in_progress(results, *key)?,
            _ => Vec::new(),
        };
        if trained.is_none() && so_far.is_empty() && matches!(net.net, NetId::Trained(_)) {
            return Ok(None);
        }
        let [one_ply, puzzles] = evaluation_plan.puzzles_of(&net.net);
        let solved = |one: Option<crate::Puzzles>| -> Result<Option<Solved>, PlanError> {
            Ok(one.map(|one| results.output_of(&one)).transpose()?.flatten())
        };
        let loss = net.loss.as_ref().map(|one| results.output_of(one)).transpose()?;
        let quantisation =
            net.quantisation.as_ref().map(|one| results.output_of(one)).transpose()?;
        Ok(Some(Self {
            net,
            place,
            trained,
            so_far,
            loss: loss.flatten().flatten(),
            quantisation: quantisation.flatten().flatten(),
            one_ply: solved(one_ply)?,
            puzzles: solved(puzzles)?,
            at_equal_time: solved(evaluation_plan.puzzles_at_equal_time(variant, &net.net))?,
        }))
    }

    /// That of its training; of a net from elsewhere that of its integers.
    pub(super) fn validation_loss(&self) -> Option<f64> {
        match &self.trained {
            Some(trained) => trained.validation_loss(),
            None => self.loss,
        }
    }

    /// Ratio of validation loss to training loss in the net's last epoch.
    pub(super) fn gap(&self) -> Option<f64> {
        let trained = self.trained.as_ref()?;
        let is_kept = |epoch: &&EpochMetrics| epoch.epoch <= trained.kept.epoch;
        let last = trained.epochs.iter().rfind(is_kept)?;
        let gap = last.validation_loss? / last.train_loss;
        gap.is_finite().then_some(gap)
    }

    fn row(&self, elo: Vec<EloResult>) -> RunRow {
        let epochs = self.trained.as_ref().map_or(&self.so_far, |trained| &trained.epochs);
        RunRow {
            seed: self.net.seed,
            losses: losses(epochs),
            kept: self.trained.as_ref().map(|trained| trained.kept.epoch),
            validation_loss: self.trained.as_ref().and_then(Trained::validation_loss),
            net: self.net.file.clone(),
            quantised_loss: self.loss,
            quantisation: self.quantisation,
            elo,
            first_layer: self.trained.as_ref().and_then(|trained| picture(&trained.first_layer)),
            following: self.trained.as_ref().map_or(Vec::new(), |one| one.following.clone()),
        }
    }
}

/// Epochs that a training in progress has finished.
fn epochs_in_progress(results: &Results, key: Key) -> Result<Vec<EpochMetrics>, PlanError> {
    let Some(folder) = results.folder_in_progress(key) else { return Ok(Vec::new()) };
    let unreadable = |source| PlanError::Io { path: folder.to_owned(), source };
    EpochMetrics::read(folder).map_err(unreadable)
}

/// Losses of epochs as a page shows them.
pub fn losses(epochs: &[EpochMetrics]) -> Vec<EpochLoss> {
    let loss = |epoch: &EpochMetrics| EpochLoss {
        epoch: epoch.epoch,
        train: (!epoch.trains_another_loss()).then_some(epoch.train_loss),
        validation: epoch.score_loss(),
    };
    epochs.iter().map(loss).collect()
}

fn picture(layer: &FirstLayer) -> Option<FirstLayerPicture> {
    let roles: Vec<[f32; 64]> =
        layer.norms.iter().filter_map(|squares| squares.as_slice().try_into().ok()).collect();
    Some(FirstLayerPicture { norms: roles.try_into().ok()? })
}
