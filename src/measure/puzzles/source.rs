//! Puzzles of a file: all, a selection, or those of a list.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::reader::PuzzleReader;
use super::selection::{Selected, SelectionCounts, Selector};
use super::{Puzzle, PuzzleError, PuzzleList, PuzzleSet, Selection, theme};
use features::error::nearest;

/// Progress of reading: bytes of the file, puzzles read.
pub type OnRead<'a> = &'a mut dyn FnMut(u64, u64);

/// Puzzles between two checks of the stop flag.
const BETWEEN_LOOKS: u64 = 1_000;

/// Reads a file once and keeps a selection of it.
///
/// # Errors
/// Those of [`read_puzzles`](super::read_puzzles), a theme that no puzzle has,
/// nothing that is selected, and [`PuzzleError::Stopped`].
pub fn select_puzzles(
    path: &Path,
    selection: &Selection,
    on_read: OnRead<'_>,
    stop: &AtomicBool,
) -> Result<(PuzzleSet, SelectionCounts), PuzzleError> {
    let mut selector = Selector::new(selection.clone());
    let read = stream(path, &mut |puzzle| selector.offer(puzzle), on_read, stop)?;
    let Selected { puzzles, counts } = selector.finish();
    check_themes(path, selection, &counts)?;
    if puzzles.is_empty() {
        let counts = counts.to_string();
        return Err(PuzzleError::NothingSelected { path: path.to_owned(), counts });
    }
    Ok((PuzzleSet { puzzles, ..read }, counts))
}

/// Reads a file once and keeps the puzzles of a list, in the file's order.
/// Unless `any_file`, it must be the very file that the list was made from.
///
/// # Errors
/// Those of [`read_puzzles`](super::read_puzzles), another file, ids that are
/// not in it, and [`PuzzleError::Stopped`].
pub fn listed_puzzles(
    path: &Path,
    list: &PuzzleList,
    any_file: bool,
    on_read: OnRead<'_>,
    stop: &AtomicBool,
) -> Result<PuzzleSet, PuzzleError> {
    let mut wanted: HashMap<&str, bool> = list.ids.iter().map(|id| (id.as_str(), false)).collect();
    let mut puzzles = Vec::with_capacity(list.ids.len());
    let mut keep = |puzzle: Puzzle| {
        if let Some(found @ false) = wanted.get_mut(puzzle.id.as_str()) {
            *found = true;
            puzzles.push(puzzle);
        }
    };
    let read = stream(path, &mut keep, on_read, stop)?;
    if read.source.blake3 != list.source_blake3 && !any_file {
        return Err(PuzzleError::OtherFile {
            path: path.to_owned(),
            source_name: list.source.clone(),
            named: list.source_blake3.clone(),
            found: read.source.blake3,
        });
    }
    let missing: Vec<&str> =
        list.ids.iter().map(String::as_str).filter(|id| wanted.get(id) == Some(&false)).collect();
    if !missing.is_empty() {
        return Err(PuzzleError::MissingIds {
            path: path.to_owned(),
            count: missing.len(),
            of: list.ids.len(),
            first: some_of(&missing, 3),
            source_name: list.source.clone(),
        });
    }
    Ok(PuzzleSet { puzzles, ..read })
}

/// Reads a file to its end and calls `take` with each puzzle; the returned set has no puzzles.
fn stream(
    path: &Path,
    take: &mut dyn FnMut(Puzzle),
    on_read: OnRead<'_>,
    stop: &AtomicBool,
) -> Result<PuzzleSet, PuzzleError> {
    let mut reader = PuzzleReader::open(path)?;
    let mut read = 0;
    while let Some(puzzle) = reader.next_puzzle()? {
        take(puzzle);
        read += 1;
        if read % BETWEEN_LOOKS == 0 {
            on_read(reader.bytes_read(), read);
            if stop.load(Ordering::Relaxed) {
                return Err(PuzzleError::Stopped);
            }
        }
    }
    let (source, skipped) = reader.finish()?;
    if read == 0 {
        return Err(PuzzleError::no_puzzles(path, &skipped));
    }
    Ok(PuzzleSet { puzzles: Vec::new(), skipped, source })
}

/// A required theme must occur in the file; an excluded one must occur or be known.
fn check_themes(
    path: &Path,
    selection: &Selection,
    counts: &SelectionCounts,
) -> Result<(), PuzzleError> {
    let occurs = |theme: &String| counts.themes.contains(theme);
    let is_known = |theme: &String| theme::KNOWN.contains(&theme.as_str());
    let criteria = &selection.criteria;
    let unknown = criteria.themes.iter().find(|theme| !occurs(theme)).or_else(|| {
        criteria.without_themes.iter().find(|theme| !occurs(theme) && !is_known(theme))
    });
    let Some(theme) = unknown else { return Ok(()) };
    let themes: Vec<&str> = counts.themes.iter().map(String::as_str).collect();
    Err(PuzzleError::UnknownTheme {
        path: path.to_owned(),
        theme: theme.clone(),
        nearest: nearest(theme, themes.iter().copied()).map(str::to_owned),
        themes: if themes.is_empty() { "no themes".to_owned() } else { some_of(&themes, 80) },
    })
}

