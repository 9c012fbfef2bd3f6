//! The command line of studies: one face for all commands that run a plan of jobs.

mod jobs;

use std::path::PathBuf;

use super::cluster::ClusterFlags;
use super::command_line::command_line;
use super::failure::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use super::threads;
use crate::cli::json;
use base::Observer;
use base::format::counted;
use evolution::file::{EVOLUTION, Evolution};
use experiment::ablate::ABLATION;
use experiment::compare::COMPARISON;
use experiment::forecast::{Forecast, Rates};
use experiment::games_file::GAMES_FILE;
use experiment::read::Overrides;
use experiment::{
    Collected, Driver, EXPERIMENT, FileKind, Files, Named, Note, Published, Study, StudyKind,
    StudyPlan, Workspace,
};
use plan::{Control, JobError, KindCount, Planned, State};

/// All kinds of studies.
static KINDS: [&StudyKind; 5] = [&EXPERIMENT, &COMPARISON, &ABLATION, &EVOLUTION, &GAMES_FILE];

/// The study that a note records.
///
/// # Errors
/// A note of another version of the program.
pub(crate) fn read(note: &Note) -> Result<Box<dyn Study>, JobError> {
    let kind = KINDS.into_iter().find(|kind| kind.name == note.kind);
    let unknown = || JobError::message(format!("no study named `{}`", note.kind));
    (kind.ok_or_else(unknown)?.read)(note)
}

/// The study of a file, or of the last run of a name. `overrides` change keys of experiments.
pub(crate) fn named(named: &Named, overrides: &Overrides) -> Result<Box<dyn Study>, Failure> {
    match named {
        Named::File(path) => {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if FileKind::of(&text) == Some(FileKind::Evolution) {
                return Ok(Box::new(Evolution::read(path)?));
            }
        }
        Named::Run(note) if note.kind != EXPERIMENT.name => {
            return read(note).map_err(Failure::of_job);
        }
        Named::Run(_) => {}
    }
    Ok(Box::new(named.read(overrides)?))
}

/// How a study is run.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyFlags {
    /// Forecast time, memory and disk space, check files, folders, devices and data, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// List the jobs with keys and states, and run nothing
    #[arg(long, conflicts_with = "dry_run")]
    plan: bool,
    /// Print JSON lines: progress, warnings and the result; with --plan, definitions, dependencies and
    /// states
    #[arg(long, conflicts_with_all = ["dry_run", "job"])]
    json: bool,
    /// Run only the job of this key or key prefix; its dependencies must be done
    #[arg(long, value_name = "KEY", conflicts_with_all = ["dry_run", "plan"])]
    job: Option<String>,
    /// Simultaneous games on the clock [default: half the cores]
    #[arg(long, value_name = "GAMES", value_parser = threads::some())]
    time_concurrency: Option<usize>,
    #[command(flatten)]
    cluster: ClusterFlags,
}

impl StudyFlags {
    pub(crate) fn observer(&self) -> Box<dyn Observer> {
        observer(self.json)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether no flag requests jobs instead of the command itself.
    pub(crate) fn runs_here(&self) -> bool {
        self.writes_page() && !self.cluster.collects()
    }

    /// Whether the page is written here.
    pub(crate) fn writes_page(&self) -> bool {
        let Self { dry_run, plan, job, cluster, .. } = self;
        !(*dry_run || *plan || job.is_some() || cluster.submits())
    }
}

/// Progress for people, or in lines of JSON.
fn observer(json: bool) -> Box<dyn Observer> {
    match json {
        true => Box::new(json::Lines::default()),
        false => Box::new(Progress::default()),
    }
}

/// Exit of a stopped command; the next call resumes.
pub(crate) const STOPPED: Failure = Failure::Stopped("run the same command again to resume");

/// Folders other than `runs` and `reports/NAME`.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// Folder of runs.
    pub(crate) runs: Option<PathBuf>,
    /// Folder of the page.
    pub(crate) page: Option<PathBuf>,
}

/// Runs a study, or shows or submits it where a flag requests that.
pub(crate) fn main(study: &dyn Study, flags: &StudyFlags) -> Result<(), Failure> {
    main_in(study, flags, Folders::default())
}

/// As [`main`], in other folders.
pub(crate) fn main_in(
    study: &dyn Study,
    flags: &StudyFlags,
    folders: Folders,
) -> Result<(), Failure> {
    let here = Workspace::here(flags.time_concurrency);
    let runs = folders.runs.unwrap_or_else(|| here.runs.clone());
    let workspace = Workspace { runs, page: folders.page, ..here };
    let command = command_line();
    let driver = Driver { study, workspace: &workspace, command: &command };
    if let Some(done) = flags.cluster.main(driver, flags.dry_run) {
        return done;
    }
    match (&flags.job, flags.plan, flags.dry_run) {
        (Some(key), ..) => run_one(driver, key),
        (None, true, _) => jobs::show(driver, flags.json),
        (None, false, true) => dry_run(driver),
        (None, false, false) => run(driver, flags.json),
    }
}

