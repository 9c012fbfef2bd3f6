//! Movetext.

use std::io::{self, Write};

use chess::{Color, Game, GameResult, Position};

/// Width of movetext in columns, by the PGN standard.
const LINE_WIDTH: usize = 80;

/// Writes a game with the tags that it needs and its scores as TCEC has them:
/// `12. Nf3 {wv=0.31}`, White's view of the position before the move.
pub fn write_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    // Many programs look for this tag to see where a game begins.
    writeln!(out, "[Event \"?\"]\n[Result \"{}\"]", result_text(game.result))?;
    if game.start.fen() != Position::default().fen() {
        writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", game.start.fen())?;
    }
    if game.start.is_chess960() {
        writeln!(out, "[Variant \"Chess960\"]")?;
    }
    writeln!(out)?;
    let comment = |ply: usize| Some(format!("{{wv={}}}", game.moves[ply].white_score?));
    write_movetext(out, game, comment, result_text(game.result))
}

/// `1-0`, `0-1`, `1/2-1/2` or `*`.
pub(crate) fn result_text(result: Option<GameResult>) -> &'static str {
    match result {
        Some(GameResult::Win(Color::White)) => "1-0",
        Some(GameResult::Win(Color::Black)) => "0-1",
        Some(GameResult::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// Writes the moves of a game, each with the comment that its ply (from 0) has.
pub fn write_movetext(
    out: &mut impl Write,
    game: &Game,
    comment: impl Fn(usize) -> Option<String>,
    result: &str,
) -> io::Result<()> {
    let mut text = Wrapped { out, column: 0 };
    let mut position = game.start.clone();
    for (ply, game_move) in game.moves.iter().enumerate() {
        if let Some(number) = move_number(&position, ply == 0) {
            text.word(&number)?;
        }
        text.word(&position.san(game_move.played))?;
        if let Some(comment) = comment(ply) {
            text.word(&comment)?;
        }
        position.play(game_move.played);
    }
    text.word(result)?;
    text.out.write_all(b"\n\n")
}

/// `12.` before White's move, `12...` before Black's first one.
fn move_number(position: &Position, is_first: bool) -> Option<String> {
    let number = position.fullmoves();
    if position.turn().is_white() {
        Some(format!("{number}."))
    } else {
        is_first.then(|| format!("{number}..."))
    }
}

/// Writes words separated by spaces in lines of at most [`LINE_WIDTH`] columns.
struct Wrapped<'w, W> {
    out: &'w mut W,
    column: usize,
}

impl<W: Write> Wrapped<'_, W> {
    fn word(&mut self, word: &str) -> io::Result<()> {
        let fits = self.column + 1 + word.len() <= LINE_WIDTH;
        if self.column > 0 {
            self.out.write_all(if fits { b" " } else { b"\n" })?;
        }
        self.column = if self.column > 0 && fits { self.column + 1 } else { 0 } + word.len();
        self.out.write_all(word.as_bytes())
    }
}
