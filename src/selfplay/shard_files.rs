//! Files of jobs with shards, inside the run folder.

use std::path::PathBuf;

use base::{Key, Shard};
use plan::RunDir;

/// The file of games of a job, and those of its shards.
pub(crate) struct ShardFiles<'d> {
    pub(crate) dir: &'d RunDir,
    pub(crate) key: Key,
    /// Extension, which decides the format.
    pub(crate) extension: &'d str,
}

/// The finished file of a job of self-play or rescoring.
pub fn job_file(dir: &RunDir, key: Key, extension: &str) -> PathBuf {
    ShardFiles { dir, key, extension }.whole()
}

impl ShardFiles<'_> {
    /// The file of the job.
    pub(crate) fn whole(&self) -> PathBuf {
        self.path("")
    }

    pub(crate) fn of(&self, shard: Shard) -> PathBuf {
        self.path(&format!(".{}", shard.slug()))
    }

    fn path(&self, part: &str) -> PathBuf {
        self.dir.folder.join(format!("games-{}{part}.{}", self.key, self.extension))
    }

    /// Shards with a file, finished or begun.
    pub(crate) fn begun(&self) -> Vec<Shard> {
        let mut shards: Vec<Shard> = self.names().filter_map(|(_, shard)| shard).collect();
        shards.sort_unstable();
        shards.dedup();
        shards
    }

    /// Finished files of shards.
    pub(crate) fn finished(&self) -> Vec<PathBuf> {
        self.begun().into_iter().map(|shard| self.of(shard)).filter(|path| path.exists()).collect()
    }

    /// Removes all files of shards. Best effort: the file of the job has all of their games.
    pub(crate) fn remove(&self) {
        for (name, _) in self.names().filter(|(_, shard)| shard.is_some()) {
            let _ = std::fs::remove_file(self.dir.folder.join(name));
        }
    }

    /// Names of the files of the job, with their shard.
    fn names(&self) -> impl Iterator<Item = (String, Option<Shard>)> {
        let stem = format!("games-{}", self.key);
        let entries = std::fs::read_dir(&self.dir.folder).into_iter().flatten().flatten();
        entries.filter_map(move |entry| {
            let name = entry.file_name().into_string().ok()?;
            let rest = name.strip_prefix(&stem)?.strip_prefix('.')?;
            let shard = rest.split('.').next().and_then(Shard::from_slug);
            Some((name, shard))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let dir = RunDir::new(folder.path().to_owned(), None);
        let key = Key::of("games", &1).unwrap();
        let files = ShardFiles { dir: &dir, key, extension: "viri.zst" };
        let [first, last] = ["1/3", "3/3"].map(|shard| shard.parse().unwrap());
        let begun = files.of(last).with_added_extension("journal");
        for path in [&files.whole(), &files.of(first), &begun] {
            std::fs::write(path, "").unwrap();
        }
        assert_eq!(files.begun(), [first, last]);
        assert_eq!(files.finished(), [files.of(first)]);
        files.remove();
        assert!(files.begun().is_empty() && files.whole().exists());
    }
}
