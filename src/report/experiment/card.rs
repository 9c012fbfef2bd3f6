//! A report as one picture: what people show to others.

use super::figures::{cost_points, elo_axis, elo_cell, heads};
use super::lineup::{Entry, Lineup};
use super::model::Report;
use super::summary;
use crate::finding::Finding;
use crate::plot::canvas::{self, FONT, escaped, sub};
use crate::plot::rows::Panel;
use crate::plot::text::{BOLD, fit, width, wrap};
use crate::plot::theme::{GRID, INK, MUTED, PAPER, hex};
use crate::plot::{DrawError, Svg, cost, rows};
use base::estimate::Verdict;
use plotters::style::RGBColor;

/// Width and height in pixels, as sites show pictures of links.
pub const SIZE: (f64, f64) = (1200.0, 630.0);

const MARGIN: f64 = 48.0;
/// Plots are drawn smaller and shown larger than in the page, so that they can be read where
/// the picture is shrunk.
const LARGER: f64 = 1.4;
/// The strongest so many sets, the reference among them.
const SETS: usize = 6;
/// Findings beside few rows, and beside many, which need the room.
const FINDINGS: [usize; 2] = [3, 2];
const FEW: usize = 4;

/// Question, verdicts, Elo and cost.
///
/// # Errors
/// As those of plots.
pub fn draw(report: &Report) -> Result<Svg, DrawError> {
    let room = SIZE.0 - 2.0 * MARGIN;
    let mut words = Words::below(58.0);
    for line in wrap(&title(report), 38.0, room) {
        words.line(MARGIN, &[Span { text: &line, size: 38.0, colour: INK, is_bold: true }], 46.0);
    }
    words.y += 6.0;
    let shown = FINDINGS[usize::from(report.sets.len() > FEW)];
    for finding in summary::findings(report).iter().take(shown) {
        words.verdict(finding, room);
    }
    let below = words.y - 2.0;
    let byline = format!("{} · {}", report.name, report.provenance.byline());
    words.y = SIZE.1 - 24.0;
    let byline = fit(&byline, 16.0, room);
    words.line(MARGIN, &[Span { text: &byline, size: 16.0, colour: MUTED, is_bold: false }], 0.0);
    let sheet = canvas::draw(SIZE.0, SIZE.1, &title(report), |canvas| {
        canvas.rectangle((0.0, 0.0), SIZE, &PAPER)?;
        canvas.line((MARGIN, below), (SIZE.0 - MARGIN, below), &GRID, 1.5)
    })?;
    let parts = [words.markup, plots(report, below + 18.0)?.concat()];
    Ok(sheet.with(&parts))
}

fn title(report: &Report) -> String {
    match report.question.as_str() {
        "" => report.name.clone(),
        question => question.to_owned(),
    }
}

/// Lines of text, one below the other. A line is one element, whose spans follow each other
/// whatever font they are set in.
struct Words {
    y: f64,
    markup: String,
}

/// Letters of one kind.
struct Span<'a> {
    text: &'a str,
    size: f64,
    colour: RGBColor,
    is_bold: bool,
}

impl Words {
    fn below(y: f64) -> Self {
        Self { y, markup: String::new() }
    }

