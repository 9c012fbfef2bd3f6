//! A UCI engine as a teacher: asked ahead of its answers, and survived.
//!
//! An engine that answers in a fifth of a millisecond would wait as long for the next
//! question. So questions are asked ahead, as many as fit the pipe: then nobody ever waits
//! for a pipe that is full while the other waits for the first, and an engine that reads a
//! prepared file is hardly faster.
//!
//! What an engine does wrong costs the game that it was asked about: it is started anew and
//! asked again, one question at a time; if it fails on that game once more the game stays
//! without scores. Several such games in a row end the work.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::lesson::Lesson;
use super::marks::Marks;
use super::teacher::{EngineTeacher, TeacherError};
use super::workshop::{HandIn, Lessons};
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
/// How often an engine may fail on a game before that is given up.
const TRIES: u8 = 2;
/// Games given up in a row after which nothing is expected any more.
const MOST_GIVEN_UP: u32 = 3;

/// An engine at work.
pub(super) struct EngineSession<'t> {
    teacher: &'t EngineTeacher,
    over: &'t AtomicBool,
    /// Before the first question and after a failure there is none.
    engine: Option<Engine>,
    /// Lessons begun, the first of which is answered next.
    open: VecDeque<Open>,
    /// Bytes of the questions that are not answered.
    unanswered: usize,
    /// Until the first lesson is done questions are asked one at a time: it made the engine
    /// fail.
    careful: bool,
    /// Lessons given up since the last that was answered.
    given_up: u32,
    /// Answers since the engine's pace was last taken, and when that was.
    answers: u32,
    paced: Instant,
}

/// A lesson that is being judged.
struct Open {
    number: u64,
    lesson: Lesson,
    questions: Vec<Question>,
    asked: usize,
    answered: usize,
    marks: Marks,
    failures: u8,
}

struct Question {
    place: usize,
    text: String,
    position: Position,
}

/// What an answer was good for.
enum Answer {
    Understood,
    /// It is no answer to what was asked.
    OutOfStep,
}

