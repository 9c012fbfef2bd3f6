//! Samples that lie in a file, a window of them at a time in memory of our own.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use bytemuck::Zeroable;

use super::blocks::WINDOW;
use super::mixture::Mixture;
use base::memory;
use data::{Sample, SampleView};

/// Most windows in memory: the current one, the next, and between the two, for the time of a
/// batch, the beginning of a third.
const WINDOWS: u64 = 3;

/// Pieces of a window that the disk fetches while an earlier one is copied: eight megabytes.
const FETCHED: usize = 64;

/// The windows around a place of the stream, the next one being read by a thread that does nothing
/// else.
pub(super) struct Windows {
    held: Held,
    filled: Receiver<io::Result<Window>>,
}

/// Windows at hand.
pub(super) struct Held {
    mixture: Mixture,
    windows: VecDeque<Window>,
}

/// The samples at some places, in the order of [`Mixture::within`].
struct Window {
    places: Range<u64>,
    samples: Vec<Sample>,
}

/// Neighbours in the file, and where in a window they belong.
struct Piece {
    samples: Range<usize>,
    slot: usize,
}

/// Whether samples are read by windows: others are in memory or fit one.
pub(super) fn are_for(samples: SampleView<'_>) -> bool {
    samples.is_in_file() && samples.len() as u64 > WINDOW
}

/// Bytes that windows of samples take of the memory.
pub(super) fn bytes(samples: SampleView<'_>) -> u64 {
    if are_for(samples) { WINDOWS * WINDOW * size_of::<Sample>() as u64 } else { 0 }
}

impl Windows {
    /// From the window of a place on.
    pub(super) fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        samples: SampleView<'scope>,
        mixture: Mixture,
        place: u64,
    ) -> Self {
        let (sender, filled) = sync_channel(0);
        let filler = Filler { samples, keeps: fits_beside(samples), mixture: mixture.clone() };
        scope.spawn(move || filler.fill_from(place, &sender));
        Self { held: Held { mixture, windows: VecDeque::new() }, filled }
    }

    /// Has the samples of these places at hand, and none of windows before.
    ///
    /// # Errors
    /// A disk that fails.
    pub(super) fn come_to(&mut self, places: &Range<u64>) -> io::Result<&Held> {
        let windows = &mut self.held.windows;
        while windows.front().is_some_and(|window| window.places.end <= places.start) {
            windows.pop_front();
        }
        while windows.back().is_none_or(|window| window.places.end < places.end) {
            let gone = |_| io::Error::other("the thread that reads samples has ended");
            windows.push_back(self.filled.recv().map_err(gone)??);
        }
        Ok(&self.held)
    }
}

impl Held {
    /// The sample at a place of the current windows.
    #[inline]
    pub(super) fn at(&self, place: u64) -> Sample {
        let window = self.windows.iter().find(|window| place < window.places.end);
        window.expect("the window of the place is at hand").samples[self.mixture.within(place)]
    }
}

/// Whether the pages of the file may stay in memory from one pass to the next.
fn fits_beside(samples: SampleView<'_>) -> bool {
    memory::available().is_none_or(|free| size_of_val(samples.as_slice()) as u64 <= free / 2)
}

/// Reads one window after the other.
struct Filler<'a> {
    samples: SampleView<'a>,
    /// Whether pages that have been read stay in the system's memory.
    keeps: bool,
    mixture: Mixture,
}

impl Filler<'_> {
    /// Until an error or the end of the receiver.
    fn fill_from(&self, mut place: u64, windows: &SyncSender<io::Result<Window>>) {
        loop {
            let places = self.mixture.window(place);
            place = places.end;
            let window = self.fill(places);
            let is_last = window.is_err();
            if windows.send(window).is_err() || is_last {
                return;
            }
        }
    }

    fn fill(&self, places: Range<u64>) -> io::Result<Window> {
        let mut samples = vec![Sample::zeroed(); (places.end - places.start) as usize];
        let pieces = self.pieces(places.clone());
        let fetch = |number: usize| {
            if let Some(piece) = pieces.get(number) {
                self.samples.fetch(piece.samples.clone());
            }
        };
        (0..FETCHED).for_each(fetch);
        for (number, Piece { samples: range, slot }) in pieces.iter().enumerate() {
            fetch(number + FETCHED);
            self.samples.read(range.start, &mut samples[*slot..slot + range.len()])?;
            if !self.keeps {
                self.samples.let_go(range.clone());
            }
        }
        Ok(Window { places, samples })
    }

    /// In the order in which they lie in the file: a disk likes to go one way.
    fn pieces(&self, places: Range<u64>) -> Vec<Piece> {
        let mut end = 0;
        let placed = self.mixture.samples_of(places).into_iter().map(|samples| {
            let slot = end;
            end += samples.len();
            Piece { samples, slot }
        });
        let mut pieces: Vec<Piece> = placed.collect();
        pieces.sort_unstable_by_key(|piece| piece.samples.start);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::{Samples, Stretch, Weight};

    fn stretch(samples: usize, weight: f64) -> Stretch {
        Stretch { samples, weight: Weight::try_from(weight).unwrap() }
    }

    /// Distinct samples.
    fn numbered(count: u32) -> Vec<Sample> {
        let mut samples = vec![Sample::zeroed(); count as usize];
        for (number, sample) in (0..count).zip(&mut samples) {
            bytemuck::bytes_of_mut(sample)[..4].copy_from_slice(&number.to_le_bytes());
        }
        samples
    }

    /// A walk over the end of a window, and of a pass, in steps that no window is a multiple of.
    #[test]
    fn windows_give_the_samples_of_the_mixture() {
        let samples = numbered(2_300_000);
        let stretches = [stretch(300_000, 2.0), stretch(900_000, 0.5)];
        let mixture = Mixture::new(samples.len(), &stretches, 9);
        let filed = Samples::in_temporary_file(&samples).unwrap();
        std::thread::scope(|scope| {
            let first = 2_000_000;
            let mut windows = Windows::new(scope, (&filed).into(), mixture.clone(), first);
            for start in (first..2_500_000).step_by(3_001) {
                let places = start..start + 3_001;
                let held = windows.come_to(&places).unwrap();
                assert!(held.windows.len() <= 2);
                for place in places {
                    assert_eq!(held.at(place), samples[mixture.at(place)], "place {place}");
                }
            }
        });
    }

    #[test]
    fn places_that_span_several_windows_are_at_hand_together() {
        let samples = numbered(50);
        let mixture = Mixture::even(50, 3);
        std::thread::scope(|scope| {
            let mut windows = Windows::new(scope, (&samples).into(), mixture.clone(), 20);
            let held = windows.come_to(&(20..320)).unwrap();
            assert_eq!(held.windows.len(), 7);
            for place in 20..320 {
                assert_eq!(held.at(place), samples[mixture.at(place)]);
            }
        });
    }
}
