//! The job that plays games of self-play.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    GamesTarget, Production, SelfplayConfig, SelfplayFile, SelfplaySettings, SessionOutcome, Start,
};
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
        // Each shard loads its net, so it has some hundred games.
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
        let (dir, key) = (context.dir(), context.planned().key);
        let (path, parts) = (games_file(dir, key), shard_files(dir, key));
        let production = self.play(context, (path, self.target, Shard::ALL), &parts)?;
        // Best effort: the file has all of their games.
        parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
        Ok(production)
    }

    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        let path = shard_file(context.dir(), context.planned().key, shard);
        let target = GamesTarget::Games(approximate_games(self.target));
        self.play(context, (path, target, shard), &[]).map(drop)
    }
}

impl Games {
    /// Plays the games of a file, taking over those of `parts`.
    fn play(
        &self,
        context: &mut Context<'_>,
        (path, target, shard): (PathBuf, GamesTarget, Shard),
        parts: &[PathBuf],
    ) -> Result<Production, JobError> {
        let player = self.player.load(context)?;
        let (settings, threads) = (self.settings.clone(), context.plan().inputs.threads);
        let config = SelfplayConfig { settings, target, shard, book: Vec::new(), threads };
        let start = Start::Resume;
        let file = SelfplayFile { path: &path, player: &player, config: &config, start, parts };
        match file.make(context.title(), context.observer, context.stop)? {
            SessionOutcome::Stopped(_) => Err(JobError::Stopped),
            SessionOutcome::Complete(made) | SessionOutcome::Finished(made, _) => Ok(made),
        }
    }
}

fn shard_file(dir: &RunDir, key: Key, shard: Shard) -> PathBuf {
    dir.folder.join(format!("games-{key}.{}.oarc", shard.slug()))
}

fn shard_files(dir: &RunDir, key: Key) -> Vec<PathBuf> {
    let prefix = format!("games-{key}.shard-");
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&prefix) && name.ends_with(".oarc")
    };
    let entries = std::fs::read_dir(&dir.folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_shard).collect()
}

/// Approximate number of games for a target: the job itself plays missing games and leaves out
/// those beyond the target.
fn approximate_games(target: GamesTarget) -> u64 {
    const POSITIONS_OF_A_GAME: u64 = 110;
    match target {
        GamesTarget::Games(games) => games,
        GamesTarget::Positions(positions) => positions.div_ceil(POSITIONS_OF_A_GAME),
    }
}
