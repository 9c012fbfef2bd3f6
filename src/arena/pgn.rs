//! Games as PGN.
//!
//! The file does not depend on time or place of the games (only games on a clock have date and
//! durations), so the same tournament without clocks always gives the same bytes.

mod others;

use std::io::{self, Write};

use super::forfeit::Forfeit;
use super::record::{GameRecord, ReplayError};
use super::rules::EndReason;
use super::time_control::TimeControl;
use chess::Position;
use data::pgn::write_movetext;
use data::{Game, Score};
use engine::value::from_centipawns;
pub use others::holds_other_games;

/// Games that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    #[error("writing PGN: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// Writes games in the order given. Each move carries its mover's score in
/// pawns or as a mate, and the depth, on a clock the time it took, and the nodes:
/// `12. Nf3 {+0.31/12 0.042s, n=3000}`, `40. Qh7 {+M3/9}`.
pub fn write_pgn<'r>(
    out: &mut impl Write,
    event: &str,
    records: impl IntoIterator<Item = &'r GameRecord>,
) -> Result<(), PgnError> {
    for record in records {
        let game = record.replay()?;
        write_tags(out, event, record, &game)?;
        let book_plies = game.moves.len() - record.plies();
        let comment = |ply: usize| comment(record, ply.checked_sub(book_plies)?);
        write_movetext(out, &game, comment, record.result_text())?;
    }
    Ok(())
}

fn write_tags(
    out: &mut impl Write,
    event: &str,
    record: &GameRecord,
    game: &Game,
) -> io::Result<()> {
    let round = format!("{}.{}", record.key.pair + 1, u8::from(record.key.swapped) + 1);
    let mut tag = |name: &str, value: &str| writeln!(out, "[{name} \"{}\"]", escaped(value));
    tag("Event", event)?;
    tag("Site", "?")?;
    tag("Date", record.date.as_deref().unwrap_or("????.??.??"))?;
    tag("Round", &round)?;
    tag("White", &record.white)?;
    tag("Black", &record.black)?;
    tag("Result", record.result_text())?;
    if game.start.is_chess960() {
        tag("Variant", "Chess960")?;
    }
    if game.start.fen() != Position::default().fen() {
        tag("SetUp", "1")?;
        tag("FEN", &record.start)?;
    }
    tag("PlyCount", &game.moves.len().to_string())?;
    for (name, control) in time_controls(record) {
        tag(name, &control.to_string())?;
    }
    tag("Termination", termination(record.reason))?;
    writeln!(out)
}

/// The standard's tag if both have the same time, else one for each; none if
/// no clock ran.
fn time_controls(record: &GameRecord) -> Vec<(&'static str, TimeControl)> {
    match record.time_controls {
        [TimeControl::Untimed, TimeControl::Untimed] => Vec::new(),
        [white, black] if white == black => vec![("TimeControl", white)],
        [white, black] => vec![("WhiteTimeControl", white), ("BlackTimeControl", black)],
    }
}

fn escaped(value: &str) -> String {
    let printable = value.replace(|c: char| c.is_control(), " ");
    printable.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The values of the PGN standard (§9.8.1).
fn termination(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Forfeit(Forfeit::Time) => "time forfeit",
        EndReason::Forfeit(Forfeit::IllegalMove) => "rules infraction",
        EndReason::Forfeit(Forfeit::NoMove | Forfeit::Stall | Forfeit::Crash) => "abandoned",
        adjudicated if adjudicated.is_adjudication() => "adjudication",
        _ => "normal",
    }
}

/// Score, depth, time and nodes of one of the players' moves; `None` without any.
fn comment(record: &GameRecord, ply: usize) -> Option<String> {
    let score = record.scores[ply].map(|cp| score_text(from_centipawns(cp)));
    let depth = record.depths.get(ply).copied().flatten();
    let judged = score.map(|score| match depth {
        Some(depth) => format!("{score}/{depth}"),
        None => score,
    });
    let time = record.times_ms.get(ply).copied().flatten();
    let time = time.map(|ms| format!("{:.3}s", f64::from(ms) / 1000.0));
    let thought: Vec<String> = judged.into_iter().chain(time).collect();
    let nodes = record.nodes_each.get(ply).filter(|&&nodes| nodes > 0);
    let parts = [Some(thought.join(" ")), nodes.map(|nodes| format!("n={nodes}"))];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
}

