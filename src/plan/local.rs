//! Carries a plan out on this machine, alone or with other processes.
//!
//! Whatever is not done, not begun by somebody else and not waiting for anything is done,
//! in the order of the plan. When all that is left is in others' hands, they are waited for.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::lease::{Lease, Noise};
use crate::state::{State, ended, kept_back};
use crate::telling::Teller;
use crate::worker::Worker;
use crate::{Outcome, Plan, PlanError, Planned, Results, Workplace};
use base::Shard;
use measure::Watch;

/// How often it is looked whether others are ready.
const PATIENCE: Duration = Duration::from_millis(200);

/// How a plan ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is done that can be; what came to nothing, and why.
    Finished(Vec<(String, String)>),
    /// It was stopped; another call goes on.
    Stopped,
}

/// Does whatever is not done yet.
///
/// # Errors
/// Whatever stops a job. What is done is kept.
pub fn carry_out(
    plan: &Plan,
    place: &Workplace,
    watch: &mut Watch<'_>,
) -> Result<Ending, PlanError> {
    place.prepare()?;
    let mut worker = Worker::new(plan, place);
    let mut ended_as: Vec<Option<State>> = vec![None; plan.jobs().len()];
    let mut told = String::new();
    loop {
        let (mut held, mut worked) = (None, false);
        for (at, planned) in plan.jobs().iter().enumerate() {
            if ended_as[at].is_some() {
                continue;
            }
            if watch.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Stopped);
            }
            match ready(plan, planned, &ended_as, place)? {
                Ready::Ended(state) => {
                    if let State::Failed(reason) = &state {
                        let Planned { title, folder, .. } = planned;
                        let again = format!("`oplus runs rm {folder}` to try again");
                        watch.observer.warn(&format!("{title} failed: {reason} ({again})"));
                    }
                    ended_as[at] = Some(state);
                }
                Ready::Waits => {}
                Ready::HeldBy(holder) => held = held.or(Some((planned, holder))),
                Ready::Mine(lease) => {
                    match attempt(&mut worker, planned, lease, watch)? {
                        Attempt::Stopped => return Ok(Ending::Stopped),
                        Attempt::Ended(state) => ended_as[at] = Some(state),
                    }
                    // What others have done meanwhile may have made an earlier one ready.
                    worked = true;
                    break;
                }
            }
        }
        match (worked, held) {
            (true, _) => {}
            (false, None) => break,
            (false, Some((planned, holder))) => {
                let waits = format!("{}: waiting for {holder}", planned.title);
                if waits != told {
                    watch.observer.warn(&waits);
                    told = waits;
                }
                sleep(PATIENCE);
            }
        }
    }
    let impossible = plan.jobs().iter().zip(&ended_as);
    let impossible = impossible.filter(|(_, state)| **state == Some(State::Impossible));
    let titles: Vec<&str> = impossible.map(|(planned, _)| planned.title.as_str()).collect();
    if !titles.is_empty() {
        let told = base::format::first_few(&titles);
        watch.observer.warn(&format!("not done, since what it needs failed: {told}"));
    }
    let failed = plan.jobs().iter().zip(ended_as).filter_map(|(planned, state)| match state? {
        State::Failed(reason) => Some((planned.title.clone(), reason)),
        _ => None,
    });
    Ok(Ending::Finished(failed.collect()))
}

/// Does one job, whose needs must be met. `None` if it was done already.
///
/// # Errors
/// Needs that are not met, somebody who is at it, whatever stops it.
pub fn one(
    plan: &Plan,
    planned: &Planned,
    place: &Workplace,
    watch: &mut Watch<'_>,
) -> Result<Option<State>, PlanError> {
    Ok(in_turn(plan, &[planned], place, watch)?.into_iter().next().flatten())
}

/// Does some jobs one after the other, each with what those before have at hand, as long as they
/// come to something; as [`one`] does.
///
/// # Errors
/// As those of [`one`].
pub fn in_turn(
    plan: &Plan,
    jobs: &[&Planned],
    place: &Workplace,
    watch: &mut Watch<'_>,
) -> Result<Vec<Option<State>>, PlanError> {
    place.prepare()?;
    let mut worker = Worker::new(plan, place);
    let mut states = Vec::new();
    for planned in jobs {
        let state = do_next(&mut worker, planned, watch)?;
        let has_failed = matches!(state, Some(State::Failed(_)));
        states.push(state);
        if has_failed {
            break;
        }
    }
    Ok(states)
}

fn do_next(
    worker: &mut Worker<'_>,
    planned: &Planned,
    watch: &mut Watch<'_>,
) -> Result<Option<State>, PlanError> {
    let (plan, place) = (worker.plan, worker.place);
    if ended(planned, place)?.is_some() {
        return Ok(None);
    }
    let (key, title) = (planned.key, planned.title.clone());
    let mut needs = Vec::new();
    for need in planned.job.needs() {
        let Some(needed) = plan.find(need) else { continue };
        if !matches!(ended(needed, place)?, Some(State::Done)) {
            needs.push(format!("{need} ({})", needed.title));
        }
    }
    if !needs.is_empty() {
        return Err(PlanError::Waits { key, title, needs });
    }
    let lease = match outwait(place, &key.to_string(), watch)? {
        Ok(lease) => lease,
        Err(holder) => return Err(PlanError::Held { key, title, holder }),
    };
    match attempt(worker, planned, lease, watch)? {
        Attempt::Stopped => Err(PlanError::Stopped),
        Attempt::Ended(state) => Ok(Some(state)),
    }
}

