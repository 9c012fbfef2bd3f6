//! The pages of a study, made from its results alone, and what happens to earlier pages: nothing is
//! replaced by less.

use std::path::{Path, PathBuf};

use super::error::ExperimentError;
use super::study::{Chapter, Note, Study};
use base::FileLock;
use base::format::first_few;
use plan::{JobError, Results, RunDir};
use report::render::terminal;
use report::{Page, Part, Section};

/// Pages on disk.
#[derive(Debug)]
pub struct Published {
    /// The main page.
    pub page: Page,
    /// Its file.
    pub path: PathBuf,
    /// Pages below the main one.
    pub more: Vec<Page>,
    /// Words on the earlier page, if it showed more.
    pub kept: Option<String>,
}

impl Published {
    /// Results, findings and warnings for a terminal, with its colours.
    pub fn in_short(&self) -> String {
        let pages = std::iter::once(&self.page).chain(&self.more);
        let pages: Vec<String> =
            pages.map(|page| terminal::coloured_page(page, terminal::width())).collect();
        pages.join("\n")
    }
}

/// Treatment of an earlier page that shows more than the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It stays, and the new one is not written.
    Stays,
    MovesAway,
    IsReplaced,
}

/// Writes the pages of the study that `note` records into a folder.
///
/// # Errors
/// Nothing measured of the study as it is now, an earlier page that shows more and is to stay, a
/// result that cannot be read or a disk that cannot be written to.
pub fn publish(
    study: &dyn Study,
    note: &Note,
    dir: &RunDir,
    folder: &Path,
    earlier: Earlier,
) -> Result<Published, JobError> {
    // Two processes write the same page one after the other.
    let _own = FileLock::wait(&dir.folder.join(".page"))?;
    let mut chapters = study.pages(note, dir)?.into_iter();
    let mut page = chapters.next().map(|chapter| chapter.page).unwrap_or_default();
    let chapters: Vec<Chapter> = chapters.collect();
    page.sections.extend(chapters.iter().map(link));
    let lost = page.lost(folder)?;
    let mut kept = None;
    if !lost.is_empty() {
        match earlier {
            Earlier::IsReplaced => {}
            Earlier::Stays => {
                let (folder, lost) = (folder.to_owned(), first_few(&lost));
                let (command, changed) = (study.command(), sentence(study, note));
                return Err(ExperimentError::ShowsLess { folder, lost, command, changed }.into());
            }
            Earlier::MovesAway => {
                let (earlier, lost) = (move_away(folder)?, first_few(&lost));
                let earlier = earlier.display();
                kept = Some(format!(
                    "the previous page has more results ({lost}): moved to {earlier}"
                ));
            }
        }
    }
    let mut more = Vec::new();
    for chapter in chapters {
        chapter.page.write(&folder.join(chapter.folder))?;
        more.push(chapter.page);
    }
    let path = page.write(folder)?.page;
    Ok(Published { page, path, more, kept })
}

/// Leads to a page below the main one.
pub(crate) fn link(chapter: &Chapter) -> Section {
    let link = Part::Link {
        words: format!("{}:", chapter.about),
        text: format!("the page of the {}", chapter.folder),
        href: format!("{}/index.html", chapter.folder),
    };
    Section::new("", "", [link])
}

pub(crate) fn nothing_measured(study: &dyn Study, note: &Note) -> ExperimentError {
    let (experiment, command) = (study.name().to_owned(), study.command());
    ExperimentError::NothingMeasured { experiment, command, changed: sentence(study, note) }
}

/// The differences from the last run as a sentence; empty without any.
fn sentence(study: &dyn Study, note: &Note) -> String {
    let summary = study.changed(note);
    summary.map_or_else(String::new, |summary| format!("since the last run {summary}; "))
}

/// Gives a page the first name that is free: `NAME.earlier-1` and so on. Kept results stay: they are
/// those of the study.
fn move_away(folder: &Path) -> Result<PathBuf, ExperimentError> {
    let named = |number: u32| folder.with_added_extension(format!("earlier-{number}"));
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    let earlier = named(number);
    let failed = |source| ExperimentError::Io { path: folder.to_owned(), source };
    std::fs::rename(folder, &earlier).map_err(failed)?;
    if Results::are_in(&earlier) {
        std::fs::create_dir(folder).map_err(failed)?;
        let results = Results::folder_in(folder);
        std::fs::rename(Results::folder_in(&earlier), results).map_err(failed)?;
    }
    Ok(earlier)
}
