//! How much of an unfinished job is kept, for whoever wants to know whether it gets on.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::{Job, Planned, Workplace};

/// The last bytes of a file: of a checkpoint they are the sum over all of it.
const TAIL: u64 = 64;

impl Workplace {
    /// A number that is another one when more is kept of a job: of the names, lengths and ends of
    /// its files.
    pub fn kept(&self, planned: &Planned) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for path in self.files_of(planned) {
            hasher.update(path.as_os_str().as_encoded_bytes());
            // A file that went meanwhile is another change.
            let _ =
                end(&path).map(|(length, tail)| hasher.update(&length.to_le_bytes()).update(&tail));
        }
        let hash = hasher.finalize();
        u64::from_le_bytes(std::array::from_fn(|i| hash.as_bytes()[i]))
    }

    /// What a job has written so far, in the order of names.
    fn files_of(&self, planned: &Planned) -> Vec<PathBuf> {
        let mut files = beginning(&self.folder, &format!("games-{}", planned.key));
        if !planned.folder.is_empty() {
            files.extend(beginning(&self.folder_of(planned), ""));
        }
        if let Job::Measure(measure) = &planned.job
            && let Ok(Some(log)) = measure.games()
        {
            let stem = log.trim_end_matches(".jsonl");
            files.extend(beginning(&self.folder.join("games"), stem));
        }
        files
    }
}

/// Files of a folder whose names begin so.
fn beginning(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| {
        let own = path.file_name().map(|own| own.as_encoded_bytes().starts_with(name.as_bytes()));
        path.is_file() && own == Some(true)
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    files.sort();
    files
}

fn end(path: &Path) -> std::io::Result<(u64, Vec<u8>)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok((length, tail))
}
