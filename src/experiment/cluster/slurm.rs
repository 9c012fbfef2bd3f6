//! Stages as job arrays of [Slurm](https://slurm.schedmd.com), one script for each.

mod cluster;
mod retry;
mod queue;
mod script;
mod shared;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::{ClusterError, Kind, SHARDS, Stage, Submission, Submissions, Submitted};
use base::Observer;

use cluster::Limits;
pub use queue::{QueuedTask, queue};
use retry::Retry;

/// Settings of a submission to Slurm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slurm {
    /// The program that runs a task, by a path of the cluster.
    pub program: PathBuf,
    /// Tasks of a stage at once; unlimited by default.
    pub parallel: Option<u32>,
    /// Processors of a task; by default those of the smallest machine, eight at most.
    pub cpus: Option<usize>,
    /// Options of `sbatch` for every script. They follow the options of the plan and override them.
    pub options: Vec<String>,
    /// Bytes of memory for training.
    pub memory: Option<u64>,
}

/// A script for some tasks.
#[derive(Clone, Debug)]
pub struct Script {
    /// The stage; `None` for the script that writes the page.
    pub stage: Option<usize>,
    /// The first of its tasks.
    pub first: usize,
    pub tasks: usize,
    /// Dependencies.
    pub after: Vec<Dependency>,
    /// Input of `sbatch`.
    pub text: String,
}

/// A script that must have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Index in the list.
    pub script: usize,
    /// Whether it must have succeeded.
    pub all_succeed: bool,
}

impl Script {
    /// Conditions of `--dependency`; `name` returns the job id of a script.
    fn conditions(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let of = |dependency: &Dependency| {
            let condition = if dependency.all_succeed { "afterok" } else { "afterany" };
            format!("{condition}:{}", name(dependency.script))
        };
        self.after.iter().map(of).collect()
    }
}

impl Slurm {
    /// Shards of games at most.
    pub fn at_once(&self) -> u32 {
        self.parallel.unwrap_or(SHARDS)
    }

    /// The scripts for this cluster; where its limits are unknown, scripts for default limits and
    /// the reason.
    pub fn preview(
        &self,
        submission: &Submission,
        submissions: &Submissions,
    ) -> (Vec<Script>, Option<ClusterError>) {
        let (limits, unknown) = match cluster::limits(&self.options, Retry::None) {
            Ok(limits) => (limits, None),
            Err(error) => (Limits::default(), Some(error)),
        };
        (self.scripts(submission, submissions, &limits), unknown)
    }

    /// The scripts of a submission, each after its dependencies; `submissions` is its folder.
    fn scripts(
        &self,
        submission: &Submission,
        submissions: &Submissions,
        limits: &Limits,
    ) -> Vec<Script> {
        let cpus = self.cpus.unwrap_or(limits.cpus);
        let writer = script::Writer { slurm: self, cpus, submission, submissions };
        let mut scripts: Vec<Script> = Vec::new();
        // Scripts of each stage.
        let mut of_stage: Vec<Vec<usize>> = Vec::new();
        for (at, stage) in submission.stages.iter().enumerate() {
            let after = dependencies(stage, &of_stage);
            let firsts = (0..stage.tasks.len()).step_by(limits.array);
            let mut own = Vec::new();
            for first in firsts {
                let tasks = limits.array.min(stage.tasks.len() - first);
                own.push(scripts.len());
                let text = writer.of_stage(at, first, tasks);
                scripts.push(Script { stage: Some(at), first, tasks, after: after.clone(), text });
            }
            of_stage.push(own);
        }
        let after =
            (0..scripts.len()).map(|script| Dependency { script, all_succeed: false }).collect();
        scripts.push(Script { stage: None, first: 0, tasks: 1, after, text: writer.of_report() });
        scripts
    }

