//! Writing binpacks: a game is a chain, and a chunk ends behind the chain that fills it.

use std::io::{self, Write};

use super::MAGIC;
use super::chain::{PROMOTIONS, ROLES, STEM_BYTES, castling_rooks, pawn_targets};
use chess::game::NO_SCORE;
use chess::{
    Bitboard, Color, Game, GameMove, GameResult, Move, Position, Role, Score, Square, attacks,
};

/// Bytes from which on a chunk is full, as in Stockfish's writer.
const CHUNK_BYTES: usize = 1 << 20;

/// The largest ply of a stem, which has 14 bits for it.
const MOST_PLY: u16 = (1 << 14) - 1;

/// Most plies of a game: readers count on from the ply of the stem in 16 bits.
const MOST_PLIES: u16 = u16::MAX - MOST_PLY;

/// The chunk to be written next.
#[derive(Default)]
pub(crate) struct ChunkWriter {
    content: Vec<u8>,
}

impl ChunkWriter {
    /// Adds a game as a chain; an error is why the format cannot hold it.
    pub(crate) fn add(&mut self, game: &Game) -> Result<(), &'static str> {
        let (first, rest) = game.moves.split_first().ok_or("no move is played in it")?;
        let result = game.result.ok_or("it has no result, which a binpack cannot hold")?;
        let plies = u16::try_from(rest.len()).ok().filter(|&plies| plies < MOST_PLIES);
        let plies = plies.ok_or("it has more than 49,152 plies")?;
        let stem = stem(&game.start, *first, result)?;
        self.content.extend_from_slice(&stem);
        self.content.extend_from_slice(&plies.to_be_bytes());
        self.content.append(&mut Movetext::of(game));
        Ok(())
    }

    pub(crate) fn is_full(&self) -> bool {
        self.content.len() >= CHUNK_BYTES
    }

    /// Writes the chunk, if it holds a chain, and begins another.
    pub(crate) fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.content.is_empty() {
            return Ok(());
        }
        let size = u32::try_from(self.content.len()).map_err(io::Error::other)?;
        out.write_all(&MAGIC)?;
        out.write_all(&size.to_le_bytes())?;
        out.write_all(&self.content)?;
        self.content.clear();
        Ok(())
    }
}

/// The bytes of a stem, without the number of plies behind it.
fn stem(
    start: &Position,
    first: GameMove,
    result: GameResult,
) -> Result<[u8; STEM_BYTES - 2], &'static str> {
    if start.is_chess960() {
        return Err("it castles as in Chess960, which a binpack cannot hold");
    }
    let ply = u16::try_from(start.ply()).ok().filter(|&ply| ply <= MOST_PLY);
    let ply = ply.ok_or("it starts behind move 8,192, the last that a binpack can hold")?;
    let halfmoves = u16::try_from(start.halfmoves())
        .map_err(|_| "it starts with a half-move clock above 65,535")?;
    let turn = start.turn();
    let points = i16::from(result.seen_by(turn)) - 1;
    let mut bytes = [0; STEM_BYTES - 2];
    bytes[..8].copy_from_slice(&start.board().occupied().0.to_be_bytes());
    bytes[8..24].copy_from_slice(&nibbles(start).ok_or("it starts with more than 32 pieces")?);
    let score = unsigned(movers(first.white_score, turn));
    let words = [stem_move(first.played), score, ply | unsigned(points) << 14, halfmoves];
    for (place, word) in bytes[24..].chunks_exact_mut(2).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    Ok(bytes)
}

/// The pieces in the order of their squares; `None` for more than 32.
fn nibbles(position: &Position) -> Option<[u8; 16]> {
    let (board, turn) = (position.board(), position.turn());
    let passed = position.en_passant().and_then(|square| square.offset(turn.fold_wb(-8, 8)));
    let mut bytes = [0; 16];
    for (i, square) in board.occupied().into_iter().enumerate() {
        let piece = board.piece_at(square)?;
        let (is_black, role) = (piece.color == Color::Black, piece.role);
        let nibble = match role {
            Role::Pawn if passed == Some(square) => 12,
            Role::Rook if position.castling_rooks().contains(square) => 13 + u8::from(is_black),
            Role::King if is_black && turn == Color::Black => 15,
            _ => 2 * code(&ROLES, role) as u8 + u8::from(is_black),
        };
        *bytes.get_mut(i / 2)? |= nibble << (4 * (i % 2));
    }
    Some(bytes)
}

