//! Stockfish's `.binpack`: chains of positions, as dense as training data gets elsewhere.
//!
//! A file is a row of chunks (`BINP`, size, content); a chunk is a row of chains, each a
//! packed position followed by moves and scores. What is read are games: a chain as long as
//! each position follows from the one before, which is from where the generator began to
//! record to where it stopped. The crate `sfbinpack` decodes the chunks; it panics on bytes
//! that make no sense, so what it says is taken with care: every move is looked up among
//! the legal ones, and where it gives up the rest of the chunk is lost and counted.
//!
//! Scores are the mover's, of the position before the move, in Stockfish's internal units,
//! of which a pawn had 208 or more: they are taken as they are. 32002 marks a position
//! without a score.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use sfbinpack::chess::color::Color as TheirColor;
use sfbinpack::{ChunkReader, TrainingDataEntry};

use super::batch::Batch;
use super::defect::{BadEntry, Defect};
use super::source::read_full;
use super::{DataError, Game, GameMove, GameResult, Score, Source};
use chess::{Board, Color, Move, Position, Role};

/// Begins every chunk.
pub(crate) const MAGIC: [u8; 4] = *b"BINP";
const HEAD_BYTES: usize = 8;
/// No chunk is longer. Writers end one at 1 MiB; the format allows more, but a byte of a
/// chunk can become thirty in memory, and chunks are unpacked whole.
const MOST_BYTES: u32 = 16 << 20;

/// After so many positions that make no sense the rest of a chunk is not looked at.
const MOST_FAULTS: usize = 1_000;

/// Cuts a stream of bytes into chunks.
#[derive(Default)]
pub(crate) struct Splitter {
    offset: u64,
}

impl Splitter {
    /// Adds chunks until the batch is full or the file ends; the last may be cut short.
    pub(crate) fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            if !self.next_chunk(source, &mut batch.bytes)? {
                break;
            }
            batch.close_entry(start, self.offset);
            self.offset += (batch.bytes.len() - start) as u64;
        }
        Ok(())
    }

    /// Adds the next chunk, or what the file ends in instead; `false` at its end.
    fn next_chunk(&self, source: &mut Source, bytes: &mut Vec<u8>) -> Result<bool, DataError> {
        let mut head = [0; HEAD_BYTES];
        let read = read_full(source, &mut head).map_err(|e| source.error(e))?;
        let begun = &head[..read];
        bytes.extend_from_slice(begun);
        if begun.is_empty() {
            return Ok(false);
        }
        if self.offset > 0 {
            let is_padding =
                is_zero(begun) && pass_over_zeros(source).map_err(|e| source.error(e))?;
            if is_padding || is_cut_head(begun) {
                return Ok(true);
            }
        }
        let size = size(&head);
        if read < HEAD_BYTES || !head.starts_with(&MAGIC) || size > MOST_BYTES {
            return Err(DataError::Broken {
                path: source.path().to_owned(),
                offset: self.offset,
                expected: "a chunk: `BINP` and a size of at most 16 MiB",
                format: "binpack",
            });
        }
        let content = source.take(size.into()).read_to_end(bytes);
        content.map_err(|e| source.error(e))?;
        Ok(true)
    }
}

