//! A search over its whole budget, in several sessions.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::journal::RoundJournal;
use super::judge::{Colours, Judge, JudgeRound, JudgedRound};
use super::{Conditions, EvolutionError, MethodSettings, SearchMethod, SearchPoint};
use base::format::fixed;
use base::{Key, Observer};

/// Definition of a search.
#[derive(Clone, Debug)]
pub struct NumberSearch<'s> {
    pub method: &'s MethodSettings,
    /// Space, seed and number of points that the budget allows.
    pub conditions: Conditions,
    /// Budget: games, or evaluations of all positions.
    pub budget: u64,
    /// Shares of the budget, in (0, 1], rising, at which the answer is kept, as at the start. One
    /// answer for each share, even if a round passes several.
    pub kept_at: &'s [f64],
    /// Folder of the journal.
    pub folder: &'s Path,
}

/// Figures of a judged round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// Spent so far.
    pub spent: u64,
    /// Fitness of the best.
    pub best: f64,
    /// Mean of all judged points.
    pub mean: f64,
    /// Distance of the population from its middle.
    pub diversity: f64,
}

/// Answer of a search at some time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// Spent until then.
    pub spent: u64,
    pub point: SearchPoint,
}

/// A finished search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRun {
    pub rounds: Vec<RoundSummary>,
    /// Kept answers: at the start, and at each share.
    pub answers: Vec<SearchAnswer>,
    /// Games of the judged points by colour.
    pub colours: Colours,
}

/// Champions added over the whole budget.
const CHAMPIONS: f64 = 10.0;

/// File of the judged rounds.
const JOURNAL: &str = "rounds.jsonl";

/// Settings that decide the rounds besides the judge.
#[derive(Serialize)]
struct SearchIdentity<'s> {
    method: &'s MethodSettings,
    /// Names, bounds and steps of the numbers.
    space: Key,
    anywhere: bool,
    is_noisy: bool,
    evaluations: u64,
    seed: u64,
}

impl NumberSearch<'_> {
    /// Resumes the search until the budget is spent; `None` if it is stopped before.
    ///
    /// # Errors
    /// Invalid settings, a judge that fails, a folder that cannot be written.
    pub fn run(
        &self,
        judge: &mut dyn Judge,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<SearchRun>, EvolutionError> {
        let io = |source| EvolutionError::Io { path: self.folder.to_owned(), source };
        std::fs::create_dir_all(self.folder).map_err(io)?;
        let (mut journal, known) =
            RoundJournal::open(&self.folder.join(JOURNAL), &self.identity()?)?;
        let mut known = known.into_iter();
        let mut state = SearchState::new(self, self.method.begin(&self.conditions)?);
        while state.spent() < self.budget {
            let points = state.method.ask();
            let number = state.run.rounds.len();
            let judged = match known.next() {
                Some(judged) if judged.judgements.len() == points.len() => judged,
                Some(judged) => {
                    let (found, wanted) = (judged.judgements.len(), points.len());
                    let reason = format!("{found} objective values for {wanted} points");
                    return Err(journal.bad_round(number, reason).into());
                }
                None => {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    let number = number as u64;
                    let alive = state.method.population();
                    let wants_slopes = self.method.wants_slopes();
                    let round = JudgeRound { number, points: &points, alive: &alive, wants_slopes };
                    let Some(judged) = judge.judge(&round, stop)? else { return Ok(None) };
                    journal.append(&judged)?;
                    self.remove_games(number);
                    judged
                }
            };
            let round = state.tell(&judged, judge);
            observer.advance(round.spent.min(self.budget), &round.note());
        }
        Ok(Some(state.run))
    }

    fn identity(&self) -> Result<SearchIdentity<'_>, EvolutionError> {
        let Conditions { space, anywhere, is_noisy, evaluations, seed } = &self.conditions;
        Ok(SearchIdentity {
            method: self.method,
            space: Key::of("space", space)?,
            anywhere: *anywhere,
            is_noisy: *is_noisy,
            evaluations: *evaluations,
            seed: *seed,
        })
    }

    /// Removes the games of a round that is in the journal. A leftover file does no harm: the name
    /// has the round's number.
    fn remove_games(&self, number: u64) {
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

impl RoundSummary {
    fn note(&self) -> String {
        let [best, mean, diversity] =
            [self.best, self.mean, self.diversity].map(|figure| fixed(figure, 3));
        format!("best {best}, mean {mean}, diversity {diversity}")
    }
}

/// A running search.
struct SearchState<'s> {
    search: &'s NumberSearch<'s>,
    method: Box<dyn SearchMethod>,
    run: SearchRun,
    /// Shares whose answers are not kept yet.
    ahead: &'s [f64],
    /// Champions added so far.
    champions: u64,
}

impl<'s> SearchState<'s> {
    fn new(search: &'s NumberSearch<'s>, method: Box<dyn SearchMethod>) -> Self {
        let (run, ahead) = (SearchRun::default(), search.kept_at);
        let mut state = Self { search, method, run, ahead, champions: 0 };
        state.keep_answer(search.conditions.space.at(&search.conditions.beginning()));
        state
    }

    fn spent(&self) -> u64 {
        self.run.rounds.last().map_or(0, |round| round.spent)
    }

    fn tell(&mut self, judged: &JudgedRound, judge: &mut dyn Judge) -> RoundSummary {
        self.method.tell(&judged.judgements);
        self.run.colours += judged.colours;
        let fitness = judged.judgements.iter().map(|judgement| judgement.fitness);
        let count = judged.judgements.len().max(1) as f64;
        let round = RoundSummary {
            spent: self.spent() + judged.spent.max(1),
            best: fitness.clone().fold(f64::NEG_INFINITY, f64::max),
            mean: fitness.sum::<f64>() / count,
            diversity: self.search.conditions.space.diversity(&self.method.population()),
        };
        self.run.rounds.push(round);
        let share = self.spent() as f64 / self.search.budget as f64;
        let passed = self.ahead.iter().take_while(|&&at| at <= share).count();
        if passed > 0 {
            self.ahead = &self.ahead[passed..];
            let answer = self.method.answer();
            (0..passed).for_each(|_| self.keep_answer(answer.clone()));
        }
        // Answers kept for the page do not change the search.
        let champions = (share * CHAMPIONS) as u64;
        if champions > self.champions {
            self.champions = champions;
            judge.add_champion(&self.method.answer());
        }
        round
    }

    fn keep_answer(&mut self, point: SearchPoint) {
        self.run.answers.push(SearchAnswer { spent: self.spent(), point });
    }
}
