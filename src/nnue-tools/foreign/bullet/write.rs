//! The bytes of a file of bullet.

use super::BulletNet;
use super::read::{FILLING, MULTIPLE};

impl BulletNet {
    /// The file, padded as bullet does.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { ft_weights, ft_bias, out_weights, out_bias, .. } = self;
        let numbers = [ft_weights, ft_bias, out_weights, out_bias].into_iter().flatten();
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        let missing = bytes.len().next_multiple_of(MULTIPLE) - bytes.len();
        bytes.extend(FILLING.iter().cycle().take(missing));
        bytes
    }
}
