//! `--plan`: every job with its key and state.

use serde_json::{Value, json};

use crate::cli::Failure;
use crate::cli::progress::Progress;
use base::Key;
use base::format::counted;
use experiment::{Driver, Files, StudyPlan};
use plan::{Planned, State};
use report::Format::Text;
use report::{Column, Table};

pub(super) fn show(driver: Driver<'_>, json: bool) -> Result<(), Failure> {
    let known = driver.plan(Files::MayBeMissing, &mut Progress::default());
    let known = known.map_err(Failure::of_job)?;
    let states = plan::states(&known.plan, &driver.dir())?;
    let rows: Vec<JobRow<'_>> = (known.plan.jobs().iter().zip(&states))
        .map(|(planned, state)| JobRow::of(planned, state, &known))
        .collect();
    if json {
        let jobs: Vec<Value> = rows.iter().map(JobRow::as_json).collect();
        let (name, grows) = (driver.study.name(), known.grows());
        println!("{:#}", json!({ "experiment": name, "jobs": jobs, "more_to_come": grows }));
    } else {
        let key = |row: &JobRow<'_>| row.key.map_or("?".to_owned(), |key| key.to_string());
        let table = Table::of("jobs", "Jobs", &rows)
            .column(Column::new("key", "key", Text), key)
            .column(Column::new("kind", "kind", Text), |row| row.planned.job.kind())
            .column(Column::new("title", "job", Text), |row| &row.planned.title)
            .column(Column::new("state", "state", Text), |row| &row.state)
            .table();
        let done = states.iter().filter(|state| **state == State::Done).count();
        println!("{table}\n{} of {} done", done, counted(states.len() as u64, "job"));
        if known.grows() {
            println!("{}", StudyPlan::MORE);
        }
    }
    if !known.unknown.is_empty()
        && let Err(error) = driver.study.check(driver.workspace)
    {
        eprintln!("warning: {}", Failure::of_job(error).in_a_line());
    }
    Ok(())
}

/// A job as `--plan` shows it.
struct JobRow<'p> {
    /// `None` if it depends on missing files.
    key: Option<Key>,
    planned: &'p Planned,
    state: String,
}

impl<'p> JobRow<'p> {
    fn of(planned: &'p Planned, state: &State, known: &StudyPlan) -> Self {
        match known.unknown.contains(&planned.key) {
            true => Self { key: None, planned, state: "missing input files".to_owned() },
            false => Self { key: Some(planned.key), planned, state: summary(state) },
        }
    }

    fn as_json(&self) -> Value {
        let Self { key, planned, state } = self;
        let Planned { job, title, .. } = planned;
        let (kind, needs) = (job.kind(), job.needs());
        json!({
            "key": key, "kind": kind, "title": title, "needs": needs, "state": state, "job": job,
        })
    }
}

/// State of a job as text.
fn summary(state: &State) -> String {
    match state {
        State::Done => "done".to_owned(),
        State::Failed(reason) => format!("failed: {reason}"),
        State::Impossible => "failed dependency".to_owned(),
        State::Waiting(jobs) => format!("waits for {}", counted(*jobs as u64, "job")),
        State::Held(holder) => format!("running: {holder}"),
        State::Ready => "ready".to_owned(),
    }
}
