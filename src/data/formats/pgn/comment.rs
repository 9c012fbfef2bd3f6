//! Scores in PGN comments.
//!
//! Four notations are in wide use, and they mean different things:
//!
//! | written by | example | point of view | position |
//! |---|---|---|---|
//! | Lichess, ChessBase | `[%eval 0.31]`, `[%eval #-3]` | White's | *after* the move |
//! | TCEC | `d=36, wv=0.81`, `wv=-M12` | White's | before the move |
//! | cutechess, fastchess | `+0.31/12 0.52s`, `-M6/20 1s` | the mover's | before the move |
//! | OpenBench | `+0.31`, `+0.31 24/33 160 35602` | the mover's | before the move |
//!
//! All give pawns. Movers' comments are only recognised with a sign and with a depth or a time,
//! or as a number with two decimals alone, since older files hold other numbers from another
//! point of view. Their mates may count plies (`mates`).

use smallvec::SmallVec;

use chess::Score;

/// A score and the position it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// Score of the position after the move, seen by White.
    After(Score),
    /// Score of the position before the move, seen by White.
    Before(Score),
    /// Score of the position before the move, seen by the mover.
    BeforeByMover(MoverScore),
}

/// A score from the mover's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoverScore {
    Centipawns(i32),
    /// Mate in this number of plies or moves; negative when being mated.
    Mate(i32),
}

impl Comment {
    /// The score a comment gives, if it gives one.
    pub(super) fn parse(comment: &[u8]) -> Option<Self> {
        if let Some(value) = after(comment, b"[%eval ") {
            return number(value).map(Comment::After);
        }
        if let Some(value) = after(comment, b"wv=") {
            return if is_book(comment, value) { None } else { number(value).map(Comment::Before) };
        }
        by_mover(comment).map(Comment::BeforeByMover)
    }
}

/// Whether a comment of TCEC is that of a book move: some seasons write it as a search of depth 1 and no
/// nodes, scored 0.00. Other searches of no nodes are answers of a table, and count.
fn is_book(comment: &[u8], value: &[u8]) -> bool {
    value == b"0.00" && after(comment, b"n=") == Some(b"0") && after(comment, b"d=") == Some(b"1")
}

/// The text behind the first `mark` that begins a word, up to a delimiter.
fn after<'a>(comment: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let start = comment.windows(mark.len()).enumerate().find_map(|(i, window)| {
        let begins_word = i == 0 || !comment[i - 1].is_ascii_alphanumeric();
        (window == mark && begins_word).then_some(i + mark.len())
    })?;
    let value = comment[start..].trim_ascii_start();
    let end = value.iter().position(|c| matches!(c, b',' | b']' | b';') || c.is_ascii_whitespace());
    Some(&value[..end.unwrap_or(value.len())])
}

/// `+0.31/12 0.52s`: score, depth, time; `+0.31 0.52s` without a depth,
/// `+0.31/12, n=3000` or `+0.31/12` without a clock; OpenBench's forms.
fn by_mover(comment: &[u8]) -> Option<MoverScore> {
    let text = std::str::from_utf8(comment).ok()?.trim();
    let words = text.split([' ', ',']).filter(|word| !word.is_empty()).take(MOST_WORDS);
    let words: SmallVec<[&str; MOST_WORDS]> = words.collect();
    let [score, rest @ ..] = &words[..] else { return None };
    let (value, understood) = match score.split_once('/') {
        Some((value, depth)) => (value, is_count(depth) && follows_depth(rest)),
        None => (*score, follows_score(score, rest)),
    };
    let signed = value.starts_with(['+', '-']) || value == "0.00";
    match number(value.as_bytes()).filter(|_| signed && understood)? {
        Score::Centipawns(cp) => Some(MoverScore::Centipawns(cp)),
        // A mover is not mated yet.
        Score::Mate(_) if value.ends_with("M0") => None,
        Score::Mate(count) => Some(MoverScore::Mate(count)),
    }
}

/// Words of a comment that are looked at.
const MOST_WORDS: usize = 5;

fn follows_depth(rest: &[&str]) -> bool {
    rest.first().is_none_or(|word| is_time(word) || word.starts_with("n="))
}

/// Whether programs write a score without its depth so: followed by a time; by nothing, if it
/// has two decimals; by depths, milliseconds and nodes.
fn follows_score(score: &str, rest: &[&str]) -> bool {
    match rest {
        [] => {
            score.contains('M') || score.rsplit_once('.').is_some_and(|(_, part)| part.len() == 2)
        }
        [depths, milliseconds, nodes] => {
            let are_depths = depths
                .split_once('/')
                .is_some_and(|(depth, most)| is_count(depth) && is_count(most));
            are_depths && is_count(milliseconds) && is_count(nodes) || is_time(depths)
        }
        [time, ..] => is_time(time),
    }
}

fn is_time(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|time| time.parse::<f64>().is_ok())
}

fn is_count(word: &str) -> bool {
    word.parse::<u64>().is_ok()
}

