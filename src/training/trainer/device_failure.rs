//! A graphics card that fails in a run: a lost device, or memory that runs out.
//!
//! Burn reports both by panics. They end the call of `train` and not the program, and cost the
//! steps since the last checkpoint.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::Run;
use crate::checkpoint_pair::CheckpointPair;
use crate::error::TrainingError;

/// Words of the messages with which Burn, CubeCL and wgpu report a device that fails.
const WORDS: [&str; 7] = ["device", "wgpu", "cubecl", "gpu", "out of memory", "buffer", "server"];

impl Run<'_> {
    /// Runs `work`; with a graphics card a panic of the device is an error. Other panics go on.
    pub(super) fn catching_device_failure<T>(
        &self,
        work: impl FnOnce() -> Result<T, TrainingError>,
    ) -> Result<T, TrainingError> {
        let compute = self.job.config.device;
        if !compute.is_gpu() {
            return work();
        }
        let device = || compute.describe().unwrap_or_else(|_| compute.to_string());
        caught(work, device, &self.checkpoints)
    }
}

fn caught<T>(
    work: impl FnOnce() -> Result<T, TrainingError>,
    device: impl FnOnce() -> String,
    checkpoints: &CheckpointPair,
) -> Result<T, TrainingError> {
    // The panic drops the state of `work` except the checkpoints, which are whole at every
    // moment.
    let panic = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => return outcome,
        Err(panic) => panic,
    };
    match reason(panic.as_ref()) {
        Some(reason) => {
            let way_on = way_on(checkpoints);
            Err(TrainingError::DeviceFailed { device: device(), reason, way_on })
        }
        None => resume_unwind(panic),
    }
}

/// The first line of a panic's message, if a device caused it.
fn reason(panic: &(dyn Any + Send)) -> Option<String> {
    let message = match panic.downcast_ref::<String>() {
        Some(message) => message.as_str(),
        None => panic.downcast_ref::<&str>()?,
    };
    let lower = message.to_lowercase();
    let of_device = WORDS.iter().any(|word| lower.contains(word));
    of_device.then(|| message.lines().next().unwrap_or_default().trim().to_owned())
}

fn way_on(checkpoints: &CheckpointPair) -> String {
    let path = checkpoints.last();
    match path.exists() {
        true => format!(
            "the last checkpoint is {}; give the same command again to go on from it",
            path.display()
        ),
        false => "there is no checkpoint yet; give the same command again to start over".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoint;

    fn panicking(message: &'static str, checkpoints: &CheckpointPair) -> String {
        let work = || -> Result<(), TrainingError> { panic!("{message}") };
        let outcome = caught(work, || "llvmpipe (Cpu, Vulkan)".to_owned(), checkpoints);
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn a_lost_device_is_an_error_that_names_the_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = CheckpointPair::new(dir.path());
        let text = panicking("wgpu error: Device is lost\n\nmore", &checkpoints);
        let expected = "llvmpipe (Cpu, Vulkan) failed: wgpu error: Device is lost; there is no \
                        checkpoint yet; give the same command again to start over";
        assert_eq!(text, expected);
        checkpoints.save(&Checkpoint::default()).unwrap();
        let text = panicking("called `Result::unwrap()`: OutOfMemory { device: 0 }", &checkpoints);
        let path = dir.path().join("checkpoint.bin");
        assert!(text.contains(&format!("the last checkpoint is {}", path.display())), "{text}");
        assert!(text.contains("give the same command again to go on from it"), "{text}");
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn other_panics_stay_panics() {
        let dir = tempfile::tempdir().unwrap();
        panicking("index out of bounds: the len is 3", &CheckpointPair::new(dir.path()));
    }

    #[test]
    fn outcomes_and_errors_pass() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = CheckpointPair::new(dir.path());
        assert_eq!(caught(|| Ok(3), String::new, &checkpoints).unwrap(), 3);
    }
}
