//! Our own search as an annotator.

use std::sync::atomic::{AtomicBool, Ordering};

use super::annotator::LabelEffort;
use super::labels::Labels;
use super::pool::{TakeLabels, TaskQueue};
use super::task::{LabelTask, PositionQuestion};
use crate::play;
use arena::contender::Evaluation;
use data::Score;
use engine::{Limits, Searcher};

/// Table of a search, in MiB. Small, for every entry begins by clearing it.
const HASH_MB: usize = 2;

/// Labels tasks until there are no more.
pub(super) fn label(
    evaluation: &Evaluation,
    effort: LabelEffort,
    tasks: &TaskQueue,
    hand_in: TakeLabels<'_>,
    over: &AtomicBool,
) {
    let mut searcher = Searcher::new(evaluation.evaluator(), HASH_MB);
    while let Some((number, task)) = tasks.next() {
        let labels = labels_of(&task, &mut searcher, effort, over);
        // A stopped search has no valid labels.
        if over.load(Ordering::Relaxed) || !hand_in(number, labels) {
            return;
        }
    }
}

fn labels_of(
    task: &LabelTask,
    searcher: &mut Searcher,
    effort: LabelEffort,
    over: &AtomicBool,
) -> Labels {
    let mut labels = Labels::none(task.positions());
    searcher.new_game();
    task.questions(|question| {
        let score = score(question, searcher, effort, over);
        labels.scores[question.place] = score.seen_by(question.position.turn()).to_i16();
        !over.load(Ordering::Relaxed)
    });
    labels
}

/// For the side to move.
fn score(
    question: &PositionQuestion<'_>,
    searcher: &mut Searcher,
    effort: LabelEffort,
    over: &AtomicBool,
) -> Score {
    let Some(limits) = limits(effort) else {
        return Score::Centipawns(searcher.evaluate(question.position));
    };
    searcher.search(question.position, question.history, &limits, over, &mut |_| {}).score
}

/// `None` for no search at all.
fn limits(effort: LabelEffort) -> Option<Limits> {
    match effort {
        LabelEffort::Static => None,
        LabelEffort::Depth(depth) => Some(Limits { depth: Some(depth.get()), ..Limits::default() }),
        LabelEffort::Nodes(nodes) => Some(play::limits(nodes.get())),
    }
}
