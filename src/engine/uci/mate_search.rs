//! Searching for a mate: `go mate N`.
//!
//! A search in play prunes positions that the evaluation calls hopeless, and a mate by sacrifice
//! looks just like that. So a mate search has a searcher of its own, without forward pruning, with
//! check extensions, and with a TT of its own, free of scores of pruned searches. Of the suites of
//! mates in two to five it finds most within a tenth of the nodes.

use crate::{Evaluator, Searcher, Technique, Techniques};

/// Techniques that cut moves or depth off by an evaluation, or spend nodes on the choice among
/// mating moves.
const LEFT_OUT: [Technique; 12] = [
    Technique::ReverseFutility,
    Technique::Razoring,
    Technique::NullMove,
    Technique::ProbCut,
    Technique::LateMovePruning,
    Technique::Futility,
    Technique::HistoryPruning,
    Technique::SeePruning,
    Technique::MultiCut,
    Technique::SingularExtension,
    Technique::DoubleExtension,
    Technique::Aspiration,
];

/// Largest table of a mate search, in MiB; it comes on top of the game's.
const MOST_HASH_MB: usize = 64;

/// A searcher that finds mates.
pub(super) fn mate_searcher(evaluator: Box<dyn Evaluator>, hash_mb: usize) -> Searcher {
    let searching = Techniques::PLAYING.with(Technique::CheckExtension);
    let techniques = LEFT_OUT.into_iter().fold(searching, Techniques::without);
    Searcher::new(evaluator, hash_mb.min(MOST_HASH_MB)).with_techniques(techniques)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Limits, Tapered};
    use chess::Position;
    use chess::Score;

    /// A mate in three that a search in play misses within a million nodes.
    #[test]
    fn quiet_sacrifices_are_seen() {
        let root = Position::from_fen("k1B5/2p5/NbN5/8/P2p4/P2p4/P1prp3/2RbK3 w - - 0 1").unwrap();
        let limits = Limits { mate: Some(3), ..Limits::nodes(200_000) };
        let stop = AtomicBool::new(false);
        let found = mate_searcher(Box::new(Tapered::pesto()), 4).search(
            &root,
            &[],
            &limits,
            &stop,
            &mut |_| {},
        );
        assert_eq!(found.score, Score::Mate(3));
    }
}
