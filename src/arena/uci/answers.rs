//! What engines say, as far as a match needs it.

use super::super::game::Effort;
use data::Score;

/// What an engine says of itself between `uci` and `uciok`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Introduction {
    /// Its name, with version.
    pub name: Option<String>,
    /// Names of its options.
    pub options: Vec<String>,
}

impl Introduction {
    /// Takes a line in; whether it was the last.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = Some(name.trim().to_owned());
        } else if let Some(option) = line.strip_prefix("option name ") {
            let name = option.split(" type ").next().unwrap_or(option);
            self.options.push(name.trim().to_owned());
        }
        line == "uciok"
    }

    /// Whether there is such an option, as engines compare: whatever the case.
    pub(super) fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
    }
}

/// The last of what an engine told while it searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thoughts {
    /// For the side to move.
    pub score: Option<Score>,
    /// What the search has taken.
    pub effort: Effort,
}

impl Thoughts {
    /// Takes an `info` line in; other lines, and words that make no sense,
    /// change nothing.
    pub(super) fn take(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut is_best_line = true;
        let (mut score, mut nodes, mut depth) = (None, None, None);
        while let Some(word) = words.next() {
            match word {
                "multipv" => is_best_line = words.next() == Some("1"),
                "score" => score = read_score(words.next(), words.next()),
                "nodes" => nodes = parsed(words.next()).or(nodes),
                "depth" => depth = parsed(words.next()).or(depth),
                // The rest is text or moves.
                "string" | "pv" => break,
                _ => {}
            }
        }
        if is_best_line && let Some(score) = score {
            self.score = Some(score);
            self.effort.depth = depth;
        }
        self.effort.nodes = nodes.unwrap_or(self.effort.nodes);
    }
}

fn read_score(kind: Option<&str>, value: Option<&str>) -> Option<Score> {
    match kind? {
        "cp" => parsed(value).map(Score::Centipawns),
        "mate" => parsed(value).map(Score::Mate),
        _ => None,
    }
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

    #[test]
    fn the_last_score_of_the_best_line_counts() {
        let told = thoughts(&[
            "info depth 1 seldepth 1 multipv 1 score cp 31 nodes 20 nps 2 pv e2e4",
            "info depth 2 multipv 1 score cp -12 upperbound nodes 50 pv e2e4 score cp 99",
            "info depth 2 multipv 2 score cp 500 nodes 60",
            "info string score cp 77",
            "info score cp many nodes -3",
            "readyok",
        ]);
        assert_eq!(
            told,
            Thoughts {
                score: Some(Score::Centipawns(-12)),
                effort: Effort { nodes: 60, depth: Some(2) }
            }
        );
        assert_eq!(thoughts(&["info depth 1"]), Thoughts::default());
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
        let mut told = Introduction::default();
        let lines = ["id name Fish 1.5", "option name Skill Level type spin default 20", "uciok"];
        assert_eq!(lines.map(|line| told.take(line)), [false, false, true]);
        assert_eq!(told.name.as_deref(), Some("Fish 1.5"));
        assert!(told.has_option("skill level") && !told.has_option("Skill"));
    }

    #[test]
    fn best_moves_are_found() {
        assert_eq!(best_move("bestmove e2e4 ponder e7e5\r"), Some("e2e4"));
        assert_eq!(best_move("bestmove"), Some(""));
        assert_eq!(best_move("info string bestmove e2e4"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_survived(
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
