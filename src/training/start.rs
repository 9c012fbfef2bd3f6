//! Warm start: a run begins with the weights of a trained net, of a smaller feature set or with a
//! narrower first layer; or with a linear model, which becomes the psqt head.
//!
//! Summands that both feature sets have are copied by name, that is by their canonical
//! expressions, neurons by their places. New parts change nothing at first: rows of new features
//! are zero, and no layer reads new neurons yet. So the first evaluation of the new net is the
//! last of the start net, and training adds to it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use features::FeatureSet;
use nnue::{DenseWeights, FloatWeights, Layers, NET_FILE, Net, NetError};
use nnue_tools::floats::{self, FloatsError};

/// A start net that shares no weights with the new one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error(
        "the start net sees `{start}`, the new one `{new}`: they have no summand in common, so \
         nothing can be taken over; start with a net of one of its summands"
    )]
    NothingInCommon { start: String, new: String },
    /// Layers that are no wider form of those of the start net.
    #[error(
        "the start net has the layers {start}, the new one {new}: a net can start with one whose \
         feature transformer is narrower, that has one bucket for several, or no psqt, or, \
         if it has a psqt itself, with a linear one (layers `1`); everything else must be the same"
    )]
    OtherLayers { start: String, new: String },
}

/// The float weights of a finished run, in its folder.
pub const WEIGHTS_FILE: &str = "weights.safetensors";

/// A start file that holds no net.
#[derive(Debug, thiserror::Error)]
pub enum StartFileError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Weights(#[from] FloatsError),
}

/// The file of a start net at a path: in the folder of a run its weights, or its net where those
/// are not kept.
pub fn file_of(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let weights = path.join(WEIGHTS_FILE);
    if weights.exists() { weights } else { path.join(NET_FILE) }
}

/// The weights of a run's weight file, or those of a net's integers, and their feature set.
///
/// # Errors
/// If the file is neither.
pub fn read(path: &Path) -> Result<(FloatWeights, Arc<FeatureSet>), StartFileError> {
    let path = file_of(path);
    if path.extension().is_some_and(|extension| extension == "safetensors") {
        return Ok(floats::load(&path)?);
    }
    let net = Net::load(&path)?;
    Ok((net.to_floats(), net.features().clone()))
}

#[derive(Clone, Copy, Debug)]
pub struct StartNet<'a> {
    pub features: &'a FeatureSet,
    pub weights: &'a FloatWeights,
}

impl StartNet<'_> {
    /// Content hash.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.features.canonical().as_bytes());
        hasher.update(self.weights.architecture.layers.to_string().as_bytes());
        for (_, values) in self.weights.tensors() {
            hasher.update(bytemuck::cast_slice(values));
        }
        hasher.update(&self.weights.skip.to_le_bytes());
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// The first weights of a run with a start net, and their origin.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmStart {
    pub weights: FloatWeights,
    /// Summands of the new set with rows copied from the start net.
    pub kept: Vec<String>,
    /// Summands of the new set that begin at zero.
    pub new: Vec<String>,
    /// Summands of the start net that the new set lacks; without any, the first evaluation
    /// is that of the start net.
    pub lost: Vec<String>,
}

/// The weights of `start`, a net on the set `from`, as those of a net on `to` with the
/// architecture of `fresh`, whose random weights new neurons begin with.
///
/// # Errors
/// If the sets have no summand in common, or the layers do not fit.
pub fn warm_start(
    start: &FloatWeights,
    from: &FeatureSet,
    to: &FeatureSet,
    fresh: FloatWeights,
) -> Result<WarmStart, StartError> {
    let rows = Rows::between(from, to);
    if rows.kept.is_empty() {
        let [start, new] = [from, to].map(|set| set.expression().to_owned());
        return Err(StartError::NothingInCommon { start, new });
    }
    let (old, new) = (&start.architecture.layers, &fresh.architecture.layers.clone());
    if !can_grow(old, new) {
        let [start, new] = [old, new].map(Layers::to_string);
        return Err(StartError::OtherLayers { start, new });
    }
    let psqt = rows.head(&start.psqt, old.psqt_columns(), new.psqt_columns());
    let layered = match becomes_head(old, new) {
        true => silenced(fresh),
        false => widened(start, &rows, fresh),
    };
    let Rows { kept, new, lost, .. } = rows;
    Ok(WarmStart { weights: FloatWeights { psqt, ..layered }, kept, new, lost })
}

/// The new layers are the old ones, but wider at the bottom, in more buckets, or with a head; or
/// have the old ones as their head.
fn can_grow(old: &Layers, new: &Layers) -> bool {
    let buckets = old.buckets() == new.buckets() || old.buckets().count() == 1;
    let is_wider = old.activation() == new.activation()
        && old.is_linear() == new.is_linear()
        && old.width() <= new.width()
        && old.hidden() == new.hidden()
        && (new.has_psqt() || !old.has_psqt());
    buckets && (is_wider || becomes_head(old, new))
}

