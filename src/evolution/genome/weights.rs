//! Weights of a linear net.

use std::sync::Arc;

use features::{Feature, FeatureSet, Summand};
use nnue::{FloatWeights, Net, quantise};

use crate::SpaceError;
use crate::space::{Gene, Space};

/// A linear net with the weights to search for.
#[derive(Clone)]
pub struct WeightGenome {
    net: Arc<Net>,
    floats: FloatWeights,
    /// Index of each gene's weight, `[features][buckets]`.
    places: Vec<usize>,
    space: Space,
}

/// Weights that cannot be searched for.
#[derive(Debug, thiserror::Error)]
pub enum WeightGenomeError {
    /// The effect of a layer's weights depends on others.
    #[error(
        "the net's layers are `{0}`: only weights of a linear model (`1`) can be searched; \
         `oplus train` trains other layers"
    )]
    Layers(String),
    #[error("the net has no summand `{name}`: it has {}", .all.join(" + "))]
    Unknown { name: String, all: Vec<String> },
    #[error(transparent)]
    Expression(#[from] Box<features::ExpressionError>),
    /// Sums would be too large somewhere within the range.
    #[error("the range includes nets that are not playable: {0}")]
    Range(#[from] nnue::QuantiseError),
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl WeightGenome {
    /// The weights of these summands, all if none is named, each within `range` centipawns of its
    /// value in the net, in steps of `step`.
    ///
    /// # Errors
    /// A net with layers, unknown summands, a range too large to be played.
    pub fn new(
        net: Arc<Net>,
        summands: &[String],
        range: f64,
        step: f64,
    ) -> Result<Self, WeightGenomeError> {
        let layers = &net.architecture().layers;
        if !layers.is_linear() {
            return Err(WeightGenomeError::Layers(layers.to_string()));
        }
        let (features, buckets) = (net.features().clone(), layers.psqt_columns());
        let searched = searched(&features, summands)?;
        let floats = net.to_floats();
        let places: Vec<usize> = searched
            .into_iter()
            .flat_map(|summand| summand.offset * buckets..(summand.offset + summand.size) * buckets)
            .collect();
        let gene = |&place: &usize| {
            let start = f64::from(floats.psqt[place]);
            let mut name = features.describe(Feature((place / buckets) as u32));
            if buckets > 1 {
                name = format!("{name}, bucket {}", place % buckets);
            }
            Gene { name, start, low: start - range, high: start + range, step }
        };
        let space = Space::new(places.iter().map(gene).collect())?;
        let genome = Self { net, floats, places, space };
        for side in [-range, range] {
            let far: Vec<f64> = genome.space.start().iter().map(|start| start + side).collect();
            genome.quantised(&far)?;
        }
        Ok(genome)
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn at(&self, point: &[f64]) -> Arc<Net> {
        // Both ends of the range can be quantised, so all between them can.
        self.quantised(point).map_or_else(|_| self.net.clone(), Arc::new)
    }

    fn quantised(&self, point: &[f64]) -> Result<Net, nnue::QuantiseError> {
        let mut weights = self.floats.clone();
        for (&place, &value) in self.places.iter().zip(point) {
            weights.psqt[place] = value as f32;
        }
        quantise(&weights, self.net.features(), self.net.provenance().clone())
    }
}

/// The summands of these names in any spelling: a net does not keep names.
fn searched<'f>(
    features: &'f FeatureSet,
    named: &[String],
) -> Result<Vec<&'f Summand>, WeightGenomeError> {
    let all = features.summands();
    let find = |name: &String| {
        let written = FeatureSet::parse(name)?;
        let is_meant = |summand: &&Summand| summand.definition == written.canonical();
        all.iter().find(is_meant).ok_or_else(|| WeightGenomeError::Unknown {
            name: name.clone(),
            all: all.iter().map(|summand| summand.definition.clone()).collect(),
        })
    };
    match named {
        [] => Ok(all.iter().collect()),
        named => named.iter().map(find).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Position, Scene};
    use nnue::testing::layers;

    const MOVED: f64 = 30.0;

    fn net(expression: &str, line: &str) -> Arc<Net> {
        nnue::testing::net(expression, layers(line), 7).1
    }

    fn value(net: &Net, fen: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        net.evaluate(&Scene::of_board(position.board().clone()), position.turn())
    }

    #[test]
    fn the_start_is_the_net_and_a_gene_is_a_weight() {
        let net = net("ALL + PHASE * ALL", "1");
        let genome = WeightGenome::new(net.clone(), &["ALL".to_owned()], 50.0, 5.0).unwrap();
        assert_eq!(genome.space().dimensions(), 768);
        let fen = "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1";
        let mut point = genome.space().start();
        assert!((value(&genome.at(&point), fen) - value(&net, fen)).abs() <= 1);
        let knight = genome.space().genes().iter().position(|gene| gene.name == "own knight on d4");
        point[knight.unwrap()] += MOVED;
        let more = value(&genome.at(&point), fen) - value(&net, fen);
        assert!((more - MOVED as i32).abs() <= 1, "{more}");
    }

    #[test]
    fn errors_say_why_weights_cannot_be_searched() {
        let error = |net: Arc<Net>, summand: &str, range: f64| {
            let genome = WeightGenome::new(net, &[summand.to_owned()], range, 5.0);
            genome.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let linear = net("ALL + PHASE * ALL", "1");
        assert!(error(linear.clone(), "H", 50.0).contains("no summand `H`: it has piece("));
        assert!(error(linear, "ALL", 1e9).contains("not playable"));
        assert!(error(net("ALL", "8 -> 1"), "ALL", 50.0).contains("`8 -> 1`"));
    }
}
