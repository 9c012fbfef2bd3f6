//! Laws of the whole room: pages are well-formed, complete and safe, for full, meagre and hostile
//! reports alike.

pub(super) mod demo;

use std::fs;
use std::path::Path;

use super::model::*;
use super::*;
use crate::Pace;
use arena::SpreadSource;
use base::Estimate;
use report::now::{Doing, Now, StageProgress};
use report::render::terminal;
use report::{WrittenFiles, plot};

/// Reports at the edges of possible experiments.
fn variety() -> Vec<(&'static str, Report)> {
    vec![
        ("full", demo::report()),
        ("one-set", one_set()),
        ("one-seed", one_seed()),
        ("many-sets", many_sets()),
        ("widths", demo::widths()),
        ("no-games", no_games()),
        ("learning", learning()),
        ("time-controls", demo::time_controls()),
        ("all-won", all_won()),
        ("hostile", hostile()),
        ("empty", empty()),
        ("not-numbers", not_numbers()),
        ("one-quantised", one_quantised()),
        ("king-relative", king_relative()),
    ]
}

/// Pieces follow the kings in the second set alone.
fn king_relative() -> Report {
    let mut report = demo::report();
    report.sets[0].runs[0].following = demo::following(0.0);
    report.sets[1].runs[1].following = demo::following(10.0);
    report
}

fn one_set() -> Report {
    let mut report = demo::report();
    report.sets.truncate(1);
    (report.games, report.paired_puzzles) = (Vec::new(), Vec::new());
    (report.elo_spread, report.loss_spread) = (None, SpreadSource::Unknown);
    report
}

fn one_seed() -> Report {
    let mut report = demo::report();
    for set in &mut report.sets {
        set.runs.truncate(1);
        set.runs[0].losses.truncate(1);
    }
    (report.elo_spread, report.loss_spread) = (None, SpreadSource::Unknown);
    report.games.retain(|game| game.second == "ALL");
    report
}

fn many_sets() -> Report {
    let mut report = demo::report();
    let template = report.sets[1].clone();
    for i in 0..9u32 {
        let mut set = template.clone();
        set.features = format!(
            "ALL + pair(FILES * PIECES * PIECES) + mirror(king(SQUARES) * piece(SQUARES * PIECES)) + EXTRA{i}"
        );
        set.variant = format!("l1 = {}", 128 << (i % 3));
        let shift = 6.0 * f64::from(i);
        for elo in set.elo.iter_mut().chain(set.runs.iter_mut().flat_map(|run| &mut run.elo)) {
            let was = elo.estimate;
            elo.estimate = Estimate::new(was.value - shift, was.low - shift, was.high - shift);
        }
        for loss in set.runs.iter_mut().flat_map(|run| &mut run.losses) {
            loss.train = loss.train.map(|train| train * (1.0 + 0.004 * f64::from(i)));
            loss.validation = loss.validation.map(|loss| loss * (1.0 + 0.004 * f64::from(i)));
        }
        let faster = |speed: f64| speed * (1.0 + 0.01 * f64::from(i));
        set.nodes_per_second = set.nodes_per_second.map(|speed| speed.scaled(faster(1.0)));
        report.sets.push(set);
    }
    report
}

fn learning() -> Report {
    Report { learning: Some(demo::learning()), ..demo::report() }
}

fn no_games() -> Report {
    let mut report = demo::report();
    for set in &mut report.sets {
        set.elo.clear();
        set.runs.iter_mut().for_each(|run| run.elo.clear());
    }
    report.sets[2].puzzle_accuracy = None;
    report.sets[3].validation_loss = None;
    (report.games, report.paired_puzzles) = (Vec::new(), Vec::new());
    report
}

fn all_won() -> Report {
    let mut report = demo::report();
    let all_won = Estimate::new(f64::INFINITY, 320.0, f64::INFINITY);
    report.sets[1].elo[0].estimate = all_won;
    report.sets[5].elo[0].estimate = all_won.negated();
    report.sets[5].elo.truncate(1);
    report.sets[1].runs[0].elo[0].estimate = all_won;
    report
}

const HOSTILE: &str = "<script>alert('x')</script> & \"quotes\" \u{7} {{ name }} ]]> =1+1";

fn hostile() -> Report {
    let mut report = demo::report();
    report.name = HOSTILE.to_owned();
    report.question = HOSTILE.to_owned();
    report.reference = HOSTILE.to_owned();
    report.sets[0].features = HOSTILE.to_owned();
    report.sets[1].features = format!("棋 {HOSTILE}");
    report.config_toml = HOSTILE.to_owned();
    report.warnings.push(HOSTILE.to_owned());
    report.games[0].first = HOSTILE.to_owned();
    report.provenance.data[0].path = HOSTILE.to_owned();
    report.sets[1].runs[0].net = Some(HOSTILE.to_owned());
    report
}

