//! The executor of this machine: runs the jobs of a plan, alone or beside other processes.
//!
//! Jobs run in the order of the plan. A job that another process holds is skipped, and waited for
//! once no other job is ready.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::context::Cache;
use crate::lease::Lease;
use crate::machine_lock::MachineLock;
use crate::state::{State, blocked, ended, settled_elsewhere};
use crate::status::StatusWriter;
use crate::{Context, Control, JobError, JobOutcome, Plan, PlanError, Planned, Results, RunDir};
use base::{Key, Observer, Shard};

/// Time between looks at leases of other processes.
const POLL: Duration = Duration::from_millis(200);

/// The end of a run of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All jobs are done but those that failed, with titles and reasons, and those that needed them.
    Finished(Vec<(String, String)>),
    /// The stop flag was set; the next run goes on.
    Stopped,
}

/// Runs all jobs that are not done yet.
///
/// # Errors
/// The first error of a job that is more than its failure. Results so far are kept.
pub fn run_all(plan: &Plan, dir: &RunDir, control: &mut Control<'_>) -> Result<Ending, PlanError> {
    dir.create()?;
    let mut executor = Executor::new(plan, dir);
    let settled = settled_elsewhere(plan, dir)?;
    let state = |planned: &Planned| settled.contains(&planned.key).then_some(State::Done);
    let mut states: Vec<Option<State>> = plan.jobs().iter().map(state).collect();
    let mut last_holder = String::new();
    loop {
        if control.stop.load(Ordering::Relaxed) {
            return Ok(Ending::Stopped);
        }
        match executor.next_ready(&mut states, control.observer)? {
            Next::Ready(at, lease) => match executor.run(&plan.jobs()[at], lease, control)? {
                Some(state) => states[at] = Some(state),
                None => return Ok(Ending::Stopped),
            },
            Next::Held(holder) => {
                if holder != last_holder {
                    control.observer.warn(&holder);
                    last_holder = holder;
                }
                sleep(POLL);
            }
            Next::Over => break,
        }
    }
    warn_of_impossible(plan, &states, control.observer);
    let failed = plan.jobs().iter().zip(states).filter_map(|(planned, state)| match state? {
        State::Failed(reason) => Some((planned.title.clone(), reason)),
        _ => None,
    });
    Ok(Ending::Finished(failed.collect()))
}

fn warn_of_impossible(plan: &Plan, states: &[Option<State>], observer: &mut dyn Observer) {
    let jobs = plan.jobs().iter().zip(states);
    let impossible = jobs.filter(|(_, state)| **state == Some(State::Impossible));
    let titles: Vec<&str> = impossible.map(|(planned, _)| planned.title.as_str()).collect();
    if !titles.is_empty() {
        let few = base::format::first_few(&titles);
        observer.warn(&format!("not done, failed dependency: {few}"));
    }
}

