//! Losses still on the device.
//!
//! Reading a number from a graphics card waits until its queue is empty, and then it
//! idles until it is given more. So the losses of several steps are read at once.
//! What depends on them is late by as many steps: progress, and noticing that the
//! net has diverged.

use burn::tensor::Tensor;

use network::Compute;

/// Steps of a graphics card between two reads.
const GPU_STEPS: usize = 32;

/// The losses of the latest steps, oldest first.
#[derive(Debug)]
pub(crate) struct Outstanding {
    losses: Vec<Tensor<1>>,
    at_most: usize,
}

impl Outstanding {
    pub(crate) fn new(compute: Compute) -> Self {
        let at_most = match compute {
            Compute::Cpu | Compute::Ndarray => 1,
            Compute::Gpu => GPU_STEPS,
        };
        Self { losses: Vec::new(), at_most }
    }

    pub(crate) fn push(&mut self, loss: Tensor<1>) {
        self.losses.push(loss);
    }

    /// Whether it is time to [`take`](Self::take) them.
    pub(crate) fn are_due(&self) -> bool {
        self.losses.len() >= self.at_most
    }

    /// Waits for all of them.
    ///
    /// # Panics
    /// If the device fails.
    pub(crate) fn take(&mut self) -> Vec<f64> {
        if self.losses.is_empty() {
            return Vec::new();
        }
        let losses = Tensor::cat(std::mem::take(&mut self.losses), 0).try_into_vec_as::<f32>();
        let losses = losses.expect("losses are f32 and the device still answers");
        losses.into_iter().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::testing::every_compute;

    #[test]
    fn they_come_in_order_and_once() {
        for compute in every_compute() {
            let device = compute.device().unwrap();
            let mut outstanding = Outstanding::new(compute);
            let mut steps = 0;
            while !outstanding.are_due() {
                outstanding.push(Tensor::from_data([steps as f32], &device));
                steps += 1;
            }
            assert_eq!(steps, if compute == Compute::Gpu { GPU_STEPS } else { 1 });
            let expected: Vec<f64> = (0..steps).map(|step| step as f64).collect();
            assert_eq!(outstanding.take(), expected);
            assert!(outstanding.take().is_empty());
        }
    }
}