fn empty() -> Report {
    Report {
        name: "empty".to_owned(),
        reference: "ALL".to_owned(),
        sets: vec![SetRow { features: "ALL".to_owned(), ..SetRow::default() }],
        ..Report::default()
    }
}

/// A diverged run, a bench that divided by zero.
fn not_numbers() -> Report {
    let mut report = demo::report();
    let nothing = Estimate::new(f64::NAN, f64::NAN, f64::NAN);
    report.sets[1].validation_loss = Some(nothing);
    report.sets[1].elo[0].estimate = nothing;
    report.sets[1].nodes_per_second = Some(nothing);
    report.sets[1].puzzle_accuracy = Some(nothing);
    for loss in &mut report.sets[1].runs[0].losses {
        (loss.train, loss.validation) = (Some(f64::NAN), Some(f64::INFINITY));
    }
    if let Some(picture) = &mut report.sets[1].runs[0].first_layer {
        picture.norms = [[f32::NAN; 64]; 6];
    }
    report
}

/// The quantisation error is measured of one net alone.
fn one_quantised() -> Report {
    let mut report = demo::report();
    let runs = report.sets.iter_mut().flat_map(|set| &mut set.runs);
    runs.skip(1).for_each(|run| run.quantisation = None);
    report
}

fn page_of(report: &Report) -> Page {
    of(report).expect("a page")
}

fn written(report: &Report) -> (tempfile::TempDir, WrittenFiles) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let files = page_of(report).write(dir.path()).expect("a report");
    (dir, files)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable file")
}

#[test]
fn the_worth_of_pieces_is_drawn_where_it_follows_the_kings() {
    let (dir, files) = written(&king_relative());
    let page = read(&files.page);
    assert_eq!(page.matches("id=\"following\"").count(), 1);
    assert!(dir.path().join("following-1.svg").exists());
    assert!(!dir.path().join("following-2.svg").exists(), "pieces of one set do not follow");
    let (_dir, files) = written(&demo::report());
    assert!(!read(&files.page).contains("id=\"following\""));
}

