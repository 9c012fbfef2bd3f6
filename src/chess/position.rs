//! A legal position with its hash key.
//!
//! shakmaty decides which positions are legal and how moves are written. The work at every node of
//! a search (making moves, keys, checks, lists of moves) is our own, in one pass; tests compare it
//! with shakmaty move by move, in the same order.

mod checks;
mod generate;
mod legal;
mod play;

pub use checks::CheckSquares;

use std::fmt;
use std::num::NonZeroU32;

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{
    Castles, CastlingMode, Chess, EnPassantMode, FromSetup, Position as _, PositionError, Setup,
};

use super::{
    Bitboard, Board, BoardChange, ByColor, Color, Move, Piece, Role, Square, maps, zobrist,
};

/// Zobrist key of a position: pieces, side to move, castling rights and a
/// *capturable* en passant square. Move counters are not part of it.
pub type PositionKey = u64;

/// A legal chess position (standard or Chess960) and its [`PositionKey`].
#[derive(Clone, Debug)]
pub struct Position {
    board: Board,
    castles: Castles,
    key: PositionKey,
    parts: PartKeys,
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    passed: Passed,
    turn: Color,
    halfmoves: u32,
    fullmoves: NonZeroU32,
}

/// Keys of parts of the position, for the correction history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartKeys {
    /// Of the pawns of both sides.
    pub pawns: PositionKey,
    /// Of a side's other pieces, its king among them.
    pub pieces: ByColor<PositionKey>,
}

impl PartKeys {
    fn of(board: &Board) -> Self {
        let mut keys = Self::default();
        for (square, piece) in board.iter() {
            keys.toggle(piece, zobrist::piece(square, piece));
        }
        keys
    }

    /// Adds or removes a piece. No branches: the moving piece is hard to predict.
    #[inline]
    fn toggle(&mut self, piece: Piece, key: PositionKey) {
        let only_if = |applies: bool| if applies { key } else { 0 };
        let is_pawn = piece.role == Role::Pawn;
        self.pawns ^= only_if(is_pawn);
        self.pieces.white ^= only_if(!is_pawn & piece.color.is_white());
        self.pieces.black ^= only_if(!is_pawn & piece.color.is_black());
    }
}

/// The pawn of the last double step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// No pawn, or none beside it to capture it.
    Nothing,
    /// A pawn whose capture would leave a king in check.
    Pinned(Square),
    /// A pawn that can be captured.
    Takeable(Square),
}

/// End of a game by the rules of the board alone; repetition needs the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
}

/// A FEN that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("not a legal position: `{fen}` ({reason})")]
pub struct FenError {
    fen: String,
    reason: String,
}

/// A text that is no legal move of a position, with some that are.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a legal move in this position: {example}")]
pub struct NoSuchMove {
    text: String,
    example: String,
}

/// A text that is no legal move here.
#[derive(Debug, thiserror::Error)]
#[error("illegal move `{text}` in {fen}")]
pub struct MoveError {
    text: String,
    fen: String,
}

impl Default for Position {
    fn default() -> Self {
        Self::from_chess(Chess::default())
    }
}

impl From<Chess> for Position {
    fn from(chess: Chess) -> Self {
        Self::from_chess(chess)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl Position {
    fn from_chess(chess: Chess) -> Self {
        let Zobrist64(key) = chess.zobrist_hash(EnPassantMode::Legal);
        let passed = match (chess.legal_ep_square(), chess.pseudo_legal_ep_square()) {
            (Some(square), _) => Passed::Takeable(square),
            (None, Some(square)) => Passed::Pinned(square),
            (None, None) => Passed::Nothing,
        };
        Self {
            board: chess.board().clone(),
            castles: chess.castles().clone(),
            key,
            parts: PartKeys::of(chess.board()),
            checkers: chess.checkers(),
            passed,
            turn: chess.turn(),
            halfmoves: chess.halfmoves(),
            fullmoves: chess.fullmoves(),
        }
    }

    /// Setup of the same position for shakmaty.
    fn setup(&self) -> Setup {
        let mut setup = Setup::empty();
        setup.board = self.board.clone();
        setup.turn = self.turn;
        setup.castling_rights = self.castles.castling_rights();
        setup.ep_square = self.en_passant_beside();
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = self.fullmoves;
        setup
    }

    /// The position in the board library's form.
    pub(super) fn shakmaty(&self) -> Chess {
        let made = Chess::from_setup(self.setup(), self.castles.mode());
        // Reading this position ignored impossible checks too.
        let made = made.or_else(PositionError::ignore_impossible_check);
        made.or_else(PositionError::ignore_too_much_material)
            .expect("every position here was made by shakmaty, or by legal moves from one that was")
    }

    /// Reads a FEN of four to six fields. Chess960 castling letters are understood.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let error = |reason: String| FenError { fen: text.to_owned(), reason };
        let fen = Fen::from_ascii(text.trim().as_bytes()).map_err(|e| error(e.to_string()))?;
        let mode = CastlingMode::detect(fen.as_setup());
        let chess = match fen.into_position::<Chess>(mode) {
            Ok(chess) => chess,
            Err(e) => e.ignore_impossible_check().map_err(|e| error(e.to_string()))?,
        };
        Ok(Self::from_chess(chess))
    }

    /// The position of a FEN, or of the text `startpos`.
    pub fn named(text: &str) -> Result<Self, FenError> {
        match text {
            "startpos" => Ok(Self::default()),
            fen => Self::from_fen(fen),
        }
    }

    /// The move of a text in coordinate or standard notation.
    pub fn named_move(&self, text: &str) -> Result<Move, NoSuchMove> {
        self.parse_uci(text).or_else(|_| self.parse_san(text)).map_err(|_| {
            let moves = self.legal_moves();
            let some: Vec<String> = moves.iter().take(3).map(|&m| self.uci(m)).collect();
            let example = match some.as_slice() {
                [] => "there is none".to_owned(),
                some => format!("there are {}, such as {}", moves.len(), some.join(", ")),
            };
            NoSuchMove { text: text.to_owned(), example }
        })
    }

    /// FEN of this position; the en passant square is given only when a capture is legal.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.shakmaty(), EnPassantMode::Legal).to_string()
    }

