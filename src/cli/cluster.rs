//! `oplus run --slurm`, `--collect` and `--hq`: an experiment on more machines than one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::Failure;
use super::command_line::command_line;
use super::progress::Progress;
use super::warnings;
use base::format::counted;
use experiment::cluster::slurm::{self, Slurm};
use experiment::cluster::{ClusterError, Submission, Submissions, hyperqueue};
use experiment::planning::Planning;
use experiment::{Earlier, Experiment, Note, Runs, Workspace, preflight, publish, run};
use plan::State;

const ON_A_CLUSTER: &str = "On a cluster";

/// How an experiment is spread over machines.
#[derive(Debug, clap::Args)]
pub(super) struct ClusterFlags {
    /// Hand all that is not done over to Slurm: a job array for each stage, and the page at the end
    #[arg(long, conflicts_with_all = ["plan", "job", "hq", "collect"], help_heading = ON_A_CLUSTER)]
    slurm: bool,
    /// Tasks of a stage at once, and parts into which games are divided at most
    #[arg(long, value_name = "TASKS", value_parser = clap::value_parser!(u32).range(1..), help_heading = ON_A_CLUSTER)]
    parallel: Option<u32>,
    /// Processors of a task; as many as the smallest machine has, eight at most, if not given
    #[arg(long, value_name = "CPUS", value_parser = clap::value_parser!(u32).range(1..), help_heading = ON_A_CLUSTER)]
    cpus: Option<u32>,
    /// Options for `sbatch`, as typed there: "--partition=gpu --time=4:00:00" (repeatable)
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, requires = "slurm", help_heading = ON_A_CLUSTER)]
    sbatch: Vec<String>,
    /// Write the page of the finished jobs, and list the open ones
    #[arg(long, conflicts_with_all = ["plan", "job", "dry_run"], help_heading = ON_A_CLUSTER)]
    collect: bool,
    /// Write all that is not done as a job file for HyperQueue
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plan", "job", "dry_run", "collect"], help_heading = ON_A_CLUSTER)]
    hq: Option<PathBuf>,
}

/// Default number of tasks at once, and of parts of a match.
const PARALLEL: u32 = 16;

impl ClusterFlags {
    /// Submits or collects, where a flag requests it.
    pub(super) fn main(
        &self,
        experiment: &Experiment,
        workspace: &Workspace,
        dry_run: bool,
    ) -> Option<Result<(), Failure>> {
        if self.collect {
            return Some(collect(experiment, workspace));
        }
        if let Some(path) = &self.hq {
            return Some(self.job_file(experiment, workspace, path));
        }
        match (self.slurm, dry_run) {
            (false, _) => None,
            (true, true) => Some(self.show(experiment, workspace)),
            (true, false) => Some(self.hand_over(experiment, workspace)),
        }
    }

    fn slurm(&self, experiment: &Experiment) -> Result<Slurm, Failure> {
        let options = self.sbatch.iter().map(|text| {
            shlex::split(text).ok_or_else(|| {
                Failure::usage(format!("--sbatch \"{text}\": a quotation mark is not closed"))
            })
        });
        let options = options.collect::<Result<Vec<_>, _>>()?.concat();
        let cpus = self.cpus.map(|cpus| cpus as usize);
        let (program, memory) =
            (program(), Some(experiment::cluster::memory_to_train(experiment)?));
        Ok(Slurm { program, parallel: self.parallel, cpus, options, memory })
    }

    /// Open jobs in stages, before the submission.
    fn submission(
        &self,
        experiment: &Experiment,
        workspace: &Workspace,
    ) -> Result<(Planning, Submission), Failure> {
        let at_once = self.parallel.unwrap_or(PARALLEL);
        let mut progress = Progress::default();
        Ok(Submission::of(experiment, workspace, &command_line(), at_once, &mut progress)?)
    }

    fn show(&self, experiment: &Experiment, workspace: &Workspace) -> Result<(), Failure> {
        let (_, submission) = self.submission(experiment, workspace)?;
        let submissions = Submissions::of(&workspace.runs.join(&experiment.name));
        let slurm = self.slurm(experiment)?;
        let (scripts, unknown) = slurm.preview(&submission, &submissions);
        if let Some(unknown) = unknown.filter(|error| !error.is_absence()) {
            eprintln!("warning: {unknown}; the scripts are those for a Slurm as it usually is");
        }
        for (number, script) in scripts.iter().enumerate() {
            let options = slurm.options_for(script, |place| format!("<script {}>", place + 1));
            let options = options.iter().map(|option| format!(" {}", quoted(option)));
            let options = options.collect::<String>();
            println!("# script {}: sbatch{options}\n{}", number + 1, script.text);
        }
        Ok(())
    }

