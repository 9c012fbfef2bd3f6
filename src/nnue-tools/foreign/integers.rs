//! Integers of a file of another program, rounded from the numbers of a net.

use nnue::tensors::{TensorAxis, TensorName};

/// A number of a net that its type in a file of another program cannot hold.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place} is {}; the file holds {least} to {most} there", self.number())]
pub struct OutOfRange {
    /// Tensor and indices.
    place: String,
    value: f64,
    found: f64,
    least: i64,
    most: i64,
}

impl OutOfRange {
    /// The number, and its integer in the file where that is another one.
    fn number(&self) -> String {
        let Self { value, found, .. } = self;
        if value == found { value.to_string() } else { format!("{value}, {found} in the file") }
    }
}

/// Integers of a file.
pub(super) trait FileInteger: Copy + TryFrom<i64> {
    const LEAST: i64;
    const MOST: i64;
}

impl FileInteger for i8 {
    const LEAST: i64 = i8::MIN as i64;
    const MOST: i64 = i8::MAX as i64;
}

impl FileInteger for i16 {
    const LEAST: i64 = i16::MIN as i64;
    const MOST: i64 = i16::MAX as i64;
}

impl FileInteger for i32 {
    const LEAST: i64 = i32::MIN as i64;
    const MOST: i64 = i32::MAX as i64;
}

impl FileInteger for i64 {
    const LEAST: i64 = i64::MIN;
    const MOST: i64 = i64::MAX;
}

/// A number of a net, and the integers of its unit in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub value: f64,
    pub unit: f64,
}

impl Scaled {
    /// Numbers of one unit.
    pub(super) fn all<T: Copy + Into<f64>>(
        values: &[T],
        unit: f64,
    ) -> impl Iterator<Item = Self> + '_ {
        values.iter().map(move |&value| Self { value: value.into(), unit })
    }

    fn in_file(self) -> f64 {
        (self.value * self.unit).round()
    }
}

/// The nearest integers of a tensor. `axes` are its dimensions, by which an error names the place.
pub(super) fn integers<T: FileInteger>(
    tensor: TensorName,
    axes: &[TensorAxis],
    numbers: impl Iterator<Item = Scaled>,
) -> Result<Vec<T>, OutOfRange> {
    let integer = |(at, number): (usize, Scaled)| {
        // Floats beyond 64 bits saturate, and are out of range with every type but i64 itself.
        let integer = T::try_from(number.in_file() as i64);
        integer.map_err(|_| OutOfRange {
            place: format!("{} ({})", tensor.as_str(), indices(axes, at)),
            value: number.value,
            found: number.in_file(),
            least: T::LEAST,
            most: T::MOST,
        })
    };
    numbers.enumerate().map(integer).collect()
}

/// `bucket 3, output 5, input 77`
fn indices(axes: &[TensorAxis], mut at: usize) -> String {
    let mut indices: Vec<String> = Vec::new();
    for axis in axes.iter().rev() {
        indices.push(format!("{} {}", axis.name, at % axis.size));
        at /= axis.size;
    }
    indices.reverse();
    indices.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::tensors::DensePlace;

    const AXES: [TensorAxis; 3] = [
        TensorAxis { name: "bucket", size: 2 },
        TensorAxis { name: "output", size: 3 },
        TensorAxis { name: "input", size: 4 },
    ];
    const WEIGHTS: TensorName = TensorName::DenseWeights(DensePlace::Lowest);

    fn bytes(values: &[f32]) -> Result<Vec<i8>, OutOfRange> {
        integers(WEIGHTS, &AXES, Scaled::all(values, 64.0))
    }

    #[test]
    fn numbers_become_the_nearest_integers() {
        assert_eq!(
            bytes(&[0.0, 1.0, -2.0, 1.99, 0.0079, 0.0078]).unwrap(),
            [0, 64, -128, 127, 1, 0]
        );
    }

    #[test]
    fn the_first_number_out_of_range_is_named_with_its_place() {
        let mut values = [0.5; 24];
        (values[12 + 4 + 3], values[23]) = (2.25, -9.0);
        assert_eq!(
            bytes(&values).unwrap_err().to_string(),
            "dense_weights (bucket 1, output 1, input 3) is 2.25, 144 in the file; the file holds \
             -128 to 127 there"
        );
        let copied = integers::<i8>(WEIGHTS, &AXES, Scaled::all(&[-129], 1.0)).unwrap_err();
        let message = "dense_weights (bucket 0, output 0, input 0) is -129; the file holds";
        assert!(copied.to_string().starts_with(message), "{copied}");
    }

    #[test]
    fn numbers_beyond_every_type_are_out_of_range() {
        for value in [f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            assert!(bytes(&[value]).is_err(), "{value}");
        }
    }
}
