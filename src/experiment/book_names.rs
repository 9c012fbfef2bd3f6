//! Names of the opening books of an experiment that plays from several.

use std::collections::BTreeSet;
use std::path::Path;

use super::config::MatchConfig;

/// The books of an experiment.
pub(super) struct BookNames<'a> {
    books: BTreeSet<Option<&'a Path>>,
}

impl<'a> BookNames<'a> {
    pub(super) fn of(matches: &'a [MatchConfig]) -> Self {
        Self { books: matches.iter().map(|one| one.openings.as_deref()).collect() }
    }

    /// Name of a book, the shortest that tells it from the others; `None` with one book.
    pub(super) fn name(&self, book: Option<&Path>) -> Option<String> {
        if self.books.len() < 2 {
            return None;
        }
        let Some(book) = book else { return Some("random plies".to_owned()) };
        let others = || self.books.iter().flatten().filter(|other| **other != book);
        let is_alone = |of: fn(&Path) -> String| others().all(|other| of(other) != of(book));
        let names: [fn(&Path) -> String; 2] = [stem, file_name];
        let short = names.into_iter().find(|name| is_alone(*name)).map(|name| name(book));
        Some(short.unwrap_or_else(|| book.display().to_string()))
    }
}

/// The file name without its extensions.
fn stem(path: &Path) -> String {
    let name = file_name(path);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name).to_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(books: &[Option<&str>]) -> Vec<Option<String>> {
        let books: Vec<Option<&Path>> = books.iter().map(|book| book.map(Path::new)).collect();
        let names = BookNames { books: books.iter().copied().collect() };
        books.into_iter().map(|book| names.name(book)).collect()
    }

    #[test]
    fn a_book_has_the_shortest_name_of_its_own() {
        let some = |names: &[&str]| -> Vec<_> {
            names.iter().map(|name| Some((*name).to_owned())).collect()
        };
        assert_eq!(names(&[Some("a/open.epd")]), [None]);
        assert_eq!(names(&[Some("a/open.epd"), Some("a/open.epd")]), [None, None]);
        assert_eq!(names(&[Some("a/open.epd.zst"), None]), some(&["open", "random plies"]));
        assert_eq!(names(&[Some("a/x.epd"), Some("b/x.pgn")]), some(&["x.epd", "x.pgn"]));
        assert_eq!(names(&[Some("a/x.epd"), Some("b/x.epd")]), some(&["a/x.epd", "b/x.epd"]));
    }
}
