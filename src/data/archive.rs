//! Games in this program's own archive: [`crate::archive`].

use std::sync::Arc;

use super::reader::{BadEntry, Batch, Defect};
use super::{DataError, Game, Source};
use crate::archive::{ArchiveError, BLOCK_HEAD_BYTES, BlockHead, Blocks, Codec, Part, Preamble};

/// Cuts an archive into its blocks.
pub struct Splitter {
    blocks: Blocks,
    offset: u64,
}

/// The first bytes of an archive; what then follows can be cut and unpacked.
pub fn begin(source: &mut Source) -> Result<(Splitter, Arc<Codec>), DataError> {
    let preamble = Preamble::read(source).map_err(|error| match error {
        ArchiveError::Io(error) => source.error(error),
        error => DataError::Archive { path: source.path().to_owned(), error },
    })?;
    let splitter = Splitter { blocks: Blocks::default(), offset: preamble.bytes };
    Ok((splitter, Arc::new(preamble.codec)))
}

impl Splitter {
    /// Adds blocks until the batch is full or the archive ends. Bytes that are no block
    /// make an empty entry.
    pub fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            let part = self.blocks.next_part(source).map_err(|error| source.error(error))?;
            let bytes = match part {
                Part::Block(block) => {
                    batch.bytes.extend_from_slice(&block.head.to_bytes());
                    batch.bytes.extend_from_slice(&block.content);
                    (batch.bytes.len() - start) as u64
                }
                Part::Damage { bytes, .. } => bytes,
                Part::Index | Part::End => break,
            };
            batch.close_entry(start, self.offset);
            self.offset += bytes;
        }
        Ok(())
    }
}

/// The games of a block that begins at that byte of its file.
pub fn decode(codec: &Codec, bytes: &[u8], offset: u64) -> Vec<Result<Game, BadEntry>> {
    let bad = |detail: &str| {
        let place = format!("byte {offset}");
        vec![Err(BadEntry { defect: Defect::Malformed, place, detail: detail.to_owned() })]
    };
    let Some((head, content)) = bytes.split_first_chunk::<BLOCK_HEAD_BYTES>() else {
        return bad("the archive is damaged here; what follows up to the next block is lost");
    };
    let games = BlockHead::from_bytes(head).map_or(0, |head| head.games as usize);
    match codec.unpack(content, games) {
        Ok(games) => games.into_iter().map(Ok).collect(),
        Err(_) => bad("the block is whole, but what it holds makes no sense"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crate::archive::{Access, Layout, Mode};
    use crate::chess::{Game, GameMove, Score};
    use crate::data::{DataWriter, GameReader};

    fn open_games() -> Vec<PathBuf> {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/open"));
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
    fn kept(m: &GameMove) -> (crate::chess::Move, Option<i16>) {
        (m.played, m.white_score.map(Score::to_i16))
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn all_open_games_survive() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.oarc");
        let layouts =
            [(Mode::Best, Access::Game), (Mode::Fast, Access::Block), (Mode::Rank, Access::Game)];
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