    fn hand_over(&self, experiment: &Experiment, workspace: &Workspace) -> Result<(), Failure> {
        warnings::of_experiment(experiment)?;
        let runs = Runs::of(&workspace.runs);
        preflight::check(experiment, workspace)?;
        let slurm = self.slurm(experiment)?;
        let submissions = Submissions::of(&workspace.runs.join(&experiment.name));
        slurm::ensure_over(&submissions)?;
        let (planning, mut submission) = self.submission(experiment, workspace)?;
        if submission.stages.is_empty() {
            return Err(ClusterError::NothingLeft.into());
        }
        let scripts = slurm.tested(&submission, &submissions)?;
        let note = Note::of(experiment, &command_line(), &planning.contents)?;
        let _lock = run::begin(experiment, &note, &runs)?;
        slurm.submit(&scripts, &mut submission, &submissions, &mut Progress::default())?;
        println!("{}", summary(&submission));
        Ok(())
    }

    fn job_file(
        &self,
        experiment: &Experiment,
        workspace: &Workspace,
        path: &Path,
    ) -> Result<(), Failure> {
        let runs = Runs::of(&workspace.runs);
        preflight::check(experiment, workspace)?;
        preflight::file("--hq", path)?;
        let (planning, submission) = self.submission(experiment, workspace)?;
        if submission.stages.is_empty() {
            return Err(ClusterError::NothingLeft.into());
        }
        let note = Note::of(experiment, &command_line(), &planning.contents)?;
        let _lock = run::begin(experiment, &note, &runs)?;
        let submissions = Submissions::of(&workspace.runs.join(&experiment.name));
        submissions.put(&submission)?;
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let at = hyperqueue::SubmissionPlace {
            program: program(),
            folder: absolute(PathBuf::from(".")),
            file: absolute(submissions.path(&submission)),
            logs: absolute(submissions.logs(&submission)),
        };
        let cpus = self.cpus.map_or_else(base::cores, |cpus| cpus as usize);
        let text = hyperqueue::job_file(&submission, &at, cpus)?;
        base::write_atomically(path, &[text.as_bytes()])?;
        let tasks: usize = submission.stages.iter().map(|stage| stage.tasks.len()).sum();
        let (tasks, path) = (counted(tasks as u64, "task"), path.display());
        println!("{tasks} in {path}: `hq job submit-file {path}` hands them over; then --collect");
        Ok(())
    }
}

/// The program, as machines with the same folders find it.
fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("oplus"))
}

/// An option as one types it; what stands for the number of a script stays readable.
fn quoted(option: &str) -> Cow<'_, str> {
    match option.starts_with("--dependency=") {
        true => option.into(),
        false => shlex::try_quote(option).unwrap_or_else(|_| option.into()),
    }
}

/// Jobs of a submission, a line for each array.
fn summary(submission: &Submission) -> String {
    let line = |submitted: &experiment::cluster::Submitted| match submitted.stage {
        Some(stage) => {
            let stage = &submission.stages[stage];
            let tasks = counted(submitted.tasks as u64, "task");
            format!("job {}: {}, {tasks}", submitted.job, stage.kind)
        }
        None => format!("job {}: the page", submitted.job),
    };
    let lines: Vec<String> = submission.submitted.iter().map(line).collect();
    format!(
        "{}\n`oplus runs status {}` shows how they stand",
        lines.join("\n"),
        submission.experiment
    )
}

/// Writes the page of finished jobs; counts the open ones.
pub(super) fn collect(experiment: &Experiment, workspace: &Workspace) -> Result<(), Failure> {
    let runs = Runs::of(&workspace.runs);
    let page = publish::page(&runs, experiment, &workspace.reports, Earlier::MovesAside)?;
    println!("{}\nreport: {}", page.in_short(), page.path.display());
    let contents = runs.note(&experiment.name)?.map(|note| note.contents).unwrap_or_default();
    let planning = Planning::of(experiment, contents, &mut Progress::default())?;
    let place = workspace.run_dir(experiment);
    let states = plan::states(&planning.plan, &place)?;
    let (mut open, mut failed) = (0, Vec::new());
    for (planned, state) in planning.plan.jobs().iter().zip(&states) {
        match state {
            State::Done => {}
            State::Failed(reason) => failed.push(format!("{}: {reason}", planned.title)),
            _ => open += 1,
        }
    }
    if open > 0 {
        let of = counted(states.len() as u64, "job");
        println!("{open} of {of} not done yet: the page shows the others");
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::message(format!("failed: {}", failed.join("; ")))),
    }
}
