//! A search from its beginning to the end of its budget, over several sittings.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::judge::{Colours, Judge, Round};
use super::{Conditions, EvolutionError, Method, MethodSettings, Point};

/// A search to be made.
#[derive(Clone, Debug)]
pub struct Search<'s> {
    pub method: &'s MethodSettings,
    /// Where, and from which seed. Its evaluations are how many points the budget lasts for.
    pub conditions: Conditions,
    /// What may be spent: games, or evaluations of all positions.
    pub budget: u64,
    /// At which shares of the budget the answer is kept, in (0, 1], rising; and at the start. One
    /// answer each, though several may have come with one round.
    pub kept_at: &'s [f64],
    /// Where what it was told is kept.
    pub folder: &'s Path,
}

/// How a search stands after a round.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'s> {
    pub round: CourseRound,
    /// Games by colour so far.
    pub colours: &'s Colours,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CourseRound {
    /// Spent so far.
    pub spent: u64,
    /// Fitness of the best.
    pub best: f64,
    /// Of all that were judged.
    pub mean: f64,
    /// How far apart the living are.
    pub diversity: f64,
}

/// What a search would have answered at some time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Spent until then.
    pub spent: u64,
    pub point: Point,
}

/// All of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    pub rounds: Vec<CourseRound>,
    /// The answers that were kept: at the start, and at each share.
    pub answers: Vec<Answer>,
    /// Games of what was judged, by colour.
    pub colours: Colours,
}

/// How often a judge is told the answer of the time.
const CROWNS: f64 = 10.0;

/// The file of what a search was told.
const JOURNAL: &str = "told.txt";

impl Search<'_> {
    /// Goes on from where it was stopped, until the budget is spent; `None` if it is stopped
    /// before.
    ///
    /// # Errors
    /// Settings that make no sense, a judge that fails, a folder that cannot be written.
    pub fn run(
        &self,
        judge: &mut dyn Judge,
        told: &mut dyn FnMut(&Standing<'_>),
        stop: &AtomicBool,
    ) -> Result<Option<Course>, EvolutionError> {
        let io = |source| EvolutionError::Io { path: self.folder.to_owned(), source };
        std::fs::create_dir_all(self.folder).map_err(io)?;
        let (mut journal, known) = Journal::open(&self.folder.join(JOURNAL))?;
        let mut known = known.into_iter();
        let mut progress = Progress::new(self, self.method.begin(&self.conditions)?);
        while progress.spent() < self.budget {
            let asked = progress.method.ask();
            let number = progress.course.rounds.len() as u64;
            let judged = match known.next() {
                Some(judged) if judged.judgements.len() == asked.len() => judged,
                Some(judged) => {
                    let (found, wanted) = (judged.judgements.len(), asked.len());
                    let reason = format!("{found} points where {wanted} are asked for");
                    return Err(journal.misfit(number as usize + 1, reason));
                }
                None => {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    let alive = progress.method.population();
                    let wants_slopes = self.method.wants_slopes();
                    let round = Round { number, asked: &asked, alive: &alive, wants_slopes };
                    let Some(judged) = judge.judge(&round, stop)? else { return Ok(None) };
                    journal.add(&judged)?;
                    self.forget_games(number);
                    judged
                }
            };
            progress.tell(&judged, judge);
            if let Some(&round) = progress.course.rounds.last() {
                told(&Standing { round, colours: &progress.course.colours });
            }
        }
        Ok(Some(progress.course))
    }

    /// The games of a round that is in the journal. That they are not there is as good, and what
    /// cannot be removed is in nobody's way: a round has a number.
    fn forget_games(&self, number: u64) {
        let [whole, part] = [format!("round-{number}.jsonl"), format!("round-{number}-")];
        for entry in std::fs::read_dir(self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == whole || name.starts_with(&part) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// A search under way and what is known of it.
struct Progress<'s> {
    search: &'s Search<'s>,
    method: Box<dyn Method>,
    course: Course,
    /// Shares at which the answer has not been kept yet.
    ahead: &'s [f64],
    /// Tenths of the budget after which the judge was told the answer.
    crowns: u64,
}

impl<'s> Progress<'s> {
    fn new(search: &'s Search<'s>, method: Box<dyn Method>) -> Self {
        let mut progress =
            Self { search, method, course: Course::default(), ahead: search.kept_at, crowns: 0 };
        let start = search.conditions.space.at(&search.conditions.beginning());
        progress.keep_answer(start);
        progress
    }

    fn spent(&self) -> u64 {
        self.course.rounds.last().map_or(0, |round| round.spent)
    }

    fn tell(&mut self, judged: &super::Judged, judge: &mut dyn Judge) {
        self.method.tell(&judged.judgements);
        self.course.colours += judged.colours;
        let fitness = judged.judgements.iter().map(|judgement| judgement.fitness);
        let count = judged.judgements.len().max(1) as f64;
        self.course.rounds.push(CourseRound {
            spent: self.spent() + judged.spent.max(1),
            best: fitness.clone().fold(f64::NEG_INFINITY, f64::max),
            mean: fitness.sum::<f64>() / count,
            diversity: self.search.conditions.space.diversity(&self.method.population()),
        });
        let share = self.spent() as f64 / self.search.budget as f64;
        let passed = self.ahead.iter().take_while(|&&at| at <= share).count();
        if passed > 0 {
            self.ahead = &self.ahead[passed..];
            let answer = self.method.answer();
            (0..passed).for_each(|_| self.keep_answer(answer.clone()));
        }
        // What is kept for the page changes nothing of the search.
        let crowns = (share * CROWNS) as u64;
        if crowns > self.crowns {
            self.crowns = crowns;
            judge.crown(&self.method.answer());
        }
    }

    fn keep_answer(&mut self, point: Point) {
        self.course.answers.push(Answer { spent: self.spent(), point });
    }
}
