//! The job that gives games the scores of another player.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    Annotator, EndgameTables, LabelEffort, LabelRequest, Merge, RescoreError, RescoreFile, Rescored,
};
use crate::Start;
use crate::shard_files::{ShardFiles, job_file};
use arena::NetId;
use base::{Content, Key, Shard};
use chess::Syzygy;
use data::archive::Layout;
use data::{Filter, join};
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Planned, RunDir, Traits, Work};

/// Gives the games of some files the scores of a player, in a file of the run folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescore {
    /// Files of games or positions, in the order in which they are read.
    pub files: Vec<Content>,
    pub player: Labeller,
    pub effort: LabelEffort,
    /// Positions that get scores; an old score does not matter.
    pub filter: Filter<Content>,
    pub merge: Merge,
    /// Folders of the Syzygy tables that correct results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syzygy: Option<String>,
    /// Extension of the file, which decides its format.
    pub extension: String,
}

/// A player that labels positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labeller {
    /// Our own search.
    Own(NetId),
    Engine {
        command: String,
        options: Vec<(String, String)>,
        /// Timeout of an answer, in seconds.
        patience: u32,
    },
}

impl Work for Rescore {
    const KIND: &'static str = "rescore";
    const STAGE: &'static str = "rescoring";
    const VERSION: u32 = 1;
    type Output = Rescored;

    fn signature(&self) -> Option<u64> {
        let searches =
            matches!(self.player, Labeller::Own(_)) && self.effort != LabelEffort::Static;
        searches.then_some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        match &self.player {
            Labeller::Own(net) => net.job().into_iter().collect(),
            Labeller::Engine { .. } => Vec::new(),
        }
    }

    fn traits(&self) -> Traits {
        // The number of games is unknown before they are read.
        Traits { group: "games", shards: u64::MAX, ..Traits::default() }
    }

    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        Some(job_file(dir, planned.key, &self.extension))
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Rescored, JobError> {
        let files = self.files(context);
        let Some(count) = files.begun().first().map(|shard| shard.count()) else {
            return self.label(&files.whole(), Shard::ALL, context);
        };
        let (mut made, mut parts) = (Vec::new(), Vec::new());
        for shard in Shard::each_of(count) {
            let part = files.of(shard);
            let labelled = self.label(&part, shard, context)?;
            // A file without entries has no format.
            parts.extend((labelled.entries > 0).then_some(part));
            made.push(labelled);
        }
        join(&parts, &files.whole(), Layout::default(), context.observer, context.stop)
            .map_err(|error| stopped_or(error.into()))?;
        files.remove();
        Ok(made.into_iter().sum())
    }

    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        let part = self.files(context).of(shard);
        self.label(&part, shard, context).map(drop)
    }
}

impl Rescore {
    fn files<'f, 'c: 'f>(&'f self, context: &Context<'c>) -> ShardFiles<'f> {
        ShardFiles { dir: context.dir(), key: context.planned().key, extension: &self.extension }
    }

    fn label(
        &self,
        path: &Path,
        shard: Shard,
        context: &mut Context<'_>,
    ) -> Result<Rescored, JobError> {
        let files = self.files.iter().map(|content| context.file(content));
        let from: Vec<PathBuf> = files.collect::<Result<_, _>>()?;
        let filter = self.filter.clone().with_net(|content| context.file(&content))?;
        let annotator = self.annotator(context)?;
        annotator.warnings().iter().for_each(|warning| context.observer.warn(warning));
        let tables = self.syzygy.as_deref().map(Syzygy::open).transpose()?;
        let file = RescoreFile {
            from: &from,
            path,
            layout: &Layout::default(),
            request: &LabelRequest { filter, merge: self.merge, shard },
            annotator: &annotator,
            tables: self
                .syzygy
                .as_deref()
                .zip(tables.as_ref())
                .map(|(paths, table)| EndgameTables { paths, table }),
            threads: context.plan().inputs.threads,
            start: Start::Resume,
        };
        let outcome = file.make(context.observer, context.stop).map_err(stopped_or)?;
        outcome.made().map(|(made, _)| made).ok_or(JobError::Stopped)
    }

    fn annotator(&self, context: &Context<'_>) -> Result<Annotator, JobError> {
        let effort = self.effort;
        Ok(match &self.player {
            Labeller::Own(net) => Annotator::Own { evaluation: net.load(context)?, effort },
            Labeller::Engine { command, options, patience } => {
                let patience = Duration::from_secs((*patience).into());
                Annotator::new(command, effort, options.clone(), patience, context.stop)?
            }
        })
    }
}

fn stopped_or(error: RescoreError) -> JobError {
    match error {
        RescoreError::File(crate::FileError::Data(data::DataError::Stopped)) => JobError::Stopped,
        error => error.into(),
    }
}
