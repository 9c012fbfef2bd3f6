//! Scores, each as its difference from a prediction.
//!
//! The prediction comes from the last scores of both players: with one evaluator the
//! last score is best, with two that alternate the one before it, moved as the
//! other side's changed. The coder learns during the game which of them errs least.

use super::adaptive::{Adaptive, Bit, Number, Tree};
use super::channel::Channel;

/// A score as it is coded, from White's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CodedScore {
    #[default]
    None,
    Centipawns(i16),
    /// White mates in this number of moves.
    WhiteMates(u16),
    /// Black mates in this number of moves.
    BlackMates(u16),
}

impl CodedScore {
    fn kind(self) -> usize {
        match self {
            Self::None => 0,
            Self::Centipawns(_) => 1,
            Self::WhiteMates(_) => 2,
            Self::BlackMates(_) => 3,
        }
    }

    /// Centipawns; a mate counts as 2,000.
    fn value(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Centipawns(cp) => cp.into(),
            Self::WhiteMates(_) => 2_000,
            Self::BlackMates(_) => -2_000,
        }
    }

    fn moves(self) -> i32 {
        match self {
            Self::WhiteMates(moves) | Self::BlackMates(moves) => moves.into(),
            _ => 0,
        }
    }

    /// Decisiveness of the score, as a context: 0 to 7.
    pub(crate) fn weight(self) -> usize {
        match self {
            Self::None => 0,
            Self::Centipawns(cp) => {
                1 + bucket(&[25, 100, 300, 700, 1_000], cp.unsigned_abs().into())
            }
            _ => 7,
        }
    }

    /// The side ahead: 0 unknown, 1 Black, 2 neither, 3 White.
    pub(crate) fn leader(self) -> usize {
        match self {
            Self::None => 0,
            other => (other.value().signum() + 2) as usize,
        }
    }
}

/// The first bound that the value stays below; their number if there is none.
fn bucket(bounds: &[u32], value: u32) -> usize {
    bounds.iter().take_while(|&&bound| value >= bound).count()
}

/// Probabilities of scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScoreModel {
    /// Before the first score, by how many plies have had none.
    silent: [Tree<4>; SILENCE],
    kinds: [[Tree<4>; 4]; 4],
    residuals: [[Residual; DECIDED]; SCALES],
    mates: Residual,
    first_mate: Number,
}

/// Openings from a book, or at random, are no longer than this.
const SILENCE: usize = 24;
const SCALES: usize = 18;
const DECIDED: usize = 3;

/// A number that may be negative.
#[derive(Clone, Debug, Default, PartialEq)]
struct Residual {
    is_zero: Bit,
    sign: [Bit; 3],
    size: Number,
}

impl Residual {
    /// Passes a residual; `trend` is the sign it is suspected of, 0 to 2.
    fn pass<C: Channel>(&mut self, channel: &mut C, trend: usize, known: C::Known<i32>) -> i32 {
        if self.is_zero.pass(channel, C::known(known, |residual| residual == 0)) {
            return 0;
        }
        let is_negative = self.sign[trend].pass(channel, C::known(known, |residual| residual < 0));
        let size = C::known(known, |residual: i32| residual.unsigned_abs() - 1);
        let size = self.size.pass(channel, size).min(i32::MAX as u32 - 1) as i32 + 1;
        if is_negative { -size } else { size }
    }
}

impl Adaptive for Residual {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.is_zero.each(visit);
        self.sign.each(visit);
        self.size.each(visit);
    }
}

impl Adaptive for ScoreModel {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.silent.each(visit);
        self.kinds.each(visit);
        self.residuals.each(visit);
        self.mates.each(visit);
        self.first_mate.each(visit);
    }
}

/// Scores of one game so far.
#[derive(Clone, Debug)]
pub(crate) struct ScoreTrack {
    /// The last three, the latest first.
    last: [CodedScore; 3],
    /// Recent error of each guess, in 1/16 centipawn.
    errors: [i32; GUESSES],
    /// Recent error of their mixture.
    error: i32,
    /// Plies so far, until the first score comes.
    silence: Option<usize>,
    begun: bool,
}

const GUESSES: usize = 4;
const USUAL_ERROR: i32 = 30 * 16;

impl Default for ScoreTrack {
    fn default() -> Self {
        Self {
            last: Default::default(),
            errors: [USUAL_ERROR; GUESSES],
            error: USUAL_ERROR,
            silence: Some(0),
            begun: false,
        }
    }
}

