//! Ending games whose result is clear.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use arena::rules::numbers;
use arena::{RuleError, Switch};
use chess::Color;
use data::{GameResult, Score};
use engine::value::centipawns;

/// When a game is called won or drawn before the rules of chess end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Wins that both sides see.
    pub win_rule: Switch<WinRule>,
    /// Draws that both sides see.
    pub draw_rule: Switch<DrawRule>,
    /// Drawn after so many plies of the players in any case.
    pub max_plies: Switch<NonZeroU32>,
}

impl Default for Adjudication {
    fn default() -> Self {
        Self {
            win_rule: Switch(Some(WinRule::default())),
            draw_rule: Switch(Some(DrawRule::default())),
            max_plies: Switch(NonZeroU32::new(400)),
        }
    }
}

/// Won when for `plies` plies running both sides saw one of them ahead by `score_cp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// Plies running.
    pub plies: u32,
    /// Least |score|, in centipawns.
    pub score_cp: u32,
}

impl Default for WinRule {
    fn default() -> Self {
        Self { plies: 4, score_cp: 1_500 }
    }
}

impl FromStr for WinRule {
    type Err = RuleError;

    /// `4/1500`: for 4 plies, beyond 1500 centipawns.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let form = "PLIES/CENTIPAWNS, such as 4/1500, both from 1 on";
        match numbers(text, form)? {
            [0, _] | [_, 0] => Err(RuleError::new(text, form)),
            [plies, score_cp] => Ok(Self { plies, score_cp }),
        }
    }
}

impl fmt::Display for WinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.plies, self.score_cp)
    }
}

/// Drawn when for `plies` plies running both sides saw no more than `score_cp`, no
/// earlier than the players' ply `from_ply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Ply from which on the rule holds.
    pub from_ply: u32,
    /// Plies running.
    pub plies: u32,
    /// Most |score|, in centipawns.
    pub score_cp: u32,
}

impl Default for DrawRule {
    fn default() -> Self {
        Self { from_ply: 80, plies: 10, score_cp: 8 }
    }
}

impl FromStr for DrawRule {
    type Err = RuleError;

    /// `80/10/8`: from ply 80, for 10 plies, within 8 centipawns.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let form = "PLY/PLIES/CENTIPAWNS, such as 80/10/8, the plies from 1 on";
        match numbers(text, form)? {
            [_, 0, _] => Err(RuleError::new(text, form)),
            [from_ply, plies, score_cp] => Ok(Self { from_ply, plies, score_cp }),
        }
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.from_ply, self.plies, self.score_cp)
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
        let winner = self.winner(score);
        let drawn = self.is_level(score) || self.is_long();
        winner.map(GameResult::Win).or(drawn.then_some(GameResult::Draw))
    }

    fn winner(&mut self, score: i32) -> Option<Color> {
        let WinRule { plies, score_cp } = self.rules.win_rule.0?;
        let is_ahead = score.unsigned_abs() >= score_cp;
        let ahead = is_ahead.then_some(Color::from_white(score > 0));
        self.winning_plies = match ahead {
            None => 0,
            Some(_) if ahead == self.winning => self.winning_plies + 1,
            Some(_) => 1,
        };
        self.winning = ahead;
        ahead.filter(|_| self.winning_plies >= plies)
    }

    fn is_level(&mut self, score: i32) -> bool {
        let Some(DrawRule { from_ply, plies, score_cp }) = self.rules.draw_rule.0 else {
            return false;
        };
        let level = score.unsigned_abs() <= score_cp;
        self.level_plies = if level { self.level_plies + 1 } else { 0 };
        self.plies >= from_ply && self.level_plies >= plies
    }

    fn is_long(&self) -> bool {
        self.rules.max_plies.0.is_some_and(|most| self.plies >= most.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Adjudication {
        Adjudication {
            draw_rule: Switch(Some(DrawRule { from_ply: 20, ..DrawRule::default() })),
            max_plies: Switch(NonZeroU32::new(50)),
            ..Adjudication::default()
        }
    }

    /// Plies until the result, and the result.
    fn call(scores: impl Iterator<Item = Score>) -> Option<(usize, GameResult)> {
        call_by(rules(), scores)
    }

    fn call_by(
        rules: Adjudication,
        scores: impl Iterator<Item = Score>,
    ) -> Option<(usize, GameResult)> {
        let mut umpire = Umpire::new(rules);
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

    #[test]
    fn each_rule_is_switched_off_by_itself() {
        let cp = |cp| std::iter::repeat_n(Score::Centipawns(cp), 1_000);
        let lost = Some(GameResult::Win(Color::Black));
        let no_win = Adjudication { win_rule: Switch(None), ..rules() };
        let no_draw = Adjudication { draw_rule: Switch(None), ..rules() };
        let endless = Adjudication { max_plies: Switch(None), ..rules() };
        assert_eq!(call_by(no_win, cp(-2_000)), Some((50, GameResult::Draw)));
        assert_eq!(call_by(no_draw, cp(0)), Some((50, GameResult::Draw)));
        assert_eq!(call_by(no_draw, cp(-2_000)).map(|called| called.1), lost);
        assert_eq!(call_by(endless, cp(0)), Some((20, GameResult::Draw)));
        assert_eq!(call_by(endless, cp(300)), None);
    }

    #[test]
    fn rules_are_told_as_they_are_read_and_nonsense_is_refused() {
        assert_eq!("4/1500".parse::<WinRule>().unwrap(), WinRule::default());
        assert_eq!(WinRule::default().to_string(), "4/1500");
        assert_eq!("80/10/8".parse::<DrawRule>().unwrap(), DrawRule::default());
        assert_eq!(DrawRule::default().to_string(), "80/10/8");
        for nonsense in ["0/1500", "4/0", "4", "4/1500/1", "-4/1500", ""] {
            assert!(nonsense.parse::<WinRule>().is_err(), "{nonsense}");
        }
        for nonsense in ["80/0/8", "80/10", "80/10/-8"] {
            assert!(nonsense.parse::<DrawRule>().is_err(), "{nonsense}");
        }
    }
}