#[test]
fn pages_and_plots_are_well_formed() {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    for (name, report) in variety() {
        let (_dir, files) = written(&report);
        let page = read(&files.page);
        if let Err(error) = roxmltree::Document::parse_with_options(&page, options) {
            panic!("the page of {name}: {error}");
        }
        for plot in &files.plots {
            let svg = read(plot);
            if let Err(error) = roxmltree::Document::parse(&svg) {
                panic!("{} of {name}: {error}", plot.display());
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{} of {name}", plot.display());
        }
    }
}

#[test]
fn every_set_is_named_in_the_page_and_marked_in_one_colour() {
    for (name, report) in variety() {
        let (_dir, files) = written(&report);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let page = read(&files.page);
        let page = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let names = page.descendants().filter(|node| node.has_tag_name("th"));
        let names: Vec<String> = names
            .map(|node| {
                node.descendants().filter(|it| it.is_text()).filter_map(|it| it.text()).collect()
            })
            .collect();
        for set in &report.sets {
            let label = set.label().replace('\u{7}', "");
            assert!(names.contains(&label), "{label} is missing in {name}");
        }
    }
}

#[test]
fn the_plot_that_answers_stands_before_the_tables() {
    let ids = |report: &Report| -> Vec<String> {
        page_of(report).sections.into_iter().map(|section| section.id).collect()
    };
    assert_eq!(ids(&demo::report())[..2], ["elo", "results"]);
    assert_eq!(ids(&no_games())[0], "results");
    let of_widths = ids(&demo::widths());
    assert_eq!(of_widths[..2], ["budget", "results"]);
    assert!(of_widths.iter().any(|id| id == "elo"), "{of_widths:?}");
    let mut epochs = demo::widths();
    for set in &mut epochs.sets {
        set.settings = vec![("training.epochs".to_owned(), "8".to_owned())];
    }
    let of_epochs = ids(&epochs);
    assert_eq!(of_epochs[..2], ["elo", "results"]);
    assert!(!of_epochs.iter().any(|id| id == "budget"), "widths alone have that plot");
}

#[test]
fn variants_of_a_grid_have_the_colour_of_their_features_and_a_marker_of_their_own() {
    let report = demo::widths();
    let lineup = Lineup::of(&report);
    let style = |label: &str| lineup.style_of(label);
    let [all, wide, pairs] =
        ["ALL · 64 neurons", "ALL · 256 neurons", "ALL + PV · 64 neurons"].map(style);
    assert_eq!(all.colour, wide.colour);
    assert_ne!(all.colour, pairs.colour);
    assert_ne!(all.marker, wide.marker);
    assert_eq!(all.marker, pairs.marker);
}

/// Six sets of the table and the reference.
#[test]
fn pages_of_many_sets_draw_the_weights_of_some() {
    let drawn = |report: &Report| {
        let lineup = Lineup::of(report);
        let layers = figures::first_layers(&lineup).unwrap();
        layers.into_iter().map(|(_, figure)| figure.title).collect::<Vec<_>>()
    };
    let picture = demo::report().sets[0].runs[0].first_layer.clone().unwrap();
    let mut report = many_sets();
    for run in report.sets.iter_mut().flat_map(|set| &mut set.runs) {
        run.first_layer = Some(picture.clone());
    }
    let titles = drawn(&report);
    assert!(titles.contains(&report.reference), "{titles:?}");
    assert!((6..=7).contains(&titles.len()) && report.sets.len() > 7, "{titles:?}");
    let text = read(&written(&report).1.page);
    assert!(text.contains(&format!("{} of {} sets", titles.len(), report.sets.len())));
}

#[test]
fn only_nets_that_were_quantised_have_their_error_drawn() {
    let has_picture = |report: &Report| {
        let (_dir, files) = written(report);
        let is_drawn = files.plots.iter().any(|plot| plot.ends_with("quantisation.svg"));
        let is_written = read(&files.page).contains("id=\"quantisation\"");
        assert_eq!(is_drawn, is_written);
        assert_eq!(is_drawn, files.sheets.iter().any(|s| s.ends_with("quantisation.csv")));
        is_drawn
    };
    let mut report = one_quantised();
    assert!(has_picture(&report));
    for run in report.sets.iter_mut().flat_map(|set| &mut set.runs) {
        run.quantisation = None;
    }
    assert!(!has_picture(&report));
    assert!(!has_picture(&empty()));
}

#[test]
fn hostile_names_stay_text() {
    let (_dir, files) = written(&hostile());
    for path in files.plots.iter().chain([&files.page]) {
        assert!(!read(path).contains("<script"), "{}", path.display());
    }
}

#[test]
fn the_page_needs_nothing_from_outside() {
    for (name, report) in variety() {
        let page = read(&written(&report).1.page);
        for reference in ["src=", "@import", "url(", "<link", "<script"] {
            assert!(!page.contains(reference), "{name} has {reference}");
        }
        // The only addresses are the namespaces of the pictures.
        let addresses = page.matches("http").count();
        assert_eq!(
            addresses,
            page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count(),
            "{name}"
        );
    }
}

#[test]
fn text_in_plots_stays_on_the_sheet() {
    for (name, report) in variety() {
        for plot in &written(&report).1.plots {
            let svg = read(plot);
            let svg = roxmltree::Document::parse(&svg).expect("well-formed");
            let size: Vec<f64> = svg
                .root_element()
                .attribute("viewBox")
                .expect("a size")
                .split(' ')
                .map(|number| number.parse().expect("a number"))
                .collect();
            for node in svg.descendants().filter(|node| node.has_tag_name("text")) {
                let number = |key| node.attribute(key).and_then(|text| text.parse::<f64>().ok());
                let (x, font) = (number("x").expect("x"), number("font-size").expect("a size"));
                let text = node.text().unwrap_or("").trim();
                let wide = plot::text::width(text, font);
                let (left, right) = match node.attribute("text-anchor") {
                    Some("end") => (x - wide, x),
                    Some("middle") => (x - wide / 2.0, x + wide / 2.0),
                    _ => (x, x + wide),
                };
                let place = format!("{text:?} in {} of {name}", plot.display());
                assert!(left >= -2.0 && right <= size[2] + 2.0, "{place}: {left}..{right}");
                let y = number("y").expect("y");
                assert!(y >= 0.0 && y <= size[3], "{place}: {y}");
            }
        }
    }
}

#[test]
fn the_same_report_gives_the_same_files() {
    let (one, two) = (written(&many_sets()), written(&many_sets()));
    let files = |files: &WrittenFiles| {
        files
            .plots
            .iter()
            .chain(&files.sheets)
            .chain([&files.page])
            .map(|p| read(p))
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&one.1), files(&two.1));
}

