//! Our own search as a teacher.

use std::sync::atomic::{AtomicBool, Ordering};

use super::lesson::{Lesson, Question};
use super::marks::Marks;
use super::teacher::Effort;
use super::workshop::{HandIn, Lessons};
use crate::play;
use arena::contender::Evaluation;
use data::Score;
use engine::{Limits, Searcher};

/// Table of a search, in MiB. Small, for every entry begins by clearing it.
const HASH_MB: usize = 2;

/// Judges lessons until there are no more.
pub(super) fn judge(
    evaluation: &Evaluation,
    effort: Effort,
    lessons: &Lessons,
    hand_in: HandIn<'_>,
    over: &AtomicBool,
) {
    let mut searcher = Searcher::new(evaluation.evaluator(), HASH_MB);
    while let Some((number, lesson)) = lessons.next() {
        let marks = marks_of(&lesson, &mut searcher, effort, over);
        // What was stopped does not count.
        if over.load(Ordering::Relaxed) || !hand_in(number, marks) {
            return;
        }
    }
}

fn marks_of(lesson: &Lesson, searcher: &mut Searcher, effort: Effort, over: &AtomicBool) -> Marks {
    let mut marks = Marks::none(lesson.positions());
    searcher.new_game();
    lesson.questions(|question| {
        let score = score(question, searcher, effort, over);
        marks.scores[question.place] = score.seen_by(question.position.turn()).to_i16();
        !over.load(Ordering::Relaxed)
    });
    marks
}

/// For the side to move.
fn score(
    question: &Question<'_>,
    searcher: &mut Searcher,
    effort: Effort,
    over: &AtomicBool,
) -> Score {
    let Some(limits) = limits(effort) else {
        return Score::Centipawns(searcher.evaluate(question.position));
    };
    searcher.search(question.position, question.history, &limits, over, &mut |_| {}).score
}

/// `None` for no search at all.
fn limits(effort: Effort) -> Option<Limits> {
    match effort {
        Effort::Static => None,
        Effort::Depth(depth) => Some(Limits { depth: Some(depth.get()), ..Limits::default() }),
        Effort::Nodes(nodes) => Some(play::limits(nodes.get())),
    }
}