impl<'t> EngineSession<'t> {
    pub(super) fn new(teacher: &'t EngineTeacher, over: &'t AtomicBool) -> Self {
        Self {
            teacher,
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

    /// Judges lessons until there are no more or the work is over.
    ///
    /// # Errors
    /// An engine that does not start again, or fails on several lessons in a row.
    pub(super) fn judge(
        mut self,
        lessons: &Lessons,
        hand_in: HandIn<'_>,
    ) -> Result<(), TeacherError> {
        loop {
            let step = self.ask(lessons).and_then(|()| self.listen());
            match step {
                Ok(Answer::Understood) => {}
                Ok(Answer::OutOfStep) => self.fail()?,
                Err(Silence::Stopped) => return Ok(()),
                Err(Silence::Gone | Silence::TimedOut) => self.fail()?,
            }
            while let Some(done) = self.open.pop_front_if(|open| open.is_done()) {
                self.careful = false;
                if done.is_answered() {
                    self.given_up = 0;
                }
                if !hand_in(done.number, done.marks) {
                    return Ok(());
                }
            }
            if self.open.is_empty() && !self.begin_next(lessons) {
                return Ok(());
            }
        }
    }

    /// Asks as long as there is room.
    fn ask(&mut self, lessons: &Lessons) -> Result<(), Silence> {
        while self.has_room() {
            let waiting = self.open.iter().position(|open| open.asked < open.questions.len());
            match waiting {
                Some(which) => self.ask_next_of(which)?,
                None if self.careful || !self.begin_next(lessons) => break,
                None => {}
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let ahead = self.teacher.takes_ahead && !self.careful;
        self.unanswered == 0 || (ahead && self.unanswered < ROOM)
    }

    /// Takes up a lesson; `false` if there are no more.
    fn begin_next(&mut self, lessons: &Lessons) -> bool {
        let Some((number, lesson)) = lessons.next() else { return false };
        self.open.push_back(Open::new(number, lesson, &self.teacher.go));
        true
    }

    fn ask_next_of(&mut self, which: usize) -> Result<(), Silence> {
        let patience = self.teacher.program.patience;
        if self.engine.is_none() {
            let mut engine = self.teacher.program.start(self.over).map_err(|_| Silence::Gone)?;
            if self.teacher.takes_ahead {
                engine.let_gather(TIMES[0]);
            }
            self.engine = Some(engine);
        }
        let engine = self.engine.as_mut().ok_or(Silence::Gone)?;
        let open = &mut self.open[which];
        if open.asked == 0 {
            engine.forget(open.lesson.start())?;
            if !self.teacher.takes_ahead {
                engine.synchronise(Instant::now() + patience, self.over)?;
            }
        }
        let question = &open.questions[open.asked];
        engine.say(&question.text)?;
        open.asked += 1;
        self.unanswered += question.text.len();
        Ok(())
    }

    /// Waits for the next answer, if any is to come.
    fn listen(&mut self) -> Result<Answer, Silence> {
        let Some(open) = self.open.front_mut().filter(|open| !open.is_done()) else {
            return Ok(Answer::Understood);
        };
        let engine = self.engine.as_mut().ok_or(Silence::Gone)?;
        let until = Instant::now() + self.teacher.program.patience;
        let uci::Answer { text: best, thoughts, .. } = engine.answer(until, self.over)?;
        let is_alone = open.asked == open.answered + 1;
        self.answers += 1;
        if self.answers == PACED && self.teacher.takes_ahead {
            let each = self.paced.elapsed() / PACED;
            engine.let_gather((each * GATHERED).clamp(TIMES[0], TIMES[1]));
            (self.answers, self.paced) = (0, Instant::now());
        }
        self.unanswered -= open.questions[open.answered].text.len();
        Ok(open.take(&best, thoughts, is_alone))
    }

    /// After a failure: everything that is open is asked again.
    fn fail(&mut self) -> Result<(), TeacherError> {
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
            false => Err(self.teacher.keeps_failing(self.given_up)),
        }
    }
}

impl Open {
    fn new(number: u64, lesson: Lesson, go: &str) -> Self {
        let mut questions = Vec::with_capacity(lesson.asked.len());
        lesson.questions(|question| {
            questions.push(Question {
                place: question.place,
                text: question.commands(go),
                position: question.position.clone(),
            });
            true
        });
        let marks = Marks::none(lesson.positions());
        Self { number, lesson, questions, asked: 0, answered: 0, marks, failures: 0 }
    }

    fn is_done(&self) -> bool {
        self.answered == self.questions.len()
    }

    /// Whether the engine was asked and has not failed on it for good.
    fn is_answered(&self) -> bool {
        !self.questions.is_empty() && self.failures < TRIES
    }

    /// Takes the answer to the first question that has none; `is_alone` if no other was asked.
    fn take(&mut self, best: &str, told: Thoughts, is_alone: bool) -> Answer {
        let Question { place, position, .. } = &self.questions[self.answered];
        let is_legal = position.parse_uci(best).is_ok();
        if !is_legal && !is_alone {
            return Answer::OutOfStep;
        }
        // An engine that answers with a move that is not legal, or that is mated where it has
        // one, has not understood the position.
        match told.score.filter(|score| is_legal && *score != Score::Mate(0)) {
            Some(score) => self.marks.scores[*place] = score.seen_by(position.turn()).to_i16(),
            None => self.marks.unanswered += 1,
        }
        self.answered += 1;
        Answer::Understood
    }

    fn begin_anew(&mut self) {
        (self.asked, self.answered) = (0, 0);
        self.marks = Marks::none(self.marks.scores.len());
    }

    /// Leaves all questions without an answer.
    fn give_up(&mut self) {
        (self.asked, self.answered) = (self.questions.len(), self.questions.len());
        self.marks.unanswered = self.questions.len() as u32;
    }
}
