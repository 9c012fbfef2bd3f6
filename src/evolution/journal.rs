//! What a search was told, a line a round: all that has to be kept of it.
//!
//! A line has what the round took, the games by colour, and the fitness of each point (with its
//! slope, where there is one), written so that it is read as the same number to the bit, and a
//! checksum. A line
//! that was torn when the power failed has no end; it is cut off, and its round is judged again.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arena::Trinomial;
use base::sealed;

use super::judge::{Colours, Judged};
use super::{EvolutionError, Judgement};

pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or makes it; what it holds.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<Judged>), EvolutionError> {
        let failed = |source| EvolutionError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |newline| newline + 1);
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let read = |(at, line): (usize, &str)| {
            let reason = || format!("`{}` is no account of a round, or was changed", excerpt(line));
            let bad = || EvolutionError::Journal {
                path: path.to_owned(),
                line: at + 1,
                reason: reason(),
            };
            read_line(line).ok_or_else(bad)
        };
        let told = text[..whole].lines().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok((Self { path: path.to_owned(), file }, told))
    }

    pub(crate) fn add(&mut self, judged: &Judged) -> Result<(), EvolutionError> {
        let failed = |source| EvolutionError::Io { path: self.path.clone(), source };
        self.file.write_all(line(judged).as_bytes()).map_err(failed)
    }

    /// The error of a line that does not fit.
    pub(crate) fn misfit(&self, line: usize, reason: String) -> EvolutionError {
        EvolutionError::Journal { path: self.path.clone(), line, reason }
    }
}

fn excerpt(line: &str) -> String {
    line.chars().take(40).collect()
}

fn line(judged: &Judged) -> String {
    let mut text = judged.spent.to_string();
    for Trinomial { wins, draws, losses } in [judged.colours.white, judged.colours.black] {
        let _ = write!(text, " {wins} {draws} {losses}");
    }
    for Judgement { fitness, slope } in &judged.judgements {
        // Rust's own shortest form, which is read as the same number.
        let _ = write!(text, " {fitness:?}");
        if let Some(slope) = slope {
            slope.iter().for_each(|value| {
                let _ = write!(text, ",{value:?}");
            });
        }
    }
    let checksum = sealed::checksum(&text);
    format!("{text} {checksum}\n")
}

fn read_line(line: &str) -> Option<Judged> {
    let (line, checksum) = line.rsplit_once(' ')?;
    if checksum != sealed::checksum(line) {
        return None;
    }
    let mut words = line.split(' ');
    let spent = words.next()?.parse().ok()?;
    let mut count = || words.next()?.parse::<u64>().ok();
    let mut trinomial = || Some(Trinomial { wins: count()?, draws: count()?, losses: count()? });
    let colours = Colours { white: trinomial()?, black: trinomial()? };
    let judgements = words.map(judgement).collect::<Option<Vec<_>>>()?;
    Some(Judged { judgements, spent, colours })
}

fn judgement(word: &str) -> Option<Judgement> {
    let mut values = word.split(',').map(|value| value.parse::<f64>().ok());
    let fitness = values.next()??;
    let slope = values.collect::<Option<Vec<f64>>>()?;
    Some(Judgement { fitness, slope: (!slope.is_empty()).then_some(slope) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn judgement()(fitness: f64, slope in prop::option::of(prop::collection::vec(any::<f64>(), 1..4)))
            -> Judgement { Judgement { fitness, slope } }
    }

    proptest! {
        #[test]
        fn what_was_told_is_read_again_to_the_bit(
            spent: u64, counts in prop::array::uniform6(0..1_000u64),
            judgements in prop::collection::vec(judgement(), 1..5),
        ) {
            let [w, d, l, x, y, z] = counts;
            let white = Trinomial { wins: w, draws: d, losses: l };
            let black = Trinomial { wins: x, draws: y, losses: z };
            let told = Judged { judgements, spent, colours: Colours { white, black } };
            prop_assert_eq!(read_line(line(&told).trim_end()), Some(told));
        }
    }

    fn judged() -> Judged {
        let trinomial = |wins, draws, losses| Trinomial { wins, draws, losses };
        let colours = Colours { white: trinomial(1, 0, 1), black: trinomial(1, 0, 1) };
        let judgement = |fitness| Judgement { fitness, slope: None };
        Judged { judgements: vec![judgement(0.5), judgement(0.25)], spent: 4, colours }
    }

    #[test]
    fn a_line_that_was_changed_is_refused() {
        let whole = line(&judged());
        let whole = whole.trim_end();
        assert!(read_line(whole).is_some());
        for at in 0..whole.len() {
            let mut changed = whole.as_bytes().to_vec();
            changed[at] ^= 1;
            assert_eq!(read_line(&String::from_utf8(changed).unwrap()), None, "byte {at}");
        }
    }

    #[test]
    fn a_torn_line_is_cut_off_and_another_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("told");
        let whole = line(&judged());
        std::fs::write(&path, format!("{whole}{}", &whole[..whole.len() - 9])).unwrap();
        let (mut journal, told) = Journal::open(&path).unwrap();
        assert_eq!(told.len(), 1);
        journal.add(&told[0]).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, [told[0].clone(), told[0].clone()]);
        std::fs::write(&path, "anything\n").unwrap();
        let refused = Journal::open(&path).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|told| told.contains("line 1: `anything`")));
    }
}
