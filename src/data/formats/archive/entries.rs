//! Archives as files of games: cut into blocks, decoded block by block.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    ArchiveEnding, ArchiveError, ArchivePart, BLOCK_HEAD_BYTES, BlockHead, Blocks, Codec, Preamble,
};
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::{FormatReader, Splitter};
use crate::formats::source::Source;
use chess::Game;

/// Limit of the memory that the unpacked blocks of a batch take: a few bytes can hold many
/// games that are alike.
const BATCH_UNPACKED_BYTES: u64 = 256 << 20;

/// Cuts archives into their blocks; several may stand in a file one behind the other.
struct BlockSplitter {
    blocks: Blocks,
    codecs: Arc<Codecs>,
}

/// The codec of the blocks behind each place of a file, in ascending order.
#[derive(Default)]
struct Codecs(Mutex<Vec<(u64, Arc<Codec>)>>);

impl Codecs {
    fn add(&self, place: u64, codec: Codec) {
        let mut codecs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codecs.push((place, Arc::new(codec)));
    }

    fn at(&self, place: u64) -> Option<Arc<Codec>> {
        let codecs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codecs.iter().rfind(|(from, _)| *from <= place).map(|(_, codec)| codec.clone())
    }
}

/// Entries that stand in the place of a block: its first byte is another.
mod note {
    /// Bytes that are no block; how many games they held is not known.
    pub(super) const DAMAGE: u8 = 0;
    /// A damaged block; its number of games follows.
    pub(super) const BLOCK: u8 = 1;
    /// An archive that is not whole; how it ends follows in words.
    pub(super) const ENDING: u8 = 2;
}

/// Reads the head of an archive; its blocks follow.
pub(crate) fn open(source: &mut Source) -> Result<FormatReader, DataError> {
    let preamble = Preamble::read(source).map_err(|error| data_error(source, error))?;
    let codecs = Arc::new(Codecs::default());
    codecs.add(preamble.bytes, preamble.codec);
    let splitter = BlockSplitter { blocks: Blocks::behind(preamble.bytes), codecs: codecs.clone() };
    Ok(FormatReader::packed_games(splitter, move |bytes, place| decode(&codecs, bytes, place)))
}

fn data_error(source: &Source, error: ArchiveError) -> DataError {
    match error {
        ArchiveError::Io(error) => source.error(error),
        error => DataError::Archive { path: source.path().to_owned(), error },
    }
}

impl Splitter for BlockSplitter {
    /// Missing and damaged blocks become entries of their own.
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        let mut unpacked = 0;
        while !batch.is_full() && unpacked < BATCH_UNPACKED_BYTES {
            let (start, place) = (batch.bytes.len(), self.blocks.place());
            match self.blocks.next_part(source).map_err(|error| data_error(source, error))? {
                ArchivePart::Block(block) => {
                    batch.bytes.extend_from_slice(&block.head.to_bytes());
                    batch.bytes.extend_from_slice(&block.content);
                    unpacked += block.head.unpacked_bytes();
                }
                ArchivePart::Damage { games: None } => batch.bytes.push(note::DAMAGE),
                ArchivePart::Damage { games: Some(games) } => {
                    batch.bytes.push(note::BLOCK);
                    batch.bytes.extend_from_slice(&games.to_le_bytes());
                }
                ArchivePart::Ending(ArchiveEnding::Whole) => continue,
                ArchivePart::Ending(ending) => {
                    batch.bytes.push(note::ENDING);
                    batch.bytes.extend_from_slice(ending.to_string().as_bytes());
                }
                ArchivePart::Preamble(preamble) => {
                    self.codecs.add(self.blocks.place(), preamble.codec);
                    continue;
                }
                ArchivePart::End => break,
            }
            batch.close_entry(start, place);
        }
        Ok(())
    }
}

