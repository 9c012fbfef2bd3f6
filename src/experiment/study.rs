//! Studies: long pieces of work, each a plan of jobs that ends in a page.
//!
//! An experiment or a search for sets, an evolution, a comparison and an ablation are studies. A
//! study is made from its [`Note`] by the `read` of its [`StudyKind`], in any process and later, so
//! that the [driver](crate::Driver), schedulers, `oplus watch` and `oplus runs` know no kind of study.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::forecast::Rates;
use super::planning::FileContents;
use super::workspace::Workspace;
use base::format::counted;
use base::{Key, Observer};
use plan::{Control, JobError, Plan, Planned, RunDir, State};
use report::Page;
use report::plot::Svg;

/// The last run of a study: enough to make it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Name of its [`StudyKind`].
    pub kind: String,
    /// The definition; of an experiment the resolved file.
    pub config: String,
    /// The command line.
    pub command: String,
    /// Contents of the files that it names.
    pub contents: FileContents,
    /// Folder of the page; `reports/NAME` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PathBuf>,
}

impl Note {
    /// The folder of the page: the recorded one, or that of the study's name in `reports`.
    pub fn page_folder(&self, reports: &Path, study: &str) -> PathBuf {
        self.page.clone().unwrap_or_else(|| reports.join(study))
    }
}

/// A kind of study. The program lists all of them.
#[derive(Debug)]
pub struct StudyKind {
    /// Name in notes.
    pub name: &'static str,
    pub read: ReadStudy,
}

/// Makes a study of any kind from its note.
pub type ReadStudy = fn(&Note) -> Result<Box<dyn Study>, JobError>;

/// A long piece of work that knows itself.
pub trait Study: fmt::Debug + Send + Sync {
    fn kind(&self) -> &'static StudyKind;

    /// The subcommand that runs it.
    fn command(&self) -> &'static str;

    /// Name of its folder of runs and of its page.
    fn name(&self) -> &str;

    /// The definition as text, for [`StudyKind::read`].
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    fn definition(&self) -> Result<String, JobError>;

