//! Ending games whose result is clear.

use crate::chess::Color;
use crate::data::{GameResult, Score};
use crate::engine::value::centipawns;

/// When a game is called won or drawn before the rules end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Won when both sides see one of them ahead by this, in centipawns…
    pub win_score: i32,
    /// …for so many plies running.
    pub win_plies: u32,
    /// Drawn when both sides see no more than this, in centipawns…
    pub draw_score: i32,
    /// …for so many plies running…
    pub draw_plies: u32,
    /// …no earlier than so many plies into the game.
    pub draw_from_ply: u32,
    /// Drawn after so many plies in any case.
    pub max_plies: u32,
}

impl Default for Adjudication {
    fn default() -> Self {
        Self {
            win_score: 1_500,
            win_plies: 4,
            draw_score: 8,
            draw_plies: 10,
            draw_from_ply: 80,
            max_plies: 400,
        }
    }
}

/// Follows the scores of one game.
#[derive(Clone, Debug)]
pub struct Umpire {
    rules: Adjudication,
    plies: u32,
    winning: Option<Color>,
    winning_plies: u32,
    level_plies: u32,
}

impl Umpire {
    /// At the start of a game.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, plies: 0, winning: None, winning_plies: 0, level_plies: 0 }
    }

    /// A move was played from a position scored so; the result, if it is now clear.
    pub fn see(&mut self, white_score: Score) -> Option<GameResult> {
        let score = centipawns(white_score);
        self.plies += 1;
        let ahead = (score.abs() >= self.rules.win_score).then_some(Color::from_white(score > 0));
        self.winning_plies = match ahead {
            None => 0,
            Some(_) if ahead == self.winning => self.winning_plies + 1,
            Some(_) => 1,
        };
        self.winning = ahead;
        let level = score.abs() <= self.rules.draw_score;
        self.level_plies = if level { self.level_plies + 1 } else { 0 };

        if let Some(color) = ahead
            && self.winning_plies >= self.rules.win_plies
        {
            return Some(GameResult::Win(color));
        }
        let drawn =
            self.plies >= self.rules.draw_from_ply && self.level_plies >= self.rules.draw_plies;
        (drawn || self.plies >= self.rules.max_plies).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn umpire() -> Umpire {
        Umpire::new(Adjudication { draw_from_ply: 20, max_plies: 50, ..Adjudication::default() })
    }

    /// Plies until the result, and the result.
    fn call(scores: impl Iterator<Item = Score>) -> Option<(usize, GameResult)> {
        let mut umpire = umpire();
        scores.enumerate().find_map(|(i, score)| umpire.see(score).map(|result| (i + 1, result)))
    }

    #[test]
    fn a_win_must_be_seen_for_long_enough_and_by_one_side() {
        let cp = Score::Centipawns;
        let black = [cp(-1600), cp(1600), cp(-1600), cp(-1600), cp(-1600), Score::Mate(-4)];
        assert_eq!(call(black.into_iter()), Some((6, GameResult::Win(Color::Black))));
        let broken = [cp(1600), cp(1600), cp(1600), cp(1499), cp(1600)];
        assert_eq!(call(broken.into_iter()), None);
    }

    #[test]
    fn draws_wait_for_their_ply_and_every_game_ends() {
        let level = std::iter::repeat(Score::Centipawns(-8));
        assert_eq!(call(level), Some((20, GameResult::Draw)));
        let unclear = std::iter::repeat(Score::Centipawns(300));
        assert_eq!(call(unclear), Some((50, GameResult::Draw)));
    }
}
