//! Evaluations in the definitions of jobs.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contender::Evaluation;
use base::Key;
use nnue::{NET_FILE, Net};
use plan::{Context, Inputs, JobError};

/// An evaluation by its content, not by its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetId {
    /// PeSTO's tables.
    Pesto,
    /// The net that a job trains.
    Trained(Key),
    /// A net or tables by fingerprint.
    File(String),
}

impl NetId {
    /// The job of its training, if it is not a file.
    pub fn job(&self) -> Option<Key> {
        match self {
            Self::Trained(key) => Some(*key),
            Self::Pesto | Self::File(_) => None,
        }
    }

    /// Adds an evaluation to the inputs of a plan; returns its id.
    pub fn supply(inputs: &mut Inputs, evaluation: Evaluation) -> Self {
        match evaluation {
            Evaluation::Pesto => Self::Pesto,
            other => {
                let fingerprint = other.fingerprint();
                inputs.insert(fingerprint.clone(), Arc::new(other));
                Self::File(fingerprint)
            }
        }
    }

    /// Loads the evaluation.
    ///
    /// # Errors
    /// An evaluation that the plan lacks, or a net file that cannot be read.
    pub fn load(&self, context: &Context<'_>) -> Result<Evaluation, JobError> {
        let inputs = &context.plan().inputs;
        let path = match self {
            Self::Pesto => return Ok(Evaluation::Pesto),
            Self::Trained(key) => match context.plan().find(*key) {
                Some(planned) => Some(context.dir().folder_of(planned).join(NET_FILE)),
                None => inputs.nets.get(&key.to_string()).cloned(),
            },
            Self::File(fingerprint) => {
                if let Some(known) = inputs.get::<Evaluation>(fingerprint) {
                    return Ok(Evaluation::clone(&known));
                }
                inputs.nets.get(fingerprint).cloned()
            }
        };
        let path = path.ok_or_else(|| JobError::message(format!("{self} is unknown here")))?;
        Ok(Evaluation::Net(Arc::new(Net::load(&path)?)))
    }

    /// As [`load`](Self::load), for nets only.
    ///
    /// # Errors
    /// Those of [`load`](Self::load), and evaluations that are no nets.
    pub fn load_net(&self, context: &Context<'_>) -> Result<Arc<Net>, JobError> {
        match self.load(context)? {
            Evaluation::Net(net) => Ok(net),
            _ => Err(JobError::message(format!("{self} is not a net"))),
        }
    }
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pesto => f.write_str("PeSTO"),
            Self::Trained(key) => write!(f, "net {key}"),
            Self::File(fingerprint) => {
                write!(f, "net {}", &fingerprint[..fingerprint.len().min(16)])
            }
        }
    }
}