/// Runs one job; its state, `None` if it was done already.
///
/// # Errors
/// Dependencies that are not done, another holder, an error of the job.
pub fn run_one(
    plan: &Plan,
    planned: &Planned,
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<Option<State>, PlanError> {
    Ok(run_in_order(plan, &[planned], dir, control)?.into_iter().next().flatten())
}

/// Runs some jobs in order up to the first that fails, each with the data in memory that the one
/// before left; as [`run_one`].
///
/// # Errors
/// As [`run_one`].
pub fn run_in_order(
    plan: &Plan,
    jobs: &[&Planned],
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<Vec<Option<State>>, PlanError> {
    dir.create()?;
    let mut executor = Executor::new(plan, dir);
    let mut states = Vec::new();
    for planned in jobs {
        let state = executor.run_planned(planned, control)?;
        let has_failed = matches!(state, Some(State::Failed(_)));
        states.push(state);
        if has_failed {
            break;
        }
    }
    Ok(states)
}

/// Runs a shard of a job, whose files the job itself collects. `false` if the job is done.
///
/// # Errors
/// A job without shards, another holder, an error of the job.
pub fn run_shard(
    plan: &Plan,
    planned: &Planned,
    shard: Shard,
    dir: &RunDir,
    control: &mut Control<'_>,
) -> Result<bool, PlanError> {
    dir.create()?;
    if ended(planned, dir)?.is_some() {
        return Ok(false);
    }
    let (key, title) = (planned.key, format!("{}, {shard}", planned.title));
    let name = format!("{key}.{}", shard.slug());
    let lease = match acquire_lease(dir, &name, control)? {
        Ok(lease) => lease,
        Err(holder) => return Err(PlanError::Held { key, title, holder }),
    };
    let _machine = machine(dir, planned, control)?.ok_or(PlanError::Stopped)?;
    let mut status = StatusWriter::new(control.observer, &dir.folder, &name);
    let mut control = Control { observer: &mut status, stop: control.stop };
    let mut executor = Executor::new(plan, dir);
    planned.job.run_shard(shard, &mut executor.context(planned, &title, &mut control))?;
    drop(lease);
    Ok(true)
}

/// Runs work with the context of a job of the plan, without lease and result.
///
/// # Errors
/// Those of the work; a key that the plan does not have.
pub fn run_unrecorded<T>(
    plan: &Plan,
    dir: &RunDir,
    key: Key,
    control: &mut Control<'_>,
    work: impl FnOnce(&mut Context<'_>) -> Result<T, JobError>,
) -> Result<T, PlanError> {
    let missing = || JobError::message(format!("the plan has no job {key}"));
    let planned = plan.find(key).ok_or_else(missing)?;
    let mut executor = Executor::new(plan, dir);
    Ok(work(&mut executor.context(planned, &planned.title, control))?)
}

/// Records a job as failed.
///
/// # Errors
/// A folder that cannot be written to.
pub fn record_failure(planned: &Planned, dir: &RunDir, reason: String) -> Result<(), PlanError> {
    dir.create()?;
    Results::of(&dir.folder).put(planned, JobOutcome::Failed(reason), 0.0)
}

struct Executor<'p> {
    plan: &'p Plan,
    dir: &'p RunDir,
    cache: Cache,
}

enum Next {
    /// Index and lease of a job that can run now.
    Ready(usize, Lease),
    /// All open jobs wait for other processes; the first of them, in words.
    Held(String),
    Over,
}

impl<'p> Executor<'p> {
    fn new(plan: &'p Plan, dir: &'p RunDir) -> Self {
        Self { plan, dir, cache: Cache::default() }
    }

    /// The first job that can run, with the states of those before it that have ended.
    fn next_ready(
        &self,
        states: &mut [Option<State>],
        observer: &mut dyn Observer,
    ) -> Result<Next, PlanError> {
        let mut held = None;
        for (at, planned) in self.plan.jobs().iter().enumerate() {
            if states[at].is_some() {
                continue;
            }
            match self.readiness(planned, states)? {
                Readiness::Ended(state) => {
                    if let State::Failed(reason) = &state {
                        let Planned { title, key, .. } = planned;
                        let again = format!("`oplus runs rm {key}` to try again");
                        observer.warn(&format!("{title} failed: {reason} ({again})"));
                    }
                    states[at] = Some(state);
                }
                Readiness::Blocked => {}
                Readiness::Held(holder) => {
                    held.get_or_insert_with(|| format!("{}: waiting for {holder}", planned.title));
                }
                Readiness::Ready(lease) => return Ok(Next::Ready(at, lease)),
            }
        }
        Ok(held.map_or(Next::Over, Next::Held))
    }

    fn readiness(
        &self,
        planned: &Planned,
        states: &[Option<State>],
    ) -> Result<Readiness, PlanError> {
        match blocked(self.plan, planned, states) {
            Some(State::Waiting(_)) => return Ok(Readiness::Blocked),
            Some(state) => return Ok(Readiness::Ended(state)),
            None => {}
        }
        if let Some(state) = ended(planned, self.dir)? {
            return Ok(Readiness::Ended(state));
        }
        Ok(match Lease::acquire(&self.dir.folder, &planned.key.to_string())? {
            Err(held) => Readiness::Held(held.by),
            // Another process may have finished it between the two looks.
            Ok(lease) => match ended(planned, self.dir)? {
                Some(state) => Readiness::Ended(state),
                None => Readiness::Ready(lease),
            },
        })
    }

    /// Runs a job unless it is done, once its lease is free.
    fn run_planned(
        &mut self,
        planned: &Planned,
        control: &mut Control<'_>,
    ) -> Result<Option<State>, PlanError> {
        if ended(planned, self.dir)?.is_some() {
            return Ok(None);
        }
        let (key, title) = (planned.key, planned.title.clone());
        let needs = self.missing_needs(planned)?;
        if !needs.is_empty() {
            return Err(PlanError::Waits { key, title, needs });
        }
        let lease = match acquire_lease(self.dir, &key.to_string(), control)? {
            Ok(lease) => lease,
            Err(holder) => return Err(PlanError::Held { key, title, holder }),
        };
        self.run(planned, lease, control)?.map(Some).ok_or(PlanError::Stopped)
    }

    fn missing_needs(&self, planned: &Planned) -> Result<Vec<String>, PlanError> {
        let mut missing = Vec::new();
        for need in planned.job.needs() {
            let Some(needed) = self.plan.find(need) else { continue };
            if !matches!(ended(needed, self.dir)?, Some(State::Done)) {
                missing.push(format!("{need} ({})", needed.title));
            }
        }
        Ok(missing)
    }

    /// Runs a job whose lease is held and records its result; `None` if it was stopped.
    fn run(
        &mut self,
        planned: &Planned,
        lease: Lease,
        control: &mut Control<'_>,
    ) -> Result<Option<State>, PlanError> {
        let Some(_machine) = machine(self.dir, planned, control)? else { return Ok(None) };
        let (started, dir) = (Instant::now(), self.dir);
        let mut status = StatusWriter::new(control.observer, &dir.folder, &planned.key.to_string());
        let mut control = Control { observer: &mut status, stop: control.stop };
        let output = {
            let title = &planned.title;
            planned.job.run(&mut self.context(planned, title, &mut control))
        };
        let (outcome, state) = match output {
            Ok(output) => (JobOutcome::Done(output), State::Done),
            Err(JobError::Stopped) => return Ok(None),
            Err(JobError::Failed(reason)) => {
                control.observer.warn(&format!("{} failed: {reason}", planned.title));
                (JobOutcome::Failed(reason.clone()), State::Failed(reason))
            }
            Err(error) => return Err(error.into()),
        };
        Results::of(&dir.folder).put(planned, outcome, started.elapsed().as_secs_f64())?;
        drop(lease);
        Ok(Some(state))
    }

    fn context<'c>(
        &'c mut self,
        planned: &'c Planned,
        title: &'c str,
        control: &'c mut Control<'_>,
    ) -> Context<'c> {
        self.cache.keep_needs_of(planned);
        Context {
            plan: self.plan,
            dir: self.dir,
            planned,
            title,
            cache: &mut self.cache,
            observer: &mut *control.observer,
            stop: control.stop,
        }
    }
}

