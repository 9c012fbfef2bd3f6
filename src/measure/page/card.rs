//! A report as one picture, for previews of links.

use super::figures::{cost_points, elo_axis, elo_cell, heads};
use super::lineup::{Entry, Lineup};
use super::model::Report;
use super::summary;
use report::plot::canvas::{self, FONT, escaped, sub};
use report::plot::rows::Panel;
use report::plot::text::{BOLD, broken, fit, width};
use report::plot::theme::{GRID, INK, MUTED, PAPER, RGBColor, hex};
use report::plot::{DrawError, Svg, cost, rows};
use report::{Finding, Mark};

/// Width and height in pixels, as sites show pictures of links.
pub(super) const SIZE: (f64, f64) = (1200.0, 630.0);

const MARGIN: f64 = 48.0;
/// Plots are drawn smaller and shown larger than in the page, so that they can be read where
/// the picture is shrunk.
const LARGER: f64 = 1.4;
/// Largest number of sets, the reference among them.
const SETS: usize = 6;
/// Findings beside few rows, and beside many, which need the room.
const FINDINGS: [usize; 2] = [3, 2];
const FEW: usize = 4;
/// Lower edge of the findings; one without room is left out whole, but for the first.
const LOWEST: f64 = 290.0;

/// Question, verdicts, Elo and cost.
///
/// # Errors
/// As those of plots.
pub(super) fn draw(report: &Report) -> Result<Svg, DrawError> {
    let room = SIZE.0 - 2.0 * MARGIN;
    let mut words = Words::below(58.0);
    let (size, lines) = title_lines(&title(report), room);
    for line in lines {
        let span = Span { text: &line, size, colour: INK, is_bold: true };
        words.line(MARGIN, &[span], size * 1.21);
    }
    words.y += 6.0;
    let shown = FINDINGS[usize::from(report.sets.len() > FEW)];
    for (i, finding) in summary::findings(report).iter().take(shown).enumerate() {
        let lines = finding_lines(finding, room - INDENT);
        if i > 0 && words.y + lines.len() as f64 * LINE > LOWEST {
            break;
        }
        words.verdict(finding, &lines);
    }
    let below = words.y - 2.0;
    let byline = [left_out(report), report.name.clone(), report.provenance.byline()];
    let byline: Vec<String> = byline.into_iter().filter(|part| !part.is_empty()).collect();
    let byline = byline.join(" · ");
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

/// As large as two lines allow, and whole at any length.
fn title_lines(title: &str, room: f64) -> (f64, Vec<String>) {
    const SIZES: [f64; 3] = [38.0, 30.0, 24.0];
    let lines = |size: f64| broken(title, size * BOLD, room);
    let size = SIZES.into_iter().find(|&size| lines(size).len() <= 2).unwrap_or(SIZES[2]);
    (size, lines(size))
}

fn title(report: &Report) -> String {
    match report.question.as_str() {
        "" => report.name.clone(),
        question => question.to_owned(),
    }
}

/// Lines of text, one below the other. A line is one element, whose spans follow each other
/// in any font.
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

    /// Mark, set and text of a finding.
    fn verdict(&mut self, finding: &Finding, lines: &[CardLine]) {
        let span = |text, colour, is_bold| Span { text, size: LETTERS, colour, is_bold };
        self.line(MARGIN, &[span(finding.mark.sign(), colour(finding.mark), true)], 0.0);
        for CardLine { subject, text } in lines {
            self.line(MARGIN + INDENT, &[span(subject, INK, true), span(text, INK, false)], LINE);
        }
        self.y += 8.0;
    }
}

/// Size, line distance and margin of findings.
const LETTERS: f64 = 19.0;
const LINE: f64 = 25.0;
const INDENT: f64 = 32.0;

/// A line of a finding: its part of the set's name, and its text.
#[derive(Debug, Default, PartialEq)]
struct CardLine {
    subject: String,
    text: String,
}

/// A finding on as many lines as it takes, uncut.
fn finding_lines(finding: &Finding, room: f64) -> Vec<CardLine> {
    let subject = finding.subject.split_whitespace().map(|word| (word, true));
    let words = subject.chain(finding.text.split_whitespace().map(|word| (word, false)));
    let mut lines = vec![CardLine::default()];
    let mut used = 0.0;
    for (word, is_bold) in words {
        let word = format!("{word} ");
        let wide = width(&word, LETTERS * if is_bold { BOLD } else { 1.0 });
        if used + wide > room && used > 0.0 {
            lines.push(CardLine::default());
            used = 0.0;
        }
        used += wide;
        if let Some(line) = lines.last_mut() {
            let part = if is_bold { &mut line.subject } else { &mut line.text };
            part.push_str(&word);
        }
    }
    lines
}

