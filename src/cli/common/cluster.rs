//! `--slurm`, `--collect` and `--hq`: a study on several machines.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::progress::Progress;
use super::study;
use base::format::counted;
use experiment::cluster::slurm::Slurm;
use experiment::cluster::{SHARDS, Submission, program};
use experiment::{Driver, Runs};

const ON_A_CLUSTER: &str = "On a cluster";

/// How a study is spread over machines.
#[derive(Debug, clap::Args)]
pub(crate) struct ClusterFlags {
    /// Submit all open jobs to Slurm: a job array per stage, and the page at the end
    #[arg(long, conflicts_with_all = ["plan", "job", "hq", "collect"], help_heading = ON_A_CLUSTER)]
    slurm: bool,
    /// Simultaneous tasks of a stage, and maximum number of shards of the games
    #[arg(long, value_name = "TASKS", value_parser = clap::value_parser!(u32).range(1..), help_heading = ON_A_CLUSTER)]
    parallel: Option<u32>,
    /// CPUs per task [default: those of the smallest machine, 8 at most]
    #[arg(long, value_name = "CPUS", value_parser = clap::value_parser!(u32).range(1..), help_heading = ON_A_CLUSTER)]
    cpus: Option<u32>,
    /// Options of `sbatch`, such as "--partition=gpu --time=4:00:00" (repeatable)
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, requires = "slurm", help_heading = ON_A_CLUSTER)]
    sbatch: Vec<String>,
    /// Write the page of the results so far, and list the open jobs
    #[arg(long, conflicts_with_all = ["plan", "job", "dry_run"], help_heading = ON_A_CLUSTER)]
    collect: bool,
    /// Write all open jobs as a job file for HyperQueue
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plan", "job", "dry_run", "collect"], help_heading = ON_A_CLUSTER)]
    hq: Option<PathBuf>,
}

impl ClusterFlags {
    pub(crate) fn collects(&self) -> bool {
        self.collect
    }

    /// Whether jobs are handed over.
    pub(crate) fn submits(&self) -> bool {
        self.slurm || self.hq.is_some()
    }

    /// Submits or collects, where a flag requests it.
    pub(crate) fn main(&self, driver: Driver<'_>, dry_run: bool) -> Option<Result<(), Failure>> {
        if self.collect {
            return Some(collect(driver));
        }
        if let Some(path) = &self.hq {
            return Some(self.job_file(driver, path));
        }
        match (self.slurm, dry_run) {
            (false, _) => None,
            (true, true) => Some(self.show(driver)),
            (true, false) => Some(self.submit(driver)),
        }
    }

    fn slurm(&self, driver: Driver<'_>) -> Result<Slurm, Failure> {
        let options = self.sbatch.iter().map(|text| {
            shlex::split(text).ok_or_else(|| {
                Failure::usage(format!("--sbatch \"{text}\": unclosed quotation mark"))
            })
        });
        let options = options.collect::<Result<Vec<_>, _>>()?.concat();
        let cpus = self.cpus.map(|cpus| cpus as usize);
        let memory = driver.study.memory_to_train().map_err(Failure::of_job)?;
        Ok(Slurm { program: program(), parallel: self.parallel, cpus, options, memory })
    }

    fn show(&self, driver: Driver<'_>) -> Result<(), Failure> {
        let slurm = self.slurm(driver)?;
        let submission = driver.stages(slurm.at_once(), &mut Progress::default());
        let (submission, _) = submission.map_err(Failure::of_job)?;
        let (scripts, unknown) = slurm.preview(&submission, &driver.submissions());
        if let Some(unknown) = unknown.filter(|error| !error.is_absence()) {
            eprintln!("warning: {unknown}; the scripts assume a standard Slurm");
        }
        for (number, script) in scripts.iter().enumerate() {
            let options = slurm.options_for(script, |place| format!("<script {}>", place + 1));
            let options = options.iter().map(|option| format!(" {}", quoted(option)));
            let options = options.collect::<String>();
            println!("# script {}: sbatch{options}\n{}", number + 1, script.text);
        }
        Ok(())
    }

    fn submit(&self, driver: Driver<'_>) -> Result<(), Failure> {
        let mut progress = Progress::default();
        study::lints(driver.study, &mut progress)?;
        let submitted = driver.submit(self.slurm(driver)?, &mut progress);
        println!("{}", summary(&submitted.map_err(Failure::of_job)?));
        Ok(())
    }

    fn job_file(&self, driver: Driver<'_>, path: &Path) -> Result<(), Failure> {
        let shards = self.parallel.unwrap_or(SHARDS);
        let cpus = self.cpus.map_or_else(base::cores, |cpus| cpus as usize);
        let written = driver.write_job_file(path, shards, cpus, &mut Progress::default());
        let (submission, grows) = written.map_err(Failure::of_job)?;
        let tasks: usize = submission.stages.iter().map(|stage| stage.tasks.len()).sum();
        let (tasks, path) = (counted(tasks as u64, "task"), path.display());
        let then = match grows {
            true => "then the same command writes the next jobs",
            false => "then --collect",
        };
        println!("{tasks} in {path}: submit them with `hq job submit-file {path}`; {then}");
        Ok(())
    }
}

/// An option as one types it; what stands for the number of a script stays readable.
fn quoted(option: &str) -> Cow<'_, str> {
    match option.starts_with("--dependency=") {
        true => option.into(),
        false => shlex::try_quote(option).unwrap_or_else(|_| option.into()),
    }
}

/// Jobs of a submission, a line for each array.
pub(crate) fn summary(submission: &Submission) -> String {
    let line = |submitted: &experiment::cluster::Submitted| match submitted.stage {
        Some(stage) => {
            let stage = &submission.stages[stage];
            let tasks = counted(submitted.tasks as u64, "task");
            format!("job {}: {}, {tasks}", submitted.job, stage.kind)
        }
        None => format!("job {}: the page", submitted.job),
    };
    let lines: Vec<String> = submission.submitted.iter().map(line).collect();
    format!("{}\n`oplus runs status {}` shows their states", lines.join("\n"), submission.study)
}

fn collect(driver: Driver<'_>) -> Result<(), Failure> {
    let name = driver.study.name();
    let note = Runs::of(&driver.workspace.runs).note(name)?;
    let command = driver.study.command();
    let none =
        || Failure::message(format!("no run of `{name}` in this folder: see `oplus {command}`"));
    study::collect(driver, &note.ok_or_else(none)?)
}
