//! Positions drawn evenly from a file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rand::seq::index;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::defect::Defect;
use crate::error::DataError;
use crate::formats::archive::Archive;
use crate::formats::entry::{Entry, EntryReader};
use crate::samples::dataset::LoadProgress;
use crate::skip::SkipReport;
use chess::Position;

/// Some positions of a file.
#[derive(Clone, Debug)]
pub struct PositionSample {
    /// The positions, in file order.
    pub positions: Vec<Position>,
    /// Number of positions in the file.
    pub of: u64,
    /// Games read; `None` for a list of positions.
    pub games: Option<u64>,
    /// Games or lines that could not be read.
    pub skipped: SkipReport<Defect>,
}

/// Draws `count` positions, or all if there are fewer, each with the same
/// chance. Of games the positions in which a move was played are taken, of
/// lists all. The draw depends on the file and the seed alone.
///
/// Errors: a file that is missing, damaged, of no known format or without a
/// position; the stop flag.
pub fn sample_positions(
    path: &Path,
    count: usize,
    seed: u64,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<PositionSample, DataError> {
    let bytes_total = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut reader = EntryReader::open(path)?;
    let mut reservoir = Reservoir::new(count, seed);
    let (mut games, mut skipped) = (0, SkipReport::default());
    while let Some(batch) = reader.next_good(|entry| positions(&entry), &mut skipped)? {
        games += batch.len() as u64;
        batch.into_iter().flatten().for_each(|position| reservoir.offer(position));
        progress(LoadProgress {
            bytes_read: reader.bytes_read(),
            bytes_total,
            positions: reservoir.offered,
            kept: reservoir.kept.len() as u64,
        });
        DataError::if_stopped(stop)?;
    }
    if reservoir.offered == 0 {
        let first: String = skipped.first().iter().map(|m| format!("\n  {m}")).collect();
        let skipped = format!("{skipped}{first}");
        return Err(DataError::NoPositions { path: path.to_owned(), skipped });
    }
    let of = reservoir.offered;
    let games = reader.format().has_games().then_some(games);
    Ok(PositionSample { positions: reservoir.into_positions(), of, games, skipped })
}

/// Blocks of a large archive from which positions are drawn.
const BLOCKS: usize = 8;

/// As [`sample_positions`], without counting all positions: of an archive with many blocks only
/// some, drawn too, are unpacked, and [`PositionSample`] describes those.
///
/// # Errors
/// As those of [`sample_positions`].
pub fn some_positions(
    path: &Path,
    count: usize,
    seed: u64,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<PositionSample, DataError> {
    match of_some_blocks(path, count, seed) {
        Some(sample) => Ok(sample),
        None => sample_positions(path, count, seed, progress, stop),
    }
}

/// `None` for a file that is no archive, is damaged, or has too little in the blocks drawn:
/// reading all of it gives the error.
fn of_some_blocks(path: &Path, count: usize, seed: u64) -> Option<PositionSample> {
    let mut archive = Archive::open(BufReader::new(File::open(path).ok()?)).ok()?;
    if archive.blocks() <= BLOCKS {
        return None;
    }
    let mut reservoir = Reservoir::new(count, seed);
    let mut blocks = index::sample(&mut reservoir.rng, archive.blocks(), BLOCKS).into_vec();
    blocks.sort_unstable();
    let mut games = 0;
    for block in blocks {
        for game in archive.games_of_block(block).ok()? {
            games += 1;
            positions(&Entry::Game(game))
                .into_iter()
                .for_each(|position| reservoir.offer(position));
        }
    }
    let of = reservoir.offered;
    let skipped = SkipReport::default();
    let is_enough = of >= 2 * count as u64;
    is_enough.then(|| {
        let positions = reservoir.into_positions();
        PositionSample { positions, of, games: Some(games), skipped }
    })
}

/// The positions of a game in which a move was played, or the listed one.
fn positions(entry: &Entry) -> Vec<Position> {
    let mut positions = Vec::new();
    entry.visit(|candidate| positions.push(candidate.position.clone()));
    positions
}

/// An even draw from a stream of unknown length (Vitter's algorithm R): the
/// n-th position offered is kept with the chance room / n, in the place of
/// one kept before.
struct Reservoir {
    rng: ChaCha8Rng,
    room: usize,
    offered: u64,
    /// Positions with their numbers.
    kept: Vec<(u64, Position)>,
}

impl Reservoir {
    fn new(room: usize, seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), room, offered: 0, kept: Vec::new() }
    }

    fn offer(&mut self, position: Position) {
        let number = self.offered;
        self.offered += 1;
        if self.kept.len() < self.room {
            return self.kept.push((number, position));
        }
        let place = self.rng.random_range(0..self.offered);
        if let Some(kept) = usize::try_from(place).ok().and_then(|at| self.kept.get_mut(at)) {
            *kept = (number, position);
        }
    }

    fn into_positions(mut self) -> Vec<Position> {
        self.kept.sort_unstable_by_key(|&(number, _)| number);
        self.kept.into_iter().map(|(_, position)| position).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn file(name: &str, content: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn draw(path: &Path, count: usize, seed: u64) -> Result<PositionSample, DataError> {
        sample_positions(path, count, seed, &mut |_| {}, &AtomicBool::new(false))
    }

    /// Positions with their number as move counter.
    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("4k3/8/8/8/8/8/8/4K3 w - - 0 {n}\n")).collect()
    }

    #[test]
    fn a_draw_is_even_and_a_function_of_the_seed() {
        let (_folder, path) = file("list.fen", &numbered(40));
        let mut drawn = [0u32; 40];
        for seed in 0..400 {
            let sample = draw(&path, 10, seed).unwrap();
            assert_eq!((sample.positions.len(), sample.of, sample.games), (10, 40, None));
            let numbers: Vec<u32> = sample.positions.iter().map(Position::fullmoves).collect();
            assert!(numbers.windows(2).all(|w| w[0] < w[1]), "file order, none twice");
            numbers.iter().for_each(|&number| drawn[number as usize - 1] += 1);
        }
        // 400 draws with chance 1/4: mean 100, standard deviation 8.7.
        assert!(drawn.iter().all(|&times| (60..140).contains(&times)), "{drawn:?}");
        let fens = |seed| -> Vec<String> {
            draw(&path, 10, seed).unwrap().positions.iter().map(Position::fen).collect()
        };
        assert_eq!(fens(3), fens(3));
        assert_ne!(fens(3), fens(4));
    }

    #[test]
    fn games_give_the_positions_of_their_moves() {
        let (_folder, path) = file("games.pgn", "1. e4 e5 2. Nf3 *\n\n1. e4 Ke5 *\n");
        let sample = draw(&path, 100, 1).unwrap();
        assert_eq!((sample.of, sample.games, sample.skipped.total()), (3, Some(1), 1));
        assert_eq!(sample.positions[0].key(), Position::default().key());
    }

    #[test]
    fn bad_lines_are_counted() {
        let lines = format!("{}no position | 1 | 0.5\n", numbered(3).replace('\n', " | 3 | 0.5\n"));
        let (_folder, path) = file("list.txt", &lines);
        let sample = draw(&path, 10, 1).unwrap();
        assert_eq!((sample.of, sample.games, sample.skipped.total()), (3, None, 1));
        assert!(sample.skipped.first()[0].contains("list.txt: line 4"), "{:?}", sample.skipped);
    }

    #[test]
    fn what_cannot_be_taken_is_named_with_its_place() {
        let (_folder, path) = file("bad.epd", "\n# none\n8/8/8/8/8/8/8/8 w - -\n");
        let error = draw(&path, 10, 1).unwrap_err().to_string();
        assert!(error.contains("bad.epd: line 3"), "{error}");
        let (_folder, path) = file("empty.fen", "# nothing\n");
        let error = draw(&path, 10, 1).unwrap_err().to_string();
        assert!(error.contains("no positions in") && error.contains("empty.fen"), "{error}");
        let error = draw(Path::new("no/such.fen"), 10, 1).unwrap_err().to_string();
        assert!(error.contains("no/such.fen"), "{error}");
    }
}
