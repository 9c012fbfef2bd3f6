//! A UCI engine as an annotator: questions are queued, and its failures survived.
//!
//! An engine that answers in a fifth of a millisecond would wait as long for the next
//! question. So questions are queued, as many as fit the pipe: then neither side waits
//! for a full pipe while the other waits for the first, and an engine that reads a
//! prepared file is hardly faster.
//!
//! A failure of the engine restarts it, and the questions of all open games are sent again, one
//! at a time. A second failure on a game leaves it without scores. Several such games in a row
//! end the work.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::annotator::{AnnotatorError, EngineAnnotator};
use super::labels::Labels;
use super::pool::{TakeLabels, TaskQueue};
use super::task::LabelTask;
use arena::uci::{self, Engine, Silence, Thoughts};
use chess::{Position, Score};

/// Bytes of questions that are not answered: no pipe is smaller.
const ROOM: usize = 12 << 10;
/// Answers that gather: a fraction of those that the room is for.
const GATHERED: u32 = 16;
/// Answers by which an engine's pace is taken.
const PACED: u32 = 128;
/// Answers gather no shorter and no longer than this.
const TIMES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(4)];
/// Failures on a game after which it is given up.
const TRIES: u8 = 2;
/// Games given up in a row after which nothing is expected any more.
const MOST_GIVEN_UP: u32 = 3;

/// An engine at work.
pub(super) struct EngineSession<'t> {
    annotator: &'t EngineAnnotator,
    over: &'t AtomicBool,
    /// Before the first question and after a failure there is none.
    engine: Option<Engine>,
    /// Open tasks; the first one is answered next.
    open: VecDeque<OpenTask>,
    /// Bytes of the questions that are not answered.
    unanswered: usize,
    /// Sends one question at a time until the first task, on which the engine failed, is done.
    careful: bool,
    /// Tasks given up since the last that was answered.
    given_up: u32,
    /// Answers since the engine's pace was last taken, and when that was.
    answers: u32,
    paced: Instant,
}

/// A task that is being labelled.
struct OpenTask {
    number: u64,
    task: LabelTask,
    questions: Vec<SentQuestion>,
    sent: usize,
    answered: usize,
    labels: Labels,
    failures: u8,
}

struct SentQuestion {
    place: usize,
    text: String,
    position: Position,
}

/// Whether an answer fits its question.
enum AnswerFit {
    Understood,
    /// It answers another question.
    OutOfStep,
}

impl<'t> EngineSession<'t> {
    pub(super) fn new(annotator: &'t EngineAnnotator, over: &'t AtomicBool) -> Self {
        Self {
            annotator,
            over,
            engine: None,
            open: VecDeque::new(),
            unanswered: 0,
            careful: false,
            given_up: 0,
            answers: 0,
            paced: Instant::now(),
        }
    }

    /// Labels tasks until there are no more or the work is over.
    ///
    /// # Errors
    /// An engine that does not start again, or fails on several tasks in a row.
    pub(super) fn label(
        mut self,
        tasks: &TaskQueue,
        hand_in: TakeLabels<'_>,
    ) -> Result<(), AnnotatorError> {
        loop {
            let step = self.send(tasks).and_then(|()| self.listen());
            match step {
                Ok(AnswerFit::Understood) => {}
                Ok(AnswerFit::OutOfStep) => self.fail()?,
                Err(Silence::Stopped) => return Ok(()),
                Err(Silence::Gone | Silence::TimedOut) => self.fail()?,
            }
            while let Some(done) = self.open.pop_front_if(|open| open.is_done()) {
                self.careful = false;
                if done.is_answered() {
                    self.given_up = 0;
                }
                if !hand_in(done.number, done.labels) {
                    return Ok(());
                }
            }
            if self.open.is_empty() && !self.begin_next(tasks) {
                return Ok(());
            }
        }
    }