/// Plays a part of the games of a job, for the job itself to find: it takes in what there is, and
/// plays what is missing. `false` if the job is done.
///
/// # Errors
/// A job without games, somebody who is at this part, whatever stops it.
pub fn shard(
    plan: &Plan,
    planned: &Planned,
    shard: Shard,
    place: &Workplace,
    watch: &mut Watch<'_>,
) -> Result<bool, PlanError> {
    place.prepare()?;
    if ended(planned, place)?.is_some() {
        return Ok(false);
    }
    let (key, title) = (planned.key, format!("{}, {shard}", planned.title));
    let name = format!("{key}.{}", shard.slug());
    let lease = match outwait(place, &name, watch)? {
        Ok(lease) => lease,
        Err(holder) => return Err(PlanError::Held { key, title, holder }),
    };
    let _noise = quiet(place, planned, watch)?.ok_or(PlanError::Stopped)?;
    let mut teller = Teller::new(watch.observer, &place.folder, &name);
    let mut watch = Watch { observer: &mut teller, stop: watch.stop };
    Worker::new(plan, place).shard(planned, shard, &title, &mut watch)?;
    drop(lease);
    Ok(true)
}

/// A lease, if its holder turns out to be dead; who has it, if it turns out to live.
fn outwait(
    place: &Workplace,
    name: &str,
    watch: &mut Watch<'_>,
) -> Result<Result<Lease, String>, PlanError> {
    let mut told = false;
    loop {
        let held = match Lease::take(&place.folder, name)? {
            Ok(lease) => return Ok(Ok(lease)),
            Err(held) => held,
        };
        if held.is_alive {
            return Ok(Err(held.by));
        }
        if watch.stop.load(Ordering::Relaxed) {
            return Err(PlanError::Stopped);
        }
        if !std::mem::replace(&mut told, true) {
            watch.observer.warn(&format!("looking whether {} still lives", held.by));
        }
        sleep(PATIENCE);
    }
}

/// Notes that nothing comes of a job, and why.
///
/// # Errors
/// A folder that cannot be written to.
pub fn fail(planned: &Planned, place: &Workplace, reason: String) -> Result<(), PlanError> {
    place.prepare()?;
    Results::of(&place.folder).put(planned, Outcome::Failed(reason), 0.0)
}

enum Ready {
    Ended(State),
    Waits,
    HeldBy(String),
    Mine(Lease),
}

fn ready(
    plan: &Plan,
    planned: &Planned,
    before: &[Option<State>],
    place: &Workplace,
) -> Result<Ready, PlanError> {
    match kept_back(plan, planned, before) {
        Some(State::Waiting(_)) => return Ok(Ready::Waits),
        Some(state) => return Ok(Ready::Ended(state)),
        None => {}
    }
    if let Some(state) = ended(planned, place)? {
        return Ok(Ready::Ended(state));
    }
    Ok(match Lease::take(&place.folder, &planned.key.to_string())? {
        Err(held) => Ready::HeldBy(held.by),
        // Somebody may have finished it between the two looks.
        Ok(lease) => match ended(planned, place)? {
            Some(state) => Ready::Ended(state),
            None => Ready::Mine(lease),
        },
    })
}

enum Attempt {
    Ended(State),
    Stopped,
}

/// The machine for a job, once others leave it; `None` if it was stopped before.
fn quiet(
    place: &Workplace,
    planned: &Planned,
    watch: &mut Watch<'_>,
) -> Result<Option<Noise>, PlanError> {
    let mut waited = false;
    while !watch.stop.load(Ordering::Relaxed) {
        if let Some(noise) = Noise::make(place.runs(), planned.job.is_timed())? {
            return Ok(Some(noise));
        }
        if !waited {
            let quiet = "waiting until the jobs of other processes are done: this one wants the \
                         machine for itself, or another one does";
            watch.observer.warn(&format!("{}: {quiet}", planned.title));
            waited = true;
        }
        sleep(PATIENCE);
    }
    Ok(None)
}

fn attempt(
    worker: &mut Worker<'_>,
    planned: &Planned,
    lease: Lease,
    watch: &mut Watch<'_>,
) -> Result<Attempt, PlanError> {
    let place = worker.place;
    let Some(_noise) = quiet(place, planned, watch)? else { return Ok(Attempt::Stopped) };
    let started = Instant::now();
    let mut teller = Teller::new(watch.observer, &place.folder, &planned.key.to_string());
    let mut watch = Watch { observer: &mut teller, stop: watch.stop };
    let (outcome, state) = match worker.work(planned, &mut watch) {
        Ok(found) => (Outcome::Found(found), State::Done),
        Err(PlanError::Stopped) => return Ok(Attempt::Stopped),
        Err(error) if error.is_of_one_net() => {
            let reason = error.to_string();
            watch.observer.warn(&format!("{} failed: {reason}", planned.title));
            (Outcome::Failed(reason.clone()), State::Failed(reason))
        }
        Err(error) => return Err(error),
    };
    Results::of(&place.folder).put(planned, outcome, started.elapsed().as_secs_f64())?;
    drop(lease);
    Ok(Attempt::Ended(state))
}