/// A linear model becomes the psqt head beside other layers.
fn becomes_head(old: &Layers, new: &Layers) -> bool {
    old.is_linear() && !new.is_linear() && new.has_psqt()
}

/// The layers of `start` with more neurons and buckets.
fn widened(start: &FloatWeights, rows: &Rows, fresh: FloatWeights) -> FloatWeights {
    let (old, new) = (&start.architecture.layers, &fresh.architecture.layers);
    let columns = Columns::between(old, new);
    let copies = new.buckets().count() / old.buckets().count();
    let mut dense: Vec<_> = start.dense.iter().map(|dense| repeated(dense, copies)).collect();
    if let Some(lowest) = dense.first_mut() {
        lowest.weights = columns.read_by(&lowest.weights);
    }
    FloatWeights {
        ft_weights: columns.widened(&start.ft_weights, rows, &fresh.ft_weights),
        ft_bias: columns.widened_row(&start.ft_bias, &fresh.ft_bias),
        dense,
        skip: start.skip,
        ..fresh
    }
}

/// Layers that add zero to the output. Those below it keep their random weights, so that they can
/// learn.
fn silenced(mut fresh: FloatWeights) -> FloatWeights {
    let layers = fresh.architecture.layers.clone();
    for ((dense, shape), hidden) in fresh.dense.iter_mut().zip(layers.dense()).zip(layers.hidden())
    {
        for row in dense.weights.chunks_exact_mut(shape.inputs * shape.sums) {
            row[hidden.neurons * shape.inputs..].fill(0.0);
        }
        for row in dense.bias.chunks_exact_mut(shape.sums) {
            row[hidden.neurons..].fill(0.0);
        }
    }
    if let Some(output) = fresh.dense.last_mut() {
        output.weights.fill(0.0);
        output.bias.fill(0.0);
    }
    fresh
}

fn repeated(dense: &DenseWeights, copies: usize) -> DenseWeights {
    DenseWeights { weights: dense.weights.repeat(copies), bias: dense.bias.repeat(copies) }
}

/// Origins of the rows of a feature set.
struct Rows {
    /// For each feature of the new set, the same of the old one.
    from: Vec<Option<usize>>,
    kept: Vec<String>,
    new: Vec<String>,
    lost: Vec<String>,
}

impl Rows {
    fn between(from: &FeatureSet, to: &FeatureSet) -> Self {
        let mut old: Vec<_> = from.summands().iter().collect();
        let mut rows =
            Self { from: Vec::new(), kept: Vec::new(), new: Vec::new(), lost: Vec::new() };
        for summand in to.summands() {
            match old.iter().position(|it| it.expr == summand.expr) {
                Some(place) => {
                    let start = old.remove(place).offset;
                    rows.from.extend((start..start + summand.size).map(Some));
                    rows.kept.push(summand.text.clone());
                }
                None => {
                    rows.from.resize(rows.from.len() + summand.size, None);
                    rows.new.push(summand.text.clone());
                }
            }
        }
        rows.lost = old.into_iter().map(|summand| summand.text.clone()).collect();
        rows
    }

    /// The psqt head; new buckets are copies of the only old one.
    fn head(&self, start: &[f32], old: usize, new: usize) -> Vec<f32> {
        let of = |from: &Option<usize>| match from {
            Some(row) if old > 0 => start[row * old..][..old].repeat(new / old),
            _ => vec![0.0; new],
        };
        self.from.iter().flat_map(of).collect()
    }
}

/// Origins of the columns of a feature transformer.
struct Columns {
    /// For each column of the new one, the same of the old one.
    from: Vec<Option<usize>>,
    old: usize,
    /// The same for the inputs of the lowest dense layer, both sides.
    read: Vec<Option<usize>>,
    old_read: usize,
}

impl Columns {
    fn between(old: &Layers, new: &Layers) -> Self {
        let outputs = [old, new].map(Layers::outputs_per_side);
        Self {
            // Factors of an output grow each for itself.
            from: parts([old.width(), new.width()], new.activation().factors()),
            old: old.width(),
            read: parts(outputs.map(|outputs| 2 * outputs), 2),
            old_read: 2 * outputs[0],
        }
    }

    /// The rows of the new set, wider.
    fn widened(&self, start: &[f32], rows: &Rows, fresh: &[f32]) -> Vec<f32> {
        let width = self.from.len();
        if width == 0 {
            return Vec::new();
        }
        let row = |(from, fresh): (&Option<usize>, &[f32])| match from {
            Some(from) => self.widened_row(&start[from * self.old..][..self.old], fresh),
            None => vec![0.0; width],
        };
        rows.from.iter().zip(fresh.chunks_exact(width)).flat_map(row).collect()
    }

    /// A row with the old columns in their places.
    fn widened_row(&self, start: &[f32], fresh: &[f32]) -> Vec<f32> {
        let value = |(from, fresh): (&Option<usize>, &f32)| from.map_or(*fresh, |from| start[from]);
        self.from.iter().zip(fresh).map(value).collect()
    }