/// Whether the file ends inside the head of a chunk.
fn is_cut_head(begun: &[u8]) -> bool {
    begun.len() < HEAD_BYTES && begun.iter().zip(MAGIC).all(|(&byte, magic)| byte == magic)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Passes over zero bytes; whether they go on to the end of the file.
fn pass_over_zeros(source: &mut Source) -> io::Result<bool> {
    loop {
        let bytes = source.fill_buf()?;
        let count = bytes.len();
        if count == 0 {
            return Ok(true);
        }
        if !is_zero(bytes) {
            return Ok(false);
        }
        source.consume(count);
    }
}

/// Bytes of a chunk behind its head.
fn size(head: &[u8; HEAD_BYTES]) -> u32 {
    let [.., a, b, c, d] = *head;
    u32::from_le_bytes([a, b, c, d])
}

/// The games of a chunk that begins at that byte of its file. Of one that the file ends in,
/// those before the last: how much of that is missing nobody knows. Zero bytes in its place
/// may be padding, or what a crash left of chunks.
pub(crate) fn decode(chunk: &[u8], offset: u64) -> Vec<Result<Game, BadEntry>> {
    let mut games = Assembly { offset, games: Vec::new(), open: None };
    if is_zero(chunk) {
        let detail = "zero bytes stand in the place of a chunk, up to the end of the file";
        games.refuse(Defect::CutShort, detail.to_owned());
        return games.games;
    }
    let Some((head, content)) = chunk.split_first_chunk() else {
        games.refuse(Defect::CutShort, "the file ends inside the head of this chunk".to_owned());
        return games.games;
    };
    let (mut reader, mut positions) = (ChunkReader::default(), 0);
    let mut faults = 0;
    let gave_up = loop {
        match next_position(&mut reader, content) {
            Ok(Some(position)) => faults += usize::from(!games.add(&position)),
            Ok(None) => break false,
            Err(_) => break true,
        }
        positions += 1;
        if faults >= MOST_FAULTS {
            break true;
        }
    };
    let size = size(head) as usize;
    if content.len() < size {
        games.open = None;
        let have = content.len();
        let detail = format!("the file ends inside this chunk, after {have} of its {size} bytes");
        games.refuse(Defect::CutShort, detail);
        return games.games;
    }
    games.close();
    if gave_up {
        let detail = format!("the chunk makes no sense after {positions} positions");
        games.refuse(Defect::Malformed, detail);
    }
    games.games
}

/// The next position of a chunk; an error if the crate gives up on it.
fn next_position(
    reader: &mut ChunkReader,
    chunk: &[u8],
) -> std::thread::Result<Option<TrainingDataEntry>> {
    let next = AssertUnwindSafe(|| reader.has_next(chunk).then(|| reader.next(chunk)));
    quietly(|| panic::catch_unwind(next))
}

thread_local! {
    /// Whether a panic of this thread is expected, and nobody's business.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Does something whose panics are caught, without their messages.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                usual(info);
            }
        }));
    });
    EXPECTED.set(true);
    let done = work();
    EXPECTED.set(false);
    done
}

/// Games as they are put together out of positions.
struct Assembly {
    offset: u64,
    games: Vec<Result<Game, BadEntry>>,
    open: Option<Open>,
}

/// A game that may go on.
struct Open {
    game: Game,
    /// After all its moves.
    position: Position,
    /// Plies that the file counts up to there.
    ply: u16,
}

impl Assembly {
    /// Takes a position; whether it makes sense.
    fn add(&mut self, entry: &TrainingDataEntry) -> bool {
        match self.follow(entry) {
            Ok(()) => true,
            Err((defect, detail)) => {
                self.close();
                self.refuse(defect, detail);
                false
            }
        }
    }