    /// Sends questions while there is room.
    fn send(&mut self, tasks: &TaskQueue) -> Result<(), Silence> {
        while self.has_room() {
            let waiting = self.open.iter().position(|open| open.sent < open.questions.len());
            match waiting {
                Some(which) => self.send_next_of(which)?,
                None if self.careful || !self.begin_next(tasks) => break,
                None => {}
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let ahead = self.annotator.takes_ahead && !self.careful;
        self.unanswered == 0 || (ahead && self.unanswered < ROOM)
    }

    /// Takes up a task; `false` if there are no more.
    fn begin_next(&mut self, tasks: &TaskQueue) -> bool {
        let Some((number, task)) = tasks.next() else { return false };
        self.open.push_back(OpenTask::new(number, task, &self.annotator.go));
        true
    }

    fn send_next_of(&mut self, which: usize) -> Result<(), Silence> {
        let patience = self.annotator.program.patience;
        if self.engine.is_none() {
            let mut engine = self.annotator.program.start(self.over).map_err(|_| Silence::Gone)?;
            if self.annotator.takes_ahead {
                engine.let_gather(TIMES[0]);
            }
            self.engine = Some(engine);
        }
        let engine = self.engine.as_mut().ok_or(Silence::Gone)?;
        let open = &mut self.open[which];
        if open.sent == 0 {
            engine.forget(open.task.start())?;
            if !self.annotator.takes_ahead {
                engine.synchronise(Instant::now() + patience, self.over)?;
            }
        }
        let question = &open.questions[open.sent];
        engine.say(&question.text)?;
        open.sent += 1;
        self.unanswered += question.text.len();
        Ok(())
    }

    /// Waits for the next answer, if any is to come.
    fn listen(&mut self) -> Result<AnswerFit, Silence> {
        let Some(open) = self.open.front_mut().filter(|open| !open.is_done()) else {
            return Ok(AnswerFit::Understood);
        };
        let engine = self.engine.as_mut().ok_or(Silence::Gone)?;
        let until = Instant::now() + self.annotator.program.patience;
        let uci::EngineAnswer { text: best, thoughts, .. } = engine.answer(until, self.over)?;
        let is_alone = open.sent == open.answered + 1;
        self.answers += 1;
        if self.answers == PACED && self.annotator.takes_ahead {
            let each = self.paced.elapsed() / PACED;
            engine.let_gather((each * GATHERED).clamp(TIMES[0], TIMES[1]));
            (self.answers, self.paced) = (0, Instant::now());
        }
        self.unanswered -= open.questions[open.answered].text.len();
        Ok(open.take(&best, thoughts, is_alone))
    }

    /// Stops the engine after a failure; all open questions are sent again.
    fn fail(&mut self) -> Result<(), AnnotatorError> {
        self.engine = None;
        self.unanswered = 0;
        self.careful = true;
        for open in &mut self.open {
            open.begin_anew();
        }
        let Some(first) = self.open.front_mut() else { return Ok(()) };
        first.failures += 1;
        if first.failures < TRIES {
            return Ok(());
        }
        first.give_up();
        self.given_up += 1;
        match self.given_up < MOST_GIVEN_UP {
            true => Ok(()),
            false => Err(self.annotator.keeps_failing(self.given_up)),
        }
    }
}

impl OpenTask {
    fn new(number: u64, task: LabelTask, go: &str) -> Self {
        let mut questions = Vec::with_capacity(task.selected.len());
        task.questions(|question| {
            questions.push(SentQuestion {
                place: question.place,
                text: question.commands(go),
                position: question.position.clone(),
            });
            true
        });
        let labels = Labels::none(task.positions());
        Self { number, task, questions, sent: 0, answered: 0, labels, failures: 0 }
    }

    fn is_done(&self) -> bool {
        self.answered == self.questions.len()
    }

    /// Whether it had questions and was not given up.
    fn is_answered(&self) -> bool {
        !self.questions.is_empty() && self.failures < TRIES
    }

    /// Takes the answer to the first open question; `is_alone` if no other is open.
    fn take(&mut self, best: &str, thoughts: Thoughts, is_alone: bool) -> AnswerFit {
        let SentQuestion { place, position, .. } = &self.questions[self.answered];
        let is_legal = position.parse_uci(best).is_ok();
        if !is_legal && !is_alone {
            return AnswerFit::OutOfStep;
        }
        // An engine that answers with a move that is not legal, or that is mated where it has
        // one, has not understood the position.
        match thoughts.score.filter(|score| is_legal && *score != Score::Mate(0)) {
            Some(score) => self.labels.scores[*place] = score.seen_by(position.turn()).to_i16(),
            None => self.labels.unanswered += 1,
        }
        self.answered += 1;
        AnswerFit::Understood
    }

    fn begin_anew(&mut self) {
        (self.sent, self.answered) = (0, 0);
        self.labels = Labels::none(self.labels.scores.len());
    }

    /// Leaves all questions without an answer.
    fn give_up(&mut self) {
        (self.sent, self.answered) = (self.questions.len(), self.questions.len());
        self.labels.unanswered = self.questions.len() as u32;
    }
}