impl ScoreTrack {
    /// Passes the next score.
    pub(crate) fn pass<C: Channel>(
        &mut self,
        model: &mut ScoreModel,
        channel: &mut C,
        known: C::Known<CodedScore>,
    ) -> CodedScore {
        let [last, before, _] = self.last;
        let kinds = match self.silence {
            Some(plies) => &mut model.silent[plies.min(SILENCE - 1)],
            None => &mut model.kinds[last.kind()][before.kind()],
        };
        let kind = kinds.pass(channel, C::known(known, CodedScore::kind));
        let coded = match kind {
            0 => CodedScore::None,
            1 => CodedScore::Centipawns(self.centipawns(model, channel, known)),
            kind => {
                let moves = C::known(known, CodedScore::moves);
                let moves = self.mate(model, channel, kind, moves);
                if kind == 2 {
                    CodedScore::WhiteMates(moves)
                } else {
                    CodedScore::BlackMates(moves)
                }
            }
        };
        self.silence = self.silence.filter(|_| kind == 0).map(|plies| plies + 1);
        self.last = [coded, last, before];
        coded
    }

    fn centipawns<C: Channel>(
        &mut self,
        model: &mut ScoreModel,
        channel: &mut C,
        known: C::Known<CodedScore>,
    ) -> i16 {
        let guesses = self.guesses();
        let guess = self.mixed(&guesses);
        let scale = self.scale();
        let decided = bucket(&[120, 500], guess.unsigned_abs());
        let trend = (self.last[0].value() - guess).signum() + 1;
        let residuals = &mut model.residuals[scale][decided];
        let residual = C::known(known, |coded: CodedScore| coded.value() - guess);
        let residual = residuals.pass(channel, trend as usize, residual);
        let bound = i32::from(i16::MAX);
        let value = guess.saturating_add(residual).clamp(-bound, bound);
        self.learn(&guesses, guess, value);
        value as i16
    }

    fn guesses(&self) -> [i32; GUESSES] {
        let [a, b, c] = self.last.map(CodedScore::value);
        match self.last {
            [CodedScore::None, CodedScore::None, _] => [0; GUESSES],
            [CodedScore::None, ..] => [b; GUESSES],
            [_, CodedScore::None, _] => [a; GUESSES],
            _ => [a, b, b + (a - c) / 2, (a + b) / 2],
        }
    }

    /// The guesses' mean, the better ones counting for more.
    fn mixed(&self, guesses: &[i32; GUESSES]) -> i32 {
        let weight = |error: i32| {
            let error = i64::from(error / 4) + 8;
            (1 << 40) / (error * error * error)
        };
        let weights = self.errors.map(weight);
        let total: i64 = weights.iter().sum();
        let sum: i64 = guesses.iter().zip(weights).map(|(&g, w)| i64::from(g) * w).sum();
        // Rounded towards the nearest, alike on both sides of zero.
        let half = total / 2 * sum.signum();
        ((sum + half) / total.max(1)) as i32
    }

    /// Expected error, in steps of half a power of two.
    fn scale(&self) -> usize {
        if !self.begun {
            return SCALES - 1;
        }
        let error = self.error.max(1) as u32;
        let log = error.ilog2();
        let half = if log > 0 { error >> (log - 1) & 1 } else { 0 };
        ((2 * log + half) as usize).saturating_sub(4).min(SCALES - 2)
    }

    fn learn(&mut self, guesses: &[i32; GUESSES], guess: i32, value: i32) {
        let follow = |error: &mut i32, guess: i32| {
            let off = (value - guess).abs().min(1_000) * 16;
            *error += (off - *error) / 4;
        };
        self.errors.iter_mut().zip(guesses).for_each(|(error, &guess)| follow(error, guess));
        follow(&mut self.error, guess);
        self.begun = true;
    }

    /// Moves to the mate: as many as before, or one fewer.
    fn mate<C: Channel>(
        &self,
        model: &mut ScoreModel,
        channel: &mut C,
        kind: usize,
        known: C::Known<i32>,
    ) -> u16 {
        let moves = match self.last.iter().position(|last| last.kind() == kind) {
            None => {
                let moves = C::known(known, |moves| moves as u32);
                model.first_mate.pass(channel, moves) as i32
            }
            Some(ago) => {
                let before = self.last[ago].moves() - ago as i32 / 2;
                let residual = C::known(known, |moves| moves - before);
                before.saturating_add(model.mates.pass(channel, 1, residual))
            }
        };
        moves.clamp(0, u16::MAX.into()) as u16
    }
}
