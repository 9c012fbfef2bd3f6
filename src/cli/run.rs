//! `oplus run`: the main job.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Failure;
use super::cluster::ClusterFlags;
use super::command_line::command_line;
use super::json;
use super::progress::Progress;
use super::signals::stop_flag;
use super::{threads, warnings};
use base::format::{counted, duration};
use base::memory::{self, Size};
use base::{Key, Observer};
use data::Sample;
use experiment::forecast::{Forecast, Rates, RunSize, games_planned, run_size};
use experiment::generations::Generations;
use experiment::planning::{FileContents, Planning};
use experiment::preflight;
use experiment::publish::KeptReport;
use experiment::read::Overrides;
use experiment::{
    Experiment, ExperimentError, FileKind, Named, Note, Outcome, RunSpec, Runs, Workspace, grid,
    run,
};
use plan::{Control, KindCount, Plan, Planned, State};
use report::Format::{Count, Id, Seconds, Text};
use report::{Column, Table};

/// Carry out an experiment: train, quantise, measure, play, report
///
/// The experiment is a plan of jobs, each with a result of its own: finished jobs are not
/// repeated, a stopped or killed run resumes, and several processes may share one plan.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus run experiments/quickstart.toml
  oplus run quickstart                            the same, or what was run here by that name
  oplus run experiments/quickstart.toml --dry-run
  oplus run experiments/quickstart.toml --scale 0.5           half the positions and games
  oplus run experiments/generations.toml          games, a net, its games, a second net
  oplus run experiments/quickstart.toml --json    progress and result for a program
  oplus run experiments/quickstart.toml --plan    every job, its key and how it stands
  oplus run experiments/quickstart.toml --job 3f6c1b    that one only, by the beginning of its key
  oplus run experiments/quickstart.toml --set training.epochs=4 --set 'grid.seed=[1, 2]'
  oplus run grid.toml --slurm --parallel 20 --sbatch \"--partition=gpu --time=4:00:00\"
  oplus run grid.toml --slurm --dry-run           the scripts, for reading
  oplus run grid.toml --collect                   the page of what is done so far
  oplus run grid.toml --hq jobs.toml              a job file for HyperQueue")]
pub(super) struct RunArgs {
    /// The experiment's file, or its name; docs/experiment.md documents every key
    file: PathBuf,
    /// Change a key without editing the file (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Multiply positions and games, to make a large experiment small
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Show the grid with sizes, time, memory and disk expected, look whether data, puzzles,
    /// openings, folders, device, memory and disk stand ready, which jobs are done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Show the jobs with keys and states, and do nothing
    #[arg(long, conflicts_with = "dry_run")]
    plan: bool,
    /// Answer in lines of JSON: progress, warnings and the result; with --plan its definitions,
    /// needs and states
    #[arg(long, conflicts_with_all = ["dry_run", "job"])]
    json: bool,
    /// Do only the job whose key begins so; the jobs that it needs must be done
    #[arg(long, value_name = "KEY", conflicts_with_all = ["dry_run", "plan"])]
    job: Option<String>,
    /// Games at once where clocks run; half the cores by default
    #[arg(long, value_name = "GAMES", value_parser = threads::some())]
    time_concurrency: Option<usize>,
    #[command(flatten)]
    cluster: ClusterFlags,
}

pub(super) fn main(args: RunArgs) -> Result<(), Failure> {
    let overrides = Overrides { set: args.set, scale: args.scale };
    let runs = Runs::of(Path::new(Runs::FOLDER));
    let experiment = Named::find(&args.file, &runs)?.read(&overrides)?;
    if experiment.discover.is_some() {
        let error = FileKind::Discovery.misplaced(&args.file.display().to_string());
        return Err(Failure::usage(error));
    }
    let workspace = Workspace::here(args.time_concurrency);
    if let Some(done) = args.cluster.main(&experiment, &workspace, args.dry_run) {
        return done;
    }
    if args.plan {
        return show_plan(&experiment, &workspace, args.json);
    }
    if let Some(key) = args.job {
        return do_one(&experiment, &workspace, &key);
    }
    warnings::of_experiment(&experiment)?;
    if args.dry_run {
        return dry_run(&experiment, &workspace);
    }
    let mut progress: Box<dyn Observer> = match args.json {
        true => Box::new(json::Lines::default()),
        false => Box::new(Progress::default()),
    };
    let outcome = run(&experiment, &command_line(), &workspace, &mut *progress, stop_flag())?;
    let Outcome::Finished { page, failed } = outcome else { return Err(STOPPED) };
    match args.json {
        true => json::print(&json::of_page(&page.page, &page.path)),
        false => println!("\n{}\nreport: {}", page.in_short(), page.path.display()),
    }
    if let Some(KeptReport { folder, lost }) = page.kept {
        let folder = folder.display();
        progress.warn(&format!("the page before showed more ({lost}): it is kept in {folder}"));
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::message(format!(
            "{} came to no net: {}; the warnings say why",
            counted(failed.len() as u64, "run"),
            failed.join(", ")
        ))),
    }
}

