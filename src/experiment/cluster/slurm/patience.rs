//! A Slurm that is away for a moment: its programs are asked again.
//!
//! A controller that begins anew, or has too much to do, answers nobody for some seconds. What only
//! looks may be asked as often as one likes; a script that may have been taken already is handed
//! over again only if the controller was never reached.

use std::time::Duration;

use crate::cluster::ClusterError;

/// The pauses between one try and the next: about a minute together.
const PAUSES: [u64; 8] = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

/// How failures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// The first failure counts.
    None,
    /// For what changes nothing: whatever is not for good is asked again.
    Looks,
    /// For what must not happen twice: asked again if the controller was not reached.
    Changes,
}

impl Patience {
    /// Asks until there is an answer, or a failure that another try does not mend.
    pub(super) fn ask<T>(
        self,
        ask: impl FnMut() -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        self.ask_with(ask, std::thread::sleep)
    }

    fn ask_with<T>(
        self,
        mut ask: impl FnMut() -> Result<T, ClusterError>,
        mut pause: impl FnMut(Duration),
    ) -> Result<T, ClusterError> {
        for length in PAUSES {
            match ask() {
                Err(ClusterError::Refused { reason, .. }) if self.tries_again(&reason) => {
                    pause(Duration::from_millis(length));
                }
                other => return other,
            }
        }
        ask()
    }

    fn tries_again(self, reason: &str) -> bool {
        let reason = reason.to_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| reason.contains(part));
        match self {
            Self::None => false,
            Self::Looks => !says(&FOR_GOOD),
            Self::Changes => says(&NOT_REACHED),
        }
    }
}

/// Parts of messages about what stays as it is.
const FOR_GOOD: [&str; 6] = [
    "invalid",
    "unrecognized",
    "unknown option",
    "denied",
    "already complet",
    "configuration source",
];

/// Parts of messages of programs that never reached the controller.
const NOT_REACHED: [&str; 4] =
    ["connect failure", "connection refused", "connection failure", "standby mode"];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(reason: &str) -> ClusterError {
        ClusterError::Refused { command: "squeue".to_owned(), reason: reason.to_owned() }
    }

    /// How often somebody is asked who answers from the `n`th time on, and whether that is enough.
    fn tries(patience: Patience, reason: &str, n: usize) -> (usize, bool) {
        let mut asked = 0;
        let answer = patience.ask_with(
            || {
                asked += 1;
                if asked < n { Err(refused(reason)) } else { Ok(()) }
            },
            |_| {},
        );
        (asked, answer.is_ok())
    }

    #[test]
    fn what_passes_is_asked_again_and_the_rest_is_not() {
        let away = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
        let slow = "Socket timed out on send/recv operation";
        let wrong = "slurm_load_jobs error: Invalid job id specified";
        assert_eq!(tries(Patience::Looks, away, 4), (4, true));
        assert_eq!(tries(Patience::Looks, slow, 4), (4, true));
        assert_eq!(tries(Patience::Looks, wrong, 4), (1, false));
        assert_eq!(tries(Patience::Changes, away, 4), (4, true));
        assert_eq!(tries(Patience::Changes, slow, 4), (1, false));
        assert_eq!(tries(Patience::None, away, 4), (1, false));
    }

    #[test]
    fn patience_ends_after_about_a_minute() {
        let mut waited = Duration::ZERO;
        let answer: Result<(), _> =
            Patience::Looks.ask_with(|| Err(refused("away")), |pause| waited += pause);
        assert!(answer.is_err());
        assert!((45..90).contains(&waited.as_secs()), "{waited:?}");
    }
}
