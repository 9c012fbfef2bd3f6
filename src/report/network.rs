//! A network as a picture: what stands between the features and the output.

use super::plot::network;
use super::plot::{DrawError, Svg};

/// The layers of a network, from the features up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkShape {
    /// The line that says them.
    pub line: String,
    /// Features that a perspective chooses from.
    pub features: usize,
    /// The feature transformer, which each perspective has; none in the linear model.
    pub transformer: Option<LayerShape>,
    /// Dense layers below the output, the lowest first.
    pub hidden: Vec<LayerShape>,
    /// How often all that stands above the feature transformer exists.
    pub buckets: usize,
    /// Whether features also count by themselves.
    pub psqt: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerShape {
    /// Sums that are activated.
    pub neurons: usize,
    /// Name of the activation: `crelu`.
    pub activation: String,
    /// Number of inputs of the layer above.
    pub outputs: usize,
    /// The word for neurons behind these that the layer above does not read: `skip`.
    pub addition: Option<&'static str>,
}

impl NetworkShape {
    /// Draws it.
    ///
    /// # Errors
    /// Errors of plotters.
    pub fn draw(&self) -> Result<Svg, DrawError> {
        network::draw(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> NetworkShape {
        let layer = |neurons, activation: &str, outputs, addition| LayerShape {
            neurons,
            activation: activation.to_owned(),
            outputs,
            addition,
        };
        NetworkShape {
            line: "1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt".to_owned(),
            features: 768,
            transformer: Some(layer(1024, "pairwise", 512, None)),
            hidden: vec![layer(15, "dual", 30, Some("skip")), layer(32, "crelu", 32, None)],
            buckets: 8,
            psqt: true,
        }
    }

    /// All texts of a picture, in the order in which they are drawn.
    fn texts(shape: &NetworkShape) -> Vec<String> {
        let svg = shape.draw().unwrap().standalone();
        let picture = roxmltree::Document::parse(&svg).unwrap();
        let texts = picture.descendants().filter(|node| node.has_tag_name("text"));
        texts.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
    }

    #[test]
    fn every_layer_is_named_with_its_outputs() {
        let texts = texts(&shape());
        for expected in [
            "768 features",
            "1,024 sums",
            "pairwise: 512",
            "15 + skip",
            "dual: 30",
            "32",
            "psqt × 8",
        ] {
            assert!(texts.iter().any(|text| text == expected), "{expected} is not in {texts:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_drawn() {
        let linear = NetworkShape {
            line: "1".to_owned(),
            transformer: None,
            hidden: Vec::new(),
            buckets: 1,
            ..shape()
        };
        let texts = texts(&linear);
        assert!(texts.iter().any(|text| text == "psqt"), "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains("sums")), "{texts:?}");
    }
}
