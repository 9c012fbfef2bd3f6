//! The page of a suite of puzzles: several players side by side.
//!
//! The first player is the reference of all others, puzzle by puzzle. Boards show the failed
//! puzzles, since a share does not show the kind of failure.

mod failed;
mod findings;
mod plots;
mod tables;
#[cfg(test)]
mod tests;

pub use failed::{BoardAnswer, FailedPuzzle};

use crate::puzzles::{
    Paired, Proportion, Puzzle, PuzzleAttempt, PuzzleRating, PuzzleSummary, SolvingMode,
    easiest_failures, hardest_failures,
};
use crate::search_note;
use base::Estimate;
use base::format::counted;
use report::plot::DrawError;
use report::plot::theme::Style;
use report::{BoardPart, Page, Part, Provenance, ReportError, Section, Table};

/// Boards of each kind.
const BOARDS: usize = 6;

/// Several players on the same puzzles.
#[derive(Clone, Debug)]
pub struct PuzzleReport {
    /// Title of the page.
    pub title: String,
    /// Where the puzzles come from.
    pub suite: SuiteFile,
    /// Limit of a move: `1000 nodes`.
    pub mode: String,
    /// Provenance; the data files stand in `suite`.
    pub provenance: Provenance,
    /// In the order given; the others are compared with the first.
    pub players: Vec<PlayerRow>,
    /// Every other player against the first, in their order.
    pub pairs: Vec<Paired>,
    /// Failed puzzles, rated highest first; without ratings in the order of the file.
    pub hardest: Vec<FailedPuzzle>,
    /// Other failed puzzles, rated lowest first; none without ratings.
    pub easiest: Vec<FailedPuzzle>,
    /// Every puzzle with its outcomes.
    pub outcomes: Vec<OutcomeRow>,
    /// Caveats of the numbers.
    pub warnings: Vec<String>,
}

/// Where the puzzles of a report come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteFile {
    /// The file, as given.
    pub path: String,
    /// BLAKE3 of it in hexadecimal.
    pub blake3: String,
    /// Which of its puzzles: options of `oplus puzzles select`, or the list.
    pub selection: String,
    /// BLAKE3 of the ids of the puzzles asked, as in a frozen list.
    pub ids_blake3: String,
}

#[derive(Clone, Debug)]
pub struct PlayerRow {
    pub name: String,
    /// Of its net or tables.
    pub fingerprint: String,
    /// Results.
    pub summary: PuzzleSummary,
    /// Wall-clock time in seconds, with all threads in parallel.
    pub seconds: f64,
}

/// A puzzle with its outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    pub id: String,
    pub rating: Option<u32>,
    /// Moves asked for and moves found, by player.
    pub moves: Vec<(u32, u32)>,
}

impl PuzzleReport {
    /// Results of `attempts` at `puzzles`, with fingerprints in the order of the attempts.
    /// Provenance and warnings are left to the caller.
    pub fn new(
        title: String,
        suite: SuiteFile,
        mode: String,
        puzzles: &[Puzzle],
        attempts: &[PuzzleAttempt],
        fingerprints: &[String],
    ) -> Self {
        let row = |(attempt, fingerprint): (&PuzzleAttempt, &String)| PlayerRow {
            name: attempt.player.clone(),
            fingerprint: fingerprint.clone(),
            summary: PuzzleSummary::new(puzzles, &attempt.outcomes),
            seconds: attempt.seconds,
        };
        let against_first = |attempt: &PuzzleAttempt| {
            Paired::compare(&attempt.outcomes, &attempts.first()?.outcomes)
        };
        let failed = |places: Vec<usize>| {
            let failed = |place: usize| FailedPuzzle::new(puzzles.get(place)?, place, attempts);
            places.into_iter().filter_map(failed).collect()
        };
        let (hardest, easiest) = shown(puzzles, attempts);
        Self {
            title,
            suite,
            mode,
            provenance: Provenance::default(),
            players: attempts.iter().zip(fingerprints).map(row).collect(),
            pairs: attempts.iter().skip(1).filter_map(against_first).collect(),
            hardest: failed(hardest),
            easiest: failed(easiest),
            outcomes: outcome_rows(puzzles, attempts),
            warnings: Vec::new(),
        }
    }

    /// Number of puzzles asked.
    pub fn puzzles(&self) -> u64 {
        self.players.first().map_or(0, |player| player.summary.solved.trials)
    }

    /// # Errors
    /// A plot that cannot be drawn.
    pub fn page(&self) -> Result<Page, ReportError> {
        let sections = self
            .sections()
            .map_err(|source| ReportError::Draw { experiment: self.title.clone(), source })?;
        let mut provenance = self.provenance.clone();
        provenance.conditions.extend(self.conditions());
        Ok(Page {
            title: self.title.clone(),
            findings: findings::of(self),
            warnings: self.warnings.clone(),
            sections,
            sheets: vec![tables::outcomes(self)],
            provenance,
            ..Page::default()
        })
    }