/// The games of a block that begins at that byte of its file.
fn decode(codecs: &Codecs, bytes: &[u8], place: u64) -> Vec<Result<Game, BadEntry>> {
    let bad = |defect, detail: String| {
        vec![Err(BadEntry { defect, place: format!("byte {place}"), detail })]
    };
    match bytes {
        [note::ENDING, words @ ..] => {
            return bad(Defect::CutShort, String::from_utf8_lossy(words).into_owned());
        }
        [note::BLOCK, games @ ..] => {
            let games = games.first_chunk().map_or(0, |games| u32::from_le_bytes(*games));
            return bad(Defect::Malformed, format!("a block of {games} games is damaged and lost"));
        }
        _ => {}
    }
    let (Some((head, content)), Some(codec)) =
        (bytes.split_first_chunk::<BLOCK_HEAD_BYTES>(), codecs.at(place))
    else {
        let detail = "the archive is damaged here; what follows up to the next block is lost";
        return bad(Defect::Malformed, detail.to_owned());
    };
    let head = BlockHead::from_bytes(head);
    match head.and_then(|head| codec.unpack(&head, content).ok()) {
        Some(games) => games.into_iter().map(Ok).collect(),
        None => {
            let (games, plies) = head.map_or((0, 0), |head| (head.games, head.plies));
            let bytes = content.len();
            let detail = format!(
                "a block claims {games} games with {plies} plies in {bytes} bytes, which hold no such \
                 games; it is lost"
            );
            bad(Defect::Malformed, detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Access, Layout, Mode};
    use crate::formats::entry::GameReader;
    use crate::formats::writer::DataWriter;
    use chess::{Game, GameMove, Score};

    fn open_games() -> Vec<PathBuf> {
        let folder =
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open"));
        let names = ["lichess_gm_evals", "lichess_bullet", "lichess_chess960", "tcec_frc"];
        let more = ["lichess_from_position", "tcec_std"];
        let games = names.iter().chain(&more).map(|name| format!("games/{name}.pgn.zst"));
        let raw = std::fs::read_dir(folder.join("raw_pgn")).unwrap();
        let raw = raw.map(|entry| entry.unwrap().path());
        games.map(|name| folder.join(name)).chain(raw).collect()
    }

    fn read(path: &std::path::Path) -> Vec<Game> {
        let mut reader = GameReader::open(path).unwrap();
        let mut games = Vec::new();
        while let Some(batch) = reader.next_batch(|game| game).unwrap() {
            games.extend(batch.into_iter().flatten());
        }
        games
    }

    /// All that an archive keeps: scores in 16 bits.
    fn kept(m: &GameMove) -> (chess::Move, Option<i16>) {
        (m.played, m.white_score.map(Score::to_i16))
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn all_open_games_survive() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.oarc");
        let layouts =
            [(Mode::Best, Access::Game), (Mode::Fast, Access::Block), (Mode::Fast, Access::Game)];
        let mut games = 0;
        for (path, (mode, access)) in open_games().iter().zip(layouts.iter().cycle()) {
            let wanted = read(path);
            assert!(!wanted.is_empty(), "{}", path.display());
            let layout = Layout { mode: *mode, access: *access, ..Layout::default() };
            let mut writer = DataWriter::create(&copy, layout).unwrap();
            wanted.iter().for_each(|game| writer.write_game(game).unwrap());
            let written = writer.finish().unwrap();
            assert_eq!(written.left_out.total(), 0, "{:?}", written.left_out.first());
            let found = read(&copy);
            assert_eq!(found.len(), wanted.len(), "{}", path.display());
            for (found, wanted) in found.iter().zip(&wanted) {
                assert_eq!(found.start.fen(), wanted.start.fen());
                assert!(found.moves.iter().map(kept).eq(wanted.moves.iter().map(kept)));
                assert_eq!(found.result, wanted.result);
            }
            games += wanted.len();
        }
        assert!(games > 40_000, "{games}");
    }
}
