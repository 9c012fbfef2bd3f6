//! Nets of other programs: the numbers of their files, which become nets of ours, and nets of ours
//! that become such files.
//!
//! | files | of | read | written |
//! |---|---|---|---|
//! | [`thesis`] | Lombardo's thesis (UBA 2024) | yes | |
//! | [`stockfish`] | Stockfish 15.1, `export_net` | yes | features and layers of Stockfish |
//! | [`bullet`] | the trainer bullet, `quantised.bin` | by a [layout](bullet::BulletLayout) | one hidden layer |
//!
//! Nets that were read keep the integers and scales of their files, and are written as the same
//! integers. Other nets are quantised at the scales of the file; a weight that its integers cannot
//! hold is an [error](OutOfRange).

pub mod bullet;
mod fields;
mod integers;
pub mod stockfish;
#[cfg(test)]
mod tests;
pub mod thesis;

pub use fields::FieldError;
pub use integers::OutOfRange;
