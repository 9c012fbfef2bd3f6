//! What the page of a suite of puzzles is made of.

use super::FailedPuzzle;
use crate::plot::theme::Style;
use crate::{Estimate, Provenance};
use puzzles::{
    Attempt, Paired, Proportion, Puzzle, PuzzleRating, PuzzleSummary, easiest_failures,
    hardest_failures,
};

/// Boards of each kind.
const BOARDS: usize = 6;

/// Several players on the same puzzles.
#[derive(Clone, Debug)]
pub struct PuzzleReport {
    /// Stands above.
    pub title: String,
    /// Where the puzzles come from.
    pub suite: SuiteFile,
    /// What a player could spend on a move: `1000 nodes`.
    pub mode: String,
    /// How it was made; the data files stand in `suite`.
    pub provenance: Provenance,
    /// In the order given; the others are compared with the first.
    pub players: Vec<PlayerRow>,
    /// Every other player against the first, in their order.
    pub pairs: Vec<Paired>,
    /// What the players failed, rated highest first; of puzzles without ratings in the order
    /// of the file.
    pub hardest: Vec<FailedPuzzle>,
    /// What else they failed, rated lowest first; nothing of puzzles without ratings.
    pub easiest: Vec<FailedPuzzle>,
    /// Every puzzle with who solved it.
    pub outcomes: Vec<OutcomeRow>,
    /// What the reader must know before believing the numbers.
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
    /// What tells its evaluation from others: a net's fingerprint.
    pub fingerprint: String,
    /// Results.
    pub summary: PuzzleSummary,
    /// How long it took, all threads together at work, in seconds.
    pub seconds: f64,
}

/// One puzzle and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    pub id: String,
    pub rating: Option<u32>,
    /// Of each player, moves asked for and moves found.
    pub moves: Vec<(u32, u32)>,
}

impl PuzzleReport {
    /// What `attempts` at `puzzles` come to. `fingerprints` stand in the order of
    /// the attempts. Provenance and warnings are left to whoever knows them.
    pub fn new(
        title: String,
        suite: SuiteFile,
        mode: String,
        puzzles: &[Puzzle],
        attempts: &[Attempt],
        fingerprints: &[String],
    ) -> Self {
        let row = |(attempt, fingerprint): (&Attempt, &String)| PlayerRow {
            name: attempt.player.clone(),
            fingerprint: fingerprint.clone(),
            summary: PuzzleSummary::new(puzzles, &attempt.outcomes),
            seconds: attempt.seconds,
        };
        let against_first =
            |attempt: &Attempt| Paired::compare(&attempt.outcomes, &attempts.first()?.outcomes);
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

    /// How many puzzles were asked.
    pub fn puzzles(&self) -> u64 {
        self.players.first().map_or(0, |player| player.summary.solved.trials)
    }

    /// How a player is drawn: the first in grey if others are compared with it.
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

/// Places of the puzzles on the boards: the hardest, then the easiest of the others. Without
/// ratings none is known to be easier than another.
fn shown(puzzles: &[Puzzle], attempts: &[Attempt]) -> (Vec<usize>, Vec<usize>) {
    let hardest = hardest_failures(puzzles, attempts, BOARDS);
    let is_rated = |place: &usize| puzzles.get(*place).is_some_and(|one| one.rating.is_some());
    let mut easiest = easiest_failures(puzzles, attempts, 2 * BOARDS);
    easiest.retain(|place| is_rated(place) && !hardest.contains(place));
    easiest.truncate(BOARDS);
    (hardest, easiest)
}

fn outcome_rows(puzzles: &[Puzzle], attempts: &[Attempt]) -> Vec<OutcomeRow> {
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
