//! Which copy of the upper layers each position of a batch uses.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::IntTensor;
use burn::backend::{Backend, Dispatch, ExtensionType};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// The bucket of each position of a batch.
#[derive(Clone, Debug)]
pub struct PositionBuckets(Option<Tensor<1, Int>>);

impl PositionBuckets {
    /// All positions use the same layers, of which there is one copy.
    pub fn one() -> Self {
        Self(None)
    }

    /// The bucket of each position, each below the number of copies; all use the only copy
    /// if none is given.
    pub fn listed(of_each: Vec<i32>, device: &Device) -> Self {
        if of_each.is_empty() {
            return Self::one();
        }
        let positions = of_each.len();
        Self::new(Tensor::from_data(TensorData::new(of_each, [positions]), device))
    }

    /// `of_each [positions]`, each below the number of copies; a graphics card does not
    /// look.
    pub fn new(of_each: Tensor<1, Int>) -> Self {
        Self(Some(of_each))
    }

    /// Checks that layers with so many copies and a batch of so many positions fit these
    /// buckets.
    ///
    /// # Panics
    /// If they do not.
    pub(crate) fn check(&self, copies: usize, positions: usize) {
        match &self.0 {
            None => assert_eq!(copies, 1, "several copies of a layer, and a bucket for none"),
            Some(of_each) => assert_eq!(of_each.dims(), [positions], "a bucket per position"),
        }
    }

    pub(crate) fn into_dispatch(self) -> BucketsPrimitive<Dispatch> {
        match self.0 {
            None => BucketsPrimitive::One,
            Some(of_each) => BucketsPrimitive::Each { of_each: of_each.into_dispatch() },
        }
    }
}

/// [`PositionBuckets`] as a backend sees them.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) enum BucketsPrimitive<B: Backend> {
    /// The only one.
    One,
    /// One per position.
    Each {
        /// `[positions]`.
        of_each: IntTensor<B>,
    },
}

impl<B: Backend, C: CheckpointStrategy> BucketsPrimitive<Autodiff<B, C>> {
    /// The same for the backend beneath.
    pub(crate) fn detached(self) -> BucketsPrimitive<B> {
        match self {
            Self::One => BucketsPrimitive::One,
            Self::Each { of_each } => BucketsPrimitive::Each { of_each },
        }
    }
}
