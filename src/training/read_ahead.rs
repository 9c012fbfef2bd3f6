//! Samples that lie in a file, fetched before they are asked for.

use std::ops::Range;
use std::sync::mpsc::{Sender, channel};
use std::thread::Scope;

use super::mixture::Mixture;
use data::{Sample, read_now, will_be_read};

/// Has the window after the one that is being read fetched, by a thread that does nothing else:
/// whoever asks for pages may have to wait for some.
pub(super) struct ReadAhead {
    mixture: Mixture,
    /// Where the next window begins of which nobody has been told.
    untold: u64,
    windows: Sender<Range<u64>>,
}

impl ReadAhead {
    pub(super) fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        samples: &'scope [Sample],
        mixture: Mixture,
    ) -> Self {
        let (windows, told) = channel::<Range<u64>>();
        let of = mixture.clone();
        if mixture.window(0).is_some() {
            scope.spawn(move || {
                for window in told {
                    let mut ranges = of.samples_of(window);
                    // A disk likes to go one way.
                    ranges.sort_unstable_by_key(|range| range.start);
                    ranges.iter().for_each(|at| will_be_read(&samples[at.clone()]));
                    ranges.into_iter().for_each(|at| read_now(&samples[at]));
                }
            });
        }
        Self { mixture, untold: 0, windows }
    }

    /// A batch from that place on is being read.
    pub(super) fn has_come_to(&mut self, place: u64) {
        let Some(window) = self.mixture.window(place) else { return };
        self.untold = self.untold.max(window.start);
        while self.untold <= window.end {
            let Some(next) = self.mixture.window(self.untold) else { return };
            self.untold = next.end;
            // Whoever has stopped reading ahead is not missed.
            let _ = self.windows.send(next);
        }
    }
}