/// Number of sets without room in the picture.
fn left_out(report: &Report) -> String {
    let sets = report.sets.len();
    match sets > SETS && !Lineup::of(report).limits.is_empty() {
        true => format!("{SETS} of {}, the others are in the report", report.counted(sets)),
        false => String::new(),
    }
}

/// As the page has them.
fn colour(mark: Mark) -> RGBColor {
    match mark {
        Mark::Better => RGBColor(0x00, 0x70, 0x4F),
        Mark::Worse => RGBColor(0xB3, 0x47, 0x00),
        Mark::NotSeparable | Mark::NoVerdict | Mark::Remark => MUTED,
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
        untimed.map_or(String::new(), |limit| format!("Elo over {}, {limit}", report.reference));
    let name = fit(&name, 11.0, (wide - beside) / LARGER);
    let size = ((wide - beside) / LARGER, high / LARGER);
    let cost = if share < 1.0 { cost::draw_large(size, &points, &name)? } else { None };
    let cost = cost.map(|cost| cost.placed((MARGIN + beside, top), LARGER));
    Ok([elo.map(|(elo, scale)| elo.placed((MARGIN, top), scale)), cost]
        .into_iter()
        .flatten()
        .collect())
}

/// The plot, with its magnification over the page.
fn elo(
    report: &Report,
    lineup: &Lineup,
    (wide, high): (f64, f64),
) -> Result<Option<(Svg, f64)>, DrawError> {
    let Some(limit) = lineup.deciding() else { return Ok(None) };
    let entries = strongest(lineup);
    let panel = Panel {
        title: format!("Elo, {limit}"),
        unit: String::new(),
        from_zero: true,
        axis: elo_axis(lineup, 4),
        cells: entries.iter().map(|entry| elo_cell(entry, limit)).collect(),
    };
    let scale = LARGER.min(high / rows::height(entries.len()));
    let title = format!("Elo over {}", report.reference);
    let svg = rows::draw_wide(wide / scale, &title, &heads(&entries), &[panel])?;
    Ok(Some((svg, scale)))
}

/// The strongest sets, with the reference.
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
    use crate::page::tests::demo;

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
        for part in ["Do lines, pairs", "ALL + PV", "20 ms per move", "nodes per second", "▼"] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
    }

    #[test]
    fn a_report_without_games_has_a_card_too() {
        let mut report = demo::report();
        report.sets.iter_mut().for_each(|set| set.elo.clear());
        assert!(draw(&report).is_ok());
        assert!(draw(&Report::default()).is_ok());
    }

    /// The picture's lines of text, in their order.
    fn lines(report: &Report) -> Vec<String> {
        let svg = draw(report).unwrap().standalone();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let line = |node: roxmltree::Node<'_, '_>| {
            node.descendants().filter(|it| it.is_text()).filter_map(|it| it.text()).collect()
        };
        texts.map(line).collect()
    }

    #[test]
    fn sentences_are_whole_and_sets_without_room_are_counted() {
        let mut report = demo::report();
        for i in 0..4 {
            let mut set = report.sets[1].clone();
            set.variant = format!("filter = {{ base = \"quiet\", static_gap = {{ max = {i} }} }}");
            report.sets.push(set);
        }
        let text = lines(&report).concat();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let first = summary::findings(&report).swap_remove(0);
        let whole = words(&format!("{} {}", first.subject, first.text)).join(" ");
        assert!(words(&text).join(" ").contains(&whole), "{whole} is not in {text}");
        assert!(text.contains("6 of 10 variants, the others are in the report"), "{text}");
        report.sets.truncate(6);
        assert!(!lines(&report).concat().contains("the others are in the report"));
    }

    #[test]
    fn a_finding_takes_as_many_lines_as_it_needs() {
        let text = "beats ALL by 43 ± 29 Elo at 1,000 nodes; a node takes 2.1 times as long.";
        let finding = |subject: &str| Finding {
            mark: Mark::Better,
            subject: subject.to_owned(),
            text: text.to_owned(),
        };
        let lines = finding_lines(&finding("ALL + PV"), 400.0);
        assert!(lines.len() > 2 && lines.iter().skip(1).all(|line| line.subject.is_empty()));
        let joined: String =
            lines.iter().map(|line| format!("{}{}", line.subject, line.text)).collect();
        assert_eq!(joined.trim_end(), format!("ALL + PV {text}"));
        assert_eq!(finding_lines(&finding("ALL"), 4_000.0).len(), 1);
    }
}