    /// The pieces on their squares.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The hash key.
    #[inline]
    pub fn key(&self) -> PositionKey {
        self.key
    }

    /// Keys of its parts.
    #[inline]
    pub fn part_keys(&self) -> &PartKeys {
        &self.parts
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// Full move number, starting at 1.
    pub fn fullmoves(&self) -> u32 {
        self.fullmoves.get()
    }

    /// Plies since the start of a game that began at move 1.
    pub fn ply(&self) -> u32 {
        (self.fullmoves() - 1) * 2 + u32::from(self.turn() == Color::Black)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The squares that the side not to move attacks.
    #[inline]
    pub fn threats(&self) -> Bitboard {
        maps::attacked(self.board(), !self.turn())
    }

    /// Whether the castling rights exist in Chess960 only.
    pub fn is_chess960(&self) -> bool {
        self.castles.mode().is_chess960()
    }

    /// The pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Squares of the rooks that may still castle, both colours.
    pub fn castling_rooks(&self) -> Bitboard {
        self.castles.castling_rights()
    }

    /// The en passant square if a legal capture onto it exists.
    pub fn en_passant(&self) -> Option<Square> {
        match self.passed {
            Passed::Takeable(square) => Some(square),
            Passed::Pinned(_) | Passed::Nothing => None,
        }
    }

    /// The en passant square if a pawn stands beside it, whether it may capture or not.
    fn en_passant_beside(&self) -> Option<Square> {
        match self.passed {
            Passed::Takeable(square) | Passed::Pinned(square) => Some(square),
            Passed::Nothing => None,
        }
    }

    /// Knights, bishops, rooks and queens of the side to move (without one null move pruning is
    /// unsound).
    pub fn pieces(&self) -> usize {
        let board = self.board();
        (board.by_color(self.turn()) & !board.pawns() & !board.kings()).count()
    }

    /// The key in Polyglot's opening books: [`Position::key`] with an en passant square as soon as
    /// a pawn stands beside it.
    pub fn polyglot_key(&self) -> u64 {
        let of = |square: Square| zobrist::en_passant(square.file());
        let (takeable, beside) = (self.en_passant(), self.en_passant_beside());
        self.key ^ takeable.map_or(0, of) ^ beside.map_or(0, of)
    }

    /// The position without the piece on `square`; `None` if it is illegal.
    pub fn without(&self, square: Square) -> Option<Self> {
        let mut setup = Setup { ep_square: self.en_passant(), ..self.setup() };
        setup.board.discard_piece_at(square);
        setup.castling_rights.discard(square);
        let chess = Chess::from_setup(setup, self.castles.mode())
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .ok()?;
        Some(Self::from_chess(chess))
    }

    /// Pieces that a legal move takes off and puts on the board.
    #[inline]
    pub fn change(&self, m: Move) -> BoardChange {
        BoardChange::of_move(self.turn(), m)
    }

    /// Whether the game is over by mate, stalemate or lack of material.
    pub fn end(&self) -> Option<GameEnd> {
        if self.is_insufficient_material() {
            Some(GameEnd::InsufficientMaterial)
        } else if self.legal_moves().is_empty() {
            Some(if self.is_check() { GameEnd::Checkmate } else { GameEnd::Stalemate })
        } else {
            None
        }
    }

    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Whether neither side can ever mate.
    pub fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        // Any pawn, rook or queen can.
        let heavy = board.pawns() | board.rooks_and_queens();
        heavy.is_empty() && Color::ALL.into_iter().all(|color| self.cannot_mate(color))
    }

    /// Whether a side without pawns, rooks and queens can never mate another without.
    fn cannot_mate(&self, color: Color) -> bool {
        let board = &self.board;
        let (own, other) = (board.by_color(color), board.by_color(!color));
        if (own & board.knights()).any() {
            // With anything else beside it, or to stand in the other king's way.
            return own.count() <= 2 && (other & !board.kings()).is_empty();
        }
        if (own & board.bishops()).any() {
            let is_one_shade = (board.bishops() & Bitboard::DARK_SQUARES).is_empty()
                || (board.bishops() & Bitboard::LIGHT_SQUARES).is_empty();
            return is_one_shade && board.knights().is_empty();
        }
        true
    }

    /// Reads a move in UCI notation (`e2e4`, `a7a8q`, `e1g1`, and `e1h1` for
    /// castling in Chess960).
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let error = || MoveError { text: text.to_owned(), fen: self.fen() };
        self.resolve_uci(text.parse().map_err(|_| error())?)
    }

