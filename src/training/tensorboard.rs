//! The finished epochs as TensorBoard reads them: `tb/events.out.tfevents.…`, beside `metrics.csv`.
//!
//! A file of events is a row of records: the length (u64), a checksum of it (u32), the content and
//! a checksum of that, little endian (TensorFlow's `record_writer.h`). Checksums are CRC32C, turned
//! and shifted so that those of checksums are no accident. The content is an `Event` of
//! `event.proto`: of its fields a time, a step and either the version of the format or a summary of
//! named numbers.
//!
//! TensorBoard follows appended events and does not open a file again, so events are only appended.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::metrics::EpochMetrics;

/// Where the events of a run are, inside its folder. Names of that kind are what TensorBoard looks for.
pub(crate) fn path(run: &Path) -> PathBuf {
    run.join("tb").join("events.out.tfevents.0.oplus")
}

/// Adds the epochs that the file of a run does not have yet.
///
/// # Errors
/// A disk that is full or gone.
pub(crate) fn add(run: &Path, epochs: &[EpochMetrics]) -> io::Result<()> {
    let path = path(run);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let known = whole_records(&mut file)?;
    file.set_len(known.bytes)?;
    file.seek(SeekFrom::End(0))?;
    let mut text = Vec::new();
    if known.bytes == 0 {
        record(&event(0, &What::Version("brain.Event:2")), &mut text);
    }
    for epoch in epochs.iter().filter(|epoch| epoch.step > known.step) {
        record(&event(epoch.step, &What::Numbers(&numbers(epoch))), &mut text);
    }
    file.write_all(&text)
}

/// The values of an epoch by their tags.
fn numbers(epoch: &EpochMetrics) -> Vec<(&'static str, f64)> {
    let always = [
        ("loss/train", epoch.train_loss),
        ("learning_rate", epoch.learning_rate),
        ("positions_per_second", epoch.positions_per_second),
    ];
    let sometimes = [
        ("loss/validation", epoch.validation_loss),
        ("loss/validation_against_scores", epoch.validation_score_loss),
    ];
    let known = sometimes.into_iter().filter_map(|(name, value)| Some((name, value?)));
    always.into_iter().chain(known).collect()
}

enum What<'a> {
    Version(&'static str),
    Numbers(&'a [(&'static str, f64)]),
}

/// Fields by their numbers in `event.proto` and `summary.proto`.
mod field {
    pub(super) const WALL_TIME: u64 = 1;
    pub(super) const STEP: u64 = 2;
    pub(super) const FILE_VERSION: u64 = 3;
    pub(super) const SUMMARY: u64 = 5;
    pub(super) const VALUE: u64 = 1;
    pub(super) const TAG: u64 = 1;
    pub(super) const SIMPLE_VALUE: u64 = 2;
}

/// Wire types: encodings of a field's value.
mod wire {
    pub(super) const VARINT: u64 = 0;
    pub(super) const EIGHT_BYTES: u64 = 1;
    pub(super) const LENGTH_FIRST: u64 = 2;
    pub(super) const FOUR_BYTES: u64 = 5;
}

fn event(step: u64, what: &What<'_>) -> Vec<u8> {
    let mut event = Vec::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    key(field::WALL_TIME, wire::EIGHT_BYTES, &mut event);
    event.extend(now.to_le_bytes());
    key(field::STEP, wire::VARINT, &mut event);
    varint(step, &mut event);
    match what {
        What::Version(version) => bytes(field::FILE_VERSION, version.as_bytes(), &mut event),
        What::Numbers(numbers) => bytes(field::SUMMARY, &summary(numbers), &mut event),
    }
    event
}

fn summary(numbers: &[(&str, f64)]) -> Vec<u8> {
    let mut summary = Vec::new();
    for (name, number) in numbers {
        let mut value = Vec::new();
        bytes(field::TAG, name.as_bytes(), &mut value);
        key(field::SIMPLE_VALUE, wire::FOUR_BYTES, &mut value);
        value.extend((*number as f32).to_le_bytes());
        bytes(field::VALUE, &value, &mut summary);
    }
    summary
}

