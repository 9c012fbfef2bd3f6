//! Output buckets of the positions of a batch.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::IntTensor;
use burn::backend::{Backend, Dispatch, ExtensionType};
use burn::tensor::{Device, Int, Tensor};

use crate::device::list;

/// Positions that a graphics card multiplies together, all of one bucket.
#[cfg(feature = "wgpu")]
pub(crate) const TILE: usize = 64;

/// The bucket of each position of a batch.
#[derive(Clone, Debug)]
pub struct PositionBuckets(Listed);

/// Form of the buckets for a device.
#[derive(Clone, Debug)]
enum Listed {
    One,
    Each(Box<Tensor<1, Int>>),
    #[cfg(feature = "wgpu")]
    Sorted(Box<Sorted>),
}

/// Positions in the order of their buckets, on a graphics card.
#[cfg(feature = "wgpu")]
#[derive(Clone, Debug)]
struct Sorted {
    positions: usize,
    /// The highest bucket and those below.
    buckets: usize,
    order: Tensor<1, Int>,
    of_tiles: Tensor<1, Int>,
    first_tiles: Tensor<1, Int>,
}

impl PositionBuckets {
    /// One copy of the layers for all positions.
    pub fn one() -> Self {
        Self(Listed::One)
    }

    /// The bucket of each position, each below the number of copies; all use the only copy
    /// if none is given.
    pub fn listed(of_each: Vec<i32>, device: &Device) -> Self {
        if of_each.is_empty() {
            return Self::one();
        }
        #[cfg(feature = "wgpu")]
        if crate::device::is_card(device) {
            return Self(Listed::Sorted(Box::new(Sorted::new(&of_each, device))));
        }
        Self(Listed::Each(Box::new(list(of_each, device))))
    }

    /// `of_each [positions]`, each below the number of copies. A graphics card is waited for.
    #[cfg(test)]
    pub(crate) fn new(of_each: Tensor<1, Int>) -> Self {
        let device = of_each.device();
        #[cfg(feature = "wgpu")]
        if crate::device::is_card(&device) {
            let of_each = of_each.into_data().convert::<i32>().try_into_vec::<i32>();
            return Self::listed(of_each.expect("buckets are whole numbers"), &device);
        }
        let _ = device;
        Self(Listed::Each(Box::new(of_each)))
    }

    /// Checks that layers with `copies` copies and a batch of `positions` positions fit these
    /// buckets.
    ///
    /// # Panics
    /// If they do not.
    pub(crate) fn check(&self, copies: usize, positions: usize) {
        match &self.0 {
            Listed::One => {
                assert_eq!(copies, 1, "several copies of a layer, and a bucket for none")
            }
            Listed::Each(of_each) => {
                assert_eq!(of_each.dims(), [positions], "a bucket per position");
            }
            #[cfg(feature = "wgpu")]
            Listed::Sorted(sorted) => {
                assert_eq!(sorted.positions, positions, "a bucket per position");
                let highest = sorted.buckets - 1;
                assert!(highest < copies, "bucket {highest} of {copies}");
            }
        }
    }

    pub(crate) fn into_dispatch(self) -> BucketsPrimitive<Dispatch> {
        match self.0 {
            Listed::One => BucketsPrimitive::One,
            Listed::Each(of_each) => BucketsPrimitive::Each { of_each: of_each.into_dispatch() },
            #[cfg(feature = "wgpu")]
            Listed::Sorted(sorted) => {
                let Sorted { order, of_tiles, first_tiles, .. } = *sorted;
                BucketsPrimitive::Sorted {
                    order: order.into_dispatch(),
                    of_tiles: of_tiles.into_dispatch(),
                    first_tiles: first_tiles.into_dispatch(),
                }
            }
        }
    }
}

#[cfg(feature = "wgpu")]
impl Sorted {
    /// Sorts positions by bucket and keeps their order within one. Each bucket begins with a new
    /// tile; −1 pads its last tile.
    ///
    /// # Panics
    /// If a bucket is negative.
    fn new(of_each: &[i32], device: &Device) -> Self {
        let buckets = of_each.iter().max().map_or(0, |&highest| highest as usize + 1);
        let mut members = vec![Vec::new(); buckets];
        for (position, &bucket) in of_each.iter().enumerate() {
            members[bucket as usize].push(position as i32);
        }
        let (mut order, mut of_tiles, mut first_tiles) = (Vec::new(), Vec::new(), vec![0]);
        for (bucket, members) in members.into_iter().enumerate() {
            order.extend(members);
            order.resize(order.len().next_multiple_of(TILE), -1);
            of_tiles.resize(order.len() / TILE, bucket as i32);
            first_tiles.push(of_tiles.len() as i32);
        }
        Self {
            positions: of_each.len(),
            buckets,
            order: list(order, device),
            of_tiles: list(of_tiles, device),
            first_tiles: list(first_tiles, device),
        }
    }
}

/// [`PositionBuckets`] as a backend sees them.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) enum BucketsPrimitive<B: Backend> {
    /// The only one.
    One,
    /// One per position, for the processor.
    Each {
        /// `[positions]`.
        of_each: IntTensor<B>,
    },
    /// Positions in the order of their buckets, for a graphics card.
    Sorted {
        /// `[tiles × TILE]`: positions, and −1 where a tile is not full.
        order: IntTensor<B>,
        /// `[tiles]`: the bucket of each tile.
        of_tiles: IntTensor<B>,
        /// `[buckets + 1]`: the first tile of each bucket, and how many tiles there are.
        first_tiles: IntTensor<B>,
    },
}

impl<B: Backend, C: CheckpointStrategy> BucketsPrimitive<Autodiff<B, C>> {
    /// The same for the backend beneath.
    pub(crate) fn detached(self) -> BucketsPrimitive<B> {
        match self {
            Self::One => BucketsPrimitive::One,
            Self::Each { of_each } => BucketsPrimitive::Each { of_each },
            Self::Sorted { order, of_tiles, first_tiles } => {
                BucketsPrimitive::Sorted { order, of_tiles, first_tiles }
            }
        }
    }
}