    /// The move of a parsed UCI text in this position.
    pub fn resolve_uci(&self, uci: UciMove) -> Result<Move, MoveError> {
        let error = || MoveError { text: uci.to_string(), fen: self.fen() };
        let m = uci.to_move(&self.shakmaty()).map_err(|_| error())?;
        Move::of_shakmaty(m).ok_or_else(error)
    }

    /// Reads a move in standard algebraic notation (`Nf3`, `exd5+`, `O-O`).
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let error = || MoveError { text: text.to_owned(), fen: self.fen() };
        self.resolve_san(text.parse().map_err(|_| error())?)
    }

    /// The move of a parsed SAN text in this position.
    pub fn resolve_san(&self, san: San) -> Result<Move, MoveError> {
        let mut meant = self.legal_moves().into_iter().filter(|m| san.matches(m.shakmaty()));
        match (meant.next(), meant.next()) {
            (Some(m), None) => Ok(m),
            _ => Err(MoveError { text: san.to_string(), fen: self.fen() }),
        }
    }

    /// The move in standard algebraic notation.
    pub fn san(&self, m: Move) -> String {
        shakmaty::san::SanPlus::from_move(self.shakmaty(), m.shakmaty()).to_string()
    }

    /// The move in UCI notation: `e1g1` for castling in standard chess, king
    /// takes rook otherwise.
    pub fn uci(&self, m: Move) -> String {
        m.shakmaty().to_uci(self.castles.mode()).to_string()
    }

    /// The move in the UCI notation of Chess960: castling is king takes rook.
    pub fn uci_chess960(&self, m: Move) -> String {
        m.shakmaty().to_uci(CastlingMode::Chess960).to_string()
    }

    /// Square where a castling king lands, or the target of any other move.
    pub fn landing_square(m: Move) -> Square {
        let Some(side) = m.castling_side() else { return m.to() };
        let is_whites = m.from().rank() == shakmaty::Rank::First;
        side.king_to(if is_whites { Color::White } else { Color::Black })
    }

    /// The role standing on a square, if any.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.board().role_at(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perft(position: &Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        position.legal_moves().into_iter().map(|m| perft(&position.after(m), depth - 1)).sum()
    }

    #[test]
    fn perft_of_the_start_and_kiwipete() {
        // Counts from the Chess Programming Wiki, "Perft Results".
        assert_eq!(perft(&Position::default(), 4), 197_281);
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        assert_eq!(perft(&Position::from_fen(kiwipete).unwrap(), 3), 97_862);
    }

    fn check_keys(position: &Position, depth: u32) {
        let recomputed = Position::from_fen(&position.fen()).unwrap();
        assert_eq!(position.key(), recomputed.key(), "{position}");
        assert_eq!(position.part_keys(), recomputed.part_keys(), "{position}");
        if depth > 0 {
            for m in position.legal_moves() {
                check_keys(&position.after(m), depth - 1);
            }
        }
    }

    #[test]
    fn incremental_key_equals_recomputed() {
        check_keys(&Position::default(), 2);
        let tricky = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1";
        check_keys(&Position::from_fen(tricky).unwrap(), 2);
    }

    #[test]
    fn null_move_changes_only_the_turn() {
        let position = Position::default();
        let passed = position.after_null().unwrap();
        assert_eq!(passed.board(), position.board());
        assert_ne!(passed.key(), position.key());
        assert_eq!(passed.turn(), Color::Black);
    }

    #[test]
    fn moves_are_read_and_written_in_both_castling_styles() {
        let standard = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let castle = standard.parse_uci("e1g1").unwrap();
        assert_eq!(standard.uci(castle), "e1g1");
        assert_eq!(standard.san(castle), "O-O");
        assert!(standard.parse_uci("e1e5").is_err());
    }
}
