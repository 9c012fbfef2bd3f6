//! Laws of every custom operation: it equals stock operations and their gradients on every device,
//! and repeats to the bit, with any number of threads.

use burn::tensor::{Device, Tensor, TensorData};

use crate::testing::{bits, every_device};

/// A custom operation with its inputs; `N` results are the output and the gradients.
pub(crate) trait Case<const N: usize>: Sync {
    const RESULTS: [&str; N];

    /// From the operation.
    fn custom(&self, device: Device) -> [Vec<f32>; N];

    /// From stock operations and automatic differentiation on the processor.
    fn stock(&self) -> [Vec<f32>; N];
}

/// The largest difference that rounding explains, from the expected entry and the largest one.
pub(crate) type Tolerance = fn(entry: f32, largest: f32) -> f32;

pub(crate) fn assert_close<C: Case<N>, const N: usize>(
    ours: &[Vec<f32>; N],
    theirs: &[Vec<f32>; N],
    tolerance: Tolerance,
    device: &Device,
) {
    for ((ours, theirs), what) in ours.iter().zip(theirs).zip(C::RESULTS) {
        let largest = theirs.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        assert_eq!(ours.len(), theirs.len(), "{what} on {device:?}");
        for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
            let is_close = (a - b).abs() <= tolerance(*b, largest);
            assert!(is_close, "{what} on {device:?}, value {i}: {a} against {b}");
        }
    }
}

pub(crate) fn equals_stock_operations<C: Case<N>, const N: usize>(
    cases: impl Iterator<Item = C>,
    tolerance: Tolerance,
) {
    for case in cases {
        let stock = case.stock();
        for device in every_device() {
            assert_close::<C, N>(&case.custom(device.clone()), &stock, tolerance, &device);
        }
    }
}

pub(crate) fn repeats_to_the_bit<C: Case<N>, const N: usize>(case: &C) {
    for device in every_device() {
        let first = bits(case.custom(device.clone()));
        for _ in 0..3 {
            assert!(bits(case.custom(device.clone())) == first, "{device:?}");
        }
    }
}

pub(crate) fn threads_do_not_change_a_bit<C: Case<N>, const N: usize>(
    cases: impl Iterator<Item = C>,
) {
    for case in cases {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bits(case.custom(Device::flex())))
        };
        let one = with(1);
        for threads in [2, 4, 7] {
            assert!(with(threads) == one, "{threads} threads");
        }
    }
}

pub(crate) fn tensor<const D: usize>(
    values: &[f32],
    shape: [usize; D],
    device: &Device,
) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}
