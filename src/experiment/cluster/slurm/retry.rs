//! Retries while Slurm is unreachable for a moment.
//!
//! A controller that restarts or is overloaded does not answer for some seconds. Queries may be
//! repeated at will; a submission is repeated only if the controller was never reached, since it may
//! have been accepted.

use std::time::Duration;

use crate::cluster::ClusterError;

/// Pauses between tries, about a minute in total.
const PAUSES: [u64; 8] = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

/// Which failures are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retry {
    /// No failure.
    None,
    /// For queries: every failure that is not permanent.
    Queries,
    /// For changes: only if the controller was not reached.
    Changes,
}

impl Retry {
    /// Runs a command until it succeeds or fails for good.
    pub(super) fn run<T>(
        self,
        command: impl FnMut() -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        self.run_with(command, std::thread::sleep)
    }

    fn run_with<T>(
        self,
        mut command: impl FnMut() -> Result<T, ClusterError>,
        mut pause: impl FnMut(Duration),
    ) -> Result<T, ClusterError> {
        for length in PAUSES {
            match command() {
                Err(ClusterError::Refused { reason, .. }) if self.tries_again(&reason) => {
                    pause(Duration::from_millis(length));
                }
                other => return other,
            }
        }
        command()
    }

    fn tries_again(self, reason: &str) -> bool {
        let reason = reason.to_lowercase();
        let says = |parts: &[&str]| parts.iter().any(|part| reason.contains(part));
        match self {
            Self::None => false,
            Self::Queries => !says(&PERMANENT),
            Self::Changes => says(&NOT_REACHED),
        }
    }
}

/// Parts of messages about permanent failures.
const PERMANENT: [&str; 6] = [
    "invalid",
    "unrecognized",
    "unknown option",
    "denied",
    "already complet",
    "configuration source",
];

/// Parts of messages about an unreachable controller.
const NOT_REACHED: [&str; 4] =
    ["connect failure", "connection refused", "connection failure", "standby mode"];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(reason: &str) -> ClusterError {
        ClusterError::Refused { command: "squeue".to_owned(), reason: reason.to_owned() }
    }

    /// Tries of a command that succeeds from the `n`th time on, and whether it succeeded.
    fn tries(retry: Retry, reason: &str, n: usize) -> (usize, bool) {
        let mut tries = 0;
        let answer = retry.run_with(
            || {
                tries += 1;
                if tries < n { Err(refused(reason)) } else { Ok(()) }
            },
            |_| {},
        );
        (tries, answer.is_ok())
    }

    #[test]
    fn temporary_failures_are_retried() {
        let away = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
        let slow = "Socket timed out on send/recv operation";
        let wrong = "slurm_load_jobs error: Invalid job id specified";
        assert_eq!(tries(Retry::Queries, away, 4), (4, true));
        assert_eq!(tries(Retry::Queries, slow, 4), (4, true));
        assert_eq!(tries(Retry::Queries, wrong, 4), (1, false));
        assert_eq!(tries(Retry::Changes, away, 4), (4, true));
        assert_eq!(tries(Retry::Changes, slow, 4), (1, false));
        assert_eq!(tries(Retry::None, away, 4), (1, false));
    }

    #[test]
    fn retries_end_after_about_a_minute() {
        let mut waited = Duration::ZERO;
        let answer: Result<(), _> =
            Retry::Queries.run_with(|| Err(refused("away")), |pause| waited += pause);
        assert!(answer.is_err());
        assert!((45..90).contains(&waited.as_secs()), "{waited:?}");
    }
}
