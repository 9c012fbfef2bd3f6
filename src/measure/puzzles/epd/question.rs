//! One question of a suite.

use super::operations::{Operation, move_words, operations, parse_move};
use super::reader::EpdDefect;
use crate::puzzles::SuiteAnswer;
use chess::{Move, Position};
use data::list::fen_and_operations;

/// A position with its question.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name; may be empty.
    pub id: String,
    /// The solver is to move.
    pub position: Position,
    /// Any of these is right (`bm`).
    pub best: Vec<Move>,
    /// All of these are wrong (`am`).
    pub avoid: Vec<Move>,
    /// Most moves of an announced mate that is right (`dm`).
    pub mate_in: Option<u32>,
    /// Points of moves.
    pub points: Option<Points>,
}

/// Moves with their points; others have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points(Vec<(Move, u32)>);

impl Points {
    pub fn of(&self, m: Move) -> u32 {
        self.0.iter().find(|(listed, _)| *listed == m).map_or(0, |(_, points)| *points)
    }

    /// Largest number of points of a move.
    pub fn most(&self) -> u32 {
        self.0.iter().map(|(_, points)| *points).max().unwrap_or(0)
    }
}

/// Defect of a rejected line, with its text.
pub(super) type QuestionProblem = (EpdDefect, String);

impl Question {
    pub fn parse(line: &str) -> Result<Self, QuestionProblem> {
        let (fen, rest) = fen_and_operations(line);
        let position =
            Position::from_fen(&fen).map_err(|error| (EpdDefect::Position, error.to_string()))?;
        if position.legal_moves().is_empty() {
            return Err((EpdDefect::Position, format!("the game is over in `{position}`")));
        }
        let operations = operations(rest);
        let find = |code: &str| operations.iter().find(|operation| operation.code == code);
        let (mut best, mut mate_in) = (Vec::new(), None);
        if let Some(operation) = find("bm") {
            match operation.operand.strip_prefix('#') {
                Some(moves) => mate_in = Some(number(operation, moves)?),
                None => best = moves(&position, operation)?,
            }
        }
        if let Some(operation) = find("dm") {
            mate_in = Some(number(operation, operation.operand)?);
        }
        let avoid = find("am").map(|operation| moves(&position, operation)).transpose()?;
        let question = Self {
            id: find("id").map_or("", |operation| operation.operand).to_owned(),
            points: points(&position, find("c0"), find("c8"), find("c9"))?,
            position,
            best,
            avoid: avoid.unwrap_or_default(),
            mate_in,
        };
        match question.asks_something() {
            true => Ok(question),
            false => Err((EpdDefect::NoQuestion, "neither bm, am, dm nor points".to_owned())),
        }
    }

    fn asks_something(&self) -> bool {
        let has_moves = !self.best.is_empty() || !self.avoid.is_empty();
        has_moves || self.mate_in.is_some() || self.points.is_some()
    }

    /// Whether an answer is right. Without `bm`, `am` and `dm` those moves are
    /// right that bring the most points.
    pub fn is_right(&self, answer: SuiteAnswer) -> bool {
        let SuiteAnswer { played, mate_in } = answer;
        if self.mates(played) {
            return true;
        }
        if self.avoid.contains(&played) {
            return false;
        }
        let announced = self.mate_in.zip(mate_in).is_some_and(|(most, moves)| moves <= most);
        let is_best = self.best.contains(&played);
        let only_avoid = self.best.is_empty() && self.mate_in.is_none();
        match &self.points {
            Some(points) if only_avoid && self.avoid.is_empty() => {
                points.of(played) == points.most()
            }
            _ => announced || is_best || only_avoid,
        }
    }

    /// Points of an answer, if the question gives any.
    pub(crate) fn points_for(&self, played: Move) -> Option<u32> {
        let points = self.points.as_ref()?;
        Some(if self.mates(played) { points.most() } else { points.of(played) })
    }

    fn mates(&self, played: Move) -> bool {
        self.position.is_legal(played) && self.position.after(played).is_checkmate()
    }

