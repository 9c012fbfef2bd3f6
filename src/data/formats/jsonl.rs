//! The evaluations of the Lichess database (`lichess_db_eval.jsonl.zst`): a JSON object a line.
//!
//! ```text
//! {"fen":"4k3/8/8/8/8/8/4P3/4K3 w - -","evals":[{"pvs":[{"cp":311,"line":"e2e4 e8e7"}],
//!  "knodes":206765,"depth":36}]}
//! ```
//!
//! A position has several evaluations. That of the largest depth is taken, with more nodes if two
//! have the same, and of its variations the first, the best one. Scores are centipawns or mates
//! from White's side; the move played is the first of the variation, where castling is king takes
//! rook (`e1h1`) or the king's own two squares. FENs have four fields, so that there are neither
//! clocks nor plies, and there are no results.

use serde::Deserialize;

use crate::defect::{BadEntry, Defect};
use crate::formats::list::{self, ListedPosition};
use chess::{Position, Score};

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    fen: String,
    evals: Vec<Evaluation>,
}

/// The result of one search.
#[derive(Deserialize)]
struct Evaluation {
    pvs: Vec<Variation>,
    #[serde(default)]
    knodes: u64,
    depth: u32,
}

/// Score and moves.
#[derive(Deserialize)]
struct Variation {
    cp: Option<i32>,
    mate: Option<i32>,
    #[serde(default)]
    line: String,
}

/// Whether a line looks like one of these files.
pub(super) fn is_evaluation(line: &[u8]) -> bool {
    let compact = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    line.starts_with(b"{") && compact.take(7).eq(b"{\"fen\":")
}

/// The position of a line, with its deepest evaluation.
pub(super) fn decode(line: &[u8], number: u64) -> Result<ListedPosition, BadEntry> {
    let Line { fen, evals } = serde_json::from_slice(line).map_err(|error| {
        let cut = error.is_eof();
        let defect = if cut { Defect::CutShort } else { Defect::Malformed };
        let detail = format!(
            "not an evaluation of Lichess, such as `{{\"fen\":\"…\",\"evals\":[{{\"pvs\":[{{\"cp\":31,\
             \"line\":\"e2e4\"}}],\"knodes\":9,\"depth\":20}}]}}`: {error}"
        );
        BadEntry::on_line(number, defect, detail)
    })?;
    let position = list::position(&fen, number)?;
    let Some(deepest) = evals.iter().max_by_key(|eval| (eval.depth, eval.knodes)) else {
        let detail = "the position has no evaluation (`evals` is empty)".to_owned();
        return Err(BadEntry::on_line(number, Defect::Malformed, detail));
    };
    let Some(best) = deepest.pvs.first() else {
        let detail = format!("the evaluation of depth {} has no variation", deepest.depth);
        return Err(BadEntry::on_line(number, Defect::Malformed, detail));
    };
    Ok(ListedPosition {
        ply: None,
        played: best.played(&position, number)?,
        white_score: Some(best.score(number)?),
        depth: Some(deepest.depth),
        result: None,
        position,
    })
}

impl Variation {
    fn score(&self, number: u64) -> Result<Score, BadEntry> {
        match (self.cp, self.mate) {
            (Some(cp), None) => Ok(Score::Centipawns(cp)),
            (None, Some(moves)) if moves != 0 => Ok(Score::Mate(moves)),
            _ => {
                let detail = "the first variation has neither `cp` nor `mate`, or both";
                Err(BadEntry::on_line(number, Defect::Malformed, detail.to_owned()))
            }
        }
    }

    /// The first move, if there is any.
    fn played(&self, position: &Position, number: u64) -> Result<Option<chess::Move>, BadEntry> {
        let first = self.line.split_ascii_whitespace().next();
        let played = first.map(|text| position.parse_uci(text)).transpose();
        played.map_err(|error| BadEntry::on_line(number, Defect::IllegalMove, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use chess::random_game::random_game;

    fn read(line: &str) -> Result<ListedPosition, BadEntry> {
        assert!(is_evaluation(line.as_bytes()), "{line}");
        decode(line.as_bytes(), 7)
    }

    const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";

    #[test]
    fn the_deepest_evaluation_is_taken() {
        let line = format!(
            r#"{{"fen":"{CASTLES}","evals":[
            {{"pvs":[{{"cp":5,"line":"e1e2"}}],"knodes":9000,"depth":20}},
            {{"pvs":[{{"cp":311,"line":"e1h1 e8e7"}},{{"cp":7,"line":"a1a2"}}],"knodes":80,"depth":36}},
            {{"pvs":[{{"mate":-4,"line":"a1a3"}}],"knodes":70,"depth":36}}]}}"#
        );
        let read = read(&line.replace('\n', "")).unwrap();
        assert_eq!(read.position.fen(), format!("{CASTLES} 0 1"));
        assert_eq!((read.white_score, read.depth), (Some(Score::Centipawns(311)), Some(36)));
        assert_eq!((read.ply, read.result), (None, None));
        assert_eq!(read.played, Some(read.position.parse_uci("e1g1").unwrap()));
    }

