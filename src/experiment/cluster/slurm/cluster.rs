//! What is asked of the cluster, by Slurm's own programs.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use super::patience::Patience;
use crate::cluster::ClusterError;

/// What a cluster allows.
pub(super) struct Limits {
    /// Tasks of an array.
    pub(super) array: usize,
    /// Processors of a task that any machine has, eight at most: more make no training faster by
    /// as much as they cost others.
    pub(super) cpus: usize,
}

impl Default for Limits {
    /// Those of a Slurm that nobody has configured otherwise.
    fn default() -> Self {
        Self { array: 1_001, cpus: 8 }
    }
}

/// Asks the configuration, and the machines of the partition among the options.
pub(super) fn limits(options: &[String], patience: Patience) -> Result<Limits, ClusterError> {
    let config = answer(Command::new("scontrol").args(["show", "config"]), patience)?;
    let array = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    });
    // The largest index is one less than that; an array of one always goes.
    let array = array.map_or(Limits::default().array, |size: usize| size.max(1));
    let mut sinfo = Command::new("sinfo");
    sinfo.args(["--noheader", "--format=%c"]).args(partition(options));
    let counts = answer(&mut sinfo, patience)?;
    let fewest =
        counts.lines().filter_map(|line| line.trim_end_matches('+').trim().parse().ok()).min();
    Ok(Limits { array, cpus: fewest.unwrap_or(1).min(8) })
}

/// The options that choose a partition, which `sinfo` has too.
fn partition(options: &[String]) -> Vec<String> {
    let mut chosen = Vec::new();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        if option.starts_with("--partition=") || (option.starts_with("-p") && option.len() > 2) {
            chosen.push(option.clone());
        } else if option == "-p" || option == "--partition" {
            chosen.push(option.clone());
            chosen.extend(options.next().cloned());
        }
    }
    chosen
}

/// Asks whether the cluster would take a script.
pub(super) fn test(script: &str, options: &[String]) -> Result<(), ClusterError> {
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--test-only").args(options);
    match fed(&mut sbatch, script, Patience::Changes) {
        // It would be taken, and wait until there is a machine.
        Err(ClusterError::Refused { reason, .. }) if is_for_now(&reason) => Ok(()),
        other => other.map(drop),
    }
}

/// Whether all that is wrong is that machines are down, drained or busy.
fn is_for_now(reason: &str) -> bool {
    ["not available", "busy", "unavailable"].iter().any(|part| reason.contains(part))
}

/// Hands a script over; the job's number.
pub(super) fn submit(script: &str, options: &[String]) -> Result<String, ClusterError> {
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--parsable").args(options);
    let answer = fed(&mut sbatch, script, Patience::Changes)?;
    // Behind the number comes the cluster's name, where there are several.
    let number = answer.trim().split(';').next().unwrap_or_default();
    match number.parse::<u64>() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => Err(ClusterError::Answer { command: "sbatch --parsable".to_owned(), answer }),
    }
}

/// Takes jobs back after a failure; the failure, with the jobs that stay nevertheless.
pub(super) fn take_back(jobs: &[&str], failure: ClusterError) -> ClusterError {
    if jobs.is_empty() {
        return failure;
    }
    // To end a job twice is to end it.
    match answer(Command::new("scancel").args(jobs), Patience::Looks) {
        Ok(_) => failure,
        Err(ClusterError::Refused { reason, .. }) if are_over(&reason) => failure,
        Err(_) => ClusterError::LeftBehind { jobs: jobs.join(" "), failure: Box::new(failure) },
    }
}

/// Whether jobs cannot be taken back since nothing of them is left to do.
fn are_over(reason: &str) -> bool {
    reason.contains("Invalid job id") || reason.contains("already complet")
}

/// A program of Slurm answers this.
pub(super) fn answer(command: &mut Command, patience: Patience) -> Result<String, ClusterError> {
    fed(command, "", patience)
}

/// The same of one that reads.
fn fed(command: &mut Command, input: &str, patience: Patience) -> Result<String, ClusterError> {
    patience.ask(|| fed_once(command, input))
}

fn fed_once(command: &mut Command, input: &str) -> Result<String, ClusterError> {
    let told = told(command);
    let refused = |reason: String| ClusterError::Refused { command: told.clone(), reason };
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => ClusterError::NoProgram {
            program: command.get_program().to_string_lossy().into_owned(),
        },
        _ => refused(error.to_string()),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read says why in its answer.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| refused(error.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(refused(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn told(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_partition_is_found_among_the_options() {
        let options = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (text, chosen) in [
            ("--time=1:00:00 --partition=gpu", "--partition=gpu"),
            ("-p gpu --time=1", "-p gpu"),
            ("--partition gpu", "--partition gpu"),
            ("-pgpu", "-pgpu"),
        ] {
            assert_eq!(partition(&options(text)).join(" "), chosen);
        }
        assert!(partition(&options("--time=1 --qos=p")).is_empty());
    }
}
