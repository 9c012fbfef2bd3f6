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
pub(super) mod tests;
