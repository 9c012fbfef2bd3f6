//! Stages as job arrays of [Slurm](https://slurm.schedmd.com), one script for each.

mod cluster;
mod patience;
mod queue;
mod script;
mod shared;

use std::path::{Path, PathBuf};

use crate::cluster::{ClusterError, Kind, Stage, Submission, Submissions, Submitted};
use base::Observer;

use cluster::Limits;
use patience::Patience;
pub use queue::{InQueue, queue};

/// How a submission is to be spread over a cluster.
#[derive(Clone, Debug)]
pub struct Slurm {
    /// The program that does a task, as the machines of the cluster find it.
    pub program: PathBuf,
    /// Tasks of a stage at once; as many as there is room for if nothing is said.
    pub parallel: Option<u32>,
    /// Processors of a task; as many as the smallest machine has, eight at most, if nothing is said.
    pub cpus: Option<usize>,
    /// Options of `sbatch` for every script, as one types them. They come behind those that follow
    /// from the plan, so that they have the last word.
    pub options: Vec<String>,
    /// Bytes of memory that training takes.
    pub memory: Option<u64>,
}

/// A script, and which tasks it is for.
#[derive(Clone, Debug)]
pub struct Script {
    /// The stage; `None` of what makes the page.
    pub stage: Option<usize>,
    /// The first of its tasks.
    pub first: usize,
    pub tasks: usize,
    /// The scripts that have to be over before, by their places in the list.
    pub after: Vec<Follows>,
    /// The text, which `sbatch` takes.
    pub text: String,
}

/// A script that has to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows {
    /// Its place in the list.
    pub script: usize,
    /// Whether all of it has to have gone well.
    pub all_well: bool,
}

impl Script {
    /// The conditions under which it begins, where `name` names the scripts of the list.
    fn conditions(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let of = |follows: &Follows| {
            let condition = if follows.all_well { "afterok" } else { "afterany" };
            format!("{condition}:{}", name(follows.script))
        };
        self.after.iter().map(of).collect()
    }
}

impl Slurm {
    /// The scripts as they would be here, and why they are those of a cluster as it usually is,
    /// where the one here does not tell its limits.
    pub fn preview(
        &self,
        submission: &Submission,
        submissions: &Submissions,
    ) -> (Vec<Script>, Option<ClusterError>) {
        let (limits, unknown) = match cluster::limits(&self.options, Patience::None) {
            Ok(limits) => (limits, None),
            Err(error) => (Limits::default(), Some(error)),
        };
        (self.scripts(submission, submissions, &limits), unknown)
    }

    /// The scripts of a submission, each behind those that it waits for; `submissions` is where it
    /// will be written down.
    fn scripts(
        &self,
        submission: &Submission,
        submissions: &Submissions,
        limits: &Limits,
    ) -> Vec<Script> {
        let cpus = self.cpus.unwrap_or(limits.cpus);
        let writer = script::Writer { slurm: self, cpus, submission, submissions };
        let mut scripts: Vec<Script> = Vec::new();
        // Which scripts each stage has.
        let mut of_stage: Vec<Vec<usize>> = Vec::new();
        for (at, stage) in submission.stages.iter().enumerate() {
            let after = followed(stage, &of_stage);
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
        let after = (0..scripts.len()).map(|script| Follows { script, all_well: false }).collect();
        scripts.push(Script { stage: None, first: 0, tasks: 1, after, text: writer.of_report() });
        scripts
    }

    /// The same as the cluster would take them, which it is asked.
    ///
    /// # Errors
    /// No Slurm, options that it refuses.
    pub fn tested(
        &self,
        submission: &Submission,
        submissions: &Submissions,
    ) -> Result<Vec<Script>, ClusterError> {
        let limits = cluster::limits(&self.options, Patience::Looks)?;
        let scripts = self.scripts(submission, submissions, &limits);
        scripts.iter().try_for_each(|script| cluster::test(&script.text, &self.options))?;
        Ok(scripts)
    }

    /// Hands the scripts of a submission over, and writes down what became of them. Before anything
    /// is handed over it is asked whether the cluster's machines see the folder.
    ///
    /// # Errors
    /// A folder that is not shared. What was handed over before a refusal is taken back.
    pub fn submit(
        &self,
        scripts: &[Script],
        submission: &mut Submission,
        submissions: &Submissions,
        observer: &mut dyn Observer,
    ) -> Result<(), ClusterError> {
        submissions.put(submission)?;
        let looked = shared::look(self, &submissions.logs(submission), observer)?;
        let handed_over = self.hand_over(scripts, looked.as_deref(), submission, submissions);
        handed_over.map_err(|failure| {
            let jobs: Vec<&str> = submission.jobs().into_iter().chain(looked.as_deref()).collect();
            cluster::take_back(&jobs, failure)
        })
    }

    /// Options of `sbatch` for a script, where `name` names the scripts of the list.
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

    fn hand_over(
        &self,
        scripts: &[Script],
        looked: Option<&str>,
        submission: &mut Submission,
        submissions: &Submissions,
    ) -> Result<(), ClusterError> {
        let mut jobs: Vec<String> = Vec::new();
        for script in scripts {
            let mut after = script.conditions(|script| jobs[script].clone());
            if script.stage.is_some() && after.is_empty() {
                after.extend(looked.map(|job| format!("afterok:{job}")));
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

/// The scripts of the stages that one waits for.
fn followed(stage: &Stage, of_stage: &[Vec<usize>]) -> Vec<Follows> {
    let follows = |after: &crate::cluster::After| {
        let all_well = after.all_well;
        of_stage[after.stage].iter().map(move |&script| Follows { script, all_well })
    };
    stage.after.iter().flat_map(follows).collect()
}

/// Whether jobs of this experiment are under way.
///
/// # Errors
/// Jobs that somebody else or oneself has handed over and that are not over.
pub fn ensure_over(submissions: &Submissions) -> Result<(), ClusterError> {
    let me = crate::cluster::submission::user();
    for submission in submissions.all()? {
        let waiting = queue::queue_with(&submission, Patience::Looks)?;
        if waiting.is_empty() {
            continue;
        }
        let mut jobs: Vec<&str> = waiting.iter().map(InQueue::array).collect();
        jobs.dedup();
        let (user, jobs) = (submission.user.clone(), jobs.join(" "));
        return Err(match user == me {
            true => ClusterError::UnderWay { jobs },
            false => ClusterError::OthersWork { user, jobs },
        });
    }
    Ok(())
}

/// A path from the root, as machines of a cluster need it.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Kind {
    /// Part of the name of a job.
    fn job_name(&self, experiment: &str) -> String {
        format!("{experiment}-{self}")
    }
}
