//! The job that plays games of self-play.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::file::Progress;
use crate::{FileError, Outcome, Production, Recipe, SelfplayConfig, SelfplayFile, Start, Target};
use arena::NetId;
use base::{Key, Observer, Shard};
use data::job::games_file;
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Planned, RunDir, Traits, Work};

/// Plays games of a net against itself, into a file of the run folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    pub player: NetId,
    pub recipe: Recipe,
    pub target: Target,
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
            Target::Games(games) => games / GAMES,
            Target::Positions(positions) => positions / POSITIONS,
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
        let target = Target::Games(approximate_games(self.target));
        self.play(context, (path, target, shard), &[]).map(drop)
    }
}

impl Games {
    /// Plays the games of a file, taking over those of `parts`.
    fn play(
        &self,
        context: &mut Context<'_>,
        (path, target, shard): (PathBuf, Target, Shard),
        parts: &[PathBuf],
    ) -> Result<Production, JobError> {
        let player = self.player.load(context)?;
        let (recipe, threads) = (self.recipe.clone(), context.plan().inputs.threads);
        let config = SelfplayConfig { recipe, target, shard, book: Vec::new(), threads };
        let start = Start::GoOn;
        let file = SelfplayFile { path: &path, player: &player, config: &config, start, parts };
        match make(&file, context.title(), context.observer, context.stop)? {
            Outcome::Stopped(_) => Err(JobError::Stopped),
            Outcome::Complete(made) | Outcome::Finished(made, _) => Ok(made),
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

/// About as many games as reach a target: the job itself plays what is missing, and leaves out
/// what is too much.
fn approximate_games(target: Target) -> u64 {
    const POSITIONS_OF_A_GAME: u64 = 110;
    match target {
        Target::Games(games) => games,
        Target::Positions(positions) => positions.div_ceil(POSITIONS_OF_A_GAME),
    }
}

/// Makes a file of self-play with progress; `title` names the stage.
///
/// # Errors
///
/// As [`SelfplayFile::make`].
pub fn make(
    file: &SelfplayFile<'_>,
    title: &str,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome, FileError> {
    let enough = file.config.enough();
    let (total, unit) = match enough {
        Target::Games(games) => (games, "games"),
        Target::Positions(positions) => (positions, "positions"),
    };
    observer.begin(title, total, unit);
    let mut advance = |progress: Progress| match progress {
        Progress::Playing(made) => observer.advance(of_target(&made, enough), &summary(&made)),
        Progress::Played(made) => {
            observer.end(&format!("{} positions in {}", made.positions, summary(&made)));
            let name = file.path.file_name().unwrap_or(file.path.as_os_str());
            observer.begin(&format!("writing {}", name.display()), made.games, "games");
        }
        Progress::Writing(games) => observer.advance(games, ""),
    };
    let outcome = file.make(&mut advance, stop)?;
    match outcome {
        Outcome::Complete(made) => {
            observer.end(&format!("{} positions are there already", made.positions));
        }
        Outcome::Finished(..) => observer.end(""),
        Outcome::Stopped(made) => observer.end(&format!("stopped at {}", summary(&made))),
    }
    Ok(outcome)
}

fn of_target(made: &Production, target: Target) -> u64 {
    match target {
        Target::Games(_) => made.games,
        Target::Positions(_) => made.positions,
    }
}

fn summary(made: &Production) -> String {
    format!("{} games, {} draws", made.games, made.draws)
}