    /// The game goes on, or another one begins.
    fn follow(&mut self, entry: &TrainingDataEntry) -> Result<(), (Defect, String)> {
        let follows = |open: &Open| {
            open.ply == entry.ply
                && open.game.result == result(entry)
                && stands_as(open.position.board(), entry)
        };
        if !self.open.as_ref().is_some_and(follows) {
            self.close();
            let open = begin(entry).map_err(|detail| (Defect::StartPosition, detail))?;
            self.open = Some(open);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let played = played(entry, &open.position).ok_or_else(|| {
            let detail = format!("{} is not legal in {}", entry.mv.as_uci(), open.position);
            (Defect::IllegalMove, detail)
        })?;
        let score = Score::from_i16(entry.score);
        let white_score = score.map(|score| score.seen_by(open.position.turn()));
        open.game.moves.push(GameMove { played, white_score });
        open.position.play(played);
        open.ply = entry.ply.wrapping_add(1);
        Ok(())
    }

    fn close(&mut self) {
        let whole = self.open.take().filter(|open| !open.game.moves.is_empty());
        self.games.extend(whole.map(|open| Ok(open.game)));
    }

    fn refuse(&mut self, defect: Defect, detail: String) {
        let place = format!("chunk at byte {}", self.offset);
        self.games.push(Err(BadEntry { defect, place, detail }));
    }
}

/// A game that begins with this position.
fn begin(entry: &TrainingDataEntry) -> Result<Open, String> {
    let fen = entry.pos.fen().map_err(|error| format!("no position: {error:?}"))?;
    let start = Position::from_fen(&fen).map_err(|error| error.to_string())?;
    let game = Game { start: start.clone(), moves: Vec::new(), result: result(entry) };
    Ok(Open { game, position: start, ply: entry.ply })
}

/// Who won; `None` for a result that is none.
fn result(entry: &TrainingDataEntry) -> Option<GameResult> {
    let turn = color(entry.pos.side_to_move());
    match entry.result {
        0 => Some(GameResult::Draw),
        1 => Some(GameResult::Win(turn)),
        -1 => Some(GameResult::Win(!turn)),
        _ => None,
    }
}

fn color(theirs: TheirColor) -> Color {
    if theirs == TheirColor::White { Color::White } else { Color::Black }
}

/// Whether the same pieces stand on the same squares.
fn stands_as(board: &Board, entry: &TrainingDataEntry) -> bool {
    use sfbinpack::chess::piecetype::PieceType;
    let roles = [
        (Role::Pawn, PieceType::Pawn),
        (Role::Knight, PieceType::Knight),
        (Role::Bishop, PieceType::Bishop),
        (Role::Rook, PieceType::Rook),
        (Role::Queen, PieceType::Queen),
        (Role::King, PieceType::King),
    ];
    let colors = [(Color::White, TheirColor::White), (Color::Black, TheirColor::Black)];
    colors
        .into_iter()
        .all(|(color, theirs)| board.by_color(color).0 == entry.pos.pieces_bb(theirs).bits())
        && roles
            .into_iter()
            .all(|(role, theirs)| board.by_role(role).0 == entry.pos.pieces_bb_type(theirs).bits())
}

/// The legal move that is meant.
fn played(entry: &TrainingDataEntry, position: &Position) -> Option<Move> {
    use sfbinpack::chess::piecetype::PieceType;
    let (from, to) = (entry.mv.from().index(), entry.mv.to().index());
    let promotion = match entry.mv.promoted_piece().piece_type() {
        PieceType::Knight => Some(Role::Knight),
        PieceType::Bishop => Some(Role::Bishop),
        PieceType::Rook => Some(Role::Rook),
        PieceType::Queen => Some(Role::Queen),
        _ => None,
    };
    position.legal_moves().into_iter().find(|m| {
        let squares = u32::from(m.from()) == from && u32::from(m.to()) == to;
        squares && m.promotion() == promotion
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use sfbinpack::CompressedTrainingDataEntryWriter;

    use super::*;
    use crate::Candidate;
    use chess::random_game::random_game;

    /// The only chunk of a file that the crate wrote of a game's positions.
    pub(crate) fn written(game: &Game) -> Vec<u8> {
        let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
        Candidate::visit(game, |candidate| {
            let (position, m) = (candidate.position, candidate.played.unwrap());
            let pos = sfbinpack::chess::position::Position::from_fen(&position.fen()).unwrap();
            let square = |square: u32| sfbinpack::chess::coords::Square::new(square);
            let (from, to) = (square(m.from().into()), square(m.to().into()));
            let turn =
                if position.turn().is_white() { TheirColor::White } else { TheirColor::Black };
            let mv = match m.promotion() {
                _ if m.is_castle() => sfbinpack::chess::r#move::Move::castle(from, to),
                _ if m.is_en_passant() => sfbinpack::chess::r#move::Move::en_passant(from, to),
                None => sfbinpack::chess::r#move::Move::normal(from, to),
                Some(role) => {
                    use sfbinpack::chess::piecetype::PieceType;
                    let role = match role {
                        Role::Knight => PieceType::Knight,
                        Role::Bishop => PieceType::Bishop,
                        Role::Rook => PieceType::Rook,
                        _ => PieceType::Queen,
                    };
                    let piece = sfbinpack::chess::piece::Piece::new(role, turn);
                    sfbinpack::chess::r#move::Move::promotion(from, to, piece)
                }
            };
            let score =
                candidate.white_score.map_or(32_002, |s| s.seen_by(position.turn()).to_i16());
            let result = i16::from(candidate.result.unwrap().seen_by(position.turn())) - 1;
            let ply = position.ply() as u16;
            writer.write_entry(&TrainingDataEntry { pos, mv, score, ply, result }).unwrap();
        });
        writer.into_bytes().unwrap()
    }

    /// All that a file of this content holds.
    fn read(content: &[u8]) -> Result<Vec<Result<Game, BadEntry>>, DataError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.binpack");
        std::fs::write(&path, content).unwrap();
        let (mut reader, mut found) = (crate::GameReader::open(&path)?, Vec::new());
        while let Some(batch) = reader.next_batch(|game| game)? {
            found.extend(batch);
        }
        Ok(found)
    }

    fn usual_game(seed: u64) -> Option<Game> {
        let game = random_game(seed, 60);
        (!game.start.is_chess960() && !game.moves.is_empty()).then_some(game)
    }

    proptest! {
        #[test]
        fn what_the_crate_writes_is_read(seed: u64) {
            let Some(game) = usual_game(seed) else { return Ok(()) };
            let bytes = written(&game);
            let games = decode(&bytes, 0);
            prop_assert_eq!(games.len(), 1);
            let found = games[0].as_ref().unwrap();
            prop_assert_eq!(found.start.fen(), game.start.fen());
            prop_assert_eq!((&found.moves, found.result), (&game.moves, game.result));
        }

        /// Damage never panics, and never gives an illegal move.
        #[test]
        fn damage_is_told(seed: u64, at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let Some(game) = usual_game(seed) else { return Ok(()) };
            let mut chunk = written(&game);
            let at = at.index(chunk.len() - HEAD_BYTES);
            chunk[HEAD_BYTES + at] ^= 1 << bit;
            for game in decode(&chunk, 0).into_iter().flatten() {
                let mut position = game.start.clone();
                for m in game.moves {
                    prop_assert!(position.is_legal(m.played));
                    position.play(m.played);
                }
            }
        }

        /// Wherever a chunk is cut, that is told, and the game that it was cut in is not
        /// taken for a shorter one.
        #[test]
        fn cut_chunks_are_told(seed: u64, at in any::<prop::sample::Index>()) {
            let Some(game) = usual_game(seed) else { return Ok(()) };
            let mut chunk = written(&game);
            let at = HEAD_BYTES + at.index(chunk.len() - HEAD_BYTES);
            let size = chunk.len() - HEAD_BYTES;
            chunk.truncate(at);
            let found = decode(&chunk, 77);
            let [Err(bad)] = &found[..] else { panic!("{found:?}") };
            let wanted = format!(
                "chunk at byte 77: the file ends inside this chunk, after {} of its {size} bytes",
                at - HEAD_BYTES
            );
            prop_assert_eq!(bad.to_string(), wanted);
            prop_assert_eq!(bad.defect, Defect::CutShort);
        }

        #[test]
        fn any_bytes_can_be_a_chunk(bytes: Vec<u8>) {
            let head = [&MAGIC[..], &(bytes.len() as u32).to_le_bytes()].concat();
            decode(&[head, bytes].concat(), 0);
        }
    }

    /// What a file ends in instead of a chunk costs nothing before it.
    #[test]
    fn ends_that_are_no_chunk_are_counted() {
        let game = (0..).find_map(usual_game).unwrap();
        let chunk = written(&game);
        let zeros = [1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 300_000].map(|n| vec![0; n]);
        let heads = (1..HEAD_BYTES).map(|cut| (chunk[..cut].to_vec(), "inside the head"));
        let padded = zeros.iter().map(|zeros| (zeros.clone(), "zero bytes stand"));
        for (end, part) in heads.chain(padded) {
            let found = read(&[&chunk[..], &chunk, &end].concat()).unwrap();
            let [Ok(a), Ok(b), Err(bad)] = &found[..] else { panic!("{found:?}") };
            assert_eq!([a, b].map(|read| &read.moves), [&game.moves; 2]);
            let place = format!("chunk at byte {}", 2 * chunk.len());
            assert_eq!((bad.defect, &bad.place), (Defect::CutShort, &place));
            assert!(bad.detail.contains(part), "{bad}");
        }
        for zeros in &zeros {
            assert!(read(&[&chunk[..], zeros, &chunk].concat()).is_err());
            assert!(read(zeros).is_err());
        }
        assert!(read(&[&chunk[..], b"more"].concat()).is_err());
    }

    /// Positions are not collected before they become games: zeros are many positions, and
    /// none of them is one.
    #[test]
    fn a_chunk_of_zeros_takes_no_more_memory_than_its_faults() {
        let size = 1 << 20;
        let mut chunk = [&MAGIC[..], &u32::to_le_bytes(size)].concat();
        chunk.resize(HEAD_BYTES + size as usize, 0);
        let found = decode(&chunk, 0);
        assert!(!found.is_empty() && found.iter().all(Result::is_err));
        assert!(found.len() <= MOST_FAULTS + 1, "{}", found.len());
    }

    /// The rows that another decoder made of a file: FEN, move, the mover's score, ply,
    /// the mover's result.
    fn rows(folder: &str, name: &str) -> Vec<String> {
        let packed = std::fs::read(format!("{folder}/{name}")).unwrap();
        let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn real_files_are_read_as_another_decoder_reads_them() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/open/formats");
        let samples = [
            ("sf_small.binpack.zst", "sf_small.decoded_head5000.tsv.zst", 434_921),
            ("sf_ep1.binpack.zst", "sf_ep1.decoded.tsv.zst", 3),
        ];
        for (file, decoded, count) in samples {
            let path = std::path::PathBuf::from(format!("{folder}/{file}"));
            let mut reader = crate::GameReader::open(&path).unwrap();
            let mut found = Vec::new();
            while let Some(batch) = reader.next_batch(|game| game).unwrap() {
                for game in batch.into_iter().map(Result::unwrap) {
                    Candidate::visit(&game, |candidate| {
                        let (position, turn) = (candidate.position, candidate.position.turn());
                        let score =
                            candidate.white_score.map_or(32_002, |s| s.seen_by(turn).to_i16());
                        let result = i32::from(candidate.result.unwrap().seen_by(turn)) - 1;
                        let played = position.uci(candidate.played.unwrap());
                        found.push((position.fen(), played, score, result));
                    });
                }
            }
            assert_eq!(found.len(), count, "{file}");
            for (row, (fen, played, score, result)) in rows(folder, decoded).iter().zip(found) {
                let fields: Vec<&str> = row.split('\t').collect();
                let theirs = Position::from_fen(fields[0]).unwrap();
                assert_eq!(fen, theirs.fen(), "{row}");
                assert_eq!(played, theirs.uci(theirs.parse_uci(fields[1]).unwrap()), "{row}");
                assert_eq!(score.to_string(), fields[2], "{row}");
                assert_eq!(result.to_string(), fields[4], "{row}");
            }
        }
    }
}
