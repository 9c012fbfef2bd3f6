//! Results of a player on a suite.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::Question;
use crate::puzzles::stats::{Interval, Z_95};
use crate::puzzles::suite::{MakeSolver, ask_all};
use crate::puzzles::{Proportion, PuzzleError};
use chess::Move;

/// Outcome of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpdOutcome {
    /// Whether the answer was right.
    pub is_right: bool,
    /// Its points, if the question gives any.
    pub points: Option<u32>,
    /// The move played; none if there was no answer.
    pub played: Option<Move>,
}

/// Answers all questions in parallel, as [`run_suite`](crate::puzzles::run_suite) does; outcomes
/// are in the order of the questions.
pub fn run_epd(
    questions: &[Question],
    make_solver: &MakeSolver<'_, '_>,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<EpdOutcome>, PuzzleError> {
    let attempt = |solver: &mut dyn crate::puzzles::Solver, question: &Question| {
        let answer = solver.answer(&question.position, &[]);
        let nothing = question.points.as_ref().map(|_| 0);
        EpdOutcome {
            is_right: answer.is_some_and(|answer| question.is_right(answer)),
            points: answer.map_or(nothing, |answer| question.points_for(answer.played)),
            played: answer.map(|answer| answer.played),
        }
    };
    ask_all(questions, make_solver, &attempt, progress, stop)
}

/// Points on some questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointTotal {
    /// Points scored.
    pub points: u64,
    /// Largest possible number of points.
    pub most: u64,
    pub questions: u64,
    squares: u64,
}

impl PointTotal {
    fn add(&mut self, points: u32, most: u32) {
        self.points += u64::from(points);
        self.most += u64::from(most);
        self.questions += 1;
        self.squares += u64::from(points) * u64::from(points);
    }

    /// 95 % interval of the points, the questions being a sample: normal, from the
    /// spread of their points. With a single question it spans the whole range.
    pub fn interval(&self) -> Interval {
        let (n, points) = (self.questions as f64, self.points as f64);
        if self.questions < 2 {
            return Interval { low: 0.0, high: self.most as f64 };
        }
        let variance = (self.squares as f64 - points * points / n) / (n - 1.0);
        let half = Z_95 * (variance.max(0.0) * n).sqrt();
        Interval { low: (points - half).max(0.0), high: (points + half).min(self.most as f64) }
    }
}

/// A player's result on a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuiteResult {
    pub right: Proportion,
    /// All points, if the suite gives any.
    pub points: Option<PointTotal>,
    /// Points by part of the suite, in its order, if it has several.
    pub by_group: Vec<(String, PointTotal)>,
}

impl SuiteResult {
    /// Sums up outcomes, which stand in the order of their questions.
    pub fn new(questions: &[Question], outcomes: &[EpdOutcome]) -> Self {
        let mut result = Self::default();
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for (question, outcome) in questions.iter().zip(outcomes) {
            result.right.add(outcome.is_right);
            let (Some(points), Some(made)) = (&question.points, outcome.points) else { continue };
            result.points.get_or_insert_default().add(made, points.most());
            let group = *groups.entry(question.group()).or_insert_with(|| {
                let title = question.group_title().to_owned();
                result.by_group.push((title, PointTotal::default()));
                result.by_group.len() - 1
            });
            result.by_group[group].1.add(made, points.most());
        }
        if result.by_group.len() == 1 {
            result.by_group.clear();
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::Solver;
    use chess::{Position, PositionKey};

    const FEN: &str = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -";

    fn suite() -> Vec<Question> {
        let graded = "c8 \"10 2 3\"; c9 \"f4f5 d4e5 d4f2\"";
        [
            format!("{FEN} bm f5; id \"STS(v1.0) Undermine.001\"; {graded}"),
            format!("{FEN} bm f5; id \"STS(v1.0) Undermining.002\"; {graded}"),
            format!("{FEN} bm Bf2; id \"STS(v2.2) Files.001\"; c0 \"Bf2=8, f5=1\""),
            format!("{FEN} am f5; id \"other\""),
        ]
        .map(|line| Question::parse(&line).unwrap())
        .to_vec()
    }

    fn result_of(uci: &'static str) -> (SuiteResult, Vec<EpdOutcome>) {
        let make = || -> Box<dyn Solver + Send> {
            Box::new(|position: &Position, _: &[PositionKey]| position.parse_uci(uci).ok())
        };
        let questions = suite();
        let outcomes = run_epd(&questions, &make, &|_| {}, &AtomicBool::new(false)).unwrap();
        (SuiteResult::new(&questions, &outcomes), outcomes)
    }

    #[test]
    fn points_are_summed_by_part() {
        let (result, _) = result_of("d4f2");
        assert_eq!(result.right, Proportion { successes: 2, trials: 4 });
        let points = result.points.unwrap();
        assert_eq!((points.points, points.most, points.questions), (14, 28, 3));
        let groups: Vec<(&str, u64, u64)> =
            result.by_group.iter().map(|(title, p)| (title.as_str(), p.points, p.most)).collect();
        assert_eq!(groups, [("STS(v1.0) Undermine", 6, 20), ("STS(v2.2) Files", 8, 8)]);
        let Interval { low, high } = points.interval();
        // Of 3, 3 and 8 the standard deviation is √(25/3).
        let half = Z_95 * 5.0;
        assert!((low - (14.0 - half)).abs() < 1e-9 && (high - (14.0 + half)).abs() < 1e-9);
    }

    #[test]
    fn no_answer_is_wrong_and_worth_nothing() {
        let (result, outcomes) = result_of("a1a1");
        assert_eq!(result.right, Proportion { successes: 0, trials: 4 });
        assert_eq!(result.points.map(|total| total.points), Some(0));
        assert!(outcomes.iter().all(|outcome| outcome.played.is_none()));
    }
}
