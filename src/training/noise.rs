//! Noise in training: feature dropout.
//!
//! As with the order of the samples (`shuffle.rs`) there is no state of a generator: seed
//! and place in the stream decide every draw, so it is the same on any thread and after any
//! stop, and another whenever the sample comes up again.
//!
//! The features left are not scaled up. A net is played with all features, and its neurons are
//! clipped: sums larger than those it is played with would train it for another clipping. So some
//! sums are smaller, like those of positions with fewer pieces.

use super::config::TrainingConfig;
use super::shuffle::mix;

/// Keeps these draws apart from those of a run's other seeds.
const DROPOUT_SALT: u64 = 0x0064_726f_706f_7574;

/// Steps of the generator behind one place: 2⁶⁴ / φ (Steele, Lea and Flood, *Fast splittable
/// pseudorandom number generators*, 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    seed: u64,
    /// Chance of every feature to be left out.
    dropout: f64,
}

impl Noise {
    pub fn new(config: &TrainingConfig, seed: u64) -> Self {
        Self { seed, dropout: config.feature_dropout }
    }

    pub(crate) fn leaves_out(&self) -> bool {
        self.dropout > 0.0
    }

    /// The dropout of the sample at a place; `None` without dropout.
    pub(crate) fn dropout(&self, place: u64) -> Option<Dropout> {
        let state = mix(self.seed ^ DROPOUT_SALT) ^ mix(place);
        (self.dropout > 0.0).then(|| Dropout { state: mix(state), chance: self.dropout })
    }
}

/// Draws for the features of one sample, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dropout {
    state: u64,
    chance: f64,
}

impl Dropout {
    /// Leaves entries out of a list from a place on; the others keep their order.
    pub(crate) fn thin<E: Copy>(&mut self, list: &mut Vec<E>, from: usize) {
        let mut end = from;
        for at in from..list.len() {
            if !self.leaves_out() {
                list[end] = list[at];
                end += 1;
            }
        }
        list.truncate(end);
    }

    fn leaves_out(&mut self) -> bool {
        self.state = self.state.wrapping_add(GOLDEN);
        unit(mix(self.state)) < self.chance
    }
}

/// From 0 to below 1, in steps of 2⁻⁵³.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: u64 = 2_000;

    fn noise(feature_dropout: f64, seed: u64) -> Noise {
        let config = TrainingConfig { feature_dropout, ..Default::default() };
        Noise::new(&config, seed)
    }

    /// The features left of 30 at every place.
    fn left(noise: Noise) -> Vec<Vec<usize>> {
        let thinned = |place| {
            let mut list: Vec<usize> = (0..30).collect();
            noise.dropout(place).unwrap().thin(&mut list, 0);
            list
        };
        (0..PLACES).map(thinned).collect()
    }

    #[test]
    fn the_share_is_left_out_of_every_place_of_a_list() {
        for (chance, seed) in [(0.05, 1), (0.5, 2), (0.9, 3)] {
            let mut counts = [0; 30];
            for list in left(noise(chance, seed)) {
                assert!(list.is_sorted());
                list.into_iter().for_each(|feature| counts[feature] += 1);
            }
            let places = PLACES as f64;
            let spread = (places * chance * (1.0 - chance)).sqrt();
            for count in counts {
                let error = f64::from(count) - places * (1.0 - chance);
                // One in ten thousand runs of 90 draws deviates further.
                assert!(error.abs() < 5.0 * spread, "{chance}: {counts:?}");
            }
        }
    }

    #[test]
    fn seeds_and_places_draw_differently() {
        let one = left(noise(0.5, 1));
        assert_eq!(one, left(noise(0.5, 1)));
        let another = left(noise(0.5, 2));
        assert!(one.iter().zip(&another).filter(|(a, b)| a == b).count() < 3);
        assert!(one.windows(2).filter(|pair| pair[0] == pair[1]).count() < 3);
    }

    #[test]
    fn what_stands_before_is_left_alone() {
        let mut list: Vec<usize> = (0..60).collect();
        noise(0.9, 4).dropout(7).unwrap().thin(&mut list, 30);
        assert!(list[..30].iter().copied().eq(0..30));
        assert!(list.len() < 50);
        assert!(noise(0.0, 4).dropout(7).is_none());
    }
}
