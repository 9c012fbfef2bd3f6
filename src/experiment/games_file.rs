//! Files of self-play and of rescored games as studies: a job with shards, and the file in which
//! its games end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::planning::FileContents;
use super::preflight::{self, PreflightError};
use super::study::{Chapter, Files, Note, Study, StudyKind, StudyPlan};
use super::summary;
use super::workspace::Workspace;
use arena::NetId;
use arena::contender::Evaluation;
use base::{Content, Key, Observer, Silent};
use data::archive::Layout;
use data::{DataWriter, Filter, join};
use nnue::Net;
use plan::{JobError, Plan, Results, RunDir};
use report::Format::{Count, Percent, Text};
use report::{Column, Page, Section, Table};
use selfplay::rescore::{LabelEffort, Merge, Rescored};
use selfplay::{Games, GamesTarget, Labeller, Production, Rescore, SelfplaySettings, job_file};

/// A file of games, and how they are made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GamesFile {
    pub file: PathBuf,
    /// Whether it takes the place of an earlier file.
    pub replaces: bool,
    pub source: GamesSource,
    /// Threads of a process; 0 for all cores.
    pub threads: usize,
    name: String,
}

/// The origin of games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum GamesSource {
    Selfplay {
        /// PeSTO's tables by default.
        net: Option<PathBuf>,
        /// The book of the settings.
        book: Option<PathBuf>,
        settings: SelfplaySettings,
        target: GamesTarget,
    },
    Rescoring(Rescoring),
}

/// Games that get other scores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rescoring {
    pub from: Vec<PathBuf>,
    /// A player as matches name it.
    pub player: String,
    pub options: Vec<(String, String)>,
    /// Timeout of an engine's answer, in seconds.
    pub patience: u32,
    pub effort: LabelEffort,
    pub filter: Filter,
    pub merge: Merge,
    pub syzygy: Option<String>,
}

/// `oplus selfplay` and `oplus data rescore`.
pub static GAMES_FILE: StudyKind = StudyKind {
    name: "games-file",
    read: |note| Ok(Box::new(serde_json::from_str::<GamesFile>(&note.config)?)),
};

impl GamesFile {
    pub fn new(file: PathBuf, replaces: bool, source: GamesSource, threads: usize) -> Self {
        let kind = match source {
            GamesSource::Selfplay { .. } => "selfplay",
            GamesSource::Rescoring { .. } => "rescore",
        };
        let full = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = full.strip_suffix(&format!(".{}", extension(&file))).unwrap_or(&full);
        let name = format!("{kind}-{stem}");
        Self { file, replaces, source, threads, name }
    }

    /// The plan with its only job.
    fn planned(
        &self,
        mut contents: FileContents,
        observer: &mut dyn Observer,
    ) -> Result<(Plan, Key, FileContents), JobError> {
        let mut plan = Plan::default();
        plan.inputs.threads = self.threads;
        let title = format!("games of {}", self.file.display());
        let key = match &self.source {
            GamesSource::Selfplay { net, book, settings, target } => {
                let net = net.as_deref().map(Net::load).transpose()?;
                let player = net.map_or(Evaluation::Pesto, |net| Evaluation::Net(Arc::new(net)));
                let player = NetId::supply(&mut plan.inputs, player);
                plan.inputs.files.extend(settings.book.zip(book.clone()));
                let games = Games { player, settings: settings.clone(), target: *target };
                plan.add(games, title)?
            }
            GamesSource::Rescoring(rescoring) => {
                let extension = extension(&self.file);
                let rescore = rescoring.job(extension, &mut plan, &mut contents, observer)?;
                plan.add(rescore, title)?
            }
        };
        Ok((plan, key, contents))
    }

    /// The file of the job, in the run folder.
    fn made(&self, dir: &RunDir, key: Key) -> PathBuf {
        match self.source {
            GamesSource::Selfplay { .. } => job_file(dir, key, Games::EXTENSION),
            GamesSource::Rescoring { .. } => job_file(dir, key, &extension(&self.file)),
        }
    }

    fn table(&self, results: &Results, key: Key) -> Result<Option<Table>, JobError> {
        let file = self.file.display().to_string();
        Ok(match self.source {
            GamesSource::Selfplay { .. } => {
                results.output(key)?.map(|made| of_selfplay(&file, made))
            }
            GamesSource::Rescoring { .. } => {
                results.output(key)?.map(|made| of_rescoring(&file, made))
            }
        })
    }
}

/// `oarc`, `viri.zst`.
fn extension(file: &Path) -> String {
    let last = file.extension().unwrap_or_default().to_string_lossy();
    let before = file.file_stem().map(Path::new).and_then(Path::extension);
    match before {
        Some(before) if last == "zst" => format!("{}.{last}", before.to_string_lossy()),
        _ => last.into_owned(),
    }
}