const STOPPED: Failure = Failure::Stopped("run the same command again to go on");

/// Shows the grid, the preflight checks and the open jobs.
fn dry_run(experiment: &Experiment, workspace: &Workspace) -> Result<(), Failure> {
    let mut rates = Rates::measured();
    println!("{}", grid_summary(experiment, &mut rates)?);
    let planning = Planning::dry_run(experiment, &mut Progress::default())?;
    let states = plan::states(&planning.plan, &workspace.run_dir(experiment));
    let states = states?;
    // Jobs are shown without data too, or with too few puzzles.
    let ready = stands_ready(experiment, workspace, &planning, &states);
    if ready.is_ok() {
        println!("data, puzzles, openings, folders, device, memory and disk stand ready");
    }
    println!("{}", jobs_summary(&planning.plan, &states, &mut rates, workspace.timed_games));
    ready
}

fn stands_ready(
    experiment: &Experiment,
    workspace: &Workspace,
    planning: &Planning,
    states: &[State],
) -> Result<(), Failure> {
    preflight::check(experiment, workspace)?;
    preflight::devices(experiment)?;
    let mut jobs = planning.plan.jobs().iter().zip(states);
    let is_left = |(planned, state): (&Planned, &State)| {
        planning.positions.contains(&planned.key) && *state != State::Done
    };
    // Prepared positions have been read.
    if jobs.any(is_left) {
        preflight::data(experiment, stop_flag())?;
    }
    Ok(())
}

/// Every job with its key and state.
fn show_plan(experiment: &Experiment, workspace: &Workspace, json: bool) -> Result<(), Failure> {
    let planning = Planning::dry_run(experiment, &mut Progress::default())?;
    let plan = &planning.plan;
    let states = plan::states(plan, &workspace.run_dir(experiment))?;
    let rows: Vec<PlanRow<'_>> = (plan.jobs().iter().zip(&states))
        .map(|(planned, state)| PlanRow::of(planned, state, &planning))
        .collect();
    if json {
        let jobs: Vec<Value> = rows.iter().map(PlanRow::as_json).collect();
        println!("{:#}", json!({ "experiment": experiment.name, "jobs": jobs }));
    } else {
        let key = |row: &PlanRow<'_>| row.key.map_or("?".to_owned(), |key| key.to_string());
        let table = Table::of("jobs", "Jobs", &rows)
            .column(Column::new("key", "key", Text), key)
            .column(Column::new("kind", "kind", Text), |row| row.planned.job.kind())
            .column(Column::new("title", "job", Text), |row| &row.planned.title)
            .column(Column::new("state", "state", Text), |row| &row.state)
            .table();
        let done = states.iter().filter(|state| **state == State::Done).count();
        println!("{table}\n{} of {} done", done, counted(states.len() as u64, "job"));
    }
    if let Err(missing) = preflight::files(experiment) {
        eprintln!("warning: {}", with_help(&missing));
    }
    Ok(())
}

/// A job as `--plan` shows it.
struct PlanRow<'p> {
    /// `None` if it depends on files that are not there.
    key: Option<Key>,
    planned: &'p Planned,
    state: String,
}