/// `0.31`, `-1.5`, `#3`, `#-3`, `M12`, `-M12`.
fn number(text: &[u8]) -> Option<Score> {
    let (text, outer_minus) = unsigned(text);
    let (text, is_mate) = match text {
        [b'#' | b'M', rest @ ..] => (rest, true),
        _ => (text, false),
    };
    let (digits, inner_minus) = if is_mate { unsigned(text) } else { (text, false) };
    let sign = if outer_minus != inner_minus { -1 } else { 1 };
    let digits = std::str::from_utf8(digits).ok()?;
    // Only plain decimals: Rust would also read "inf" and "1e9".
    let is_plain = |c: u8| c.is_ascii_digit() || (c == b'.' && !is_mate);
    if digits.is_empty() || !digits.bytes().all(is_plain) {
        return None;
    }
    if is_mate {
        // A mate on the board has a side too.
        let moves: i32 = digits.parse().unwrap_or(i32::MAX);
        return Some(Score::Mate(sign * moves.max(1)));
    }
    let pawns: f64 = digits.parse().ok()?;
    // The conversion saturates, so a thousand digits are harmless.
    Some(Score::Centipawns(sign * (pawns * 100.0).round() as i32))
}

fn unsigned(text: &[u8]) -> (&[u8], bool) {
    match text {
        [b'-', rest @ ..] => (rest, true),
        [b'+', rest @ ..] => (rest, false),
        _ => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::Comment::{After, Before, BeforeByMover};
    use super::*;

    fn parse(text: &str) -> Option<Comment> {
        Comment::parse(text.as_bytes())
    }

    #[test]
    fn lichess() {
        assert_eq!(parse(" [%eval 0.31] [%clk 0:03:00] "), Some(After(Score::Centipawns(31))));
        assert_eq!(parse("[%clk 0:03:00] [%eval -1.0]"), Some(After(Score::Centipawns(-100))));
        assert_eq!(parse("[%eval 0.29,20]"), Some(After(Score::Centipawns(29))));
        assert_eq!(parse("[%eval #-3]"), Some(After(Score::Mate(-3))));
        assert_eq!(parse("[%eval #12]"), Some(After(Score::Mate(12))));
    }

    #[test]
    fn tcec() {
        assert_eq!(parse("d=36, wv=0.81"), Some(Before(Score::Centipawns(81))));
        assert_eq!(parse(" ev=0.00, wv=-M12,  "), Some(Before(Score::Mate(-12))));
        assert_eq!(parse("d=36, xwv=0.81"), None);
    }

    #[test]
    fn a_search_of_no_nodes_is_a_book_move_or_an_answer_of_a_table() {
        assert_eq!(parse("ev=0.00, d=1, s=0 kN/s, n=0, pv=e4, wv=0.00,"), None);
        for (text, score) in [
            ("d=45, s=0, n=0, pv=Kd5, wv=0.00,", Score::Centipawns(0)),
            ("d=1, s=0, n=0, pv=Kd5, wv=-0.31,", Score::Centipawns(-31)),
            ("d=6, s=0, n=0, pv=Qh7, wv=M3,", Score::Mate(3)),
            ("n=0, wv=152.65", Score::Centipawns(15_265)),
        ] {
            assert_eq!(parse(text), Some(Before(score)), "{text}");
        }
    }

    #[test]
    fn cutechess_and_fastchess() {
        for (text, thought) in [
            ("+0.31/12 0.52s", MoverScore::Centipawns(31)),
            ("-M6/20 1s, Black mates", MoverScore::Mate(-6)),
            ("+M3/20, n=3000", MoverScore::Mate(3)),
            ("0.00/40 0.001s", MoverScore::Centipawns(0)),
            ("+0.31 0.042s", MoverScore::Centipawns(31)),
            ("+0.31 0.042s, a word, another", MoverScore::Centipawns(31)),
            ("+0.31/12, n=3000", MoverScore::Centipawns(31)),
            ("-0.31/12", MoverScore::Centipawns(-31)),
        ] {
            assert_eq!(parse(text), Some(BeforeByMover(thought)), "{text}");
        }
        assert_eq!(parse("-M0/20 1s"), None, "whoever moves is not mated yet");
        assert_eq!(parse("-1.5 is better"), None);
        // TCEC's first match: White's view, no unit on the time.
        assert_eq!(parse("0.18/23 239"), None);
        assert_eq!(parse("-0.18/23 239"), None);
        assert_eq!(parse("book"), None);
    }

    #[test]
    fn openbench() {
        for (text, thought) in [
            ("+0.31", MoverScore::Centipawns(31)),
            (" -12.50 ", MoverScore::Centipawns(-1_250)),
            ("0.00", MoverScore::Centipawns(0)),
            ("+M3", MoverScore::Mate(3)),
            ("+0.30 96/4 16 35602", MoverScore::Centipawns(30)),
            ("-M2 12/9 20 40000", MoverScore::Mate(-2)),
        ] {
            assert_eq!(parse(text), Some(BeforeByMover(thought)), "{text}");
        }
        for text in
            ["0.31", "+0.3", "+1", "+0.31 was seen", "+0.31 96/4", "+0.31 96 4 5", "unknown"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_score() {
        for text in ["[%eval ]", "[%eval", "[%eval inf]", "[%eval #]", "[%eval --1]", "wv=", "wv=M"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("[%eval 99999999999999999999]"), Some(After(Score::Centipawns(i32::MAX))));
        assert_eq!(parse("[%eval #99999999999999999999]"), Some(After(Score::Mate(i32::MAX))));
        assert_eq!(parse("[%eval #-0]"), Some(After(Score::Mate(-1))));
        assert_eq!(Comment::parse(b"\xff\xfe/1 2s"), None);
        assert_eq!(parse("+M99999999999/3"), Some(BeforeByMover(MoverScore::Mate(i32::MAX))));
    }
}
