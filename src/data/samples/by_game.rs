//! Samples game by game, for statistics whose unit is the game: positions of one game are
//! correlated.
//!
//! Each game has a rank, a hash of its moves; a limited number of positions are those of the
//! games of lowest ranks. The choice and its order depend on the moves alone; a repeated game
//! counts once. A listed position is a game of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use crate::defect::Defect;
use crate::error::DataError;
use crate::formats::entry::{Entry, EntryReader};
use crate::formats::place;
use crate::samples::dataset::DataSpec;
use crate::samples::filter::{Filter, StaticNet};
use crate::samples::sample::Sample;
use crate::samples::share::{entry_hash, salted};
use crate::samples::split::Split;
use crate::skip::SkipReport;
use base::Observer;
use base::format::grouped;

/// Keeps ranks apart from the validation set and from other choices made of hashes.
const SALT: u64 = u64::from_be_bytes(*b"discover");

/// Samples, those of a game one after the other.
#[derive(Clone, Debug, Default)]
pub struct SamplesByGame {
    samples: Vec<Sample>,
    /// Ends of the samples of each game.
    ends: Vec<usize>,
    /// Ranks of the games, ascending.
    ranks: Vec<u64>,
    /// Games that are positions of lists, whose games are not known.
    pub listed: usize,
    /// Entries that could not be read.
    pub skipped: SkipReport<Defect>,
}

impl SamplesByGame {
    /// Reads files and folders: of all games those of the lowest ranks, whole, until they have
    /// `at_most` positions that the filter keeps, or all.
    ///
    /// # Errors
    /// A file that cannot be read, or lacks a field that the filter needs; the stop flag.
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
        let validates = |entry: &Entry| split.validates(entry);
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
        for path in &paths {
            filter.check_served(path, EntryReader::open(path)?.format())?;
        }
        let judge = filter.clone().open()?;
        let draw = |entry: Entry| is_wanted(&entry).then(|| RankedGame::of(&entry, &judge));
        let mut lowest = LowestRanks { at_most, ..LowestRanks::default() };
        let mut skipped = SkipReport::default();
        let sizes = paths.iter().filter_map(|path| std::fs::metadata(path).ok());
        observer.begin("reading games", sizes.map(|file| file.len()).sum(), "bytes");
        let mut before = 0;
        for path in &paths {
            let mut reader = EntryReader::open(path)?;
            while let Some(drawn) = reader.next_good(draw, &mut skipped)? {
                drawn.into_iter().flatten().for_each(|drawn| lowest.offer(drawn));
                DataError::if_stopped(stop)?;
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

    /// Range of the samples of a game.
    pub fn range(&self, game: usize) -> std::ops::Range<usize> {
        let start = game.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[game]
    }

    /// The games of the lowest ranks until they have `at_most` positions, or all.
    pub fn first(mut self, at_most: usize) -> Self {
        let games =
            (self.ends.iter().position(|&end| end >= at_most)).map_or(self.games(), |i| i + 1);
        self.ends.truncate(games);
        self.ranks.truncate(games);
        self.samples.truncate(self.ends.last().copied().unwrap_or(0));
        self.listed = self.listed.min(games);
        self
    }

    /// Two parts, the first with about that share of the games, chosen by their ranks: the side of
    /// a game is independent of the other games.
    pub fn split(self, share: f64, salt: u64) -> [Self; 2] {
        let mut parts = [Self::default(), Self::default()];
        for game in 0..self.games() {
            let is_first = (salted(self.ranks[game], salt) as f64) < share * 2f64.powi(64);
            parts[usize::from(!is_first)].push(self.ranks[game], &self.samples[self.range(game)]);
        }
        if self.listed > 0 {
            // All or none: a file of lists has no games.
            let games = parts.each_ref().map(Self::games);
            parts.iter_mut().zip(games).for_each(|(part, games)| part.listed = games);
        }
        parts
    }

    fn push(&mut self, rank: u64, samples: &[Sample]) {
        self.samples.extend_from_slice(samples);
        self.ends.push(self.samples.len());
        self.ranks.push(rank);
    }
}

/// A game's samples that pass the filter, and its rank.
struct RankedGame {
    rank: u64,
    is_listed: bool,
    samples: Vec<Sample>,
}

impl RankedGame {
    fn of(entry: &Entry, filter: &Filter<StaticNet>) -> Self {
        let mut samples = Vec::new();
        entry.visit(|candidate| {
            if filter.judge(candidate).is_none() {
                samples.extend(Sample::new(candidate));
            }
        });
        let is_listed = matches!(entry, Entry::Position(_));
        Self { rank: entry_hash(entry, SALT), is_listed, samples }
    }
}

/// The games of lowest ranks that together have `at_most` positions.
#[derive(Default)]
struct LowestRanks {
    at_most: usize,
    games: BTreeMap<u64, RankedGame>,
    positions: usize,
}

impl LowestRanks {
    fn offer(&mut self, drawn: RankedGame) {
        if drawn.samples.is_empty() || self.games.contains_key(&drawn.rank) {
            return;
        }
        self.positions += drawn.samples.len();
        self.games.insert(drawn.rank, drawn);
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
        for (rank, drawn) in self.games {
            found.push(rank, &drawn.samples);
            found.listed += usize::from(drawn.is_listed);
        }
        found
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(few.ranks, more.ranks[..few.games()]);
        assert_eq!(few.range(few.games() - 1).end, few.samples().len());
    }

    #[test]
    fn a_split_parts_games_and_a_smaller_share_is_within_a_larger() {
        let all = read(&[BUNDLED], 20_000);
        let [small, _] = all.clone().split(0.2, 7);
        let [large, rest] = all.clone().split(0.6, 7);
        assert_eq!(large.games() + rest.games(), all.games());
        assert!(small.ranks.iter().all(|rank| large.ranks.contains(rank)));
        assert!(rest.ranks.iter().all(|rank| !large.ranks.contains(rank)));
        let share = large.games() as f64 / all.games() as f64;
        let deviation = (0.6 * 0.4 / all.games() as f64).sqrt();
        assert!((share - 0.6).abs() < 4.0 * deviation, "{share}");
    }
}
