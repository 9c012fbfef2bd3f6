//! Parsing of engine output, as far as a match needs it.

use super::super::game::SearchEffort;
use super::options::Declared;
use base::printable_line;
use data::Score;

/// An engine's lines between `uci` and `uciok`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Introduction {
    /// Its name, with version, without control characters.
    pub name: Option<String>,
    pub options: Vec<Declared>,
}

impl Introduction {
    /// Reads a line; `true` at the last.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = Some(printable_line(name.trim()).into_owned());
        } else if let Some(option) = line.strip_prefix("option name ") {
            self.options.push(Declared::parse(option));
        }
        line == "uciok"
    }

    /// The option of that name, in any case, as engines compare.
    pub(super) fn option(&self, name: &str) -> Option<&Declared> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// The last info of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thoughts {
    /// For the side to move, of the last completed search: bounds of a running one are no score.
    pub score: Option<Score>,
    /// Cost of the search.
    pub effort: SearchEffort,
    /// Whether the engine counts its lines from 0.
    from_zero: bool,
}

/// Parts of an `info` line.
#[derive(Debug, Default)]
struct Info<'l> {
    line: Option<&'l str>,
    score: Option<Score>,
    is_bound: bool,
    nodes: Option<u64>,
    depth: Option<u32>,
}

impl Thoughts {
    /// Reads an `info` line; other lines and invalid words are ignored.
    pub(super) fn take(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let info = Info::parse(words);
        self.from_zero |= info.line == Some("0");
        let best = if self.from_zero { "0" } else { "1" };
        let is_best_line = info.line.is_none_or(|line| line == best);
        if let Some(score) = info.score.filter(|_| is_best_line && !info.is_bound) {
            self.score = Some(score);
            self.effort.depth = info.depth;
        }
        self.effort.nodes = info.nodes.unwrap_or(self.effort.nodes);
    }
}

impl<'l> Info<'l> {
    /// Reads the words after `info`, in any order: moves are skipped, and `string` ends it.
    fn parse(mut words: impl Iterator<Item = &'l str>) -> Self {
        let mut info = Self::default();
        let mut kind = None;
        while let Some(word) = words.next() {
            match word {
                "multipv" => info.line = words.next(),
                "score" => kind = kind.or(Some(AnswerKind::Announced)),
                "lowerbound" | "upperbound" => info.is_bound |= kind.is_some(),
                "cp" | "mate" if kind == Some(AnswerKind::Announced) => {
                    kind = Some(AnswerKind::Read);
                    info.score = read_score(word, words.next());
                }
                "nodes" => info.nodes = parsed(words.next()).or(info.nodes),
                "depth" => info.depth = parsed(words.next()).or(info.depth),
                "string" => break,
                _ => {}
            }
        }
        info
    }
}

/// Progress within the score of a line; only the first score counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    Announced,
    Read,
}

/// A score for the side to move. The side to move is not mated, so `mate 0` is none.
fn read_score(kind: &str, value: Option<&str>) -> Option<Score> {
    match kind {
        "cp" => parsed::<f64>(value).and_then(whole).map(Score::Centipawns),
        _ => parsed(value).filter(|&moves| moves != 0).map(Score::Mate),
    }
}

/// The nearest whole number: some engines write `25.0`.
fn whole(value: f64) -> Option<i32> {
    let rounded = value.round();
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded).then_some(rounded as i32)
}

