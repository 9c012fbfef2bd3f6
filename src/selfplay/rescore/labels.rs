//! Labels of an entry, and how they merge with the scores of its game.

use std::fmt;

use serde::{Deserialize, Serialize};

use chess::game::NO_SCORE;
use data::{Entry, Score, Share};

/// Scores of an entry's positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels {
    /// Scores of its positions from White's side, in order, as
    /// [`Score::to_i16`]; [`NO_SCORE`] where there is none.
    pub scores: Vec<i16>,
    /// Questions that were not answered.
    pub unanswered: u32,
}

impl Labels {
    /// Of an entry without scores.
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

    /// Content of a record: the unanswered questions, then the scores, little endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let scores = self.scores.iter().flat_map(|score| score.to_le_bytes());
        self.unanswered.to_le_bytes().into_iter().chain(scores).collect()
    }

    /// From the content of a record.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (unanswered, scores) = bytes.split_first_chunk::<4>()?;
        let (scores, rest) = scores.as_chunks::<2>();
        rest.is_empty().then(|| Self {
            scores: scores.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect(),
            unanswered: u32::from_le_bytes(*unanswered),
        })
    }
}

/// How labels merge with the scores of the game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// Labels replace them.
    Replace,
    /// They stay; the other positions get labels.
    KeepPlayed,
    /// They have that weight in the new ones; mates are not mixed but replaced.
    Blend(Share),
}

impl Merge {
    /// Whether a position with that score, or none, is asked about.
    pub(super) fn asks(self, played: Option<Score>) -> bool {
        self != Self::KeepPlayed || played.is_none()
    }

    /// The score of a position, given that of the game and its label.
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
    pub(super) fn apply(self, labels: &Labels, entry: &mut Entry) {
        let places = match entry {
            Entry::Game(game) => {
                game.moves.iter_mut().map(|m| &mut m.white_score).collect::<Vec<_>>()
            }
            Entry::Position(listed) => vec![&mut listed.white_score],
        };
        for (place, &judged) in places.into_iter().zip(&labels.scores) {
            *place = self.score(*place, Score::from_i16(judged));
        }
    }
}

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
    fn labels_come_back_from_a_journal() {
        let scores = [31, -250, NO_SCORE, 31_997, -31_990].to_vec();
        let labels = Labels { scores, unanswered: 1 };
        assert_eq!(Labels::from_bytes(&labels.to_bytes()), Some(labels.clone()));
        assert_eq!((labels.judged(), labels.mates()), (4, 2));
        assert_eq!(Labels::from_bytes(&[1, 2, 3, 4, 5]), None);
        assert_eq!(Labels::from_bytes(&[1]), None);
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
