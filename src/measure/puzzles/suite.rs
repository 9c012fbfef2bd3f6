//! Solving a suite in parallel.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::{AttemptOutcome, Puzzle, PuzzleError, grade};
use chess::{Move, Position, PositionKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteAnswer {
    pub played: Move,
    /// Announced mate, in solver moves from 1.
    pub mate_in: Option<u32>,
}

/// Something that answers puzzles. Closures from position and history to a
/// move are solvers.
pub trait Solver {
    /// Clears all state (hash tables, histories) before a puzzle, so that an answer does not depend
    /// on earlier puzzles of the same solver.
    fn new_puzzle(&mut self) {}

    /// The move to play; `history` holds the keys of the earlier positions of
    /// the puzzle, oldest first.
    fn choose(&mut self, position: &Position, history: &[PositionKey]) -> Option<Move>;

    /// The move to play, with an announced mate if the solver announces any.
    fn answer(&mut self, position: &Position, history: &[PositionKey]) -> Option<SuiteAnswer> {
        self.choose(position, history).map(|played| SuiteAnswer { played, mate_in: None })
    }
}

impl<F: FnMut(&Position, &[PositionKey]) -> Option<Move>> Solver for F {
    fn choose(&mut self, position: &Position, history: &[PositionKey]) -> Option<Move> {
        self(position, history)
    }
}

/// Constructor of solvers, called once per work item of a thread.
pub type MakeSolver<'f, 's> = dyn Fn() -> Box<dyn Solver + Send + 's> + Sync + 'f;

/// Grades all puzzles in parallel (in rayon's current pool); outcomes are in the order of the
/// puzzles and independent of the number of threads.
///
/// `progress` is called after every puzzle, from any thread, with the number
/// done. The only error is [`PuzzleError::Stopped`], when the flag is set.
pub fn run_suite(
    puzzles: &[Puzzle],
    make_solver: &MakeSolver<'_, '_>,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<AttemptOutcome>, PuzzleError> {
    let attempt = |solver: &mut dyn Solver, puzzle: &Puzzle| {
        grade(puzzle, &mut |position, history| solver.choose(position, history))
    };
    ask_all(puzzles, make_solver, &attempt, progress, stop)
}

/// Answers all `questions`, of any type, as [`run_suite`] does.
pub(super) fn ask_all<'s, Q: Sync, A: Send>(
    questions: &[Q],
    make_solver: &MakeSolver<'_, 's>,
    attempt: &(dyn Fn(&mut dyn Solver, &Q) -> A + Sync),
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Result<Vec<A>, PuzzleError> {
    let done = AtomicU64::new(0);
    let ask = |solver: &mut Box<dyn Solver + Send + 's>, question: &Q| {
        solver.new_puzzle();
        let answer = attempt(&mut **solver, question);
        // The answer of an aborted search does not count.
        if stop.load(Ordering::Relaxed) {
            return Err(PuzzleError::Stopped);
        }
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(answer)
    };
    questions.par_iter().map_init(make_solver, ask).collect()
}

#[cfg(test)]
mod tests {
    use super::super::one_ply::{OnePly, tests::Material};
    use super::*;
    use std::sync::Mutex;

    /// Mates in one and free pieces, on shifting files.
    fn puzzles() -> Vec<Puzzle> {
        let one = |fen: &str, moves: [&str; 2]| {
            let start = Position::from_fen(fen).unwrap();
            let first = start.parse_uci(moves[0]).unwrap();
            let second = start.after(first).parse_uci(moves[1]).unwrap();
            Puzzle::new("", start, vec![first, second])
        };
        let mate = one("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1", ["a7a6", "d1d8"]);
        // Material prefers the rook, the solution does not.
        let quiet = one("4k3/8/8/2r5/3P4/8/8/4K3 b - - 0 1", ["e8e7", "e1e2"]);
        (0..200).map(|i| if i % 3 == 0 { mate.clone() } else { quiet.clone() }).collect()
    }

    fn solver() -> Box<dyn Solver + Send> {
        Box::new(OnePly(Material::default()))
    }

    #[test]
    fn outcomes_stand_in_order_whatever_the_threads() {
        let puzzles = puzzles();
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let seen = Mutex::new(Vec::new());
            let progress = |n| seen.lock().unwrap().push(n);
            let outcomes = pool
                .install(|| run_suite(&puzzles, &solver, &progress, &AtomicBool::new(false)))
                .unwrap();
            for (i, outcome) in outcomes.iter().enumerate() {
                assert_eq!(outcome.solved, i % 3 == 0, "puzzle {i}");
            }
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (1..=200).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn closures_are_solvers() {
        let never =
            || -> Box<dyn Solver + Send> { Box::new(|_: &Position, _: &[PositionKey]| None) };
        let outcomes = run_suite(&puzzles(), &never, &|_| {}, &AtomicBool::new(false)).unwrap();
        assert!(outcomes.iter().all(|o| o.right_moves == 0 && !o.solved));
    }

    #[test]
    fn a_set_flag_stops() {
        let stopped = run_suite(&puzzles(), &solver, &|_| {}, &AtomicBool::new(true));
        assert!(matches!(stopped, Err(PuzzleError::Stopped)));
    }
}