    fn sections(&self) -> Result<Vec<Section>, DrawError> {
        let mut sections: Vec<Section> = vec![tables::players(self).into()];
        let with_rows = |table: Table| (!table.rows.is_empty()).then_some(table);
        sections.extend(with_rows(tables::pairs(self)).map(Section::from));
        let folded = |table: Table| {
            let summary = table.title.clone();
            with_rows(table).map(|table| Part::Folded { summary, parts: vec![Part::Table(table)] })
        };
        let shown = [
            (plots::results(self)?, None),
            (plots::by_rating(self)?, folded(tables::ratings(self))),
            (plots::by_theme(self)?, folded(tables::themes(self))),
        ];
        for (plot, numbers) in shown {
            let mut section = plot.map_or_else(Section::default, Section::from);
            section.parts.extend(numbers);
            sections.extend(Some(section).filter(|section| !section.parts.is_empty()));
        }
        let is_rated = self.hardest.iter().any(|failed| failed.rating.is_some());
        let (title, caption) = match is_rated {
            true => ("The hardest failures", "Failed by most players, the highest rated first."),
            false => (
                "Failures",
                "Failed by most players, in the order of the file: without ratings there is no order \
                 of difficulty.",
            ),
        };
        sections.extend(self.boards("hardest", title, caption, &self.hardest)?);
        let caption = "Failed by most players, the lowest rated first.";
        sections.extend(self.boards("easiest", "The easiest failures", caption, &self.easiest)?);
        Ok(sections)
    }

    /// Boards under one heading, if there are any.
    fn boards(
        &self,
        id: &str,
        title: &str,
        caption: &str,
        failures: &[FailedPuzzle],
    ) -> Result<Option<Section>, DrawError> {
        let board = |failed: &FailedPuzzle| {
            let answers = failed.answers.iter().enumerate().take(self.players.len());
            let line = |(player, answer): (usize, &BoardAnswer)| {
                let words = format!("{}: {}", self.players[player].name, failed.text(answer));
                (self.style(player), words)
            };
            Ok(BoardPart {
                title: failed.head(),
                svg: plots::board(self, failed)?,
                caption: failed.task(),
                lines: answers.map(line).collect(),
                fen: failed.position.to_string(),
            })
        };
        let boards = failures.iter().map(board).collect::<Result<Vec<_>, DrawError>>()?;
        let caption = format!(
            "{caption} Green arrow: the solution; other arrows: the players' moves. Yellow: the \
             opponent's previous move."
        );
        let is_any = !boards.is_empty();
        Ok(is_any.then(|| Section::new(id, title, [Part::Boards { boards, caption }])))
    }

    /// Conditions of the puzzles.
    fn conditions(&self) -> Vec<(String, String)> {
        let SuiteFile { path, blake3, selection, ids_blake3 } = &self.suite;
        let named = |name: &str, value: String| (name.to_owned(), value);
        let puzzles = counted(self.puzzles(), "puzzle");
        let mut all = vec![
            named("puzzles", format!("{puzzles} of {path}, BLAKE3 {blake3}")),
            named("selection", selection.clone()),
            named("per move", self.mode.clone()),
        ];
        if !ids_blake3.is_empty() {
            all.push(named("ids", format!("BLAKE3 {ids_blake3}")));
        }
        all.extend(self.players.iter().map(|it| named(&it.name, it.fingerprint.clone())));
        all
    }

    /// The search of the players; `None` of evaluations without one.
    fn search_note(&self) -> Option<String> {
        (self.mode != SolvingMode::OnePly.to_string()).then(search_note)
    }

    /// Look of a player: the first is grey if others are compared with it.
    pub fn style(&self, player: usize) -> Style {
        match (self.players.len(), player) {
            (1, _) => Style::nth(0),
            (_, 0) => Style::REFERENCE,
            _ => Style::nth(player - 1),
        }
    }

    /// The players after the first, each with its test against it.
    pub fn compared(&self) -> impl Iterator<Item = (&PlayerRow, &Paired)> {
        self.players.iter().skip(1).zip(&self.pairs)
    }
}

/// Indices of the puzzles on the boards: the hardest, then the easiest of the others, which
/// exist only with ratings.
fn shown(puzzles: &[Puzzle], attempts: &[PuzzleAttempt]) -> (Vec<usize>, Vec<usize>) {
    let hardest = hardest_failures(puzzles, attempts, BOARDS);
    let is_rated = |place: &usize| puzzles.get(*place).is_some_and(|one| one.rating.is_some());
    let mut easiest = easiest_failures(puzzles, attempts, 2 * BOARDS);
    easiest.retain(|place| is_rated(place) && !hardest.contains(place));
    easiest.truncate(BOARDS);
    (hardest, easiest)
}

fn outcome_rows(puzzles: &[Puzzle], attempts: &[PuzzleAttempt]) -> Vec<OutcomeRow> {
    let row = |(place, puzzle): (usize, &Puzzle)| OutcomeRow {
        id: puzzle.id.clone(),
        rating: puzzle.rating,
        moves: attempts
            .iter()
            .filter_map(|attempt| attempt.outcomes.get(place))
            .map(|outcome| (outcome.solver_moves, outcome.right_moves))
            .collect(),
    };
    puzzles.iter().enumerate().map(row).collect()
}

/// A share with Wilson's interval; `None` without trials.
pub fn share(of: Proportion) -> Option<Estimate> {
    let interval = of.interval();
    Some(Estimate::new(of.share()?, interval.low, interval.high))
}

/// A puzzle rating with its interval.
pub fn rating(of: PuzzleRating) -> Estimate {
    Estimate::new(of.value, of.interval.low, of.interval.high)
}

/// A difference of shares with its interval, first less second.
pub fn difference(of: &Paired) -> Estimate {
    let interval = of.interval();
    Estimate::new(of.difference(), interval.low, interval.high)
}