impl Rescoring {
    fn job(
        &self,
        extension: String,
        plan: &mut Plan,
        contents: &mut FileContents,
        observer: &mut dyn Observer,
    ) -> Result<Rescore, JobError> {
        let inputs = &mut plan.inputs;
        let player = match Evaluation::named(&self.player)? {
            Some(evaluation) => Labeller::Own(NetId::supply(inputs, evaluation)),
            None => Labeller::Engine {
                command: self.player.clone(),
                options: self.options.clone(),
                patience: self.patience,
            },
        };
        let mut known = |path: &Path| -> Result<Vec<Content>, JobError> {
            let files = contents.of(path, observer)?;
            inputs.files.extend(files.iter().map(|(path, content)| (*content, path.clone())));
            Ok(files.into_iter().map(|(_, content)| content).collect())
        };
        let mut files = Vec::new();
        for path in &self.from {
            files.extend(known(path)?);
        }
        let filter = self.filter.clone().with_net(|net| {
            let missing = || JobError::message(format!("{} is not a file", net.display()));
            known(&net)?.first().copied().ok_or_else(missing)
        })?;
        let (effort, merge, syzygy) = (self.effort, self.merge, self.syzygy.clone());
        Ok(Rescore { files, player, effort, filter, merge, syzygy, extension })
    }
}

impl Study for GamesFile {
    fn kind(&self) -> &'static StudyKind {
        &GAMES_FILE
    }

    fn command(&self) -> &'static str {
        match self.source {
            GamesSource::Selfplay { .. } => "selfplay",
            GamesSource::Rescoring { .. } => "data rescore",
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn definition(&self) -> Result<String, JobError> {
        Ok(serde_json::to_string(self)?)
    }

    fn plan(
        &self,
        files: Files,
        _: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<StudyPlan, JobError> {
        let (plan, _, contents) = self.planned(files.known(), observer)?;
        Ok(StudyPlan::fixed(plan, contents))
    }

    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        let (plan, key, _) = self.planned(note.contents.clone(), &mut Silent)?;
        let results = dir.results();
        let table = self.table(&results, key)?;
        let page = Page {
            title: self.name.clone(),
            question: format!("Games of {}", self.file.display()),
            sections: table.into_iter().map(Section::from).collect(),
            provenance: summary::provenance(&plan, &results, &note.command)?,
            ..Page::default()
        };
        Ok(vec![page.into()])
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        DataWriter::format_of(&self.file)?;
        preflight::folders(self, workspace)?;
        preflight::file("the file of games", &self.file)?;
        match self.file.exists() && !self.replaces {
            true => Err(PreflightError::taken("the file of games", &self.file).into()),
            false => Ok(()),
        }
    }

    /// Writes the file once the job is done.
    fn deliver(&self, note: &Note, dir: &RunDir) -> Result<(), JobError> {
        let (_, key, _) = self.planned(note.contents.clone(), &mut Silent)?;
        if self.table(&dir.results(), key)?.is_some() {
            let (made, stop) = ([self.made(dir, key)], AtomicBool::new(false));
            let written = join(&made, &self.file, Layout::default(), &mut Silent, &stop)?;
            if let Some(warning) = written.left_out_warning(&self.file) {
                return Err(JobError::message(warning));
            }
        }
        Ok(())
    }
}

fn of_selfplay(file: &str, made: Production) -> Table {
    Table::of("games", "Games", [made])
        .column(Column::new("file", "file", Text), |_| file)
        .column(Column::new("games", "games", Count), |made| made.games)
        .column(Column::new("positions", "positions", Count), |made| made.positions)
        .column(Column::new("white_wins", "White won", Count), |made| made.white_wins)
        .column(Column::new("draws", "drawn", Count), |made| made.draws)
        .column(Column::new("black_wins", "Black won", Count), |made| made.black_wins)
        .column(Column::new("drawn", "share drawn", Percent(1)), |made| made.drawn())
        .summary()
        .table()
}

fn of_rescoring(file: &str, made: Rescored) -> Table {
    Table::of("games", "Games", [made])
        .column(Column::new("file", "file", Text), |_| file)
        .column(Column::new("games", "games", Count), |made| made.entries)
        .column(Column::new("positions", "positions", Count), |made| made.positions)
        .column(Column::new("scored", "with a new score", Count), |made| made.judged)
        .column(Column::new("mates", "mates among them", Count), |made| made.mates)
        .column(Column::new("unanswered", "unanswered", Count), |made| made.unanswered)
        .column(Column::new("corrected", "results corrected", Count), |made| made.corrected)
        .summary()
        .table()
}
