//! The evaluations that players of our own search are named by.

use std::path::Path;
use std::sync::Arc;

use engine::{Evaluator, Material, NetEvaluator, Pesto};
use nnue::{Net, NetError, bundled};

/// What judges positions for our search.
#[derive(Clone)]
pub enum Evaluation {
    /// A trained net.
    Net(Arc<Net>),
    /// PeSTO's tables.
    Pesto,
    /// Counting pieces.
    Material,
}

impl Evaluation {
    /// The evaluation that a text names: `bundled`, `pesto`, `material`, or a net
    /// file, which ends in `.oplus` or has `net:` before it. `None` for anything
    /// else, and for what `uci:` says is a command.
    ///
    /// # Errors
    /// The net cannot be read.
    pub fn named(text: &str) -> Result<Option<Self>, NetError> {
        Ok(match (text, file(text)) {
            (_, Some(file)) => Some(Self::Net(Arc::new(Net::load(Path::new(file))?))),
            ("bundled", None) => Some(Self::Net(bundled())),
            ("pesto", None) => Some(Self::Pesto),
            ("material", None) => Some(Self::Material),
            _ => None,
        })
    }

    /// Whether a text names an evaluation; nothing is read.
    pub fn is_named(text: &str) -> bool {
        file(text).is_some() || matches!(text, "bundled" | "pesto" | "material")
    }

    /// An evaluator that follows a search.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Self::Net(net) => Box::new(NetEvaluator::new(net.clone())),
            Self::Pesto => Box::new(Pesto::new()),
            Self::Material => Box::new(Material),
        }
    }

    /// What tells it from other evaluations, nets by their content.
    pub fn fingerprint(&self) -> String {
        match self {
            Self::Net(net) => net.fingerprint().to_string(),
            Self::Pesto => "pesto".to_owned(),
            Self::Material => "material".to_owned(),
        }
    }
}

/// The net file that a text names.
fn file(text: &str) -> Option<&str> {
    let is_net = text.ends_with(".oplus") && !text.starts_with("uci:");
    text.strip_prefix("net:").or_else(|| is_net.then_some(text))
}