    /// Part of a suite, from the question's id: without the number at its end (`BK.01`), or for the
    /// Strategic Test Suite the version in brackets, since `STS(v3.0)` has two spellings.
    pub fn group(&self) -> &str {
        let in_brackets = self.id.starts_with("STS(").then(|| self.id.find(')')).flatten();
        let end = in_brackets.map(|at| at + 1);
        let without_number = self.id.trim_end_matches(|c: char| c.is_ascii_digit());
        end.map_or(without_number.trim_end_matches(['.', ' ']), |end| &self.id[..end])
    }

    /// The same in full: `STS(v1.0) Undermine`.
    pub(crate) fn group_title(&self) -> &str {
        let without_number = self.id.trim_end_matches(|c: char| c.is_ascii_digit());
        without_number.trim_end_matches(['.', ' '])
    }
}

fn moves(position: &Position, operation: &Operation<'_>) -> Result<Vec<Move>, QuestionProblem> {
    let words = move_words(operation.operand);
    let illegal = |word: &str| {
        (EpdDefect::Move, format!("`{} {word}` is not a legal move in {position}", operation.code))
    };
    let read = |word: &String| parse_move(position, word).ok_or_else(|| illegal(word));
    match words.is_empty() {
        true => Err((EpdDefect::Move, format!("`{}` without a move", operation.code))),
        false => words.iter().map(read).collect(),
    }
}

fn number(operation: &Operation<'_>, text: &str) -> Result<u32, QuestionProblem> {
    let parsed = text.trim().parse().ok().filter(|&number| number > 0);
    let Operation { code, operand } = operation;
    let message = || (EpdDefect::Mate, format!("`{code} {operand}` is not a number of moves"));
    parsed.ok_or_else(message)
}

/// Points from `c8` and `c9`, else from `c0`. Other text in comments gives none.
fn points(
    position: &Position,
    c0: Option<&Operation<'_>>,
    c8: Option<&Operation<'_>>,
    c9: Option<&Operation<'_>>,
) -> Result<Option<Points>, QuestionProblem> {
    let numbers = c8.and_then(|operation| all_numbers(operation.operand));
    if let (Some(numbers), Some(c9)) = (numbers, c9) {
        let moves = moves(position, c9).map_err(|(_, message)| (EpdDefect::Points, message))?;
        if moves.len() != numbers.len() {
            let (points, listed) = (numbers.len(), moves.len());
            let message = format!("c8 has {points} points for {listed} moves in c9");
            return Err((EpdDefect::Points, message));
        }
        return Ok(Some(Points(moves.into_iter().zip(numbers).collect())));
    }
    Ok(c0.and_then(|operation| graded(position, operation.operand)))
}