impl<'p> PlanRow<'p> {
    fn of(planned: &'p Planned, state: &State, planning: &Planning) -> Self {
        match planning.unknown.contains(&planned.key) {
            true => Self { key: None, planned, state: "needs files that are not there".to_owned() },
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

/// An error and its help in one line.
fn with_help(error: &ExperimentError) -> String {
    match error {
        ExperimentError::Preflight(error) => {
            format!("{error}; {}", error.help)
        }
        other => other.to_string(),
    }
}

/// Number of finished jobs, open jobs by kind, and their forecast.
fn jobs_summary(
    plan: &Plan,
    states: &[State],
    rates: &mut Rates,
    timed_games: Option<usize>,
) -> String {
    let kinds = plan::by_kind(plan, states);
    let done: usize = kinds.iter().map(|of_kind| of_kind.done).sum();
    // One that failed is to be done too, once its result is removed.
    let undone = |of_kind: &KindCount| match of_kind.jobs - of_kind.done {
        0 => None,
        left => Some(format!("{left} {}", of_kind.kind)),
    };
    let left: Vec<String> = kinds.iter().filter_map(undone).collect();
    let done = format!("{done} of {} are done", counted(plan.jobs().len() as u64, "job"));
    match left.as_slice() {
        [] => done,
        left => {
            let takes = Forecast::by(rates, plan, states, timed_games);
            format!(
                "{done}; left are {} (--plan shows each)\nwhat is left takes {} on this machine",
                left.join(", "),
                takes.summary(plan)
            )
        }
    }
}

/// State of a job as text.
fn summary(state: &State) -> String {
    match state {
        State::Done => "done".to_owned(),
        State::Failed(reason) => format!("failed: {reason}"),
        State::Impossible => "what it needs failed".to_owned(),
        State::Waiting(jobs) => format!("waits for {}", counted(*jobs as u64, "job")),
        State::Held(holder) => format!("under way: {holder}"),
        State::Ready => "ready".to_owned(),
    }
}

/// Does one job of the plan.
fn do_one(experiment: &Experiment, workspace: &Workspace, key: &str) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let runs = Runs::of(&workspace.runs);
    preflight::check(experiment, workspace)?;
    let planning = Planning::of(experiment, FileContents::default(), &mut progress)?;
    let planned = find(&planning.plan, key)?;
    let note = Note::of(experiment, &command_line(), &planning.contents)?;
    let _lock = run::begin(experiment, &note, &runs)?;
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    let place = workspace.run_dir(experiment);
    match plan::run_one(&planning.plan, planned, &place, &mut control) {
        Ok(None) => println!("{} ({}) is done already", planned.title, planned.key),
        Ok(Some(State::Failed(reason))) => return Err(Failure::message(reason)),
        Ok(Some(_)) => println!("{} ({}) is done", planned.title, planned.key),
        Err(plan::PlanError::Stopped) => return Err(STOPPED),
        Err(error) => return Err(Failure::from(error)),
    }
    Ok(())
}

fn find<'p>(plan: &'p Plan, key: &str) -> Result<&'p Planned, Failure> {
    let found = plan.jobs().iter().filter(|planned| planned.key.to_string().starts_with(key));
    match found.collect::<Vec<_>>().as_slice() {
        [only] => Ok(only),
        [] => Err(Failure::usage(format!(
            "no job of the plan has a key that begins with `{key}`; --plan shows them"
        ))),
        some => Err(Failure::usage(format!(
            "{} jobs have a key that begins with `{key}`; give more of it",
            some.len()
        ))),
    }
}

/// The grid as a table, with time, memory and disk of each training.
fn grid_summary(experiment: &Experiment, rates: &mut Rates) -> Result<String, Failure> {
    let runs = grid::expand(experiment)?;
    // Every generation trains the grid's net again.
    let generations = experiment.selfplay.as_ref().map_or(1, |table| table.generations.get());
    let runs: Vec<&RunSpec> = (0..generations).flat_map(|_| &runs).collect();
    let mut seconds = |run: &RunSpec| {
        rates.training(&run.features, &run.layers, &run.training, run.training.threads)
    };
    let rows: Vec<(&RunSpec, RunSize, f64)> =
        runs.iter().map(|&run| (run, run_size(run), seconds(run))).collect();
    let table = Table::of("runs", "Runs", &rows)
        .column(Column::new("features", "features", Text), |(run, ..)| run.features.expression())
        .column(Column::new("size", "size", Count), |(run, ..)| run.features.set().size())
        .column(Column::new("layers", "layers", Text), |(run, ..)| run.layers.to_string())
        .column(Column::new("method", "method", Text), |(run, ..)| method(run))
        .column(Column::new("seed", "seed", Id), |(run, ..)| run.seed)
        .column(Column::new("positions", "positions", Count), |(_, size, _)| size.positions)
        .column(Column::new("seconds", "time", Seconds), |(.., seconds)| *seconds)
        .column(Column::new("memory", "memory", Text), |(run, ..)| memory_to_train(run))
        .column(Column::new("disk", "disk", Text), |(_, size, _)| megabytes(size.bytes))
        .table();
    let seconds = rows.iter().map(|(.., seconds)| seconds).sum();
    let bytes = rows.iter().map(|(_, size, _)| size.bytes).sum();
    let games = games_planned(experiment)?;
    let selfplay = experiment.selfplay.as_ref().map_or(String::new(), selfplay_summary);
    Ok(format!(
        "{table}\n{} runs, {games} games; about {} of training, {} on disk{selfplay}\n\
         memory is that of training one, besides {} bytes for each position of the data{}",
        runs.len(),
        duration(seconds),
        megabytes(bytes),
        size_of::<Sample>(),
        memory::available().map_or(String::new(), |free| format!("; {} are free", Size(free))),
    ))
}

/// `1.2 GiB`, or `300 MiB, card 1.2 GiB` on a graphics card.
fn memory_to_train(run: &RunSpec) -> String {
    let host = Size(preflight::footprint(run).peak());
    match preflight::card_footprint(run) {
        Some(card) => format!("{host}, card {}", Size(card.bytes())),
        None => host.to_string(),
    }
}

/// The method, and what else the grid sets for this run.
fn method(run: &RunSpec) -> String {
    let settings = run.settings.iter().map(|setting| format!(", {}", setting.to_text()));
    run.training.method.to_string() + &settings.collect::<String>()
}

/// Self-play of each generation, as a line of its own.
fn selfplay_summary(table: &Generations) -> String {
    let Generations { positions, nodes, .. } = table;
    format!("\nself-play of {positions} positions for each, at {nodes} nodes a move")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
