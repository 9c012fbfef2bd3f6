//! A page: its answer, findings, sections of tables, plots, boards and words, and how it was made.
//!
//! A room fills it from its own records; [`render`](crate::render) shows it.

use std::path::Path;

use super::cross::CrossTable;
use super::figure::Figure;
use super::files::{WrittenFiles, write_files};
use super::finding::{Fact, Finding};
use super::now::Now;
use super::plot::Svg;
use super::plot::theme::Style;
use super::render::{csv, html, latex};
use super::table::Table;
use super::{Provenance, ReportError, shrink};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub title: String,
    /// Question of the experiment; may be empty.
    pub question: String,
    /// The answer in a few figures, side by side; empty without one.
    pub answer: Vec<Fact>,
    pub findings: Vec<Finding>,
    /// Reservations about the numbers.
    pub warnings: Vec<String>,
    pub sections: Vec<Section>,
    /// Tables that are too long for the page, and are written beside it only.
    pub sheets: Vec<Table>,
    pub provenance: Provenance,
    /// The resolved experiment file; empty without one.
    pub config: String,
    /// Remarks on how it was made.
    pub notes: Vec<String>,
}

/// A heading and what stands below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The anchor in the page; none if empty.
    pub id: String,
    /// None if empty.
    pub title: String,
    pub parts: Vec<Part>,
}

/// One thing in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Table(Table),
    Cross(CrossTable),
    Figure(Figure),
    /// Several pictures under one caption.
    Layers {
        layers: Vec<(Style, Figure)>,
        caption: String,
    },
    Boards {
        boards: Vec<BoardPart>,
        caption: String,
    },
    Words(String),
    /// Words that end in a link: text before it, text of it, and where it leads.
    Link {
        words: String,
        text: String,
        href: String,
    },
    /// Shown when it is opened.
    Folded {
        summary: String,
        parts: Vec<Part>,
    },
}

/// A position with a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardPart {
    pub title: String,
    pub svg: Svg,
    pub caption: String,
    /// A line each, behind the marker of its player.
    pub lines: Vec<(Style, String)>,
    /// The position in FEN.
    pub fen: String,
}

impl Section {
    pub fn new(id: &str, title: &str, parts: impl IntoIterator<Item = Part>) -> Self {
        let parts = parts.into_iter().collect();
        Self { id: id.to_owned(), title: title.to_owned(), parts }
    }
}

impl From<Table> for Section {
    fn from(table: Table) -> Self {
        Self::new(&table.key.clone(), &table.title.clone(), [Part::Table(table)])
    }
}

impl From<CrossTable> for Section {
    fn from(cross: CrossTable) -> Self {
        Self::new("", &cross.title.clone(), [Part::Cross(cross)])
    }
}

impl From<Figure> for Section {
    fn from(figure: Figure) -> Self {
        Self::new(&figure.id.clone(), &figure.title.clone(), [Part::Figure(figure)])
    }
}

impl Part {
    pub(crate) fn is_summary(&self) -> bool {
        match self {
            Self::Table(table) => table.is_summary,
            Self::Cross(cross) => cross.is_summary,
            _ => false,
        }
    }

    /// It and all that is folded in it.
    fn unfolded(&self) -> Vec<&Part> {
        match self {
            Self::Folded { parts, .. } => parts.iter().flat_map(Self::unfolded).collect(),
            part => vec![part],
        }
    }

    fn figures(&self) -> Vec<&Figure> {
        match self {
            Self::Figure(figure) => vec![figure],
            Self::Layers { layers, .. } => layers.iter().map(|(_, figure)| figure).collect(),
            _ => Vec::new(),
        }
    }
}

impl Page {
    /// All parts, those that are folded included.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.sections.iter().flat_map(|section| &section.parts).flat_map(Part::unfolded)
    }

    /// The tables on the page.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.parts().filter_map(|part| match part {
            Part::Table(table) => Some(table),
            _ => None,
        })
    }

    /// The tables that are written beside the page: those with a key and rows.
    fn written(&self) -> impl Iterator<Item = &Table> {
        let all = self.tables().chain(&self.sheets);
        all.filter(|table| !table.key.is_empty() && !table.rows.is_empty())
    }

    /// The tables that are written as LaTeX too.
    fn for_documents(&self) -> impl Iterator<Item = &Table> {
        self.written().filter(|table| table.is_summary)
    }

    /// Names of the CSV and LaTeX files beside the page.
    pub(crate) fn sheet_names(&self) -> Vec<String> {
        let csv = self.written().map(|table| format!("{}.csv", table.key));
        csv.chain(self.for_documents().map(|table| format!("{}.tex", table.key))).collect()
    }

    /// Writes `index.html`, plots, CSV and LaTeX into a folder, which is made if it is missing;
    /// the page last, so that it is never without its sheets.
    ///
    /// # Errors
    /// A disk that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<WrittenFiles, ReportError> {
        let mut sheets = sheets(self.written())?;
        sheets.extend(
            self.for_documents()
                .map(|table| (format!("{}.tex", table.key), latex::tabular(table).into_bytes())),
        );
        let figures: Vec<&Figure> = self.parts().flat_map(Part::figures).collect();
        write_files(folder, &mut figures.into_iter(), &named(&sheets), &self.html(None)?)
    }

    /// The page as it is while its numbers are being measured; it lies on no disk and has no
    /// sheets.
    ///
    /// # Errors
    /// A template that cannot be filled.
    pub fn live(&self, now: &Now) -> Result<String, ReportError> {
        self.html(Some(now))
    }

    fn html(&self, now: Option<&Now>) -> Result<String, ReportError> {
        html::page(self, now)
            .map_err(|source| ReportError::Page { experiment: self.title.clone(), source })
    }

    /// Content of the page in a folder that this page would lack, as text.
    ///
    /// # Errors
    /// A sheet that cannot be laid out.
    pub fn lost(&self, folder: &Path) -> Result<Vec<String>, ReportError> {
        let sheets = sheets(self.written().filter(|table| table.is_summary))?;
        Ok(shrink::lost(folder, &named(&sheets)))
    }
}

type Sheets = Vec<(String, Vec<u8>)>;

fn sheets<'t>(tables: impl Iterator<Item = &'t Table>) -> Result<Sheets, ReportError> {
    let lay_out = |table: &Table| {
        let name = format!("{}.csv", table.key);
        match csv::sheet(table) {
            Ok(bytes) => Ok((name, bytes)),
            Err(source) => Err(ReportError::Sheet { name, source }),
        }
    };
    tables.map(lay_out).collect()
}

fn named(sheets: &[(String, Vec<u8>)]) -> Vec<(&str, Vec<u8>)> {
    sheets.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect()
}