fn all_numbers(text: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// `f5=10, Be5+=2, Bf2=3`.
fn graded(position: &Position, text: &str) -> Option<Points> {
    let one = |word: &str| {
        let (word, points) = word.trim().rsplit_once('=')?;
        Some((parse_move(position, word.trim())?, points.trim().parse().ok()?))
    };
    text.split(',').map(one).collect::<Option<Vec<_>>>().map(Points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STS: &str = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -";
    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -";

    fn read(fen: &str, operations: &str) -> Question {
        Question::parse(&format!("{fen} {operations}")).unwrap()
    }

    fn is_right(question: &Question, word: &str, mate_in: Option<u32>) -> bool {
        let played = parse_move(&question.position, word).unwrap();
        question.is_right(SuiteAnswer { played, mate_in })
    }

    fn points(question: &Question, word: &str) -> Option<u32> {
        question.points_for(parse_move(&question.position, word).unwrap())
    }

    #[test]
    fn best_and_avoided_moves() {
        let best = read(STS, "bm f5 Bg4; id \"a\";");
        assert!(is_right(&best, "f5", None) && is_right(&best, "Bg4", None));
        assert!(!is_right(&best, "Bf2", None));
        let avoid = read(STS, "am f5;");
        assert!(!is_right(&avoid, "f5", None) && is_right(&avoid, "Bf2", None));
        let both = read(STS, "bm Bf2; am f5;");
        assert!(is_right(&both, "Bf2", None));
        assert!(!is_right(&both, "f5", None) && !is_right(&both, "Bg4", None));
    }

    #[test]
    fn a_mate_on_the_board_is_right_whatever_is_listed() {
        for operations in ["bm h3;", "am Rd8;", "dm 3", "c8 \"10\"; c9 \"h2h3\""] {
            assert!(is_right(&read(BACK_RANK, operations), "Rd8", None), "{operations}");
        }
    }

    #[test]
    fn mates_have_to_be_announced_in_time() {
        for operations in ["dm 3;", "bm #3; ep; 00:00;"] {
            let question = read(STS, operations);
            for (mate_in, right) in [(None, false), (Some(4), false), (Some(3), true)] {
                assert_eq!(is_right(&question, "f5", mate_in), right, "{operations} {mate_in:?}");
            }
        }
        let either = read(STS, "bm f5 dm 3");
        assert!(is_right(&either, "f5", None) && is_right(&either, "Bg4", Some(2)));
    }

    #[test]
    fn points_are_those_of_the_strategic_test_suite() {
        let c8 = "bm f5; id \"STS(v1.0) Undermine.001\"; c0 \"f5=10, Be5+=2, Bf2=3, Bg4=2\"; \
                  c7 \"f5 Be5+ Bf2 Bg4\"; c8 \"10 2 3 2\"; c9 \"f4f5 d4e5 d4f2 f3g4\";";
        let c0 = "id \"x\"; c0 \"f5=10, Be5+=2, Bf2=3, Bg4=2\";";
        for operations in [c8, c0] {
            let question = read(STS, operations);
            let given = ["f5", "Be5", "Bf2", "Bg4", "Bg2"].map(|m| points(&question, m));
            assert_eq!(given, [10, 2, 3, 2, 0].map(Some), "{operations}");
            assert!(is_right(&question, "f5", None) && !is_right(&question, "Bf2", None));
        }
        assert_eq!(points(&read(STS, "bm f5; c0 \"Houdini, 2012\""), "f5"), None);
        assert_eq!(points(&read(STS, "bm f5; c9 \"1-0\""), "f5"), None);
    }

    #[test]
    fn ids_determine_groups() {
        let group = |id: &str| read(STS, &format!("bm f5; id \"{id}\"")).group().to_owned();
        assert_eq!(group("WAC.001"), "WAC");
        assert_eq!(group("STS(v3.0) Knight Outposts/Centralization.071"), "STS(v3.0)");
        assert_eq!(group("test 12"), "test");
        assert_eq!(group(""), "");
        let question = read(STS, "bm f5; id \"STS(v1.0) Undermine.001\"");
        assert_eq!(question.group_title(), "STS(v1.0) Undermine");
    }

    proptest! {
        /// Any line is read or rejected, without a panic.
        #[test]
        fn any_line_is_read_or_refused(
            line in ".*",
            operations in "([bad]m|c[089]|id|dm)? ?[a-hNBRQKOo#x=+\"; 0-9é-]{0,40}",
        ) {
            let _ = Question::parse(&line);
            if let Ok(question) = Question::parse(&format!("{STS} {operations}")) {
                let _ = (question.group(), question.group_title());
                for played in question.position.legal_moves() {
                    let right = question.is_right(SuiteAnswer { played, mate_in: None });
                    let points = question.points_for(played);
                    let most = question.points.as_ref().map(Points::most);
                    prop_assert!(points <= most);
                    prop_assert!(!right || !question.avoid.contains(&played));
                }
            }
        }
    }

    #[test]
    fn broken_lines_have_a_defect_each() {
        let defect = |line: &str| Question::parse(line).unwrap_err().0;
        assert_eq!(defect("startpos"), EpdDefect::Position);
        assert_eq!(defect("8/8/8/8/8/8/8/8 w - - bm e4;"), EpdDefect::Position);
        assert_eq!(defect("7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;"), EpdDefect::Position);
        assert_eq!(defect(&format!("{STS} bm Nf3;")), EpdDefect::Move);
        assert_eq!(defect(&format!("{STS} bm ;")), EpdDefect::Move);
        assert_eq!(defect(&format!("{STS} dm soon;")), EpdDefect::Mate);
        assert_eq!(defect(&format!("{STS} bm #x;")), EpdDefect::Mate);
        assert_eq!(defect(&format!("{STS} bm f5; c8 \"1 2\"; c9 \"f4f5\";")), EpdDefect::Points);
        assert_eq!(defect(&format!("{STS} id \"x\";")), EpdDefect::NoQuestion);
    }
}