fn parsed<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// The move of a `bestmove` line; `None` for any other line.
pub(super) fn best_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    (words.next()? == "bestmove").then(|| words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use engine::value::centipawns;

    fn thoughts(lines: &[&str]) -> Thoughts {
        let mut thoughts = Thoughts::default();
        lines.iter().for_each(|line| thoughts.take(line));
        thoughts
    }

    fn score(lines: &[&str]) -> Option<Score> {
        thoughts(lines).score
    }

    const EXACT: &str = "info depth 9 multipv 1 score cp 25 nodes 900 pv a2a3";
    const CALM: Option<Score> = Some(Score::Centipawns(25));

    #[test]
    fn the_last_score_of_the_best_line_counts() {
        let info = thoughts(&[
            "info depth 1 seldepth 1 multipv 1 score cp 31 nodes 20 nps 2 pv e2e4",
            "info depth 2 multipv 1 score cp -12 nodes 50 pv e2e4 score cp 99",
            "info depth 2 multipv 2 score cp 500 nodes 60",
            "info string score cp 77",
            "info score cp many nodes -3",
            "readyok",
        ]);
        assert_eq!(info.score, Some(Score::Centipawns(-12)));
        assert_eq!(info.effort, SearchEffort { nodes: 60, depth: Some(2) });
        assert_eq!(thoughts(&["info depth 1"]), Thoughts::default());
    }

    /// Bounds of a running search only exclude scores.
    #[test]
    fn bounds_are_no_scores() {
        for bound in [
            "info depth 10 multipv 1 score cp -650 upperbound nodes 1000 pv a2a3",
            "info depth 10 score mate 4 lowerbound nodes 1000",
            "info depth 10 nodes 1000 score upperbound cp -650",
            "info depth 10 nodes 1000 pv a2a3 score cp 0 lowerbound",
        ] {
            let info = thoughts(&[EXACT, bound]);
            assert_eq!((info.score, info.effort.depth), (CALM, Some(9)), "{bound}");
            assert_eq!(info.effort.nodes, 1_000, "{bound}");
            assert_eq!(score(&[bound]), None, "{bound}");
        }
    }

    #[test]
    fn words_come_in_any_order_and_numbers_in_any_notation() {
        for line in [
            "info depth 9 nodes 900 pv a2a3 h7h6 score cp 25",
            "info pv a2a3 score cp 25 multipv 1 depth 9",
            "info depth 9 score cp 25.0 nodes 900 pv a2a3",
            "info depth 9 multipv 0 score cp 25 pv a2a3",
        ] {
            assert_eq!(score(&[line, "info multipv 2 score cp 5 pv h2h3"]), CALM, "{line}");
        }
        for nonsense in ["nan", "inf", "1e300", "25,0", ""] {
            assert_eq!(score(&[EXACT, &format!("info score cp {nonsense}")]), CALM, "{nonsense}");
        }
    }

    #[test]
    fn lines_may_be_counted_from_zero() {
        let lines = ["info multipv 0 score cp 25", "info multipv 1 score cp 5"];
        assert_eq!(score(&lines), CALM);
    }

    /// Engines send it by mistake; a side with a move is not mated.
    #[test]
    fn a_mate_in_no_move_is_no_score() {
        assert_eq!(score(&[EXACT, "info depth 10 score mate 0"]), CALM);
        assert_eq!(score(&["info depth 10 score mate 0"]), None);
    }

    #[test]
    fn mates_are_beyond_every_evaluation() {
        let mate = |line| centipawns(thoughts(&[line]).score.unwrap());
        assert!(mate("info score mate 3") > mate("info score cp 19999"));
        assert!(mate("info score mate -3") < mate("info score cp -19999"));
        assert!(mate("info score mate 1") > mate("info score mate 3"));
        assert!(mate("info score mate -2147483648") < -20_000);
    }

    #[test]
    fn introductions_name_engine_and_options() {
        let mut info = Introduction::default();
        let lines = ["id name Fish 1.5", "option name Skill Level type spin default 20", "uciok"];
        assert_eq!(lines.map(|line| info.take(line)), [false, false, true]);
        assert_eq!(info.name.as_deref(), Some("Fish 1.5"));
        assert_eq!(info.option("skill level").unwrap().name, "Skill Level");
        assert!(info.option("Skill").is_none());
    }

    #[test]
    fn names_command_no_terminal() {
        let mut info = Introduction::default();
        info.take("id name Evil\u{1b}[2J\u{1b}]0;owned\u{7} 1.0");
        assert_eq!(info.name.as_deref(), Some("Evil\u{fffd}[2J\u{fffd}]0;owned\u{fffd} 1.0"));
    }

    #[test]
    fn best_moves_are_found() {
        assert_eq!(best_move("bestmove e2e4 ponder e7e5\r"), Some("e2e4"));
        assert_eq!(best_move("bestmove"), Some(""));
        assert_eq!(best_move("info string bestmove e2e4"), None);
    }

    proptest! {
        #[test]
        fn any_output_is_parsed_without_a_panic(
            words in prop::collection::vec(
                prop_oneof!["info", "score", "cp", "mate", "nodes", "-?[0-9]{1,20}", "\\PC*"], 0..12)
        ) {
            let line = words.join(" ");
            thoughts(&[&line]);
            Introduction::default().take(&line);
            let _ = best_move(&line);
        }
    }
}