/// The index of a role in the order of its codes.
fn code(roles: &[Role], role: Role) -> usize {
    roles.iter().position(|&it| it == role).unwrap_or(0)
}

/// The move of a stem: kind, squares, promotion.
fn stem_move(m: Move) -> u16 {
    let promotion = m.promotion().map_or(0, |role| code(&PROMOTIONS, role) as u16);
    let kind = match () {
        () if m.is_promotion() => 1,
        () if m.is_castle() => 2,
        () if m.is_en_passant() => 3,
        () => 0,
    };
    kind << 14 | u16::from(m.from()) << 8 | u16::from(m.to()) << 2 | promotion
}

/// A score as its mover sees it.
fn movers(white_score: Option<Score>, turn: Color) -> i16 {
    white_score.map_or(NO_SCORE, |score| score.seen_by(turn).to_i16())
}

/// A number with its sign as the lowest bit.
fn unsigned(number: i16) -> u16 {
    let bits = number as u16;
    (if number < 0 { bits ^ 0x7fff } else { bits }).rotate_left(1)
}

/// Moves and scores as bits, the highest of each byte first.
#[derive(Default)]
struct Movetext {
    bytes: Vec<u8>,
    /// Bits of the last byte that are not used yet.
    free: u32,
}

impl Movetext {
    /// All moves of a game but the first.
    fn of(game: &Game) -> Vec<u8> {
        let (mut text, mut position) = (Self::default(), game.start.clone());
        let mut before = None;
        for m in &game.moves {
            let score = movers(m.white_score, position.turn());
            if let Some(before) = before {
                text.push_move(&position, m.played);
                text.push_score(score, before);
            }
            before = Some(score);
            position.play(m.played);
        }
        text.bytes
    }

    fn push(&mut self, number: u16, bits: u32) {
        for bit in (0..bits).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((number >> bit & 1) as u8) << self.free;
            }
        }
    }

    /// A number below `count`, in as many bits as the largest takes.
    fn push_index(&mut self, index: usize, count: usize) {
        let bits = count.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
        self.push(index as u16, bits);
    }

    fn push_move(&mut self, position: &Position, m: Move) {
        let own = position.board().by_color(position.turn());
        self.push_index(before(own, m.from()), own.count());
        let (index, count) = choice(position, m);
        self.push_index(index, count);
    }

    /// The difference from the negated score before, in blocks of four bits behind a bit that
    /// says whether another follows.
    fn push_score(&mut self, score: i16, before: i16) {
        let mut left = unsigned(score.wrapping_add(before));
        loop {
            let has_more = left > 15;
            self.push(left & 15 | u16::from(has_more) << 4, 5);
            left >>= 4;
            if !has_more {
                return;
            }
        }
    }
}

/// The index of a move among those of its piece, and their number.
fn choice(position: &Position, m: Move) -> (usize, usize) {
    let (board, turn) = (position.board(), position.turn());
    let (from, own) = (m.from(), board.by_color(turn));
    match m.role() {
        Role::Pawn => {
            let targets = pawn_targets(position, from);
            let index = before(targets, m.to());
            match m.promotion() {
                Some(role) => (4 * index + code(&PROMOTIONS, role), 4 * targets.count()),
                None => (index, targets.count()),
            }
        }
        Role::King => {
            let (targets, rooks) = (attacks::king_attacks(from) & !own, castling_rooks(position));
            let index = match m.castling_side() {
                // Castling on the long side comes first, if the rights for it are there.
                Some(_) => targets.count() + before(rooks, m.to()),
                None => before(targets, m.to()),
            };
            (index, targets.count() + rooks.count())
        }
        role => {
            let targets = attacks::attacks(from, role.of(turn), board.occupied()) & !own;
            (before(targets, m.to()), targets.count())
        }
    }
}

/// The number of squares before one.
fn before(squares: Bitboard, square: Square) -> usize {
    let below = (1u64 << u32::from(square)) - 1;
    (squares & Bitboard(below)).count()
}
