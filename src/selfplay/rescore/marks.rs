//! What a teacher said of the positions of an entry, and what becomes of the scores there were.

use std::fmt;

use chess::game::NO_SCORE;
use data::{Entry, Score, Share};

/// What was said of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Scores of its positions from White's side, in order, as
    /// [`Score::to_i16`]; [`NO_SCORE`] where there is none.
    pub scores: Vec<i16>,
    /// Questions that were not answered.
    pub unanswered: u32,
}

impl Marks {
    /// For an entry of so many positions, of which nothing is known yet.
    pub(super) fn none(positions: usize) -> Self {
        Self { scores: vec![NO_SCORE; positions], unanswered: 0 }
    }

    /// Positions that have a score.
    pub(super) fn judged(&self) -> u64 {
        self.scores.iter().filter(|&&score| score != NO_SCORE).count() as u64
    }

    /// Positions whose score is a mate.
    pub(super) fn mates(&self) -> u64 {
        let is_mate = |&&score: &&i16| matches!(Score::from_i16(score), Some(Score::Mate(_)));
        self.scores.iter().filter(is_mate).count() as u64
    }

    /// As it stands in a journal: what was not answered, then the scores, little endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let scores = self.scores.iter().flat_map(|score| score.to_le_bytes());
        self.unanswered.to_le_bytes().into_iter().chain(scores).collect()
    }

    /// From a journal; `None` if it is something else.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (unanswered, scores) = bytes.split_first_chunk::<4>()?;
        let (scores, rest) = scores.as_chunks::<2>();
        rest.is_empty().then(|| Self {
            scores: scores.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect(),
            unanswered: u32::from_le_bytes(*unanswered),
        })
    }
}

/// What becomes of scores that are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Merge {
    /// The teacher's stand in their place.
    Replace,
    /// They stay, and the teacher is asked about the other positions.
    KeepPlayed,
    /// They have that weight in the new ones. Of mates nothing can be mixed: then the teacher
    /// is right.
    Blend(Share),
}

impl Merge {
    /// Whether a position with that score, or none, is asked about.
    pub(super) fn asks(self, played: Option<Score>) -> bool {
        self != Self::KeepPlayed || played.is_none()
    }

    /// The score of a position, given that of the game and that of the teacher.
    fn score(self, played: Option<Score>, judged: Option<Score>) -> Option<Score> {
        match (self, played, judged) {
            (Self::KeepPlayed, Some(played), _) => Some(played),
            (Self::Blend(share), Some(Score::Centipawns(a)), Some(Score::Centipawns(b))) => {
                let weight = f64::from(share);
                let mixed = weight * f64::from(a) + (1.0 - weight) * f64::from(b);
                Some(Score::Centipawns(mixed.round() as i32))
            }
            (_, _, judged) => judged,
        }
    }

    /// Puts the scores into an entry, which has as many positions.
    pub(super) fn apply(self, marks: &Marks, entry: &mut Entry) {
        let places = match entry {
            Entry::Game(game) => {
                game.moves.iter_mut().map(|m| &mut m.white_score).collect::<Vec<_>>()
            }
            Entry::Position(listed) => vec![&mut listed.white_score],
        };
        for (place, &judged) in places.into_iter().zip(&marks.scores) {
            *place = self.score(*place, Score::from_i16(judged));
        }
    }
}

/// As settings are kept.
impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replace => f.write_str("replaced"),
            Self::KeepPlayed => f.write_str("kept"),
            Self::Blend(share) => write!(f, "of weight {share}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_back_from_a_journal() {
        let scores = [31, -250, NO_SCORE, 31_997, -31_990].to_vec();
        let marks = Marks { scores, unanswered: 1 };
        assert_eq!(Marks::from_bytes(&marks.to_bytes()), Some(marks.clone()));
        assert_eq!((marks.judged(), marks.mates()), (4, 2));
        assert_eq!(Marks::from_bytes(&[1, 2, 3, 4, 5]), None);
        assert_eq!(Marks::from_bytes(&[1]), None);
    }

    #[test]
    fn scores_are_replaced_kept_or_mixed() {
        let (cp, mate) = (|cp| Some(Score::Centipawns(cp)), |n| Some(Score::Mate(n)));
        assert_eq!(Merge::Replace.score(cp(10), cp(-30)), cp(-30));
        assert_eq!(Merge::Replace.score(cp(10), None), None);
        assert_eq!(Merge::KeepPlayed.score(cp(10), None), cp(10));
        assert_eq!(Merge::KeepPlayed.score(None, cp(7)), cp(7));
        assert!(Merge::KeepPlayed.asks(None) && !Merge::KeepPlayed.asks(cp(1)));
        let half = Merge::Blend(Share::try_from(0.25).unwrap());
        assert_eq!(half.score(cp(100), cp(20)), cp(40));
        assert_eq!(half.score(mate(3), cp(20)), cp(20));
        assert_eq!(half.score(cp(20), mate(-3)), mate(-3));
        assert_eq!(half.score(cp(20), None), None);
    }
}
