//! Evaluations of our own search by name.

use std::path::Path;
use std::sync::Arc;

use engine::{Evaluator, Material, NetEvaluator, PieceTables, TablesError, Tapered};
use nnue::{Net, NetError, bundled};

/// An evaluation of our search.
#[derive(Clone)]
pub enum Evaluation {
    Net(Arc<Net>),
    /// PeSTO's tables.
    Pesto,
    /// Piece-square tables.
    Tables(Arc<PieceTables>),
    /// Material alone.
    Material,
}

/// A file without an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Tables(#[from] TablesError),
}

impl Evaluation {
    /// Name of the net that comes with the engine.
    pub const BUNDLED: &str = "bundled";

    /// The evaluation that a text names: `bundled`, `pesto`, `material`, a net
    /// file, which ends in `.oplus` or has `net:` before it, or a sheet of piece-square tables,
    /// which ends in `.csv` or has `tables:` before it. `None` for other texts and after `uci:`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn named(text: &str) -> Result<Option<Self>, EvaluationError> {
        Ok(match (text, file(text)) {
            (_, Some(File::Net(file))) => Some(Self::Net(Arc::new(Net::load(file)?))),
            (_, Some(File::Tables(file))) => Some(Self::Tables(Arc::new(PieceTables::load(file)?))),
            (Self::BUNDLED, None) => Some(Self::Net(bundled())),
            ("pesto", None) => Some(Self::Pesto),
            ("material", None) => Some(Self::Material),
            _ => None,
        })
    }

    /// Whether a text names an evaluation; reads no file.
    pub fn is_named(text: &str) -> bool {
        file(text).is_some() || matches!(text, Self::BUNDLED | "pesto" | "material")
    }

    /// An evaluator that follows a search.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        match self {
            Self::Net(net) => Box::new(NetEvaluator::new(net.clone())),
            Self::Pesto => Box::new(Tapered::pesto()),
            Self::Tables(tables) => Box::new(Tapered::new(tables.clone())),
            Self::Material => Box::new(Material),
        }
    }

    /// Identifies the evaluation, nets by their content.
    pub fn fingerprint(&self) -> String {
        match self {
            Self::Net(net) => net.fingerprint().to_string(),
            Self::Pesto => "pesto".to_owned(),
            Self::Tables(tables) => tables.fingerprint(),
            Self::Material => "material".to_owned(),
        }
    }
}

/// A file of a text, by its content.
enum File<'t> {
    Net(&'t Path),
    Tables(&'t Path),
}

fn file(text: &str) -> Option<File<'_>> {
    let named = |prefix: &str, ending: &str| {
        let is_file = text.ends_with(ending) && !text.starts_with("uci:");
        text.strip_prefix(prefix).or_else(|| is_file.then_some(text)).map(Path::new)
    };
    let tables = || named("tables:", ".csv").map(File::Tables);
    named("net:", ".oplus").map(File::Net).or_else(tables)
}
