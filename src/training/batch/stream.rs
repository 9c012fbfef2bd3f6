//! The loader: a stream of batches, built ahead of the steps.
//!
//! Batches are built in parallel on the training threads during the previous step; a thread that
//! only waits and hands over stays a few batches ahead. The samples of a batch depend on its place
//! in the stream alone, so building order and thread count do not show.

use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Batch, Encoder, FlatBatch, Listing};
use crate::loss::Target;
use crate::mixture::Mixture;
use crate::windows::{self, Held, Windows};
use data::{Sample, SampleView};

/// Batches ahead of the steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// Built at once.
    pub(crate) made: u64,
    /// Capacity of the queue.
    pub(crate) waiting: usize,
}

impl Ahead {
    /// A batch for a card takes longer than the card takes for a step, and several at once
    /// leave no thread waiting while another puts the last of one together.
    pub(crate) fn of(listing: Listing) -> Self {
        match listing {
            Listing::RowsAndInverse(_) => Self { made: 4, waiting: 4 },
            Listing::OnCard(_) => Self { made: 8, waiting: 16 },
            Listing::Rows(_) => Self { made: 1, waiting: 2 },
        }
    }
}

/// Samples in the order of a stream.
struct SampleSource<'a> {
    samples: SampleView<'a>,
    mixture: Mixture,
    /// The samples around the current place, if not all are in memory.
    windows: Option<Windows>,
}

impl<'a> SampleSource<'a> {
    /// From a place on.
    fn begin<'env>(
        scope: &'a Scope<'a, 'env>,
        samples: SampleView<'a>,
        mixture: Mixture,
        place: u64,
    ) -> Self {
        let windows =
            windows::are_for(samples).then(|| Windows::new(scope, samples, mixture.clone(), place));
        Self { samples, mixture, windows }
    }

    fn come_to(&mut self, places: &Range<u64>) -> io::Result<AtHand<'_>> {
        Ok(match &mut self.windows {
            None => AtHand::All(&self.samples, &self.mixture),
            Some(windows) => AtHand::Held(windows.come_to(places)?),
        })
    }
}

/// Samples in memory.
enum AtHand<'s> {
    All(&'s [Sample], &'s Mixture),
    /// Samples of some windows.
    Held(&'s Held),
}

impl AtHand<'_> {
    /// The sample at a place of the current windows.
    #[inline]
    fn at(&self, place: u64) -> Sample {
        match self {
            Self::All(samples, mixture) => samples[mixture.at(place)],
            Self::Held(held) => held.at(place),
        }
    }
}

/// The endless stream of batches of `size` from batch number `first` on, each
/// with the `target` of its number. It ends when the receiver is
/// dropped, or with the error of a disk.
pub fn stream<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    encoder: Encoder<'scope>,
    target: impl Fn(u64) -> Target + Send + 'scope,
    mixture: Mixture,
    size: usize,
    first: u64,
) -> Receiver<io::Result<Batch>> {
    let ahead = Ahead::of(encoder.listing);
    let prepared = move |number| Encoder { target: target(number), ..encoder };
    let order = StreamOrder { samples: encoder.samples, mixture, size, first };
    ordered(scope, pool, order, ahead, prepared, |encoder, places, at_hand| {
        encoder.at(places, |place| at_hand.at(place))
    })
}

/// As [`stream`], of flat lists.
pub(crate) fn flat_stream<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    encoder: Encoder<'scope>,
    mixture: Mixture,
    size: usize,
    first: u64,
) -> Receiver<io::Result<FlatBatch>> {
    // Two at once leave no thread waiting for the end of one; more leave the caches.
    let ahead = Ahead { made: 2, waiting: 1 };
    let order = StreamOrder { samples: encoder.samples, mixture, size, first };
    ordered(
        scope,
        pool,
        order,
        ahead,
        move |_| encoder,
        |encoder, places, at_hand| encoder.flat(places, |place| at_hand.at(place)),
    )
}

/// Samples, their order, and the first batch.
struct StreamOrder<'a> {
    samples: SampleView<'a>,
    mixture: Mixture,
    /// Samples of a batch.
    size: usize,
    first: u64,
}

/// The batches that `build` makes of places in the stream, with the encoder of their number.
fn ordered<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    order: StreamOrder<'scope>,
    Ahead { made, waiting }: Ahead,
    prepared: impl Fn(u64) -> Encoder<'scope> + Send + 'scope,
    build: impl Fn(Encoder<'scope>, Range<u64>, &AtHand<'_>) -> T + Send + Sync + 'scope,
) -> Receiver<io::Result<T>> {
    let StreamOrder { samples, mixture, size, first } = order;
    let (sender, receiver) = sync_channel(waiting);
    let places = move |batches: Range<u64>| batches.start * size as u64..batches.end * size as u64;
    let mut source = SampleSource::begin(scope, samples, mixture, places(first..first).start);
    scope.spawn(move || {
        for start in (first..).step_by(made as usize) {
            let at_hand = match source.come_to(&places(start..start + made)) {
                Ok(at_hand) => at_hand,
                Err(error) => {
                    // The receiver may be gone.
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let batch = |number: u64| (prepared(number), places(number..number + 1));
            let next: Vec<_> = (start..start + made).map(batch).collect();
            let made: Vec<T> = pool.install(|| {
                let next = next.into_par_iter();
                next.map(|(encoder, places)| build(encoder, places, &at_hand)).collect()
            });
            if made.into_iter().any(|batch| sender.send(Ok(batch)).is_err()) {
                return;
            }
        }
    });
    receiver
}
