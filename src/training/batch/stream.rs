//! Batches on their way to where they are learnt from.
//!
//! They are built in parallel on the training threads while the previous one is being learnt
//! from; a thread that does nothing but wait and hand over stays a few batches ahead. Which
//! samples a batch holds is decided by its place in the stream alone, so building order and
//! thread count cannot show.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Batch, Encoder};
use crate::loss::Target;
use crate::mixture::Mixture;
use crate::read_ahead::ReadAhead;

/// Batches on their way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// Made at once.
    pub(crate) made: u64,
    /// So many may wait to be learnt from.
    pub(crate) waiting: usize,
}

impl Ahead {
    /// A batch with its inverse takes longer than a card takes for a step, and several at once
    /// leave no thread waiting while another puts the last of one together.
    pub(crate) fn with(inverses: bool) -> Self {
        match inverses {
            true => Self { made: 4, waiting: 4 },
            false => Self { made: 1, waiting: 2 },
        }
    }
}

/// The endless stream of batches of `size` from batch number `first` on, each
/// taught what `target` says of its number. It ends when the receiver is
/// dropped.
pub fn stream<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    encoder: Encoder<'scope>,
    target: impl Fn(u64) -> Target + Send + 'scope,
    mixture: Mixture,
    size: usize,
    first: u64,
) -> Receiver<Batch> {
    let Ahead { made, waiting } = Ahead::with(encoder.inverse);
    let (sender, receiver) = sync_channel(waiting);
    let mut reader = ReadAhead::new(scope, encoder.samples, mixture.clone());
    scope.spawn(move || {
        for start in (first..).step_by(made as usize) {
            reader.has_come_to(start * size as u64);
            let next = (start..start + made).map(|number| {
                let places = number * size as u64..(number + 1) * size as u64;
                (Encoder { target: target(number), ..encoder }, places)
            });
            let next: Vec<_> = next.collect();
            let batches: Vec<Batch> = pool.install(|| {
                next.into_par_iter().map(|(it, places)| it.mixed(&mixture, places)).collect()
            });
            if batches.into_iter().any(|batch| sender.send(batch).is_err()) {
                return;
            }
        }
    });
    receiver
}