/// `+0.31`. Mates count plies, as those of cutechess and fastchess do: `+M3` in two moves,
/// `-M4` against the mover in two.
fn score_text(score: Score) -> String {
    match score {
        Score::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
        Score::Mate(moves) => format!("-M{}", 2 * i64::from(moves.unsigned_abs())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::GameKey;
    use super::*;
    use chess::Color;
    use data::GameResult;

    pub(super) fn record(start: &str, book: &str, moves: &str, scores: &[i32]) -> GameRecord {
        GameRecord {
            key: GameKey { pairing: 0, pair: 3, swapped: true },
            white: "ALL + PH".to_owned(),
            black: "say \"H\"".to_owned(),
            start: start.to_owned(),
            book: book.to_owned(),
            moves: moves.to_owned(),
            scores: scores.iter().copied().map(Some).collect(),
            nodes_each: Vec::new(),
            depths: Vec::new(),
            date: None,
            times_ms: Vec::new(),
            result: GameResult::Win(Color::Black),
            reason: EndReason::Checkmate,
            nodes: [2, 2],
            time_controls: [TimeControl::Untimed; 2],
        }
    }

    fn written(record: &GameRecord) -> String {
        let mut out = Vec::new();
        write_pgn(&mut out, "test", [record]).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_game_reads_as_it_should() {
        let game = record(&Position::default().fen(), "f2f3 e7e5", "g2g4 d8h4", &[-120, 20_999]);
        let expected = "\
[Event \"test\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"4.2\"]
[White \"ALL + PH\"]
[Black \"say \\\"H\\\"\"]
[Result \"0-1\"]
[PlyCount \"4\"]
[Termination \"normal\"]

1. f3 e5 2. g4 {-1.20} Qh4# {+M1} 0-1

";
        assert_eq!(written(&game), expected);
    }

    #[test]
    fn mates_count_plies() {
        for (moves, text) in [(1, "+M1"), (2, "+M3"), (-1, "-M2"), (-3, "-M6")] {
            assert_eq!(score_text(Score::Mate(moves)), text);
        }
    }

    #[test]
    fn clocks_are_given_and_missing_scores_left_out() {
        let mut game = record(&Position::default().fen(), "", "e2e4 e7e5", &[0, 0]);
        let [fast, slow] = ["1+0.02", "40/60"].map(|text| text.parse().unwrap());
        game.scores = vec![None, Some(-7)];
        game.time_controls = [fast, fast];
        game.reason = EndReason::Forfeit(Forfeit::Time);
        let text = written(&game);
        assert!(
            text.contains("[TimeControl \"1+0.02\"]\n[Termination \"time forfeit\"]"),
            "{text}"
        );
        assert!(text.ends_with("\n1. e4 e5 {-0.07} 0-1\n\n"), "{text}");
        game.times_ms = vec![Some(42), None];
        let text = written(&game);
        assert!(text.ends_with("\n1. e4 {0.042s} e5 {-0.07} 0-1\n\n"), "{text}");
        game.time_controls = [fast, slow];
        let both = "[WhiteTimeControl \"1+0.02\"]\n[BlackTimeControl \"40/60\"]";
        assert!(written(&game).contains(both));
    }

    #[test]
    fn a_set_up_position_is_given() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
        let text = written(&record(fen, "", "e8e7", &[0]));
        assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]")), "{text}");
        assert!(text.ends_with("\n30... Ke7 {+0.00} 0-1\n\n"), "{text}");
    }

    #[test]
    fn comments_hold_the_effort_of_each_move() {
        let mut game = record(&Position::default().fen(), "", "e2e4 e7e5 d2d4", &[31, 5, 7]);
        game.nodes_each = vec![3_000, 0, 17];
        game.depths = vec![Some(12), Some(3), None];
        game.times_ms = vec![Some(42), None, None];
        game.date = Some("2026.11.24".to_owned());
        let text = written(&game);
        assert!(text.contains("\n[Date \"2026.11.24\"]\n"), "{text}");
        let moves = "\n1. e4 {+0.31/12 0.042s, n=3000} e5 {+0.05/3} 2. d4 {+0.07, n=17} 0-1\n\n";
        assert!(text.ends_with(moves), "{text}");
    }

    #[test]
    fn games_of_chess960_name_the_variant() {
        let fen = "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9";
        let text = written(&record(fen, "", "c5d3", &[0]));
        assert!(text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n"), "{text}");
        assert!(
            !written(&record(&Position::default().fen(), "", "e2e4", &[0])).contains("Variant")
        );
    }

    #[test]
    fn long_games_are_wrapped() {
        let dance = "g1f3 g8f6 f3g1 f6g8 ".repeat(20);
        let text = written(&record(&Position::default().fen(), "", &dance, &[7; 80]));
        assert!(text.lines().all(|line| line.len() <= 80));
        assert!(text.lines().count() > 20);
    }

    #[test]
    fn records_that_are_no_game_are_refused() {
        let illegal = record(&Position::default().fen(), "", "e2e5", &[0]);
        let error = write_pgn(&mut Vec::new(), "test", [&illegal]).unwrap_err();
        assert!(
            error.to_string().starts_with("game 4.2 of pairing 1: illegal move `e2e5`"),
            "{error}"
        );
        let unscored = record(&Position::default().fen(), "", "e2e4", &[]);
        assert!(write_pgn(&mut Vec::new(), "test", [&unscored]).is_err());
    }
}