fn run(driver: Driver<'_>, json: bool) -> Result<(), Failure> {
    let mut progress = observer(json);
    lints(driver.study, &mut *progress)?;
    let mut control = Control { observer: &mut *progress, stop: stop_flag() };
    let collected = driver.run(&mut control).map_err(Failure::of_job)?;
    show(&collected, json, &mut *progress)
}

/// Warnings about a valid study that may not be meant.
pub(crate) fn lints(study: &dyn Study, observer: &mut dyn Observer) -> Result<(), Failure> {
    let lints = study.lints(stop_flag()).map_err(Failure::of_job)?;
    lints.iter().for_each(|lint| observer.warn(lint));
    Ok(())
}

/// Prints pages in short.
pub(crate) fn print(published: &Published, json: bool, observer: &mut dyn Observer) {
    let Published { page, path, more, kept } = published;
    match json {
        true => {
            let mut line = json::of_page(page, path);
            if !more.is_empty() {
                line["more"] = more.iter().map(report::render::json::page).collect();
            }
            json::print(&line);
        }
        false => anstream::println!("\n{}\nreport: {}", published.in_short(), path.display()),
    }
    kept.iter().for_each(|kept| observer.warn(kept));
}

/// Shows sizes, preflight checks and open jobs. After a failed check the forecast is by default rates:
/// measuring this machine takes seconds per kind of net, and delays the error.
fn dry_run(driver: Driver<'_>) -> Result<(), Failure> {
    lints(driver.study, &mut Progress::default())?;
    let known = driver.plan(Files::MayBeMissing, &mut Progress::default());
    let known = known.map_err(Failure::of_job)?;
    let states = plan::states(&known.plan, &driver.dir())?;
    // Jobs are shown without data too, or with too few puzzles.
    let ready = driver.check(&known, &states, stop_flag()).map_err(Failure::of_job);
    let mut rates = if ready.is_ok() { Rates::measured() } else { Rates::guessed() };
    let overview = driver.study.overview(&mut rates).map_err(Failure::of_job)?;
    if !overview.is_empty() {
        println!("{overview}");
    }
    if ready.is_ok() {
        println!("files, folders, device, memory and disk are ready");
    }
    println!("{}", open_jobs(&known, &states, &mut rates, driver.workspace.timed_games));
    ready
}

/// Number of finished jobs, open jobs by kind, and their forecast.
fn open_jobs(
    known: &StudyPlan,
    states: &[State],
    rates: &mut Rates,
    timed_games: Option<usize>,
) -> String {
    let plan = &known.plan;
    let kinds = plan::by_kind(plan, states);
    let done: usize = kinds.iter().map(|of_kind| of_kind.done).sum();
    // One that failed is to be done too, once its result is removed.
    let undone = |of_kind: &KindCount| match of_kind.jobs - of_kind.done {
        0 => None,
        left => Some(format!("{left} {}", of_kind.kind)),
    };
    let left: Vec<String> = kinds.iter().filter_map(undone).collect();
    let mut text = format!("{done} of {} are done", counted(plan.jobs().len() as u64, "job"));
    if !left.is_empty() {
        let takes = Forecast::by(rates, plan, states, timed_games);
        text += &format!(
            "; open: {} (--plan lists them)\nexpected time {}: {}",
            left.join(", "),
            rates.origin(),
            takes.summary(plan)
        );
    }
    if known.grows() {
        text += &format!("\n{}", StudyPlan::MORE);
    }
    text
}

/// Runs one job of the plan.
fn run_one(driver: Driver<'_>, key: &str) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let known = driver.plan(Files::Known(Default::default()), &mut progress);
    let known = known.map_err(Failure::of_job)?;
    let planned = find(&known, key)?;
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    let Planned { title, key, .. } = planned;
    match driver.run_one(&known, planned, &mut control).map_err(Failure::of_job)? {
        None => println!("{title} ({key}) was done before"),
        Some(State::Failed(reason)) => return Err(Failure::message(reason)),
        Some(_) => println!("{title} ({key}) is done"),
    }
    Ok(())
}

fn find<'p>(known: &'p StudyPlan, key: &str) -> Result<&'p Planned, Failure> {
    let jobs = known.plan.jobs().iter();
    let found = jobs.filter(|planned| planned.key.to_string().starts_with(key));
    match found.collect::<Vec<_>>().as_slice() {
        [only] => Ok(only),
        [] => Err(Failure::usage(format!(
            "no job of the plan has a key with the prefix `{key}`; --plan lists them"
        ))),
        some => Err(Failure::usage(format!(
            "{} jobs have a key with the prefix `{key}`; give more of it",
            some.len()
        ))),
    }
}

/// Writes the page of finished jobs.
pub(crate) fn collect(driver: Driver<'_>, note: &Note) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let collected = driver.collect(note, &mut progress).map_err(Failure::of_job)?;
    show(&collected, false, &mut progress)
}

fn show(
    Collected { page, remarks, failed }: &Collected,
    json: bool,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    print(page, json, observer);
    if !json {
        remarks.iter().for_each(|remark| println!("{remark}"));
    }
    failed.iter().try_for_each(|failed| Err(Failure::message(failed.clone())))
}
