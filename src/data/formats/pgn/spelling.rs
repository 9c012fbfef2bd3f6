//! Words of movetext: numbers, moves, end markers, annotations.
//!
//! Besides the standard's spellings those of other programs are read: moves by their squares
//! (`g1f3`, `e7-e5`), castling in any letters, promotions without their sign, figurines,
//! ChessBase's `N` and `D`.

use std::borrow::Cow;

use super::{result, with_plain_dashes};
use chess::{CastlingSide, GameResult, San, UciMove};

/// A word of movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The move number that it is or begins with.
    pub number: Option<u32>,
    pub meaning: Meaning,
}

/// The meaning of a word, its number aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing, or an annotation.
    Nothing,
    Move(Spelled),
    End(GameResult),
}

/// A move as it is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelled {
    /// In standard algebraic notation.
    San(San),
    Squares(UciMove),
}

/// Signs that stand where a `$` with a number should, and words that programs put behind
/// moves: a novelty (`N`, `TN`), a diagram (`D`), a mate.
const SIGNS: [&str; 20] = [
    "=", "+=", "=+", "+/=", "=/+", "+/-", "-/+", "+-", "-+", "+/−", "−/+", "±", "∓", "⩲", "⩱", "∞",
    "N", "TN", "D", "mate",
];

/// The null move of UCI, which is no number.
const NULL: &str = "0000";

/// Reads a word; `None` if it is unknown.
pub(super) fn read(word: &[u8]) -> Option<Word> {
    let word = decoded(word);
    let plain = with_plain_dashes(&word);
    if plain == NULL {
        let meaning = Meaning::Move(Spelled::Squares(UciMove::Null));
        return Some(Word { number: None, meaning });
    }
    let text = without_number(&plain);
    let number = number(&plain[..plain.len() - text.len()]);
    let meaning = match result(text) {
        Some(result) => Meaning::End(result),
        None if text.is_empty() || matches!(text, "e.p." | "ep") || SIGNS.contains(&text) => {
            Meaning::Nothing
        }
        None => Meaning::Move(spelled(text.strip_suffix("e.p.").unwrap_or(text))?),
    };
    Some(Word { number, meaning })
}

/// Whether a word ends a game.
pub(super) fn is_end_marker(word: &[u8]) -> bool {
    let ends = |word: Word| matches!(word.meaning, Meaning::End(_));
    // No end marker has letters; moves have, and there are many of them.
    let may_end = !word.iter().any(u8::is_ascii_alphabetic);
    word.ends_with(b"*") || may_end && read(word).is_some_and(ends)
}

/// Text in UTF-8 or, where it is not, in Windows-1252, in which old databases are written.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| windows_1252(byte)).collect()),
    }
}

/// The character of a byte; of those that differ from Latin-1 the ones that stand in games.
fn windows_1252(byte: u8) -> char {
    match byte {
        0x85 => '…',
        0x96 => '–',
        0x97 => '—',
        _ => char::from(byte),
    }
}

/// Without `12.`, `12...` or `12` before the move, but not without the first zero of `0-0`.
fn without_number(word: &str) -> &str {
    let text = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_alphabetic() || is_figurine(c)) {
        return text;
    }
    match text.trim_start_matches(['.', '…']) {
        unnumbered if unnumbered.len() < text.len() => unnumbered,
        _ => word,
    }
}

/// The number of `12...`; one that is too large is that of no move.
fn number(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['.', '…']);
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

fn spelled(text: &str) -> Option<Spelled> {
    let text = with_letters(text.trim_end_matches(['+', '#']));
    let castling = match &*text {
        "0-0" | "o-o" => Some(CastlingSide::KingSide),
        "0-0-0" | "o-o-o" => Some(CastlingSide::QueenSide),
        _ => None,
    };
    if let Some(side) = castling {
        return Some(Spelled::San(San::Castle(side)));
    }
    let text = without_dash(&text);
    let text = with_promotion(&text);
    match squares(&text) {
        Some(squares) => Some(Spelled::Squares(squares)),
        None => text.parse().ok().map(Spelled::San),
    }
}

/// `Bf1b5`, of `Bf1-b5`.
fn without_dash(text: &str) -> Cow<'_, str> {
    match text.split_once('-') {
        Some((from, to)) if from.ends_with(is_rank) && to.starts_with(is_file) => {
            Cow::Owned([from, to].concat())
        }
        _ => Cow::Borrowed(text),
    }
}

fn is_file(c: char) -> bool {
    matches!(c, 'a'..='h')
}

fn is_rank(c: char) -> bool {
    matches!(c, '1'..='8')
}

/// The two squares of `g1f3`, `a7a8=Q`, and the promotion.
fn squares(text: &str) -> Option<UciMove> {
    let (squares, promotion) = text.split_once('=').unwrap_or((text, ""));
    let (from, to) = squares.split_at_checked(2)?;
    let is_square =
        |text: &str| text.len() == 2 && text.starts_with(is_file) && text.ends_with(is_rank);
    match is_square(from) && is_square(to) {
        true => format!("{from}{to}{}", promotion.to_ascii_lowercase()).parse().ok(),
        false => None,
    }
}

