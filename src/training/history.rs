//! The finished epochs of a run, the best one, and their files.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::metrics::{self, EpochMetrics};
use super::tensorboard;
use base::atomic::{WriteError, write_atomically};

/// The finished epochs of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(Vec<EpochMetrics>);

impl History {
    pub fn epochs(&self) -> &[EpochMetrics] {
        &self.0
    }

    pub(crate) fn into_epochs(self) -> Vec<EpochMetrics> {
        self.0
    }

    /// Adds the epoch just finished.
    pub fn push(&mut self, epoch: EpochMetrics) {
        self.0.push(epoch);
    }

    /// The epoch just finished.
    pub fn last(&self) -> Option<&EpochMetrics> {
        self.0.last()
    }

    /// The first of the epochs with the lowest validation loss; `None` without
    /// validation.
    pub fn best(&self) -> Option<&EpochMetrics> {
        self.0
            .iter()
            .filter_map(|epoch| Some((epoch, epoch.validation_loss?)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(epoch, _)| epoch)
    }

    /// Whether the last epoch is the best so far.
    pub(crate) fn ends_with_the_best(&self) -> bool {
        self.best().is_some_and(|best| self.last().is_some_and(|last| last.epoch == best.epoch))
    }

    /// Writes `metrics.jsonl` and `metrics.csv`, and what TensorBoard shows. The first two are always
    /// written whole, so however often a run was stopped no epoch is missing or there
    /// twice, and they cannot disagree with the checkpoint for longer than the
    /// moment between the two.
    pub fn write(&self, dir: &Path) -> Result<(), WriteError> {
        let write = |name: &str, content: std::io::Result<Vec<u8>>| {
            let path = dir.join(name);
            let content = content.map_err(|source| WriteError { path: path.clone(), source })?;
            write_atomically(&path, &[&content])
        };
        write(metrics::LINES, self.to_json_lines())?;
        write(metrics::METRICS_FILE, self.to_csv())?;
        let events = tensorboard::add(dir, &self.0);
        events.map_err(|source| WriteError { path: tensorboard::path(dir), source })
    }

    fn to_json_lines(&self) -> std::io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        for epoch in &self.0 {
            serde_json::to_writer(&mut lines, epoch)?;
            lines.push(b'\n');
        }
        Ok(lines)
    }

    fn to_csv(&self) -> std::io::Result<Vec<u8>> {
        let mut sheet = csv::Writer::from_writer(Vec::new());
        for epoch in &self.0 {
            sheet.serialize(epoch)?;
        }
        sheet.into_inner().map_err(|error| error.into_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(losses: &[Option<f64>]) -> History {
        let epochs = losses.iter().zip(1..).map(|(&validation_loss, epoch)| EpochMetrics {
            epoch,
            step: u64::from(epoch) * 10,
            train_loss: 0.1,
            validation_loss,
            validation_score_loss: None,
            learning_rate: 1e-3,
            positions: u64::from(epoch) * 100,
            positions_per_second: 50.0,
            seconds: 2.0,
            waiting: 0.01,
        });
        History(epochs.collect())
    }

    #[test]
    fn the_first_of_the_lowest_losses_is_the_best() {
        let losses = [0.5, 0.3, 0.4, 0.3, 0.6].map(Some);
        assert_eq!(history(&losses).best().unwrap().epoch, 2);
        assert!(history(&losses[..2]).ends_with_the_best());
        assert!(!history(&losses[..4]).ends_with_the_best());
    }

    #[test]
    fn without_validation_nothing_is_best() {
        let history = history(&[None, None]);
        assert!(history.best().is_none() && !history.ends_with_the_best());
    }

    #[test]
    fn both_files_hold_every_epoch_exactly() {
        let dir = tempfile::tempdir().unwrap();
        let history = history(&[Some(0.1 + 0.2), None, Some(1.0 / 3.0)]);
        history.write(dir.path()).unwrap();
        // As text: serde_json reads a float's last digit only nearly right.
        let lines = std::fs::read_to_string(dir.path().join("metrics.jsonl")).unwrap();
        let expected = history.epochs().iter().map(|epoch| serde_json::to_string(epoch).unwrap());
        assert!(lines.lines().map(str::to_owned).eq(expected), "{lines}");
        let mut sheet = csv::Reader::from_path(dir.path().join("metrics.csv")).unwrap();
        assert_eq!(
            sheet.headers().unwrap().iter().collect::<Vec<_>>()[..4],
            ["epoch", "step", "train_loss", "validation_loss"]
        );
        let read: Vec<EpochMetrics> = sheet.deserialize().map(Result::unwrap).collect();
        assert_eq!(read, history.epochs());
    }
}