fn bytes(field: u64, content: &[u8], to: &mut Vec<u8>) {
    key(field, wire::LENGTH_FIRST, to);
    varint(content.len() as u64, to);
    to.extend(content);
}

fn key(field: u64, wire: u64, to: &mut Vec<u8>) {
    varint(field << 3 | wire, to);
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn record(content: &[u8], to: &mut Vec<u8>) {
    let length = (content.len() as u64).to_le_bytes();
    to.extend(length);
    to.extend(checksum(&length).to_le_bytes());
    to.extend(content);
    to.extend(checksum(content).to_le_bytes());
}

fn checksum(content: &[u8]) -> u32 {
    const MASK: u32 = 0xa282_ead8;
    crc32c::crc32c(content).rotate_right(15).wrapping_add(MASK)
}

/// The whole records of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Bytes of its whole records: behind them may be one that was torn.
    bytes: u64,
    /// The largest step.
    step: u64,
}

fn whole_records(file: &mut File) -> io::Result<Known> {
    let mut all = Vec::new();
    file.read_to_end(&mut all)?;
    let mut known = Known::default();
    let mut rest = &all[..];
    while let Some((content, behind)) = next_record(rest) {
        known.bytes += (rest.len() - behind.len()) as u64;
        known.step = known.step.max(step_of(content).unwrap_or(0));
        rest = behind;
    }
    Ok(known)
}

/// The first record and the rest; `None` without a whole record.
fn next_record(all: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = all.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != checksum(length) {
        return None;
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (content, rest) = rest.split_at_checked(length)?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    (u32::from_le_bytes(*sum) == checksum(content)).then_some((content, rest))
}

/// The step of an event as it is written here: behind key and time.
fn step_of(event: &[u8]) -> Option<u64> {
    let mut rest = event.get(1 + 8 + 1..)?.iter();
    let mut step = 0;
    for shift in (0..64).step_by(7) {
        let byte = *rest.next()?;
        step |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(step);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(epoch: u32) -> EpochMetrics {
        EpochMetrics {
            epoch,
            step: u64::from(epoch) * 1_000,
            train_loss: 0.25,
            validation_loss: (epoch > 1).then_some(0.5),
            validation_score_loss: None,
            learning_rate: 1e-3,
            positions: 0,
            positions_per_second: 50.0,
            seconds: 2.0,
            waiting: 0.0,
        }
    }

    fn steps(run: &Path) -> Vec<u64> {
        let all = std::fs::read(path(run)).unwrap();
        let (mut rest, mut steps) = (&all[..], Vec::new());
        while let Some((content, behind)) = next_record(rest) {
            steps.push(step_of(content).unwrap());
            rest = behind;
        }
        assert!(rest.is_empty());
        steps
    }

    #[test]
    fn epochs_are_added_once_and_behind_a_torn_record_again() {
        let run = tempfile::tempdir().unwrap();
        add(run.path(), &[epoch(1)]).unwrap();
        let epochs = [epoch(1), epoch(2), epoch(300)];
        add(run.path(), &epochs).unwrap();
        let whole = std::fs::read(path(run.path())).unwrap();
        assert_eq!(steps(run.path()), [0, 1_000, 2_000, 300_000]);
        for cut in [1, 12, 40, whole.len() - 1] {
            std::fs::write(path(run.path()), &whole[..whole.len() - cut]).unwrap();
            add(run.path(), &epochs).unwrap();
            assert_eq!(steps(run.path()), [0, 1_000, 2_000, 300_000], "cut by {cut}");
        }
    }

    /// The check value of CRC32C's registry entry, and how every file of TensorFlow's begins: with an
    /// event of 24 bytes.
    #[test]
    fn checksums_are_those_of_the_format() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        let length = 24_u64.to_le_bytes();
        assert_eq!(checksum(&length).to_le_bytes(), [0xa3, 0x7f, 0x4b, 0x22]);
    }
}