/// `a8=Q`, of `a8Q`, `a8/Q`, `a8(Q)` and `a8=q`.
fn with_promotion(text: &str) -> Cow<'_, str> {
    let open = text.strip_suffix(')').unwrap_or(text);
    let Some(piece) = open.chars().next_back().filter(|&piece| is_promotion(piece)) else {
        return Cow::Borrowed(text);
    };
    let target = open[..open.len() - 1].trim_end_matches(['=', '/', '(']);
    match target.ends_with(['1', '8']) {
        true => Cow::Owned(format!("{target}={}", piece.to_ascii_uppercase())),
        false => Cow::Borrowed(text),
    }
}

/// Whether a letter names a piece that pawns become.
pub(super) fn is_promotion(piece: char) -> bool {
    "QRBNqrbn".contains(piece)
}

/// Figurines of either colour, in the order of [`LETTERS`]; a pawn has no letter.
const FIGURINES: &str = "♔♕♖♗♘♙♚♛♜♝♞♟";
const LETTERS: [&str; 6] = ["K", "Q", "R", "B", "N", ""];

fn is_figurine(c: char) -> bool {
    FIGURINES.contains(c)
}

/// Letters in the place of figurines.
fn with_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let figurines = || FIGURINES.chars().zip(LETTERS.iter().cycle());
    let replaced = |text: String, (figurine, letter): (char, &&str)| text.replace(figurine, letter);
    Cow::Owned(figurines().fold(text.to_owned(), replaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number and meaning in words.
    fn described(word: &str) -> String {
        let Some(Word { number, meaning }) = read(word.as_bytes()) else { return "none".into() };
        let number = number.map_or(String::new(), |number| format!("{number} "));
        number
            + &match meaning {
                Meaning::Nothing => "nothing".to_owned(),
                Meaning::Move(Spelled::San(san)) => san.to_string(),
                Meaning::Move(Spelled::Squares(uci)) => format!("uci {uci}"),
                Meaning::End(result) => format!("{result:?}"),
            }
    }

    #[test]
    fn moves_are_read_however_they_are_spelled() {
        for (words, meant) in [
            (&["a8=Q", "a8Q+", "a8/Q", "a8(Q)#", "a8=q", "♙a8=♕"][..], "a8=Q"),
            (&["bxa1=N", "bxa1N", "bxa1(n)"], "bxa1=N"),
            (&["a7a8q", "a7-a8=Q", "a7a8(Q)"], "uci a7a8q"),
            (&["e7-e5", "e7e5", "e7–e5+"], "uci e7e5"),
            (&["g1f3", "g1-f3"], "uci g1f3"),
            (&["Bf1-b5", "Bf1b5", "♗f1–b5", "♝f1b5"], "Bf1b5"),
            (&["B1c3", "♗1c3"], "B1c3"),
            (&["O-O", "0-0", "o-o", "o–o+"], "O-O"),
            (&["O-O-O", "0-0-0", "o-o-o#"], "O-O-O"),
            (&["N", "TN", "D", "mate", "±", "ep"], "nothing"),
            (&["0000"], "uci 0000"),
            (&["Sf3", "a8K", "e4e", "e9e4", "g1-f9", "1:", "NN", "♕"], "none"),
        ] {
            words.iter().for_each(|word| assert_eq!(described(word), meant, "{word}"));
        }
    }

    #[test]
    fn numbers_stand_before_moves_or_alone() {
        for (word, meant) in [
            ("12.", "12 nothing"),
            ("12", "12 nothing"),
            ("12...Nf3", "12 Nf3"),
            ("12…♘f3", "12 Nf3"),
            ("12♘f3", "12 Nf3"),
            ("12.0-0", "12 O-O"),
            ("0-0", "O-O"),
            ("...", "nothing"),
            ("12.g1f3", "12 uci g1f3"),
            ("99999999999.e4", "4294967295 e4"),
            ("3.1-0", "3 Win(White)"),
        ] {
            assert_eq!(described(word), meant, "{word}");
        }
    }

    #[test]
    fn old_databases_are_written_in_windows_1252() {
        let read = |bytes: &[u8]| read(bytes).map(|word| word.meaning);
        assert_eq!(read(b"\xbd-\xbd"), Some(Meaning::End(GameResult::Draw)));
        assert_eq!(read(b"1/2\x961/2"), Some(Meaning::End(GameResult::Draw)));
        assert_eq!(read(b"\xb1"), Some(Meaning::Nothing));
        assert_eq!(read(b"\xff\xfe"), None);
        assert_eq!(decoded(b"M\xfcnchen"), "München");
    }

    #[test]
    fn end_markers_end_games_and_castling_does_not() {
        for word in ["1-0", "0:1", "½-½", "*", "Nf3*", "12.1-0"] {
            assert!(is_end_marker(word.as_bytes()), "{word}");
        }
        for word in ["0-0", "1-", "e4", "12.", "1-0)", ""] {
            assert!(!is_end_marker(word.as_bytes()), "{word}");
        }
    }
}