    /// The scripts, tested with `sbatch --test-only`.
    ///
    /// # Errors
    /// No Slurm, or options that it refuses.
    pub fn tested(
        &self,
        submission: &Submission,
        submissions: &Submissions,
    ) -> Result<Vec<Script>, ClusterError> {
        let limits = cluster::limits(&self.options, Retry::Queries)?;
        let scripts = self.scripts(submission, submissions, &limits);
        scripts.iter().try_for_each(|script| cluster::test(&script.text, &self.options))?;
        Ok(scripts)
    }

    /// Submits the scripts and records their job ids. With an observer of the check a job finds out
    /// first whether the cluster's machines see the folder.
    ///
    /// # Errors
    /// A folder that is not shared, or a refusal; then all jobs submitted before are cancelled.
    pub fn submit(
        &self,
        scripts: &[Script],
        submission: &mut Submission,
        submissions: &Submissions,
        check: Option<&mut dyn Observer>,
    ) -> Result<(), ClusterError> {
        submissions.put(submission)?;
        let logs = submissions.logs(submission);
        let check = check.map(|observer| shared::check(self, &logs, observer)).transpose()?;
        let check = check.flatten();
        let submitted = self.submit_all(scripts, check.as_deref(), submission, submissions);
        submitted.map_err(|failure| {
            let jobs: Vec<&str> = submission.jobs().into_iter().chain(check.as_deref()).collect();
            cluster::cancel(&jobs, failure)
        })
    }

    /// Options of `sbatch` for a script; `name` returns the job id of a script.
    pub fn options_for(&self, script: &Script, name: impl Fn(usize) -> String) -> Vec<String> {
        self.options_behind(&script.conditions(name))
    }

    fn options_behind(&self, conditions: &[String]) -> Vec<String> {
        let mut options = self.options.clone();
        if !conditions.is_empty() {
            options.push(format!("--dependency={}", conditions.join(",")));
            options.push("--kill-on-invalid-dep=yes".to_owned());
        }
        options
    }

    fn submit_all(
        &self,
        scripts: &[Script],
        check: Option<&str>,
        submission: &mut Submission,
        submissions: &Submissions,
    ) -> Result<(), ClusterError> {
        let mut jobs: Vec<String> = Vec::new();
        for script in scripts {
            let mut after = script.conditions(|script| jobs[script].clone());
            if script.stage.is_some() && after.is_empty() {
                after.extend(check.map(|job| format!("afterok:{job}")));
            }
            let job = cluster::submit(&script.text, &self.options_behind(&after))?;
            let Script { stage, first, tasks, .. } = *script;
            submission.submitted.push(Submitted { job: job.clone(), stage, first, tasks });
            submissions.put(submission)?;
            jobs.push(job);
        }
        Ok(())
    }
}

/// Dependencies of the scripts of a stage.
fn dependencies(stage: &Stage, of_stage: &[Vec<usize>]) -> Vec<Dependency> {
    let dependency = |after: &crate::cluster::After| {
        let all_succeed = after.all_succeed;
        of_stage[after.stage].iter().map(move |&script| Dependency { script, all_succeed })
    };
    stage.after.iter().flat_map(dependency).collect()
}

/// Checks that no jobs of this experiment are queued or running.
///
/// # Errors
/// Jobs of this or another user that are not over.
pub fn ensure_over(submissions: &Submissions) -> Result<(), ClusterError> {
    let me = crate::cluster::submission::user();
    for submission in submissions.all()? {
        let waiting = queue::queue_with(&submission, Retry::Queries)?;
        if waiting.is_empty() {
            continue;
        }
        let mut jobs: Vec<&str> = waiting.iter().map(QueuedTask::array).collect();
        jobs.dedup();
        let (user, jobs) = (submission.user.clone(), jobs.join(" "));
        return Err(match user == me {
            true => ClusterError::UnderWay { jobs },
            false => ClusterError::OthersWork { user, jobs },
        });
    }
    Ok(())
}

/// The absolute path, for other machines.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Kind {
    /// Name of a job.
    fn job_name(&self, study: &str) -> String {
        format!("{study}-{self}")
    }
}
