//! Files of searches: genome, methods, fitness, and matches of the answers.
//!
//! A file is a study: a search for each method and seed, and matches of their answers.

mod checks;
mod conditions;
mod config;
mod curves;
mod error;
mod found;
mod page;
mod planning;
mod publish;

use std::path::Path;

use crate::Evolved;
use base::{Observer, Silent};
use experiment::planning::FileContents;
use experiment::{Chapter, Files, Note, Study, StudyKind, StudyPlan, Workspace, preflight};
use plan::{JobError, PlanError, RunDir};

pub use config::{Budget, Config, FitnessConfig, GenomeConfig, NamedMethod, TrialConfig};
pub use error::EvolveError;
pub use planning::Planning;

/// A file of searches as a study.
#[derive(Clone, Debug)]
pub struct Evolution {
    pub config: Config,
    /// The file.
    text: String,
}

/// `oplus evolve`.
pub static EVOLUTION: StudyKind = StudyKind {
    name: "evolution",
    read: |note| {
        let (title, text) = (Path::new("the file of the last run"), note.config.clone());
        Ok(Box::new(Evolution::parse(title, text)?))
    },
};

impl Evolution {
    /// # Errors
    /// A file that cannot be read, an invalid key or value.
    pub fn read(path: &Path) -> Result<Self, EvolveError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| EvolveError::Io { path: path.to_owned(), source })?;
        Self::parse(path, text)
    }

    fn parse(path: &Path, text: String) -> Result<Self, EvolveError> {
        Ok(Self { config: Config::parse(path, &text)?, text })
    }

    /// Writes the answer of each search into a file named after method and seed: tables, margins or
    /// a net.
    ///
    /// # Errors
    /// A search without a result, a folder that cannot be written to.
    pub fn write_answers(&self, dir: &RunDir, into: &Path) -> Result<(), EvolveError> {
        let planning = Planning::of(&self.config, &mut FileContents::default(), &mut Silent)?;
        std::fs::create_dir_all(into)
            .map_err(|source| EvolveError::Io { path: into.to_owned(), source })?;
        for (method, searches) in self.config.methods.iter().zip(&planning.searches) {
            for planned in searches {
                let evolved: Option<Evolved> = dir.results().output(planned.key)?;
                let Some(answer) = evolved.and_then(|evolved| evolved.answers.last().cloned())
                else {
                    return Err(EvolveError::NoAnswer { method: method.label().to_owned() });
                };
                let (bytes, ending) = planning.genome.file(&answer.point);
                let label = method.label().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
                let path = into.join(format!("{label}-s{}.{ending}", planned.seed));
                base::write_atomically(&path, &[&bytes]).map_err(PlanError::from)?;
            }
        }
        Ok(())
    }
}

impl Study for Evolution {
    fn kind(&self) -> &'static StudyKind {
        &EVOLUTION
    }

    fn command(&self) -> &'static str {
        "evolve"
    }

    fn name(&self) -> &str {
        &self.config.name
    }

    fn definition(&self) -> Result<String, JobError> {
        Ok(self.text.clone())
    }

    fn plan(
        &self,
        files: Files,
        _: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError> {
        let mut contents = files.known();
        let planning = Planning::of(&self.config, &mut contents, observer)?;
        Ok(StudyPlan::fixed(planning.plan, contents))
    }

    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        let planning = Planning::of(&self.config, &mut note.contents.clone(), &mut Silent)?;
        let page = publish::page(&self.config, &planning, &dir.results(), &note.command)?;
        Ok(vec![page.into()])
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        Ok(preflight::folders(self, workspace)?)
    }
}
