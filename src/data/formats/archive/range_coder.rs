//! A range coder: symbols of known frequencies in, about as few bytes as their entropy out.
//!
//! Exact integer arithmetic with a range of 56 to 64 bits, so that the loss
//! against the ideal is below a millionth of a bit for any total that fits 32
//! bits. The end of a stream costs less than a byte on average: it is the
//! shortest string of bytes that lies in the last range, and a decoder that has
//! read all of them continues with zeros.
//!
//! Method: G. N. N. Martin, "Range encoding: an algorithm for removing
//! redundancy from a digitised message" (1979).

/// Below this the range is widened by a byte.
const NARROW: u64 = 1 << 56;

/// A part of a whole: the symbol's share of all frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Sum of the frequencies of the symbols before it.
    pub before: u32,
    /// Its own frequency, at least 1.
    pub own: u32,
    /// Sum of all frequencies.
    pub total: u32,
}

/// Turns symbols into bytes.
#[derive(Debug)]
pub(crate) struct Encoder {
    low: u64,
    range: u64,
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { low: 0, range: u64::MAX, bytes: Vec::new() }
    }
}

impl Encoder {
    #[inline]
    pub(crate) fn encode(&mut self, share: Share) {
        debug_assert!(share.own > 0 && share.before + share.own <= share.total);
        let unit = self.range / u64::from(share.total);
        self.raise(unit * u64::from(share.before));
        self.range = unit * u64::from(share.own);
        while self.range < NARROW {
            self.bytes.push((self.low >> 56) as u8);
            self.low <<= 8;
            self.range <<= 8;
        }
    }

    fn raise(&mut self, by: u64) {
        let (low, carries) = self.low.overflowing_add(by);
        self.low = low;
        if carries {
            self.carry();
        }
    }

    /// Adds one to the bytes written so far. It cannot overflow: as a fraction they are below one.
    fn carry(&mut self) {
        for byte in self.bytes.iter_mut().rev() {
            let (raised, carries) = byte.overflowing_add(1);
            *byte = raised;
            if !carries {
                return;
            }
        }
    }

    /// The bytes, as few as distinguish these symbols from all others.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        for kept in 0..=8 {
            let cut = u64::MAX.checked_shr(8 * kept).unwrap_or(0);
            let raise = (self.low & cut != 0) as u64 * (cut - (self.low & cut)).wrapping_add(1);
            if raise < self.range {
                self.raise(raise);
                self.bytes.extend_from_slice(&self.low.to_be_bytes()[..kept as usize]);
                break;
            }
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

/// Turns bytes back into symbols. Bytes that no encoder wrote give symbols too,
/// though meaningless ones: checksums protect files.
#[derive(Debug)]
pub(crate) struct Decoder<'b> {
    bytes: &'b [u8],
    /// The bytes read, less the low end of the range.
    code: u64,
    range: u64,
}

impl<'b> Decoder<'b> {
    /// Begins to read what [`Encoder::finish`] gave.
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        let mut decoder = Self { bytes, code: 0, range: u64::MAX };
        for _ in 0..8 {
            decoder.shift();
        }
        decoder
    }

    /// Where in the total the next symbol lies: it is the one with
    /// `before <= target < before + own`, which must then be [taken](Self::take).
    #[inline]
    pub(crate) fn target(&self, total: u32) -> u32 {
        let unit = self.range / u64::from(total);
        (self.code / unit).min(u64::from(total) - 1) as u32
    }

    /// Goes behind the symbol that [`Self::target`] pointed at.
    #[inline]
    pub(crate) fn take(&mut self, share: Share) {
        let unit = self.range / u64::from(share.total);
        // Beyond the range only in bytes that no encoder wrote.
        self.code = self.code.wrapping_sub(unit * u64::from(share.before));
        self.range = unit * u64::from(share.own);
        while self.range < NARROW {
            self.shift();
            self.range <<= 8;
        }
    }

    fn shift(&mut self) {
        let (next, rest) = self.bytes.split_first().map_or((0, self.bytes), |(&b, rest)| (b, rest));
        self.bytes = rest;
        self.code = self.code << 8 | u64::from(next);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Frequencies, and the symbols of a message.
    fn messages() -> impl Strategy<Value = (Vec<u32>, Vec<usize>)> {
        prop::collection::vec(1u32..100_000, 1..40).prop_flat_map(|frequencies| {
            let symbols = prop::collection::vec(0..frequencies.len(), 0..300);
            (Just(frequencies), symbols)
        })
    }

    fn share(frequencies: &[u32], symbol: usize) -> Share {
        let before = frequencies[..symbol].iter().sum();
        Share { before, own: frequencies[symbol], total: frequencies.iter().sum() }
    }

    fn encoded(frequencies: &[u32], symbols: &[usize]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        symbols.iter().for_each(|&symbol| encoder.encode(share(frequencies, symbol)));
        encoder.finish()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read((frequencies, symbols) in messages()) {
            let bytes = encoded(&frequencies, &symbols);
            let mut decoder = Decoder::new(&bytes);
            for &symbol in &symbols {
                let wanted = share(&frequencies, symbol);
                let target = decoder.target(wanted.total);
                prop_assert!(wanted.before <= target && target < wanted.before + wanted.own);
                decoder.take(wanted);
            }
        }

        /// No more than a byte over the entropy of the message.
        #[test]
        fn nothing_is_wasted((frequencies, symbols) in messages()) {
            let bits = |&symbol: &usize| {
                let Share { own, total, .. } = share(&frequencies, symbol);
                (f64::from(total) / f64::from(own)).log2()
            };
            let ideal: f64 = symbols.iter().map(bits).sum();
            let spent = 8.0 * encoded(&frequencies, &symbols).len() as f64;
            prop_assert!(spent <= ideal + 8.01, "{spent} bits for {ideal}");
        }

        /// Bytes from elsewhere give symbols, and no panic.
        #[test]
        fn any_bytes_can_be_read(bytes: Vec<u8>, totals in prop::collection::vec(1u32.., 1..50)) {
            let mut decoder = Decoder::new(&bytes);
            for total in totals {
                let before = decoder.target(total);
                prop_assert!(before < total);
                decoder.take(Share { before, own: 1, total });
            }
        }
    }

    #[test]
    fn carries_run_through_what_is_written() {
        // The last of very many symbols each time: the low end is as high as can be.
        let last = Share { before: u32::MAX - 1, own: 1, total: u32::MAX };
        let mut encoder = Encoder::default();
        (0..40).for_each(|_| encoder.encode(last));
        encoder.encode(Share { before: 1, own: 1, total: 2 });
        let bytes = encoder.finish();
        let mut decoder = Decoder::new(&bytes);
        for _ in 0..40 {
            assert_eq!(decoder.target(last.total), last.before);
            decoder.take(last);
        }
        assert_eq!(decoder.target(2), 1);
    }
}
