//! A report as one picture: what people show to others.

use super::figures::{cost_points, elo_axis, elo_cell, heads};
use super::lineup::{Entry, Lineup};
use super::model::Report;
use super::summary;
use crate::finding::Finding;
use crate::plot::canvas::{self, Anchor, Canvas, font};
use crate::plot::rows::Panel;
use crate::plot::text::{BOLD, fit, width, wrap};
use crate::plot::theme::{GRID, INK, MUTED, PAPER};
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
const FINDINGS: usize = 3;

/// Question, verdicts, Elo and cost.
///
/// # Errors
/// As those of plots.
pub fn draw(report: &Report) -> Result<Svg, DrawError> {
    let findings = summary::findings(report);
    let mut below = 0.0;
    let sheet = canvas::draw(SIZE.0, SIZE.1, &title(report), |canvas| {
        canvas.rectangle((0.0, 0.0), SIZE, &PAPER)?;
        below = words(canvas, report, &findings)?;
        canvas.line((MARGIN, below), (SIZE.0 - MARGIN, below), &GRID, 1.5)
    })?;
    Ok(sheet.with(&plots(report, below + 18.0)?))
}

fn title(report: &Report) -> String {
    match report.question.as_str() {
        "" => report.name.clone(),
        question => question.to_owned(),
    }
}

/// What is asked and what came of it, from above; where the words end.
fn words(canvas: &Canvas, report: &Report, findings: &[Finding]) -> Result<f64, DrawError> {
    let room = SIZE.0 - 2.0 * MARGIN;
    let mut y = 62.0;
    for line in wrap(&title(report), BOLD * 38.0, room) {
        canvas.text(&line, (MARGIN, y), &font(38.0, &INK, true), Anchor::Left)?;
        y += 46.0;
    }
    y += 6.0;
    for finding in findings.iter().take(FINDINGS) {
        y = verdict(canvas, finding, y, room)?;
    }
    let byline = format!("{} · {}", report.name, report.provenance.byline());
    let foot = (MARGIN, SIZE.1 - 24.0);
    canvas.text(&fit(&byline, 16.0, room), foot, &font(16.0, &MUTED, false), Anchor::Left)?;
    Ok(y + 4.0)
}

/// Mark, set and what is said of it, on two lines at most.
fn verdict(canvas: &Canvas, finding: &Finding, y: f64, room: f64) -> Result<f64, DrawError> {
    const TEXT: f64 = 21.0;
    let colour = colour(finding.verdict);
    canvas.text(finding.mark(), (MARGIN, y), &font(TEXT, &colour, true), Anchor::Left)?;
    let (left, bold) = (MARGIN + 32.0, font(TEXT, &INK, true));
    let subject = fit(&finding.subject, BOLD * TEXT, room * 0.4);
    canvas.text(&subject, (left, y), &bold, Anchor::Left)?;
    let used = width(&subject, BOLD * TEXT) + 10.0;
    // The first line is shorter than the second by the name before it.
    let lines = hanging(&finding.text, TEXT, room - 32.0, used);
    let plain = font(TEXT, &INK, false);
    for (number, line) in lines.iter().enumerate() {
        let x = if number == 0 { left + used } else { left };
        canvas.text(line, (x, y + number as f64 * 27.0), &plain, Anchor::Left)?;
    }
    Ok(y + lines.len() as f64 * 27.0 + 9.0)
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
    let room = (SIZE.0 - 2.0 * MARGIN, SIZE.1 - 48.0 - top);
    let elo = elo(report, &lineup, room)?;
    let beside = elo.as_ref().map_or(0.0, |_| room.0 * 0.54);
    let size = ((room.0 - beside) / LARGER, room.1 / LARGER);
    let cost = match lineup.untimed().next() {
        Some(limit) => {
            let points = cost_points(&lineup, limit);
            cost::draw_large(size, &points, &format!("Elo above {}, {limit}", report.reference))?
        }
        None => None,
    };
    let cost = cost.map(|cost| cost.placed((MARGIN + beside, top), LARGER));
    Ok([elo.map(|elo| elo.0.placed((MARGIN, top), elo.1)), cost].into_iter().flatten().collect())
}

/// The plot, and how many times as large as in the page it can be shown.
fn elo(
    report: &Report,
    lineup: &Lineup,
    (wide, high): (f64, f64),
) -> Result<Option<(Svg, f64)>, DrawError> {
    let timed = lineup.limits.iter().copied().find(|limit| limit.is_timed());
    let Some(limit) = timed.or(lineup.limits.first().copied()) else { return Ok(None) };
    let mut entries: Vec<&Entry> = lineup.entries.iter().collect();
    let reference = entries.iter().position(|entry| entry.is_reference);
    if reference.is_some_and(|at| at >= SETS) {
        // Whatever the others are measured from is among those that are shown.
        entries.truncate(SETS - 1);
        entries.extend(lineup.entries.iter().find(|entry| entry.is_reference));
    }
    entries.truncate(SETS);
    let panel = Panel {
        title: format!("Elo above {}, {limit}", report.reference),
        unit: String::new(),
        from_zero: true,
        axis: elo_axis(lineup, 4),
        cells: entries.iter().map(|entry| elo_cell(entry, limit)).collect(),
    };
    let wide = wide * 0.52 / LARGER;
    let svg = rows::draw_wide(wide, &panel.title.clone(), &heads(&entries), &[panel])?;
    let scale = LARGER.min(high / svg.size().1);
    Ok(Some((svg, scale)))
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