enum Readiness {
    Ended(State),
    Blocked,
    Held(String),
    Ready(Lease),
}

/// Waits until a lease is either acquired or known to be alive; then its holder is returned.
fn acquire_lease(
    dir: &RunDir,
    name: &str,
    control: &mut Control<'_>,
) -> Result<Result<Lease, String>, PlanError> {
    let mut warned = false;
    loop {
        let held = match Lease::acquire(&dir.folder, name)? {
            Ok(lease) => return Ok(Ok(lease)),
            Err(held) => held,
        };
        if held.is_alive {
            return Ok(Err(held.by));
        }
        if control.stop.load(Ordering::Relaxed) {
            return Err(PlanError::Stopped);
        }
        if !std::mem::replace(&mut warned, true) {
            control.observer.warn(&format!("checking whether {} is alive", held.by));
        }
        sleep(POLL);
    }
}

/// The machine for a job, once other processes allow it; `None` if the stop flag was set before.
fn machine(
    dir: &RunDir,
    planned: &Planned,
    control: &mut Control<'_>,
) -> Result<Option<MachineLock>, PlanError> {
    let mut warned = false;
    while !control.stop.load(Ordering::Relaxed) {
        if let Some(lock) = MachineLock::acquire(dir.runs(), planned.job.traits().timed)? {
            return Ok(Some(lock));
        }
        if !std::mem::replace(&mut warned, true) {
            let waiting = "waiting for the jobs of other processes: this one needs an otherwise \
                           idle machine, or another one does";
            control.observer.warn(&format!("{}: {waiting}", planned.title));
        }
        sleep(POLL);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::testing::{Sum, plan};
    use base::Silent;

    #[derive(Default)]
    struct Warnings(Vec<String>);

    impl Observer for Warnings {
        fn begin(&mut self, _: &str, _: u64, _: &'static str) {}
        fn advance(&mut self, _: u64, _: &str) {}
        fn end(&mut self, _: &str) {}
        fn warn(&mut self, message: &str) {
            self.0.push(message.to_owned());
        }
    }

    fn run(plan: &Plan, dir: &RunDir, stop: bool) -> Ending {
        let stop = AtomicBool::new(stop);
        run_all(plan, dir, &mut Control { observer: &mut Silent, stop: &stop }).unwrap()
    }

    #[test]
    fn jobs_read_the_outputs_of_those_before() {
        let folder = tempfile::tempdir().unwrap();
        let (plan, dir) = (plan(), RunDir::new(folder.path().join("sums"), None));
        assert_eq!(run(&plan, &dir, true), Ending::Stopped);
        assert!(Results::of(&dir.folder).all().unwrap().is_empty());
        assert_eq!(run(&plan, &dir, false), Ending::Finished(Vec::new()));
        let results = Results::of(&dir.folder);
        let outputs = plan.jobs().iter().map(|job| results.output::<u64>(job.key).unwrap());
        assert_eq!(outputs.collect::<Vec<_>>(), [1, 3, 6, 4].map(Some));
    }

    #[test]
    fn results_of_other_run_folders_count() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] =
            ["first", "second"].map(|name| RunDir::new(folder.path().join(name), None));
        let mut plan = Plan::default();
        let needed = plan.add(Sum { number: 2, needs: Vec::new() }, "needed").unwrap();
        run(&plan, &first, false);
        let mut later = Plan::default();
        let again = later.add(Sum { number: 2, needs: Vec::new() }, "needed").unwrap();
        let needing = later.add(Sum { number: 3, needs: vec![needed] }, "needing").unwrap();
        let second = second.or(vec![first.folder.clone()]);
        assert_eq!(run(&later, &second, false), Ending::Finished(Vec::new()));
        let own = Results::of(&second.folder);
        assert_eq!(own.output::<u64>(again).unwrap(), None);
        assert_eq!(own.output::<u64>(needing).unwrap(), Some(5));
    }

    #[test]
    fn a_dependency_outside_the_plan_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] =
            ["first", "second"].map(|name| RunDir::new(folder.path().join(name), None));
        let mut plan = Plan::default();
        let outside = plan.add(Sum { number: 2, needs: Vec::new() }, "outside").unwrap();
        run(&plan, &first, false);
        let mut alone = Plan::default();
        let needing = alone.add(Sum { number: 3, needs: vec![outside] }, "needing").unwrap();
        let second = second.or(vec![first.folder.clone()]);
        assert_eq!(run(&alone, &second, false), Ending::Finished(Vec::new()));
        assert_eq!(second.results().output::<u64>(needing).unwrap(), Some(5));
    }

    #[test]
    fn a_failed_job_stops_only_those_that_need_it() {
        let folder = tempfile::tempdir().unwrap();
        let dir = RunDir::new(folder.path().join("sums"), None);
        let mut plan = Plan::default();
        let failing = plan.add(Sum { number: 13, needs: Vec::new() }, "failing").unwrap();
        let needing = plan.add(Sum { number: 1, needs: vec![failing] }, "needing").unwrap();
        let other = plan.add(Sum { number: 2, needs: Vec::new() }, "other").unwrap();
        let failed = vec![("failing".to_owned(), "13 is no number".to_owned())];
        assert_eq!(run(&plan, &dir, false), Ending::Finished(failed));
        let results = Results::of(&dir.folder);
        assert_eq!(results.failure(failing).unwrap().as_deref(), Some("13 is no number"));
        assert_eq!(results.output::<u64>(needing).unwrap(), None);
        assert_eq!(results.output::<u64>(other).unwrap(), Some(2));
        // The advice of the next run is a key, whether or not the job has a folder.
        let (stop, mut warnings) = (AtomicBool::new(false), Warnings::default());
        run_all(&plan, &dir, &mut Control { observer: &mut warnings, stop: &stop }).unwrap();
        let advice = format!("13 is no number (`oplus runs rm {failing}` to try again)");
        let blocked = "not done, failed dependency: needing".to_owned();
        assert_eq!(warnings.0, [format!("failing failed: {advice}"), blocked]);
        // Removed, it is run again.
        results.remove(&[failing]).unwrap();
        let mut control = Control { observer: &mut Silent, stop: &stop };
        let needing = plan.find(needing).unwrap();
        let waits = run_one(&plan, needing, &dir, &mut control).unwrap_err();
        assert!(waits.to_string().contains("depends on"), "{waits}");
    }
}