/// The first of some words, and the number of others.
fn some_of(words: &[&str], most: usize) -> String {
    let shown = words.iter().take(most).copied().collect::<Vec<_>>().join(", ");
    match words.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::selection::{Criteria, Strata};
    use std::path::PathBuf;

    const ROWS: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes
a,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8,600,80,90,100,mate mateIn1
b,3qk3/8/8/8/8/8/8/3RK3 b - - 0 1,e8f7 d1d8,900,80,90,100,hangingPiece
c,3qk3/8/8/8/8/8/8/3RK3 b - - 0 1,e8f7 d1d9,900,80,90,100,hangingPiece
d,3qk3/8/8/8/8/8/8/3RK3 b - - 0 1,e8e7 d1d8,1300,80,90,100,hangingPiece
";

    struct PuzzlePlace {
        _dir: tempfile::TempDir,
        file: PathBuf,
    }

    fn file(text: &str) -> PuzzlePlace {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p.csv");
        std::fs::write(&file, text).unwrap();
        PuzzlePlace { _dir: dir, file }
    }

    fn select(
        place: &PuzzlePlace,
        selection: &Selection,
    ) -> Result<(PuzzleSet, SelectionCounts), PuzzleError> {
        select_puzzles(&place.file, selection, &mut |_, _| {}, &AtomicBool::new(false))
    }

    fn themes(theme: &str) -> Selection {
        let criteria = Criteria { themes: vec![theme.to_owned()], ..Criteria::default() };
        Selection { criteria, ..Selection::default() }
    }

    #[test]
    fn a_frozen_selection_is_found_again() {
        let place = file(ROWS);
        let strata = Strata { count: Some(2), ..Strata::default() };
        let selection = Selection { strata, seed: 3, ..Selection::default() };
        let (set, counts) = select(&place, &selection).unwrap();
        assert_eq!((set.puzzles.len(), set.skipped.total(), counts.seen), (2, 1, 3));
        let list = PuzzleList::freeze(&set, &selection).unwrap();
        let listed = |path: &Path, any_file| {
            listed_puzzles(path, &list, any_file, &mut |_, _| {}, &AtomicBool::new(false))
        };
        let again = listed(&place.file, false).unwrap();
        let ids = |set: &PuzzleSet| set.puzzles.iter().map(|p| p.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&again), ids(&set));
        let longer = file(&format!("{ROWS}\n"));
        assert!(matches!(listed(&longer.file, false), Err(PuzzleError::OtherFile { .. })));
        assert_eq!(ids(&listed(&longer.file, true).unwrap()), ids(&set));
        let shorter = file(&ROWS.replace(&format!("\n{},", list.ids[0]), "\nz,"));
        let error = listed(&shorter.file, true).unwrap_err().to_string();
        assert!(error.contains("lacks 1 of the 2 puzzles"), "{error}");
        assert!(error.contains(&list.ids[0]) && error.contains("`p.csv`"), "{error}");
    }

    #[test]
    fn themes_are_those_of_the_file() {
        let place = file(ROWS);
        let (set, _) = select(&place, &themes("hangingPiece")).unwrap();
        assert_eq!(set.puzzles.len(), 2);
        let error = select(&place, &themes("hangingpeice")).unwrap_err().to_string();
        assert!(error.contains("did you mean `hangingPiece`?"), "{error}");
        let without = |theme: &str| {
            let criteria =
                Criteria { without_themes: vec![theme.to_owned()], ..Criteria::default() };
            select(&place, &Selection { criteria, ..Selection::default() })
        };
        assert_eq!(without("fork").unwrap().0.puzzles.len(), 3);
        assert_eq!(without("mate").unwrap().0.puzzles.len(), 2);
        assert!(matches!(without("mat"), Err(PuzzleError::UnknownTheme { .. })));
    }

    #[test]
    fn nothing_selected_says_why() {
        let criteria = Criteria { min_rating: Some(2_000), ..Criteria::default() };
        let selection = Selection { criteria, ..Selection::default() };
        let error = select(&file(ROWS), &selection).unwrap_err().to_string();
        assert!(
            error.contains("0 of 3 puzzles meet the conditions (dropped: 3 rating)"),
            "{error}"
        );
    }

    #[test]
    fn a_set_flag_stops() {
        let rows: String = std::iter::once("PuzzleId,FEN,Moves\n".to_owned())
            .chain(
                (0..1_000)
                    .map(|i| format!("{i},6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8\n")),
            )
            .collect();
        let stop = AtomicBool::new(true);
        let selection = Selection::default();
        let stopped = select_puzzles(&file(&rows).file, &selection, &mut |_, _| {}, &stop);
        assert!(matches!(stopped, Err(PuzzleError::Stopped)));
    }
}
