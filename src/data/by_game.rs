//! Samples game by game, for statistics whose unit is the game: positions of one game are too
//! much alike to count as so many.
//!
//! Each game has a lot, a hash of its moves, and so many positions are those of the games with
//! the lowest lots. What is chosen, and its order, depends on what was played and on nothing
//! else; a game that is found twice is there once. A listed position is a game of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::filter::{Filter, StaticNet};
use super::share::{game_hash, position_hash, salted};
use super::split::Split;
use super::{
    Candidate, DataError, DataFile, DataSpec, Entry, EntryReader, Sample, SkipReport, place,
};
use crate::Defect;
use base::Observer;
use base::format::grouped;

/// Keeps lots apart from the validation set and from other choices made of hashes.
const SALT: u64 = u64::from_be_bytes(*b"discover");

/// Samples, those of a game one after the other.
#[derive(Clone, Debug, Default)]
pub struct SamplesByGame {
    samples: Vec<Sample>,
    /// Where the samples of each game end.
    ends: Vec<usize>,
    /// In rising order.
    lots: Vec<u64>,
    /// How many of the games are positions of lists, whose games nobody knows.
    pub listed: usize,
    /// What could not be read.
    pub skipped: SkipReport<Defect>,
}

impl SamplesByGame {
    /// Reads files and folders: of all games those of the lowest lots, whole, until they have
    /// `at_most` positions that the filter keeps, or all.
    ///
    /// # Errors
    /// A file that cannot be read, or does not tell what the filter asks; the stop flag.
    pub fn read(
        paths: &[PathBuf],
        filter: &Filter,
        at_most: usize,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Self, DataError> {
        Self::read_where(paths, filter, |_| true, at_most, observer, stop)
    }

    /// As [`read`](Self::read), of the games that validate where `spec` is trained on.
    ///
    /// # Errors
    /// As those of `read`; a share that is none.
    pub fn validating(
        spec: &DataSpec,
        at_most: usize,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Self, DataError> {
        let split = Split::new(spec.validation).ok_or(DataError::BadShare(spec.validation))?;
        let paths: Vec<PathBuf> = spec.train.iter().map(|part| part.path.clone()).collect();
        let validates = |entry: &Entry| match entry {
            Entry::Game(game) => split.game_validates(game),
            Entry::Position(listed) => split.position_validates(&listed.position),
        };
        Self::read_where(&paths, &spec.filter, validates, at_most, observer, stop)
    }

    fn read_where(
        paths: &[PathBuf],
        filter: &Filter,
        is_wanted: impl Fn(&Entry) -> bool + Sync,
        at_most: usize,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Self, DataError> {
        let paths = place::expand(paths)?;
        paths.iter().try_for_each(|path| check_served(path, filter))?;
        let judge = filter.clone().open()?;
        let draw = |entry: Entry| is_wanted(&entry).then(|| Drawn::of(&entry, &judge));
        let mut lowest = Lowest { at_most, ..Lowest::default() };
        let mut skipped = SkipReport::default();
        let sizes = paths.iter().filter_map(|path| std::fs::metadata(path).ok());
        observer.begin("reading games", sizes.map(|file| file.len()).sum(), "bytes");
        let mut before = 0;
        for path in &paths {
            let mut reader = EntryReader::open(path)?;
            while let Some(batch) = reader.next_batch(draw)? {
                for drawn in batch {
                    match drawn {
                        Ok(drawn) => drawn.into_iter().for_each(|drawn| lowest.offer(drawn)),
                        Err(bad) => skipped.add(bad.bad.defect, || bad.message),
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    return Err(DataError::Stopped);
                }
                let note = format!("{} positions", grouped(lowest.positions as u64));
                observer.advance(before + reader.bytes_read(), &note);
            }
            before += reader.finish()?.bytes;
        }
        let found = Self { skipped, ..lowest.finish() };
        observer.end(&format!(
            "{} positions of {} games",
            grouped(found.samples.len() as u64),
            grouped(found.games() as u64)
        ));
        Ok(found)
    }

    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub fn games(&self) -> usize {
        self.ends.len()
    }

    /// The same games with other samples in the place of theirs, such as other scores.
    pub fn map(mut self, change: impl Fn(&Sample) -> Sample + Sync) -> Self {
        self.samples.par_iter_mut().for_each(|sample| *sample = change(sample));
        self
    }

    /// Where the samples of a game lie.
    pub fn range(&self, game: usize) -> std::ops::Range<usize> {
        let start = game.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[game]
    }

    /// The games of the lowest lots until they have so many positions, or all.
    pub fn first(mut self, at_most: usize) -> Self {
        let games =
            (self.ends.iter().position(|&end| end >= at_most)).map_or(self.games(), |i| i + 1);
        self.ends.truncate(games);
        self.lots.truncate(games);
        self.samples.truncate(self.ends.last().copied().unwrap_or(0));
        self.listed = self.listed.min(games);
        self
    }

    /// Two parts, of which the first has about that share of the games, chosen by their lots:
    /// the same game is on the same side whatever else is there.
    pub fn split(self, share: f64, salt: u64) -> [Self; 2] {
        let mut parts = [Self::default(), Self::default()];
        for game in 0..self.games() {
            let is_first = (salted(self.lots[game], salt) as f64) < share * 2f64.powi(64);
            parts[usize::from(!is_first)].push(self.lots[game], &self.samples[self.range(game)]);
        }
        if self.listed > 0 {
            // All or none: a file of lists has no games.
            let games = parts.each_ref().map(Self::games);
            parts.iter_mut().zip(games).for_each(|(part, games)| part.listed = games);
        }
        parts
    }

    fn push(&mut self, lot: u64, samples: &[Sample]) {
        self.samples.extend_from_slice(samples);
        self.ends.push(self.samples.len());
        self.lots.push(lot);
    }
}

fn check_served(path: &Path, filter: &Filter) -> Result<(), DataError> {
    let format = DataFile::open(path)?.format();
    let Some(reasons) = filter.unserved(format) else { return Ok(()) };
    let (path, format, filter) = (path.to_owned(), format.name(), Box::new(filter.clone()));
    Err(DataError::Unserved { path, format, filter, reasons })
}

/// What the filter keeps of a game.
struct Drawn {
    lot: u64,
    is_listed: bool,
    samples: Vec<Sample>,
}

impl Drawn {
    fn of(entry: &Entry, filter: &Filter<StaticNet>) -> Self {
        let mut samples = Vec::new();
        let mut take = |candidate: &Candidate<'_>| {
            if filter.judge(candidate).is_none() {
                samples.extend(Sample::new(candidate));
            }
        };
        let (lot, is_listed) = match entry {
            Entry::Game(game) => {
                Candidate::visit(game, take);
                (salted(game_hash(game), SALT), false)
            }
            Entry::Position(listed) => {
                take(&listed.candidate());
                (position_hash(&listed.position, SALT), true)
            }
        };
        Self { lot, is_listed, samples }
    }
}

/// The games of lowest lots that have so many positions.
#[derive(Default)]
struct Lowest {
    at_most: usize,
    games: BTreeMap<u64, Drawn>,
    positions: usize,
}

impl Lowest {
    fn offer(&mut self, drawn: Drawn) {
        if drawn.samples.is_empty() || self.games.contains_key(&drawn.lot) {
            return;
        }
        self.positions += drawn.samples.len();
        self.games.insert(drawn.lot, drawn);
        while let Some(highest) = self.games.last_entry() {
            let without = self.positions - highest.get().samples.len();
            if without < self.at_most {
                return;
            }
            self.positions = without;
            highest.remove();
        }
    }

    fn finish(self) -> SamplesByGame {
        let mut found = SamplesByGame::default();
        for (lot, drawn) in self.games {
            found.push(lot, &drawn.samples);
            found.listed += usize::from(drawn.is_listed);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use base::Silent;

    const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/bootstrap.oarc");

    fn read(paths: &[&str], at_most: usize) -> SamplesByGame {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let none = AtomicBool::new(false);
        SamplesByGame::read(&paths, &Filter::default(), at_most, &mut Silent, &none).unwrap()
    }

    #[test]
    fn fewer_are_the_first_of_more_and_a_game_counts_once() {
        let (few, more) = (read(&[BUNDLED], 1_000), read(&[BUNDLED, BUNDLED], 5_000));
        assert!((1_000..1_200).contains(&few.samples().len()));
        assert_eq!(few.samples(), &more.samples()[..few.samples().len()]);
        assert_eq!(few.lots, more.lots[..few.games()]);
        assert_eq!(few.range(few.games() - 1).end, few.samples().len());
    }

    #[test]
    fn a_split_parts_games_and_a_smaller_share_is_within_a_larger() {
        let all = read(&[BUNDLED], 20_000);
        let [small, _] = all.clone().split(0.2, 7);
        let [large, rest] = all.clone().split(0.6, 7);
        assert_eq!(large.games() + rest.games(), all.games());
        assert!(small.lots.iter().all(|lot| large.lots.contains(lot)));
        assert!(rest.lots.iter().all(|lot| !large.lots.contains(lot)));
        let share = large.games() as f64 / all.games() as f64;
        let deviation = (0.6 * 0.4 / all.games() as f64).sqrt();
        assert!((share - 0.6).abs() < 4.0 * deviation, "{share}");
    }
}
