//! Pages of invented matches.

use super::*;
use crate::Provenance;
use crate::files::folder_to_look_at;

fn meeting(first: &str, second: &str) -> Meeting {
    Meeting {
        first: first.to_owned(),
        second: second.to_owned(),
        games: [50, 30, 20],
        pairs: [2, 8, 12, 16, 12],
        elo: Some(Estimate::new(107.5, 40.1, 182.0)),
        normalised_elo: Some(Estimate::new(90.0, 35.0, 145.0)),
        white_score: 0.55,
        duplicates: 0,
        is_spoilt: false,
    }
}

fn player(name: &str, elo: f64) -> PlayerRow {
    PlayerRow {
        name: name.to_owned(),
        elo: Estimate::new(elo, elo - 20.0, elo + 20.0),
        direct: None,
        score: 0.6,
        games: 200,
        forfeits: String::new(),
    }
}

fn of_a_test() -> GamesReport {
    let course = (1..=50).map(|pairs| CoursePoint {
        pairs,
        elo: Estimate::new(100.0, 100.0 - 300.0 / pairs as f64, 100.0 + 300.0 / pairs as f64),
    });
    GamesReport {
        title: "new <b> & old".to_owned(),
        provenance: Provenance {
            command: "oplus sprt new old --movetime 20".to_owned(),
            conditions: vec![("limits".to_owned(), "1000 nodes a move".to_owned())],
            date: "2026-03-14".to_owned(),
            ..Provenance::default()
        },
        findings: vec!["H1 accepted".to_owned()],
        warnings: vec!["3 games repeat another one".to_owned()],
        players: vec![player("new", 107.5), player("old", 0.0)],
        meetings: vec![meeting("new", "old")],
        course: course.collect(),
        test: Some(TestCurve {
            question: "H0: 0, H1: +5 normalised Elo".to_owned(),
            bounds: (-2.94, 2.94),
            points: (0..=50).map(|pairs| (pairs, pairs as f64 * 0.06)).collect(),
        }),
        ..GamesReport::default()
    }
}

fn of_a_tournament() -> GamesReport {
    GamesReport {
        players: vec![player("a", 50.0), player("b", 0.0), player("c", -70.0)],
        meetings: vec![meeting("a", "b"), meeting("a", "c")],
        course: Vec::new(),
        test: None,
        ..of_a_test()
    }
}

fn of_generations() -> GamesReport {
    let generation = |name: &str, player: &str, gain| GenerationRow {
        name: name.to_owned(),
        player: player.to_owned(),
        games: 5_120,
        positions: 600_123,
        drawn: 0.312,
        trained_on: 570_456,
        validation_loss: Some(0.012_345_6),
        puzzles: None,
        nodes_per_second: None,
        gain,
    };
    let gain = Some(Estimate::new(50.0, 30.0, 70.0));
    let generations = vec![generation("b", "c", gain), generation("a", "b", None)];
    GamesReport { generations, ..of_a_tournament() }
}

fn written(report: &GamesReport) -> (tempfile::TempDir, WrittenFiles, String) {
    let folder = tempfile::tempdir().unwrap();
    let files = write(report, &folder.path().join("deep/er")).unwrap();
    let page = std::fs::read_to_string(&files.page).unwrap();
    (folder, files, page)
}

fn names(files: &[std::path::PathBuf]) -> Vec<&str> {
    files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn a_test_shows_its_curve_between_the_bounds() {
    let (_folder, files, page) = written(&of_a_test());
    assert_eq!(names(&files.plots), ["llr.svg", "course.svg"]);
    assert_eq!(names(&files.sheets), ["players.csv", "meetings.csv", "course.csv", "llr.csv"]);
    for part in
        ["new &#60;b&#62; &#38; old", "H1 accepted", "+5 normalised Elo", "65.0 %", "30.0 %"]
    {
        assert!(page.contains(part), "{part} is not on the page");
    }
    assert!(page.contains("3 games repeat another one"));
    assert!(page.contains("<pre>oplus sprt new old --movetime 20</pre>"), "{page}");
    assert!(page.contains("<span class=\"better\">+108"), "{page}");
    let mut spoilt = of_a_test();
    spoilt.meetings[0].is_spoilt = true;
    assert!(written(&spoilt).2.contains("<span class=\"open\">+108"));
    assert!(!page.contains("Who took how much"), "two players need no cross table");
    let llr = std::fs::read_to_string(&files.sheets[3]).unwrap();
    assert!(llr.starts_with("pairs,llr\n0,0.0000\n") && llr.lines().count() == 52, "{llr}");
}

#[test]
fn a_tournament_shows_ratings_and_a_cross_table() {
    let (_folder, files, page) = written(&of_a_tournament());
    assert_eq!(names(&files.plots), ["ratings.svg"]);
    assert!(page.contains("Who took how much from whom"));
    let meetings = std::fs::read_to_string(&files.sheets[1]).unwrap();
    assert!(meetings.contains("a,b,50,30,20,2,8,12,16,12,107.50,40.10,182.00"), "{meetings}");
}

#[test]
fn generations_stand_on_the_page_in_the_sheet_and_in_the_table() {
    let report = of_generations();
    let (_folder, files, page) = written(&report);
    let text = table(&report, None);
    for part in ["5,120", "600,123", "31.2 %", "570,456", "0.012346", "+50 ± 20"] {
        assert!(page.contains(part), "{part} is not on the page");
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let sheet = std::fs::read_to_string(&files.sheets[2]).unwrap();
    let row = "b,c,5120,600123,0.3120,570456,0.0123456,,,,,,,50.00,30.00,70.00";
    assert_eq!(sheet.lines().nth(1), Some(row));
    assert!(!written(&of_a_tournament()).2.contains("Generations"));
}

/// The page is well-formed, so no tag is left open.
#[test]
fn pages_are_well_formed() {
    for report in [of_a_test(), of_a_tournament(), of_generations()] {
        let (_folder, _, page) = written(&report);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
    }
}

#[test]
fn meetings_turn_around() {
    let report = of_a_tournament();
    let (there, back) = (report.meeting("a", "b").unwrap(), report.meeting("b", "a").unwrap());
    assert_eq!(back.games, [20, 30, 50]);
    assert_eq!(back.pairs, [12, 16, 12, 8, 2]);
    assert_eq!(back.turned(), there);
    assert!((there.score() + back.score() - 1.0).abs() < 1e-12);
    assert_eq!(report.meeting("b", "c"), None);
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let reports = [
        ("test", of_a_test()),
        ("tournament", of_a_tournament()),
        ("generations", of_generations()),
    ];
    for (name, report) in reports {
        write(&report, &folder_to_look_at(&format!("games-{name}"))).unwrap();
    }
}
