//! The page of compared feature sets: strength, cost, and their uncertainty.
//!
//! The judge fills a [`Report`] with numbers, each with its interval; this room makes tables,
//! plots and findings of it, and a [card](card()) for links.

mod books;
mod card;
mod clock;
mod equal_time;
mod factors;
mod figures;
mod games;
mod intervals;
mod learning;
mod lineup;
mod loss_and_cost;
pub(crate) mod loss_elo;
pub mod model;
mod nets;
mod null;
mod puzzles;
mod results;
mod summary;

#[cfg(test)]
mod tests;

use report::plot::theme::Style;
use report::plot::{DrawError, Svg};
use report::{Figure, Page, Part, Provenance, ReportError, Section, Table};

use lineup::Lineup;
use model::{Report, SetRow};

/// The page of a report.
///
/// # Errors
/// Two sets of the same name, or a plot that cannot be drawn.
pub fn of(report: &Report) -> Result<Page, ReportError> {
    check_names(report)?;
    let lineup = Lineup::of(report);
    Ok(Page {
        title: report.name.clone(),
        question: report.question.clone(),
        answer: summary::answer(report, &lineup),
        findings: summary::findings(report),
        warnings: report.warnings.clone(),
        sections: sections(report, &lineup).map_err(|source| cannot_draw(report, source))?,
        sheets: [nets::losses, nets::quantisation, puzzles::by_rating, loss_elo::nets]
            .map(|sheet| sheet(report))
            .into(),
        provenance: provenance(report),
        config: report.config_toml.clone(),
        notes: report.notes.clone(),
    })
}

/// A report as one picture of 1200 × 630 pixels.
///
/// # Errors
/// Those of plots.
pub fn card(report: &Report) -> Result<Svg, ReportError> {
    card::draw(report).map_err(|source| cannot_draw(report, source))
}

/// A row for each net of a report: losses, and its own Elo against the reference.
pub fn nets(report: &Report) -> Table {
    nets::table(report, &Lineup::of(report))
}

fn cannot_draw(report: &Report, source: DrawError) -> ReportError {
    ReportError::Draw { experiment: report.name.clone(), source }
}

fn check_names(report: &Report) -> Result<(), ReportError> {
    let labels: Vec<String> = report.sets.iter().map(SetRow::label).collect();
    match labels.iter().enumerate().find(|(i, label)| labels[..*i].contains(label)) {
        Some((_, label)) => {
            Err(ReportError::SameName { experiment: report.name.clone(), label: label.clone() })
        }
        None => Ok(()),
    }
}

fn sections(report: &Report, lineup: &Lineup<'_>) -> Result<Vec<Section>, DrawError> {
    let mut figures = figures::comparisons(report, lineup)?.into_iter().peekable();
    let first = figures.next_if(|figure| ANSWERS.contains(&figure.id.as_str()));
    let results = (!report.sets.is_empty()).then(|| results::table(report, lineup).into());
    let mut sections: Vec<Section> = first.map(Section::from).into_iter().chain(results).collect();
    sections.extend(factors::section(report, lineup));
    for figure in figures {
        let mut section = Section::from(figure);
        if section.id == "learning" {
            let rows = report.learning.iter().filter(|curves| !curves.rows.is_empty());
            section.parts.extend(rows.map(|curves| Part::Table(learning::table(curves))));
        }
        sections.push(section);
    }
    sections.extend(books::section(report, lineup));
    sections.extend(loss_elo::section(report, lineup)?);
    sections.extend(puzzles::paired(report));
    let seen = "Weights of the first layer";
    let sets = report.sets.len();
    sections.extend(layers("first-layer", seen, figures::first_layers(lineup)?, FIRST_LAYER, sets));
    let worth = "Piece values by the squares of the kings";
    sections.extend(layers("following", worth, figures::followings(lineup)?, FOLLOWING, sets));
    sections.extend(null::section(report));
    sections.extend(games::section(report, lineup));
    sections.extend(figures::quantisation(lineup)?.map(Section::from));
    let nets = nets::table(report, lineup);
    if !nets.rows.is_empty() {
        let (summary, parts) = ("Every run".to_owned(), vec![Part::Table(nets)]);
        sections.push(Section::new("runs", "Runs", [Part::Folded { summary, parts }]));
    }
    Ok(sections)
}

/// Figures that answer the question of the page and stand before its tables.
const ANSWERS: [&str; 2] = ["budget", "elo"];

const FIRST_LAYER: &str = "Weight of a lone own piece on a square (Euclidean norm of its rows), own perspective, in \
     per cent of the mean over the board; each set has its own scale. Grey: impossible squares.";

const FOLLOWING: &str = "Value of a white piece by square. First column: the mean over kings \
     on g1, e1 or c1 and g8, e8 or c8, less the mean of the board. Other columns: more (orange) or less \
     (blue) with the kings on the given squares; the other king is on e1 or e8. The last column, \
     e4 against e6, is an endgame. Beside each line, the centipawns of its deepest colour.";

fn layers(
    id: &str,
    title: &str,
    layers: Vec<(Style, Figure)>,
    caption: &str,
    sets: usize,
) -> Option<Section> {
    let is_drawn = !layers.is_empty();
    let omitted = match layers.len() < sets {
        true => format!(" {} of {sets} sets, in the order of the table.", layers.len()),
        false => String::new(),
    };
    let caption = format!("{caption}{omitted}");
    is_drawn.then(|| Section::new(id, title, [Part::Layers { layers, caption }]))
}

/// With the seeds of the nets.
fn provenance(report: &Report) -> Provenance {
    let runs = report.sets.iter().flat_map(|set| &set.runs);
    let mut seeds: Vec<u64> = runs.filter_map(|run| run.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let seeds = seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let mut provenance = report.provenance.clone();
    if !seeds.is_empty() {
        provenance.conditions.push(("seeds".to_owned(), seeds));
    }
    provenance
}
