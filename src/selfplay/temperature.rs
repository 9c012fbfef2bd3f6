//! Moves drawn by chance, the better the likelier.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Random moves for `plies` plies behind the opening: a move whose score is `cp` centipawns lower
/// is e times less likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Temperature {
    /// Centipawns; the higher, the wilder.
    pub cp: NonZeroU32,
    pub plies: NonZeroU32,
}

/// A text that is no temperature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a temperature; write CENTIPAWNS/PLIES such as 25/20, both from 1 on")]
pub struct TemperatureError(String);

impl FromStr for Temperature {
    type Err = TemperatureError;

    fn from_str(text: &str) -> Result<Self, TemperatureError> {
        let wrong = || TemperatureError(text.to_owned());
        let (cp, plies) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        Ok(Self { cp: number(cp)?, plies: number(plies)? })
    }
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.cp, self.plies)
    }
}

impl Temperature {
    /// Draws one of several moves by their scores in centipawns; `None` of none.
    pub(crate) fn draw(self, worth: &[i32], rng: &mut ChaCha8Rng) -> Option<usize> {
        let best = *worth.iter().max()?;
        let likelihood =
            |&cp: &i32| (f64::from(cp.saturating_sub(best)) / f64::from(self.cp.get())).exp();
        let likelihoods: Vec<f64> = worth.iter().map(likelihood).collect();
        let mut lot = rng.random_range(0.0..likelihoods.iter().sum());
        let drawn = likelihoods.iter().position(|likelihood| {
            lot -= likelihood;
            lot < 0.0
        });
        Some(drawn.unwrap_or(worth.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn what_is_written_is_read() {
        let temperature: Temperature = "25/20".parse().unwrap();
        assert_eq!((temperature.cp.get(), temperature.plies.get()), (25, 20));
        assert_eq!(temperature.to_string(), "25/20");
        for text in ["25", "0/20", "25/0", "a/b", "25/20/1", "-5/3"] {
            let error = text.parse::<Temperature>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("25/20"), "{error}");
        }
    }

    #[test]
    fn moves_are_drawn_by_what_they_are_worth() {
        let temperature: Temperature = "50/1".parse().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut drawn = [0u32; 4];
        for _ in 0..20_000 {
            drawn[temperature.draw(&[40, -10, 40, -2_000], &mut rng).unwrap()] += 1;
        }
        // 1 : 1/e : 1 : nothing.
        let share = |i: usize| f64::from(drawn[i]) / 20_000.0;
        assert!(
            (share(0) - 0.4223).abs() < 0.015 && (share(2) - 0.4223).abs() < 0.015,
            "{drawn:?}"
        );
        assert!((share(1) - 0.1554).abs() < 0.015 && drawn[3] == 0, "{drawn:?}");
        assert_eq!(temperature.draw(&[], &mut rng), None);
    }
}