    /// All jobs known so far. Reads results, and runs no job.
    ///
    /// # Errors
    /// A file or a result that cannot be read.
    fn plan(
        &self,
        files: Files,
        dir: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError>;

    /// The pages of the results so far, the main page first.
    ///
    /// # Errors
    /// No results, or a result that cannot be read.
    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError>;

    /// The main page while jobs run.
    ///
    /// # Errors
    /// A result that cannot be read.
    fn live(&self, note: &Note, dir: &RunDir) -> Result<Page, JobError> {
        Ok(Chapter::main_of(self.pages(note, dir)?))
    }

    /// Other run folders whose results count where its own has none.
    fn others(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Preflight checks that hold on any machine: files, folders, disk.
    ///
    /// # Errors
    /// The first failed check.
    fn check(&self, _: &Workspace) -> Result<(), JobError> {
        Ok(())
    }

    /// Preflight checks of this machine: devices, memory.
    ///
    /// # Errors
    /// The first failed check.
    fn check_machine(&self) -> Result<(), JobError> {
        Ok(())
    }

    /// Preflight checks that read data, for dry runs.
    ///
    /// # Errors
    /// Data that cannot be used.
    fn check_data(&self, _: &AtomicBool) -> Result<(), JobError> {
        Ok(())
    }

    /// Checks right before the first job.
    ///
    /// # Errors
    /// The first failed check.
    fn check_start(&self, _: &Plan, _: &RunDir, _: &mut Control<'_>) -> Result<(), JobError> {
        Ok(())
    }

    /// Warnings about a valid definition that may not be meant.
    ///
    /// # Errors
    /// A definition that cannot be expanded.
    fn lints(&self, _: &AtomicBool) -> Result<Vec<String>, JobError> {
        Ok(Vec::new())
    }

    /// Sizes, times, memory and disk as text, for dry runs; empty without any.
    ///
    /// # Errors
    /// A definition that cannot be expanded.
    fn overview(&self, _: &mut Rates) -> Result<String, JobError> {
        Ok(String::new())
    }

    /// Bytes of memory for the largest training, if any is forecast.
    ///
    /// # Errors
    /// A definition that cannot be expanded.
    fn memory_to_train(&self) -> Result<Option<u64>, JobError> {
        Ok(None)
    }

    /// Keys in which it differs from its last run, as text; `None` without any.
    fn changed(&self, _: &Note) -> Option<String> {
        None
    }

    /// Writes results that belong elsewhere than on a page; nothing while their jobs are open.
    ///
    /// # Errors
    /// A result that cannot be read, a disk that cannot be written to.
    fn deliver(&self, note: &Note, dir: &RunDir) -> Result<(), JobError> {
        let _ = (note, dir);
        Ok(())
    }

    /// A picture of the results.
    ///
    /// # Errors
    /// No results, or a result that cannot be read.
    fn card(&self, _: &Note, _: &RunDir) -> Result<Option<Svg>, JobError> {
        Ok(None)
    }
}

/// Files that a study names.
#[derive(Clone, Debug)]
pub enum Files {
    /// Files without a known content are read.
    Known(FileContents),
    /// Missing files have placeholders, and jobs that depend on them no final key.
    MayBeMissing,
}

impl Files {
    /// The known contents, for studies without placeholders.
    pub fn known(self) -> FileContents {
        match self {
            Self::Known(contents) => contents,
            Self::MayBeMissing => FileContents::default(),
        }
    }
}

/// The jobs of a study as far as results decide them.
#[derive(Clone, Debug)]
pub struct StudyPlan {
    pub plan: Plan,
    /// Contents of the files that the study names.
    pub contents: FileContents,
    /// Jobs without a final key, since they depend on missing files.
    pub unknown: HashSet<Key>,
    pub standing: Standing,
}

/// How far the jobs of a study are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All jobs, independent of results.
    Fixed,
    /// Results decide further jobs.
    Grows,
    /// Results have decided all jobs.
    Over,
    /// The study cannot go on, for this reason.
    Failed(String),
}

/// A page of a study.
#[derive(Clone, Debug, Default)]
pub struct Chapter {
    /// Folder below that of the main page; empty for the main page.
    pub folder: &'static str,
    /// Words of its link in the main page.
    pub about: &'static str,
    pub page: Page,
}

impl Chapter {
    pub(crate) fn main_of(chapters: Vec<Self>) -> Page {
        chapters.into_iter().next().map(|chapter| chapter.page).unwrap_or_default()
    }
}

impl From<Page> for Chapter {
    fn from(page: Page) -> Self {
        Self { page, ..Self::default() }
    }
}

impl StudyPlan {
    /// A remark on plans that grow.
    pub const MORE: &str = "more jobs follow: results of the search decide its next steps";

    /// All jobs, known from the beginning.
    pub fn fixed(plan: Plan, contents: FileContents) -> Self {
        Self { plan, contents, unknown: HashSet::new(), standing: Standing::Fixed }
    }

    /// Failures that leave the result incomplete, as a sentence. Where results decide jobs, failed
    /// jobs have decided the next ones.
    pub(crate) fn failures(&self, states: &[State]) -> Option<String> {
        let failure = |(planned, state): (&Planned, &State)| match state {
            State::Failed(reason) => Some(format!("{}: {reason}", planned.title)),
            _ => None,
        };
        match &self.standing {
            Standing::Failed(reason) => Some(reason.clone()),
            Standing::Grows | Standing::Over => None,
            Standing::Fixed => {
                let jobs = self.plan.jobs().iter().zip(states);
                let failed: Vec<String> = jobs.filter_map(failure).collect();
                let count = counted(failed.len() as u64, "job");
                (!failed.is_empty()).then(|| format!("{count} failed: {}", failed.join("; ")))
            }
        }
    }

    /// Whether more jobs may follow.
    pub fn grows(&self) -> bool {
        self.standing == Standing::Grows
    }
}
