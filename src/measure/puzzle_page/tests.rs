//! Laws of the page: well-formed, complete and safe, for usual, meagre and
//! hostile results alike.

use std::fs;
use std::path::Path;

use crate::puzzles::{AttemptOutcome, grade};
use chess::Position;
use report::WrittenFiles;

use super::*;

const MATE: (&str, &str) = ("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1", "a7a6 g1h1 a6a5 d1d8");
const CASTLING: (&str, &str) = ("5k2/8/8/8/8/8/8/4K2R b K - 0 1", "f8e7 e1g1");
const HOSTILE: &str = "<script>alert('x')</script> & \"quotes\" \u{7} {{ name }} ]]> =1+1";

fn puzzle(id: &str, (fen, moves): (&str, &str), rating: Option<u32>, themes: &[&str]) -> Puzzle {
    let start = Position::from_fen(fen).expect("a position");
    let mut position = start.clone();
    let mut line = Vec::new();
    for uci in moves.split(' ') {
        let m = position.parse_uci(uci).expect("a move");
        line.push(m);
        position.play(m);
    }
    let themes = themes.iter().map(|theme| (*theme).to_owned()).collect();
    Puzzle { rating, themes, ..Puzzle::new(id, start, line) }
}

/// Puzzles of all ratings, some without.
fn puzzles() -> Vec<Puzzle> {
    let one = |i: u32| {
        let rating = (!i.is_multiple_of(7)).then_some(500 + 20 * i);
        let (what, themes) = match i.is_multiple_of(2) {
            true => (MATE, ["mate", "mateIn2"]),
            false => (CASTLING, ["castling", "defensiveMove"]),
        };
        puzzle(&format!("p{i}"), what, rating, &themes)
    };
    (0..120).map(one).collect()
}

/// A player that answers like a person of that rating.
fn attempt(player: &str, puzzles: &[Puzzle], rating: u32) -> PuzzleAttempt {
    let answer = |puzzle: &Puzzle| -> AttemptOutcome {
        let mut number = 0;
        grade(puzzle, &mut |position, _| {
            number += 1;
            let (_, solution) = puzzle.questions().nth(number - 1)?;
            match puzzle.rating.unwrap_or(1_000) < rating {
                true => Some(solution),
                false => position.legal_moves().into_iter().find(|&m| m != solution),
            }
        })
    };
    let outcomes = puzzles.iter().map(answer).collect();
    PuzzleAttempt { player: player.to_owned(), outcomes, seconds: 12.3 }
}

fn report(puzzles: &[Puzzle], players: &[(&str, u32)]) -> PuzzleReport {
    let attempts: Vec<PuzzleAttempt> =
        players.iter().map(|(name, rating)| attempt(name, puzzles, *rating)).collect();
    let fingerprints: Vec<String> = players.iter().map(|(name, _)| (*name).to_owned()).collect();
    let suite = SuiteFile { path: "puzzles.csv".to_owned(), ..SuiteFile::default() };
    let (title, mode) = ("Puzzles: demo".to_owned(), "1000 nodes".to_owned());
    PuzzleReport::new(title, suite, mode, puzzles, &attempts, &fingerprints)
}

/// Reports at the limits of valid input.
fn variety() -> Vec<(&'static str, PuzzleReport)> {
    let many: Vec<(String, u32)> =
        (0..9).map(|i| (format!("nets/{i}.oplus"), 900 + 200 * i)).collect();
    let many: Vec<(&str, u32)> =
        many.iter().map(|(name, rating)| (name.as_str(), *rating)).collect();
    let unrated: Vec<Puzzle> = puzzles()
        .into_iter()
        .map(|puzzle| Puzzle { rating: None, themes: Vec::new(), ..puzzle })
        .collect();
    let mut hostile = report(&puzzles(), &[(HOSTILE, 900), ("b", 1_500)]);
    hostile.title = HOSTILE.to_owned();
    hostile.suite.path = HOSTILE.to_owned();
    hostile.provenance.command = HOSTILE.to_owned();
    hostile.warnings.push(HOSTILE.to_owned());
    hostile.hardest[0].themes.push(HOSTILE.to_owned());
    vec![
        ("usual", report(&puzzles(), &[("bundled", 1_800), ("pesto", 1_300)])),
        ("one player", report(&puzzles(), &[("bundled", 1_800)])),
        ("many players", report(&puzzles(), &many)),
        ("all solved", report(&puzzles(), &[("a", 9_999), ("b", 9_999)])),
        ("nothing solved", report(&puzzles(), &[("a", 0)])),
        ("unrated", report(&unrated, &[("a", 900), ("b", 1_500)])),
        ("one puzzle", report(&puzzles()[..1], &[("a", 0), ("b", 9_999)])),
        ("nothing", report(&[], &[])),
        ("hostile", hostile),
    ]
}

