//! The job that plays games of self-play.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::shard_files::ShardFiles;
use crate::{GamesTarget, Production, SelfplayConfig, SelfplayFile, SelfplaySettings, Start, book};
use arena::NetId;
use base::{Key, Shard};
use data::job::games_file;
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Planned, RunDir, Traits, Work};

/// Plays games of a net against itself, into a file of the run folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    pub player: NetId,
    pub settings: SelfplaySettings,
    pub target: GamesTarget,
}

impl Work for Games {
    const KIND: &'static str = "games";
    const STAGE: &'static str = "self-play";
    const VERSION: u32 = 1;
    type Output = Production;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        self.player.job().into_iter().collect()
    }

    fn traits(&self) -> Traits {
        // A shard loads its net anew, so it has some hundred games.
        const GAMES: u64 = 100;
        const POSITIONS: u64 = 10_000;
        let shards = match self.target {
            GamesTarget::Games(games) => games / GAMES,
            GamesTarget::Positions(positions) => positions / POSITIONS,
        };
        Traits { group: "games", shards, ..Traits::default() }
    }

    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        Some(games_file(dir, planned.key))
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Production, JobError> {
        let files = files(context);
        let parts = files.finished();
        let production = self.play(context, (files.whole(), self.target, Shard::ALL), &parts)?;
        files.remove();
        Ok(production)
    }

    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        let path = files(context).of(shard);
        let target = GamesTarget::Games(approximate_games(self.target));
        self.play(context, (path, target, shard), &[]).map(drop)
    }
}

impl Games {
    /// Extension of the file, an archive.
    pub const EXTENSION: &'static str = "oarc";

    /// Plays the games of a file, taking over those of `parts`.
    fn play(
        &self,
        context: &mut Context<'_>,
        (path, target, shard): (PathBuf, GamesTarget, Shard),
        parts: &[PathBuf],
    ) -> Result<Production, JobError> {
        let player = self.player.load(context)?;
        let book = match &self.settings.book {
            Some(content) => book(&context.file(content)?)?,
            None => Vec::new(),
        };
        let (settings, threads) = (self.settings.clone(), context.plan().inputs.threads);
        let config = SelfplayConfig { settings, target, shard, book, threads };
        let start = Start::Resume;
        let file = SelfplayFile { path: &path, player: &player, config: &config, start, parts };
        let outcome = file.make(context.title(), context.observer, context.stop)?;
        outcome.made().map(|(made, _)| made).ok_or(JobError::Stopped)
    }
}

fn files<'c>(context: &Context<'c>) -> ShardFiles<'c> {
    ShardFiles { dir: context.dir(), key: context.planned().key, extension: Games::EXTENSION }
}

/// About as many games as reach a target: the job itself plays what is missing, and leaves out
/// what is too much.
fn approximate_games(target: GamesTarget) -> u64 {
    const POSITIONS_OF_A_GAME: u64 = 110;
    match target {
        GamesTarget::Games(games) => games,
        GamesTarget::Positions(positions) => positions.div_ceil(POSITIONS_OF_A_GAME),
    }
}
