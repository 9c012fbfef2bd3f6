//! Statistics of the evaluations of a net.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evaluated {
    /// Centipawns for the side to move.
    pub centipawns: i32,
    pub fen: String,
}

/// Statistics of evaluations, in centipawns for the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluations {
    pub positions: usize,
    pub mean: f64,
    pub deviation: f64,
    /// Minimum, the 1, 25, 50, 75 and 99 % quantiles, and maximum.
    pub quantiles: [i32; 7],
    pub smallest: Option<Evaluated>,
    pub largest: Option<Evaluated>,
}

impl Evaluations {
    pub fn new(mut all: Vec<Evaluated>) -> Self {
        all.sort_by(|a, b| (a.centipawns, &a.fen).cmp(&(b.centipawns, &b.fen)));
        let Some(last) = all.len().checked_sub(1) else { return Self::default() };
        let values = || all.iter().map(|evaluated| f64::from(evaluated.centipawns));
        let mean = values().sum::<f64>() / all.len() as f64;
        let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
        Self {
            positions: all.len(),
            mean,
            deviation: (squares / all.len() as f64).sqrt(),
            quantiles: [0, 1, 25, 50, 75, 99, 100].map(|share| all[last * share / 100].centipawns),
            smallest: all.first().cloned(),
            largest: all.last().cloned(),
        }
    }

    /// The evaluation of every position, if all of several are equal.
    pub fn constant(&self) -> Option<i32> {
        let [least, .., most] = self.quantiles;
        constant(self.positions, [least, most])
    }
}

/// The evaluation of every position, if the lowest and the highest of several are equal.
pub(super) fn constant(positions: usize, [least, most]: [i32; 2]) -> Option<i32> {
    (positions > 1 && least == most).then_some(least)
}