#[test]
fn two_sets_of_one_name_are_refused() {
    let mut report = demo::report();
    report.sets[1].features = report.sets[0].features.clone();
    let error = of(&report).expect_err("two sets called ALL");
    assert!(error.to_string().contains("\"ALL\""), "{error}");
    report.sets[1].variant = "l1 = 256".to_owned();
    of(&report).expect("their names differ now");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("taken");
    fs::write(&file, "").expect("a file");
    let error = page_of(&demo::report()).write(&file).expect_err("a file is in the way");
    assert!(error.to_string().contains("taken"), "{error}");
}

#[test]
fn curves_are_held_to_account_in_page_terminal_and_sheet() {
    let (dir, files) = written(&learning());
    let page = read(&files.page);
    for part in [
        "Loss and Elo over the number of positions",
        "lead over ALL on the same number of positions",
        "980,000",
        "−8.0<span class=\"pm\"> ± 9.0</span>",
        "3,900,000",
        "+18.0<span class=\"pm\"> ± 9.0</span>",
        "1 of 2 curves predict it",
        "separated, and more data will not change this",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let text = terminal::page(&page_of(&learning()), None);
    assert!(text.contains("over numbers of positions: separated, and more data"), "{text}");
    let sheet = read(&dir.path().join("learning.csv"));
    assert_eq!(sheet.lines().count(), 1 + 2 * 3, "{sheet}");
    let largest = sheet.lines().nth(3).unwrap_or_default();
    assert!(
        largest.contains("36") && largest.ends_with("more data will not change this\""),
        "{sheet}"
    );
    let (dir, _) = written(&demo::report());
    assert!(!dir.path().join("learning.csv").exists());
}

#[test]
fn no_half_written_files_remain() {
    let (dir, files) = written(&demo::report());
    let count = fs::read_dir(dir.path()).expect("a directory").count();
    assert_eq!(count, files.plots.len() + files.sheets.len() + 1);
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    for (name, report) in variety() {
        let (folder, page) = (demo.join(name), page_of(&report));
        page.write(&folder).expect("a report");
        fs::write(folder.join("table.txt"), terminal::page(&page, Some(140))).expect("a table");
    }
    let folder = demo.join("live");
    fs::create_dir_all(&folder).expect("a folder");
    let live = page_of(&demo::report()).live(&under_way()).expect("a page");
    fs::write(folder.join("index.html"), live).expect("a file");
}

#[test]
fn a_terminal_names_every_set_and_shows_intervals() {
    let report = demo::report();
    let text = terminal::page(&page_of(&report), None);
    for set in &report.sets {
        assert!(text.contains(&set.label()), "{} is missing:\n{text}", set.label());
    }
    for shown in
        ["+43 ± 14 ▲", "−24 ± 16 ▼", "1,000 nodes", "reference", "accumulator updates/node"]
    {
        assert!(text.contains(shown), "{shown} is missing:\n{text}");
    }
}

#[test]
fn a_terminal_is_kept_to_without_breaking_numbers() {
    let mut report = demo::report();
    report.sets[1].features = "ALL + pair(FILES * PIECES * PIECES) + mirror(KING * ALL)".to_owned();
    for width in [60, 80, 100, 220] {
        let text = terminal::page(&page_of(&report), Some(width));
        let end = text.rfind('─').expect("a table");
        let widest = text[..end].lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|wide| wide <= width), "{width}:\n{text}");
        for part in ["+41 ± 14 ▲", "reference", "accumulator updates/node", "ALL + pair("] {
            assert!(text.contains(part), "{part} at {width}:\n{text}");
        }
    }
}

#[test]
fn refreshed_rows_are_shown_where_there_are_some() {
    let mut report = demo::report();
    let shown = |report: &Report| terminal::page(&page_of(report), None).contains("refreshed rows");
    assert!(!shown(&report));
    report.sets[1].figures = Pace::figures(Some(&demo::pace(4.0, 0.4)));
    assert!(shown(&report));
}

fn under_way() -> Now {
    Now {
        stages: [("training", 3), ("matches", 0)]
            .map(|(name, done)| StageProgress { name: name.to_owned(), done, jobs: 3 })
            .into(),
        doing: vec![Doing {
            title: "ALL against ALL + PV".to_owned(),
            done: 120,
            total: 400,
            unit: "games".to_owned(),
            figures: vec!["+12 ± 9 Elo".to_owned()],
            holder: "process 7".to_owned(),
            ..Doing::default()
        }],
        seconds_left: Some(90.0),
        failed: vec![("ALL, seed 2".to_owned(), "no room on the disk".to_owned())],
        grows: false,
    }
}
