//! Queries and commands to the cluster through Slurm's programs.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use super::retry::Retry;
use crate::cluster::ClusterError;

/// Limits of a cluster.
pub(super) struct Limits {
    /// Tasks of an array.
    pub(super) array: usize,
    /// Processors of the smallest machine, eight at most: beyond that training gains less than other
    /// users lose.
    pub(super) cpus: usize,
}

impl Default for Limits {
    /// Defaults of Slurm.
    fn default() -> Self {
        Self { array: 1_001, cpus: 8 }
    }
}

/// Reads the configuration, and the machines of the partition in the options.
pub(super) fn limits(options: &[String], retry: Retry) -> Result<Limits, ClusterError> {
    let config = answer(Command::new("scontrol").args(["show", "config"]), retry)?;
    let array = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "MaxArraySize").then(|| value.trim().parse().ok())?
    });
    // The largest index is one less; an array of one task is always allowed.
    let array = array.map_or(Limits::default().array, |size: usize| size.max(1));
    let mut sinfo = Command::new("sinfo");
    sinfo.args(["--noheader", "--format=%c"]).args(partition(options));
    let counts = answer(&mut sinfo, retry)?;
    let fewest =
        counts.lines().filter_map(|line| line.trim_end_matches('+').trim().parse().ok()).min();
    Ok(Limits { array, cpus: fewest.unwrap_or(1).min(8) })
}

/// The options that choose a partition; `sinfo` takes the same.
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

/// Tests a script with `sbatch --test-only`.
pub(super) fn test(script: &str, options: &[String]) -> Result<(), ClusterError> {
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--test-only").args(options);
    match fed(&mut sbatch, script, Retry::Changes) {
        // The script is valid and would wait for a machine.
        Err(ClusterError::Refused { reason, .. }) if is_temporary(&reason) => Ok(()),
        other => other.map(drop),
    }
}

/// Whether machines are down, drained or busy.
fn is_temporary(reason: &str) -> bool {
    ["not available", "busy", "unavailable"].iter().any(|part| reason.contains(part))
}

/// Submits a script; the job id.
pub(super) fn submit(script: &str, options: &[String]) -> Result<String, ClusterError> {
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--parsable").args(options);
    let answer = fed(&mut sbatch, script, Retry::Changes)?;
    // With several clusters the cluster's name follows the id.
    let number = answer.trim().split(';').next().unwrap_or_default();
    match number.parse::<u64>() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => Err(ClusterError::Answer { command: "sbatch --parsable".to_owned(), answer }),
    }
}

/// Cancels jobs after a failure; the failure, with the jobs that could not be cancelled.
pub(super) fn cancel(jobs: &[&str], failure: ClusterError) -> ClusterError {
    if jobs.is_empty() {
        return failure;
    }
    // Cancelling twice does no harm.
    match answer(Command::new("scancel").args(jobs), Retry::Queries) {
        Ok(_) => failure,
        Err(ClusterError::Refused { reason, .. }) if are_over(&reason) => failure,
        Err(_) => ClusterError::LeftBehind { jobs: jobs.join(" "), failure: Box::new(failure) },
    }
}

/// Whether the jobs have ended already.
fn are_over(reason: &str) -> bool {
    reason.contains("Invalid job id") || reason.contains("already complet")
}

/// Output of a program of Slurm.
pub(super) fn answer(command: &mut Command, retry: Retry) -> Result<String, ClusterError> {
    fed(command, "", retry)
}

/// As [`answer`], with standard input.
fn fed(command: &mut Command, input: &str, retry: Retry) -> Result<String, ClusterError> {
    retry.run(|| fed_once(command, input))
}

fn fed_once(command: &mut Command, input: &str) -> Result<String, ClusterError> {
    let line = command_line(command);
    let refused = |reason: String| ClusterError::Refused { command: line.clone(), reason };
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => ClusterError::NoProgram {
            program: command.get_program().to_string_lossy().into_owned(),
        },
        _ => refused(error.to_string()),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read explains itself on standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| refused(error.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(refused(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn command_line(command: &Command) -> String {
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