    /// A line whose middle is where the last one ended; the next is `height` further down.
    fn line(&mut self, x: f64, spans: &[Span<'_>], height: f64) {
        let spans = spans.iter().map(|Span { text, size, colour, is_bold }| {
            format!(
                "<tspan font-size=\"{}\" fill=\"{}\" font-weight=\"{}\">{}</tspan>",
                sub(*size),
                hex(*colour),
                if *is_bold { "bold" } else { "normal" },
                escaped(text),
            )
        });
        self.markup += &format!(
            "<text x=\"{}\" y=\"{}\" dy=\"0.35em\" font-family=\"{FONT}\" \
             xml:space=\"preserve\">{}</text>",
            sub(x),
            sub(self.y),
            spans.collect::<String>()
        );
        self.y += height;
    }

    /// Mark, set and what is said of it, on two lines at most.
    fn verdict(&mut self, finding: &Finding, room: f64) {
        const SIZE: f64 = 21.0;
        const HEIGHT: f64 = 28.0;
        let (left, room) = (MARGIN + 32.0, room - 32.0);
        let span = |text, colour, is_bold| Span { text, size: SIZE, colour, is_bold };
        self.line(MARGIN, &[span(finding.mark(), colour(finding.verdict), true)], 0.0);
        let subject = fit(&finding.subject, SIZE, room * 0.45);
        let used = width(&subject, SIZE * BOLD) + 10.0;
        let lines = hanging(&finding.text, SIZE, room, used);
        let first = format!(" {}", lines.first().map_or("", String::as_str));
        self.line(left, &[span(&subject, INK, true), span(&first, INK, false)], HEIGHT);
        for line in lines.iter().skip(1) {
            self.line(left, &[span(line, INK, false)], HEIGHT);
        }
        self.y += 8.0;
    }
}

/// Two lines of which the first begins `used` further right.
fn hanging(text: &str, size: f64, room: f64, used: f64) -> Vec<String> {
    match wrap(text, size, room - used).as_slice() {
        [first, _] => {
            let rest = text[first.len()..].trim_start();
            vec![first.clone(), fit(rest, size, room)]
        }
        whole => whole.to_vec(),
    }
}

/// As the page has them.
fn colour(verdict: Verdict) -> RGBColor {
    match verdict {
        Verdict::Better => RGBColor(0x00, 0x70, 0x4F),
        Verdict::Worse => RGBColor(0xB3, 0x47, 0x00),
        Verdict::Open => MUTED,
    }
}

/// Elo on the left, on the clock if it was played, and cost on the right.
fn plots(report: &Report, top: f64) -> Result<Vec<String>, DrawError> {
    let lineup = Lineup::of(report);
    let (wide, high) = (SIZE.0 - 2.0 * MARGIN, SIZE.1 - 48.0 - top);
    let untimed = lineup.untimed().next();
    let points = untimed.map_or(Vec::new(), |limit| cost_points(&lineup, limit));
    let share = if points.len() > 1 { 0.5 } else { 1.0 };
    let elo = elo(report, &lineup, (wide * share, high))?;
    let beside = if elo.is_some() { wide * share + 24.0 } else { 0.0 };
    let name =
        untimed.map_or(String::new(), |limit| format!("Elo above {}, {limit}", report.reference));
    let name = fit(&name, 11.0, (wide - beside) / LARGER);
    let size = ((wide - beside) / LARGER, high / LARGER);
    let cost = if share < 1.0 { cost::draw_large(size, &points, &name)? } else { None };
    let cost = cost.map(|cost| cost.placed((MARGIN + beside, top), LARGER));
    Ok([elo.map(|(elo, scale)| elo.placed((MARGIN, top), scale)), cost]
        .into_iter()
        .flatten()
        .collect())
}

/// The plot, and how many times as large as in the page it is shown.
fn elo(
    report: &Report,
    lineup: &Lineup,
    (wide, high): (f64, f64),
) -> Result<Option<(Svg, f64)>, DrawError> {
    let timed = lineup.limits.iter().copied().find(|limit| limit.is_timed());
    let Some(limit) = timed.or(lineup.limits.first().copied()) else { return Ok(None) };
    let entries = strongest(lineup);
    let panel = Panel {
        title: format!("Elo, {limit}"),
        unit: String::new(),
        from_zero: true,
        axis: elo_axis(lineup, 4),
        cells: entries.iter().map(|entry| elo_cell(entry, limit)).collect(),
    };
    let scale = LARGER.min(high / rows::height(entries.len()));
    let title = format!("Elo above {}", report.reference);
    let svg = rows::draw_wide(wide / scale, &title, &heads(&entries), &[panel])?;
    Ok(Some((svg, scale)))
}

/// The strongest sets, and whatever they are measured from.
fn strongest<'a>(lineup: &'a Lineup<'a>) -> Vec<&'a Entry<'a>> {
    let mut entries: Vec<&Entry> = lineup.entries.iter().collect();
    if entries.iter().position(|entry| entry.is_reference).is_some_and(|at| at >= SETS) {
        entries.truncate(SETS - 1);
        entries.extend(lineup.entries.iter().find(|entry| entry.is_reference));
    }
    entries.truncate(SETS);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::demo;

    #[test]
    fn it_is_a_picture_that_names_question_verdict_and_sets() {
        let report = demo::report();
        let svg = draw(&report).unwrap().standalone();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(
            (root.attribute("width"), root.attribute("height")),
            (Some("1200"), Some("630"))
        );
        let text: String =
            document.descendants().filter_map(|it| it.text()).map(|it| format!("{it}\n")).collect();
        for told in ["Do lines, pairs", "ALL + PV", "20 ms a move", "nodes per second", "▼"] {
            assert!(text.contains(told), "{told} is not in:\n{text}");
        }
    }

    #[test]
    fn a_report_without_games_has_a_card_too() {
        let mut report = demo::report();
        report.sets.iter_mut().for_each(|set| set.elo.clear());
        assert!(draw(&report).is_ok());
        assert!(draw(&Report::default()).is_ok());
    }

    #[test]
    fn words_hang_behind_a_name() {
        let lines = hanging("one two three four five six", 10.0, 100.0, 40.0);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("one") && lines[1].len() > lines[0].len(), "{lines:?}");
        assert_eq!(hanging("one", 10.0, 100.0, 40.0), ["one"]);
    }
}