    /// The weights of neurons that read old outputs as before, and new ones not at all.
    fn read_by(&self, weights: &[f32]) -> Vec<f32> {
        let neuron = |row: &[f32]| -> Vec<f32> {
            self.read.iter().map(|from| from.map_or(0.0, |from| row[from])).collect()
        };
        weights.chunks_exact(self.old_read).flat_map(neuron).collect()
    }
}

/// Columns of so many equal parts that grow at their ends.
fn parts([old, new]: [usize; 2], parts: usize) -> Vec<Option<usize>> {
    let (old, new) = (old / parts, new / parts);
    let part = |part: usize| (0..new).map(move |at| (at < old).then_some(part * old + at));
    (0..parts).flat_map(part).collect()
}

/// `ALL kept; PH new, at zero`.
impl fmt::Display for WarmStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} taken over", self.kept.join(", "))?;
        if !self.new.is_empty() {
            write!(f, "; {} new, at zero", self.new.join(", "))?;
        }
        match self.lost.is_empty() {
            true => Ok(()),
            false => write!(f, "; {} of the start net left out", self.lost.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Scene;
    use nnue::testing::{layers, random_positions, random_weights};

    fn start(
        from: (&str, &str),
        to: (&str, &str),
    ) -> Result<(FloatWeights, WarmStart), StartError> {
        let [old, new] = [from.0, to.0].map(|text| FeatureSet::parse(text).unwrap());
        let start = random_weights(&old, layers(from.1), 1);
        let fresh = random_weights(&new, layers(to.1), 2);
        let warm = warm_start(&start, &old, &new, fresh)?;
        Ok((start, warm))
    }

    #[test]
    fn the_first_evaluation_is_that_of_the_start_net() {
        for (from, to) in [
            (("ALL", "16 -> 8 -> 1"), ("ALL + PH", "16 -> 8 -> 1")),
            (("PV + ALL", "16 -> 8 -> 1"), ("ALL + PH + PV", "24 -> 8 -> 1")),
            (("ALL", "16 pairwise -> 8 dual -> 1"), ("H + ALL", "48 pairwise -> 8 dual -> 1")),
            (("ALL", "16 -> 7 + skip -> 1"), ("ALL", "24 -> 7 + skip -> 1, buckets 4, psqt")),
            (("ALL", "16 -> 1, psqt"), ("ALL + V", "16 -> 1, buckets king(FILES), psqt")),
            (("ALL", "1"), ("ALL + PV", "1, buckets 8")),
            (("ALL", "1"), ("ALL + PV", "16 -> 1, psqt")),
            (("ALL", "1"), ("ALL", "16 pairwise -> 7 dual + skip -> 8 -> 1, buckets 4, psqt")),
            (("ALL", "1, buckets 8"), ("ALL", "16 screlu -> 1, buckets 8, psqt")),
        ] {
            let [old, new] = [from.0, to.0].map(|text| FeatureSet::parse(text).unwrap());
            let (start, warm) = start(from, to).unwrap();
            assert_eq!(warm.weights.architecture.layers, layers(to.1));
            for position in random_positions(3, 100) {
                let (scene, turn) = (Scene::from(&position), position.turn());
                let (before, after) =
                    (start.evaluate(&old, &scene, turn), warm.weights.evaluate(&new, &scene, turn));
                assert!((before - after).abs() < 0.01 + 1e-4 * before.abs(), "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn new_neurons_can_learn() {
        let (_, warm) = start(("ALL", "16 -> 8 -> 1"), ("ALL", "24 -> 8 -> 1")).unwrap();
        let row = &warm.weights.ft_weights[..24];
        assert!(row[16..].iter().all(|&weight| weight != 0.0), "{row:?}");
    }

    #[test]
    fn the_summary_lists_copied_new_and_lost_summands() {
        let (_, warm) = start(("H + ALL", "8 -> 1"), ("ALL + PV", "8 -> 1")).unwrap();
        let summary = "ALL taken over; PV new, at zero; H of the start net left out";
        assert_eq!(warm.to_string(), summary);
    }

    #[test]
    fn nets_that_do_not_fit_are_refused() {
        let error = start(("H", "8 -> 1"), ("ALL", "8 -> 1")).unwrap_err().to_string();
        assert!(error.contains("sees `H`, the new one `ALL`"), "{error}");
        for (old, new) in [
            ("16 -> 8 -> 1", "8 -> 8 -> 1"),
            ("8 -> 8 -> 1", "8 -> 16 -> 1"),
            ("8 -> 1", "8 screlu -> 1"),
            ("8 -> 1, buckets 2", "8 -> 1, buckets 4"),
            ("8 -> 1, psqt", "8 -> 1"),
            ("1", "8 -> 1"),
            ("8 -> 1, psqt", "1"),
        ] {
            let error = start(("ALL", old), ("ALL", new)).unwrap_err().to_string();
            assert!(error.contains(&format!("has the layers {old}, the new one {new}")), "{error}");
        }
    }
}