    fn evaluation(fen: &str, pv: &str) -> String {
        format!(r#"{{"fen":"{fen}","evals":[{{"pvs":[{pv}],"knodes":1,"depth":30}}]}}"#)
    }

    #[test]
    fn castling_may_be_written_in_either_way() {
        for (black, long) in [("w", false), ("w", true), ("b", false), ("b", true)]
            .map(|(turn, long)| (turn == "b", long))
        {
            let (turn, rank) = if black { ("b", 8) } else { ("w", 1) };
            let fen = format!("r3k2r/8/8/8/8/8/8/R3K2R {turn} KQkq -");
            let files = if long { ["a", "c"] } else { ["h", "g"] };
            let played = files.map(|file| {
                let pv = format!(r#"{{"cp":0,"line":"e{rank}{file}{rank}"}}"#);
                read(&evaluation(&fen, &pv)).unwrap().played.unwrap()
            });
            assert!(played[0].is_castle());
            assert_eq!(played[0], played[1]);
        }
    }

    #[test]
    fn bad_lines_say_where_and_why() {
        let pv = r#"{"cp":0,"line":"e2e5"}"#;
        for (line, defect, part) in [
            (evaluation("8/8/8/8/8/8/8/8 w - -", pv), Defect::Position, "8/8"),
            (evaluation("4k3/8 w", pv), Defect::Position, "not a whole position"),
            (evaluation(CASTLES, pv), Defect::IllegalMove, "e2e5"),
            (evaluation(CASTLES, r#"{"line":"e1e2"}"#), Defect::Malformed, "neither `cp`"),
            (evaluation(CASTLES, r#"{"mate":0}"#), Defect::Malformed, "neither `cp`"),
            (evaluation(CASTLES, ""), Defect::Malformed, "depth 30 has no variation"),
            (format!(r#"{{"fen":"{CASTLES}","evals":[]}}"#), Defect::Malformed, "`evals` is empty"),
            (format!(r#"{{"fen":"{CASTLES}"}}"#), Defect::Malformed, "missing field `evals`"),
            (format!(r#"{{"fen":"{CASTLES}","#), Defect::CutShort, "EOF"),
        ] {
            let bad = read(&line).unwrap_err();
            assert_eq!(bad.defect, defect, "{line}: {bad}");
            assert!(bad.to_string().starts_with("line 7: ") && bad.detail.contains(part), "{bad}");
        }
        assert!(!is_evaluation(b"[Event \"?\"]") && !is_evaluation(b"{\"pgn\":1}"));
    }

    proptest! {
        #[test]
        fn positions_of_games_are_read(seed: u64, cp: i32) {
            let game = random_game(seed, 60);
            let mut position = game.start.clone();
            for m in &game.moves {
                let fen = position.fen();
                let fields: Vec<&str> = fen.split(' ').take(4).collect();
                let uci = position.uci_chess960(m.played);
                let pv = format!(r#"{{"cp":{cp},"line":"{uci} a1a1"}}"#);
                let read = read(&evaluation(&fields.join(" "), &pv)).unwrap();
                prop_assert_eq!(read.position.key(), position.key());
                prop_assert_eq!(read.played, Some(m.played));
                prop_assert_eq!(read.white_score, Some(Score::Centipawns(cp)));
                position.play(m.played);
            }
        }

        #[test]
        fn damage_never_panics(at in any::<prop::sample::Index>(), byte: u8, noise: Vec<u8>) {
            let mut line = evaluation(CASTLES, r#"{"cp":0,"line":"e1h1"}"#).into_bytes();
            let at = at.index(line.len());
            line[at] = byte;
            let _ = (decode(&line, 1), decode(&noise, 1), is_evaluation(&noise));
        }
    }
}