fn written(report: &PuzzleReport) -> (tempfile::TempDir, WrittenFiles) {
    let dir = tempfile::tempdir().expect("a folder");
    let files = report.page().expect("a page").write(dir.path()).expect("a folder");
    (dir, files)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn pages_are_well_formed_and_name_every_player() {
    for (name, report) in variety() {
        let (_dir, files) = written(&report);
        let text = read(&files.page);
        let page = text.strip_prefix("<!DOCTYPE html>").expect("a page");
        let page = roxmltree::Document::parse(page).unwrap_or_else(|e| panic!("{name}: {e}"));
        let names = page.descendants().filter(|node| node.attribute("class") == Some("name"));
        let names: Vec<String> = names
            .map(|node| {
                node.descendants().filter(|it| it.is_text()).filter_map(|it| it.text()).collect()
            })
            .collect();
        for player in &report.players {
            let player = player.name.replace('\u{7}', "");
            assert!(names.contains(&player), "{player} is missing in {name}");
        }
        for plot in &files.plots {
            let svg = read(plot);
            roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn the_page_needs_nothing_from_outside_and_names_stay_text() {
    for (name, report) in variety() {
        let page = read(&written(&report).1.page);
        for reference in ["src=", "@import", "url(", "<link", "<script"] {
            assert!(!page.contains(reference), "{name} has {reference}");
        }
    }
}

#[test]
fn text_in_plots_stays_on_the_sheet() {
    use report::plot::text::width;
    for (name, report) in variety() {
        for plot in &written(&report).1.plots {
            let svg = read(plot);
            let svg = roxmltree::Document::parse(&svg).expect("well-formed");
            let size = svg.root_element().attribute("viewBox").expect("a size");
            let size: Vec<f64> = size.split(' ').filter_map(|n| n.parse().ok()).collect();
            for node in svg.descendants().filter(|node| node.has_tag_name("text")) {
                let number = |key| node.attribute(key).and_then(|text| text.parse::<f64>().ok());
                let (x, font) = (number("x").expect("x"), number("font-size").expect("a size"));
                let text = node.text().unwrap_or("").trim();
                let wide = width(text, font);
                let (left, right) = match node.attribute("text-anchor") {
                    Some("end") => (x - wide, x),
                    Some("middle") => (x - wide / 2.0, x + wide / 2.0),
                    _ => (x, x + wide),
                };
                // Widths are estimated on the wide side.
                let room = 0.02 * size[2];
                assert!(left >= -room && right <= size[2] + room, "{name}: {text:?} in {plot:?}");
            }
        }
    }
}

#[test]
fn sheets_have_a_row_for_everything() {
    let report = report(&puzzles(), &[("bundled", 1_800), ("pesto", 1_300)]);
    let (dir, _) = written(&report);
    let rows = |name: &str| {
        let mut reader = csv::Reader::from_path(dir.path().join(name)).expect("a sheet");
        reader.records().map(|row| row.expect("a row")).collect::<Vec<_>>()
    };
    assert_eq!(rows("players.csv").len(), 2);
    assert_eq!(rows("themes.csv").len(), 4);
    assert_eq!(rows("outcomes.csv").len(), 120);
    let buckets = report.players[0].summary.by_rating.len();
    assert_eq!(rows("ratings.csv").len(), buckets);
    let theme = &rows("themes.csv")[0];
    assert_eq!(theme.len(), 2 + 2 * 4, "name and puzzles; of each player a count and a share");
    let pair = &rows("pairs.csv")[0];
    assert_eq!((&pair[0], &pair[1], &pair[3]), ("pesto", "bundled", "0"));
    assert!(pair[6].parse::<f64>().is_ok_and(|difference| difference < 0.0), "{pair:?}");
}

#[test]
fn boards_show_what_was_missed() {
    let report = report(&puzzles(), &[("bundled", 1_800), ("pesto", 1_300)]);
    let hardest = &report.hardest[0];
    assert_eq!(hardest.rating, Some(500 + 20 * 118));
    assert_eq!(hardest.task(), "White to move: Kh1");
    assert!(hardest.answers.iter().all(|answer| matches!(answer, BoardAnswer::Wrong(_))));
    let page = read(&written(&report).1.page);
    let boards = page.matches("<figcaption>White to move: ").count();
    assert_eq!(boards, report.hardest.len() + report.easiest.len());
    // No puzzle is both among the hardest and among the easiest.
    let ids = |boards: &[FailedPuzzle]| -> Vec<String> {
        boards.iter().map(|failed| failed.id.clone()).collect()
    };
    let hardest = ids(&report.hardest);
    assert!(!report.easiest.is_empty());
    assert!(ids(&report.easiest).iter().all(|id| !hardest.contains(id)));
    let empty = written(&self::report(&puzzles(), &[("a", 9_999)]));
    assert!(!read(&empty.1.page).contains("id=\"hardest\""));
}

#[test]
fn without_ratings_nothing_is_called_hard_or_easy() {
    let unrated: Vec<Puzzle> =
        puzzles().into_iter().map(|puzzle| Puzzle { rating: None, ..puzzle }).collect();
    let report = report(&unrated, &[("a", 0), ("b", 0)]);
    assert!(!report.hardest.is_empty() && report.easiest.is_empty());
    let page = read(&written(&report).1.page);
    assert!(page.contains("in the order of the file") && page.contains(">Failures<"), "{page}");
    for word in ["hardest failures", "easiest failures", "rated first"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    for (name, report) in variety() {
        let folder = demo.join(format!("puzzles-{}", name.replace(' ', "-")));
        report.page().expect("a page").write(&folder).expect("a folder");
    }
}
