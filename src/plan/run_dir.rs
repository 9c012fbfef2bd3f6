//! A folder in which the jobs of one plan are run.
//!
//! ```text
//! results/KEY.json    results, one file each
//! leases/KEY          jobs under way
//! SLUG-KEY/           files of a job: checkpoints, metrics, a net
//! games/KEY.jsonl     games of a match
//! ```

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::context::Shared;
use crate::{PlanError, Planned, Results};

/// Bytes at the end of a file that tell versions apart: of a checkpoint they are its checksum.
const TAIL: u64 = 64;

/// The folder of an experiment, a comparison or a search, inside a folder of runs.
#[derive(Clone)]
pub struct RunDir {
    pub folder: PathBuf,
    /// Games at once where clocks run; half the cores by default.
    pub timed_games: Option<usize>,
    /// Run folders whose results count where this one has none.
    others: Vec<PathBuf>,
    pub(crate) shared: Shared,
}

impl std::fmt::Debug for RunDir {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RunDir").field(&self.folder).finish()
    }
}

impl RunDir {
    pub fn new(folder: PathBuf, timed_games: Option<usize>) -> Self {
        Self { folder, timed_games, others: Vec::new(), shared: Shared::default() }
    }

    /// With the results of other run folders, which count where this one has none.
    pub fn or(self, others: Vec<PathBuf>) -> Self {
        Self { others, ..self }
    }

    /// Whether results of other folders may count.
    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// The results of this folder and of the others.
    pub fn results(&self) -> Results {
        let others = self.others.iter().map(|folder| Results::of(folder)).collect();
        Results::of(&self.folder).or(others)
    }

    /// The folder of all runs.
    pub fn runs(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    pub(crate) fn create(&self) -> Result<(), PlanError> {
        let results = self.folder.join("results");
        std::fs::create_dir_all(&results).map_err(|source| PlanError::Io { path: results, source })
    }

    /// The folder of a job that keeps files. A folder with another slug and the same key is the
    /// job's: slugs are for people.
    pub fn folder_of(&self, planned: &Planned) -> PathBuf {
        let named = self.folder.join(&planned.folder);
        if named.exists() {
            return named;
        }
        let end = format!("-{}", planned.key);
        let mut folders = entries(&self.folder).filter(|path| path.is_dir());
        folders.find(|path| path.to_string_lossy().ends_with(&end)).unwrap_or(named)
    }

    /// As [`folder_of`](Self::folder_of), renamed to the slug that the job has now.
    ///
    /// # Errors
    /// A folder that cannot be renamed.
    pub fn renamed_folder_of(&self, planned: &Planned) -> std::io::Result<PathBuf> {
        let (named, existing) = (self.folder.join(&planned.folder), self.folder_of(planned));
        if existing != named {
            std::fs::rename(&existing, &named)?;
        }
        Ok(named)
    }

    /// A hash of the names, lengths and ends of the files that a job has written so far: it changes
    /// with every bit of progress that the next run starts from.
    pub fn saved_progress(&self, planned: &Planned) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for path in self.files_of(planned) {
            hasher.update(path.as_os_str().as_encoded_bytes());
            // A file that disappears meanwhile is another change.
            let _ = end_of(&path)
                .map(|(length, tail)| hasher.update(&length.to_le_bytes()).update(&tail));
        }
        let hash = hasher.finalize();
        u64::from_le_bytes(std::array::from_fn(|i| hash.as_bytes()[i]))
    }

    /// Files of a job, in the order of names.
    pub fn files_of(&self, planned: &Planned) -> Vec<PathBuf> {
        let mut files = beginning(&self.folder, &format!("games-{}", planned.key));
        if !planned.folder.is_empty() {
            files.extend(beginning(&self.folder_of(planned), ""));
        }
        if let Ok(Some(log)) = planned.job.games() {
            let stem = log.trim_end_matches(".jsonl");
            files.extend(beginning(&self.folder.join("games"), stem));
        }
        files
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Files of a folder with this prefix.
fn beginning(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let own = path.file_name().map(|own| own.as_encoded_bytes().starts_with(prefix.as_bytes()));
        path.is_file() && own == Some(true)
    };
    let mut files: Vec<PathBuf> = entries(folder).filter(is_one).collect();
    files.sort();
    files
}

fn end_of(path: &Path) -> std::io::Result<(u64, Vec<u8>)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok((length, tail))
}
