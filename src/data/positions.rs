//! Positions drawn evenly from a file, for whoever wants a few to look at.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use archive::Archive;
use rand::seq::index;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Candidate, DataError, DataFile, Defect, Game, LoadProgress, Reader, SkipReport};
use chess::Position;

/// Some positions of a file.
#[derive(Clone, Debug)]
pub struct PositionSample {
    /// The positions, in file order.
    pub positions: Vec<Position>,
    /// How many positions they are drawn from: those of the file.
    pub of: u64,
    /// Games read; `None` for a list of positions.
    pub games: Option<u64>,
    /// Games or lines that could not be taken.
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
    let mut draw = Draw {
        reservoir: Reservoir::new(count, seed),
        progress,
        stop,
        bytes_total: std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
        entries: 0,
        skipped: SkipReport::default(),
    };
    let file = DataFile::open(path)?;
    let has_games = file.format().has_games();
    match file {
        DataFile::Games(games) => draw.read(games, |game| positions(&game))?,
        DataFile::List(list) => draw.read(list, |listed| vec![listed.position])?,
    }
    let Draw { reservoir, entries, skipped, .. } = draw;
    if reservoir.offered == 0 {
        let first: String = skipped.first().iter().map(|m| format!("\n  {m}")).collect();
        let skipped = format!("{skipped}{first}");
        return Err(DataError::NoPositions { path: path.to_owned(), skipped });
    }
    let of = reservoir.offered;
    let games = has_games.then_some(entries);
    Ok(PositionSample { positions: reservoir.into_positions(), of, games, skipped })
}

/// Blocks of an archive out of which positions are drawn, where it has many.
const BLOCKS: usize = 32;

/// As [`sample_positions`], for whoever wants some positions without knowing how many there are: of
/// an archive with many blocks only some, drawn too, are unpacked. Of these [`PositionSample`] tells.
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

/// `None` of a file that is no archive, is damaged, or has too little in the blocks that are drawn:
/// whoever reads all of it says so.
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
            positions(&game).into_iter().for_each(|position| reservoir.offer(position));
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

struct Draw<'a> {
    reservoir: Reservoir,
    progress: &'a mut dyn FnMut(LoadProgress),
    stop: &'a AtomicBool,
    bytes_total: u64,
    /// Games or lines read.
    entries: u64,
    skipped: SkipReport<Defect>,
}

impl Draw<'_> {
    fn read<E>(
        &mut self,
        mut reader: Reader<E>,
        positions: impl Fn(E) -> Vec<Position> + Sync,
    ) -> Result<(), DataError> {
        let mut number = 0u64;
        while let Some(batch) = reader.next_batch(&positions)? {
            for entry in batch {
                number += 1;
                match entry {
                    Ok(positions) => {
                        self.entries += 1;
                        positions.into_iter().for_each(|position| self.reservoir.offer(position));
                    }
                    Err(bad) => self.skipped.add(bad.defect, || reader.message(number, &bad)),
                }
            }
            self.say(reader.bytes_read())?;
        }
        Ok(())
    }

    fn say(&mut self, bytes_read: u64) -> Result<(), DataError> {
        (self.progress)(LoadProgress {
            bytes_read,
            bytes_total: self.bytes_total,
            positions: self.reservoir.offered,
            kept: self.reservoir.kept.len() as u64,
        });
        if self.stop.load(Ordering::Relaxed) { Err(DataError::Stopped) } else { Ok(()) }
    }
}

/// The positions in which a move was played.
fn positions(game: &Game) -> Vec<Position> {
    let mut positions = Vec::with_capacity(game.moves.len());
    Candidate::visit(game, |candidate| positions.push(candidate.position.clone()));
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

    /// Positions that tell their number by their move counter.
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
