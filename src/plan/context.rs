//! The context of a running job: inputs, results of other jobs, data in memory, progress, stop flag.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::{JobError, Plan, Planned, RunDir, Work};
use base::{Content, Key, Observer};

/// Progress and cancellation of work.
pub struct Control<'c> {
    pub observer: &'c mut dyn Observer,
    /// Set to stop.
    pub stop: &'c AtomicBool,
}

impl Control<'_> {
    /// # Errors
    /// [`JobError::Stopped`] once the stop flag is set.
    pub fn check(&self) -> Result<(), JobError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(JobError::Stopped),
            false => Ok(()),
        }
    }

    /// Runs parallel work that reports progress from any thread, while this thread passes it on to
    /// the observer.
    pub fn follow<T: Send>(
        &mut self,
        title: &str,
        total: u64,
        unit: &'static str,
        work: impl FnOnce(&(dyn Fn(u64, String) + Sync)) -> T + Send,
    ) -> T {
        const TICK: Duration = Duration::from_millis(20);
        self.observer.begin(title, total, unit);
        let at = Mutex::new((0, String::new()));
        let at = &at;
        std::thread::scope(|scope| {
            let progress = move |done: u64, note: String| {
                *at.lock().unwrap_or_else(PoisonError::into_inner) = (done, note);
            };
            let worker = scope.spawn(move || work(&progress));
            while !worker.is_finished() {
                std::thread::sleep(TICK);
                let (done, note) = at.lock().unwrap_or_else(PoisonError::into_inner).clone();
                self.observer.advance(done, &note);
            }
            // A panic of the worker is a bug of ours; it goes on as itself.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Data in memory that one job leaves for the next, one value of each type: a loaded data set, the
/// float weights of a net. The executor drops a value before a job that does not need the job it
/// belongs to, since such values take gigabytes.
#[derive(Default)]
pub(crate) struct Cache(HashMap<TypeId, (Key, Box<dyn Any + Send>)>);

impl Cache {
    pub(crate) fn keep_needs_of(&mut self, planned: &Planned) {
        let needs = planned.job.needs();
        self.0.retain(|_, (key, _)| *key == planned.key || needs.contains(key));
    }
}

/// Values that all jobs of a [`RunDir`] share, one of each type, for as long as the process has it
/// open.
pub(crate) type Shared = Arc<Mutex<Cache>>;

/// Inputs and tools of a running job.
pub struct Context<'c> {
    pub(crate) plan: &'c Plan,
    pub(crate) dir: &'c RunDir,
    pub(crate) planned: &'c Planned,
    pub(crate) title: &'c str,
    pub(crate) cache: &'c mut Cache,
    pub observer: &'c mut dyn Observer,
    /// Set to stop.
    pub stop: &'c AtomicBool,
}

impl<'c> Context<'c> {
    /// The title of the job, for progress.
    pub fn title(&self) -> &'c str {
        self.title
    }

    pub fn plan(&self) -> &'c Plan {
        self.plan
    }

    pub fn planned(&self) -> &'c Planned {
        self.planned
    }

    pub fn dir(&self) -> &'c RunDir {
        self.dir
    }

    pub fn control(&mut self) -> Control<'_> {
        Control { observer: self.observer, stop: self.stop }
    }

    /// [`Control::follow`] under the title of the job.
    pub fn follow<T: Send>(
        &mut self,
        total: u64,
        unit: &'static str,
        work: impl FnOnce(&(dyn Fn(u64, String) + Sync)) -> T + Send,
    ) -> T {
        let title = self.title;
        self.control().follow(title, total, unit, work)
    }

    /// The folder that belongs to this job.
    pub fn folder(&self) -> PathBuf {
        self.dir.folder_of(self.planned)
    }

    /// The folder of game logs.
    pub fn games(&self) -> PathBuf {
        self.dir.folder.join("games")
    }

    /// Definition of another job of the plan.
    ///
    /// # Errors
    /// A plan without such a job.
    pub fn job<W: Work>(&self, key: Key) -> Result<(&'c Planned, &'c W), JobError> {
        let planned = self.plan.find(key);
        planned
            .and_then(|planned| Some((planned, planned.job.get::<W>()?)))
            .ok_or_else(|| JobError::message(format!("the plan has no job `{}` {key}", W::KIND)))
    }

    /// Output of a job that this one needs.
    ///
    /// # Errors
    /// A result that is missing or cannot be read.
    pub fn output<W: Work>(&self, key: Key) -> Result<W::Output, JobError> {
        let output = self.dir.results().output(key)?;
        output.ok_or_else(|| JobError::message(format!("job `{}` {key} has no result", W::KIND)))
    }

    /// Path of a file by its content.
    ///
    /// # Errors
    /// A content that no file of the plan has.
    pub fn file(&self, content: &Content) -> Result<PathBuf, JobError> {
        let path = self.plan.inputs.files.get(content).cloned();
        path.ok_or_else(|| JobError::message(format!("no known file has the content {content}")))
    }

    /// The value that a job left in memory.
    pub fn cached<T: Clone + Send + 'static>(&self, key: Key) -> Option<T> {
        get(self.cache, key)
    }

    /// Leaves a value that belongs to a job for the next job, in place of one of the same type.
    pub fn cache<T: Clone + Send + 'static>(&mut self, key: Key, value: T) {
        self.cache.0.insert(TypeId::of::<T>(), (key, Box::new(value)));
    }

    /// Drops the cached value of a type.
    pub fn uncache<T: 'static>(&mut self) {
        self.cache.0.remove(&TypeId::of::<T>());
    }

    /// As [`cached`](Self::cached), for values that outlive the plan.
    pub fn shared<T: Clone + Send + 'static>(&self, key: Key) -> Option<T> {
        get(&self.dir.shared.lock().unwrap_or_else(PoisonError::into_inner), key)
    }

    /// As [`cache`](Self::cache), for values that outlive the plan.
    pub fn share<T: Clone + Send + 'static>(&self, key: Key, value: T) {
        let mut shared = self.dir.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.0.insert(TypeId::of::<T>(), (key, Box::new(value)));
    }
}

fn get<T: Clone + 'static>(cache: &Cache, key: Key) -> Option<T> {
    let (known, value) = cache.0.get(&TypeId::of::<T>())?;
    value.downcast_ref::<T>().filter(|_| *known == key).cloned()
}
