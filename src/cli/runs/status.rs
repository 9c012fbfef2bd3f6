//! `oplus runs status`: states of the jobs of an experiment, here and in Slurm's queue.

use std::collections::BTreeMap;

use serde_json::json;

use crate::cli::Failure;
use crate::cli::progress::Progress;
use crate::cli::study;
use base::format::{counted, first_few};
use experiment::cluster::slurm::{self, QueuedTask};
use experiment::cluster::{ClusterError, Submission, Submissions};
use experiment::{Files, Named, Runs, StudyPlan, Workspace};
use plan::{Planned, State};
use report::Format::{Text, Words};
use report::{Column, Table, render};

/// Rows of a list that a person reads.
const MOST_ROWS: usize = 40;

/// State of the jobs of an experiment
#[derive(Debug, clap::Args)]
pub(super) struct RunsStatusArgs {
    /// Name or file of the experiment; keys are those of the last run, not of the present file
    experiment: String,
    /// Include finished jobs
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A job with its state.
struct StatusRow<'p> {
    planned: &'p Planned,
    state: Standing,
    /// The reason of the state: an error, a host, an entry of the queue.
    detail: String,
}

impl StatusRow<'_> {
    fn is_over(&self) -> bool {
        matches!(self.state, Standing::Done | Standing::Failed)
    }
}

/// State of a job in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Done,
    Running,
    Waiting,
    Ready,
    Failed,
}

impl Standing {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Ready => "not started",
            Self::Failed => "failed",
        }
    }
}

pub(super) fn main(runs: &Runs, args: &RunsStatusArgs) -> Result<(), Failure> {
    let name = Named::name(&args.experiment)?;
    let unknown = || {
        let known = runs.studies();
        Failure::usage(match known.is_empty() {
            true => format!("no run of `{name}`, nor of any other experiment, in this folder"),
            false => {
                format!("no run of `{name}` in this folder; it has: {}", first_few(&known))
            }
        })
    };
    let note = runs.note(&name)?.ok_or_else(unknown)?;
    let study = study::read(&note).map_err(Failure::of_job)?;
    let dir = Workspace::here(None).run_dir(&*study);
    let known = study.plan(Files::Known(note.contents), &dir, &mut Progress::default());
    let known = known.map_err(Failure::of_job)?;
    let (plan, grows) = (&known.plan, known.grows());
    let states = plan::states(plan, &dir)?;
    let submissions = Submissions::of(&runs.folder_of(&name)).all()?;
    let queue = submissions.last().map(in_queue).unwrap_or_default();
    let rows: Vec<StatusRow<'_>> = (plan.jobs().iter().zip(&states))
        .map(|(planned, state)| row(planned, state, &queue))
        .collect();
    match args.json {
        true => print_json(&name, &rows, grows),
        false => {
            print(&rows, args.all);
            if grows {
                println!("{}", StudyPlan::MORE);
            } else if !rows.is_empty() && rows.iter().all(StatusRow::is_over) && !args.all {
                println!("all jobs are done; --all lists them with their keys");
            }
        }
    }
    Ok(())
}

/// Queued tasks of the last submission, by the key of the job.
fn in_queue(submission: &Submission) -> BTreeMap<String, Vec<QueuedTask>> {
    let queue = match slurm::queue(submission) {
        Ok(queue) => queue,
        // Of a submission to something else, or seen from a machine without Slurm.
        Err(ClusterError::NoProgram { .. }) => Vec::new(),
        Err(error) => {
            eprintln!("warning: the state of the queue is unknown: {error}");
            Vec::new()
        }
    };
    let mut all: BTreeMap<String, Vec<QueuedTask>> = BTreeMap::new();
    for submitted in &submission.submitted {
        let Some(stage) = submitted.stage else { continue };
        let own: Vec<&QueuedTask> =
            queue.iter().filter(|waiting| waiting.array() == submitted.job).collect();
        if own.is_empty() {
            continue;
        }
        let tasks = submission.stages[stage].tasks.iter().enumerate();
        for (at, task) in tasks.skip(submitted.first).take(submitted.tasks) {
            let about: Vec<&QueuedTask> =
                own.iter().copied().filter(|waiting| waiting.includes(submitted, at)).collect();
            for job in std::iter::once(&task.job).chain(&task.then) {
                let entry = all.entry(job.to_string()).or_default();
                entry.extend(about.iter().map(|&waiting| waiting.clone()));
            }
        }
    }
    all
}

fn row<'p>(
    planned: &'p Planned,
    state: &State,
    queue: &BTreeMap<String, Vec<QueuedTask>>,
) -> StatusRow<'p> {
    let entries = queue.get(&planned.key.to_string()).map_or(&[][..], Vec::as_slice);
    let running: Vec<&QueuedTask> =
        entries.iter().filter(|entry| entry.state == "RUNNING").collect();
    let queued = |entry: &QueuedTask| {
        format!("{} {}, {}", entry.job, entry.state.to_lowercase(), entry.reason)
    };
    let (state, detail) = match (state, running.as_slice(), entries) {
        (State::Done, ..) => (Standing::Done, String::new()),
        (State::Failed(reason), ..) => (Standing::Failed, reason.clone()),
        (State::Impossible, ..) => (Standing::Failed, "failed dependency".to_owned()),
        (_, [first, ..], _) => (Standing::Running, queued(first)),
        (State::Held(holder), ..) => (Standing::Running, holder.clone()),
        (_, [], [first, ..]) => (Standing::Waiting, queued(first)),
        (State::Waiting(jobs), ..) => {
            (Standing::Ready, format!("needs {}", counted(*jobs as u64, "job")))
        }
        (State::Ready, ..) => (Standing::Ready, String::new()),
    };
    StatusRow { planned, state, detail }
}

fn print(rows: &[StatusRow<'_>], all: bool) {
    let shown: Vec<&StatusRow<'_>> =
        rows.iter().filter(|row| all || row.state != Standing::Done).collect();
    let most = if all { usize::MAX } else { MOST_ROWS };
    if !shown.is_empty() {
        println!("{}", table(shown.iter().take(most).copied()));
    }
    if shown.len() > most {
        println!("and {} more: --all lists them", shown.len() - most);
    }
    let mut counts: BTreeMap<Standing, u64> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.state).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.into_iter().map(|(state, count)| format!("{count} {}", state.name())).collect();
    println!("{}: {}", counted(rows.len() as u64, "job"), counts.join(", "));
}

fn table<'r>(rows: impl Iterator<Item = &'r StatusRow<'r>>) -> Table {
    Table::of("jobs", "Jobs", rows)
        .column(Column::new("key", "key", Text), |row| row.planned.key.to_string())
        .column(Column::new("kind", "kind", Text), |row| row.planned.job.kind())
        .column(Column::new("title", "job", Text), |row| &row.planned.title)
        .column(Column::new("state", "state", Text), |row| row.state.name())
        .column(Column::new("detail", "", Words), |row| &row.detail)
        .table()
}

/// `grows`: whether more jobs are to come.
fn print_json(name: &str, rows: &[StatusRow<'_>], grows: bool) {
    let jobs = render::json::rows(&table(rows.iter()));
    println!("{:#}", json!({ "experiment": name, "jobs": jobs, "more_to_come": grows }));
}
