//! Lines of a stream with any content.
//!
//! Input from a pipe may have lines without end: a line is kept up to a bound, and the rest costs
//! no more than reading it.

use std::borrow::Cow;
use std::io::{self, BufRead};

/// A line of text, without its end; bytes that are no UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// All of it.
    Whole(Cow<'l, str>),
    /// It exceeded the bound; its length in bytes.
    TooLong(usize),
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    longest: usize,
    kept: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `longest` bytes.
    pub fn new(input: R, longest: usize) -> Self {
        Self { input, longest, kept: Vec::new() }
    }

    /// The next line; `None` at the end of the stream.
    ///
    /// # Errors
    /// A stream that cannot be read.
    pub fn read(&mut self) -> io::Result<Option<Line<'_>>> {
        let (mut length, mut ended) = (0, false);
        self.kept.clear();
        while !ended {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                chunk => chunk?,
            };
            if chunk.is_empty() && length == 0 {
                return Ok(None);
            }
            let newline = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            ended = newline.is_some() || chunk.is_empty();
            length += part.len();
            let room = self.longest - self.kept.len();
            self.kept.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(newline.is_some());
            self.input.consume(used);
        }
        Ok(Some(if length > self.longest {
            Line::TooLong(length)
        } else {
            Line::Whole(String::from_utf8_lossy(&self.kept))
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn lines(bytes: &[u8], buffer: usize, longest: usize) -> Vec<Line<'static>> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, bytes), longest);
        let mut all = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            all.push(match line {
                Line::Whole(text) => Line::Whole(text.into_owned().into()),
                Line::TooLong(bytes) => Line::TooLong(bytes),
            });
        }
        all
    }

    fn whole(text: &str) -> Line<'_> {
        Line::Whole(text.into())
    }

    #[test]
    fn long_lines_are_passed_over() {
        let expected = [whole("ab"), Line::TooLong(5), whole(""), whole("cde")];
        assert_eq!(lines(b"ab\n12345\n\ncde", 2, 3), expected);
        assert_eq!(lines(b"", 8, 3), []);
        assert_eq!(lines(b"\n", 8, 3), [whole("")]);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced() {
        assert_eq!(lines(b"a\xffb\n", 8, 9), [whole("a\u{fffd}b")]);
    }

    proptest! {
        #[test]
        fn they_are_the_lines_of_the_stream(text in "[ab\n]{0,40}", buffer in 1usize..9) {
            let expected: Vec<Line> = text.lines().map(whole).collect();
            prop_assert_eq!(lines(text.as_bytes(), buffer, 100), expected);
        }
    }
}
