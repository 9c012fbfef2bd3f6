//! Pages of invented matches.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use arena::{
    Bootstrap, EloModel, HalfPoints, PairResult, Pairing, Pentanomial, RatingScale, Trinomial,
};

/// Pairs with as many of each score, spread evenly over the match.
fn pairing(first: usize, second: usize, counts: [u64; 5]) -> PairingResult {
    use HalfPoints::{Draw, Loss, Win};
    let games = [(Loss, Loss), (Draw, Loss), (Draw, Draw), (Win, Draw), (Win, Win)];
    let pair = |(as_white, as_black)| PairResult { as_white, as_black };
    let most = counts.iter().copied().max().unwrap_or_default();
    let kinds = (0..most).flat_map(|round| (0..5).filter(move |&kind| round < counts[kind]));
    let pairs: Vec<PairResult> = kinds.map(|kind| pair(games[kind])).collect();
    let (mut played, mut white) = (Trinomial::default(), Trinomial::default());
    for PairResult { as_white, as_black } in &pairs {
        played.add(*as_white);
        played.add(*as_black);
        white.add(*as_white);
        white.add(as_black.of_opponent());
    }
    PairingResult {
        pairing: Pairing { first: PlayerId(first), second: PlayerId(second) },
        pairs: pairs.into_iter().map(Some).collect(),
        pentanomial: Pentanomial { counts },
        games: played,
        white,
        forfeits: [Forfeits::default(); 2],
        duplicates: 3,
        copies: 0,
        records: Vec::new(),
    }
}

fn result(players: &[&str], pairings: Vec<PairingResult>) -> TournamentResult {
    let players = players.iter().map(|name| (*name).to_owned()).collect();
    TournamentResult { players, pairs: pairings[0].pairs.len(), pairings }
}

fn of_a_test() -> TournamentResult {
    result(&["new", "old"], vec![pairing(0, 1, [2, 8, 12, 16, 12])])
}

fn of_a_tournament() -> TournamentResult {
    let pairings = vec![
        pairing(0, 1, [2, 8, 12, 16, 12]),
        pairing(0, 2, [2, 6, 10, 16, 16]),
        pairing(1, 2, [6, 10, 16, 10, 8]),
    ];
    result(&["a", "b", "c"], pairings)
}

fn page_of(result: &TournamentResult) -> Page {
    let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalised };
    let sprt = Some(&sprt).filter(|_| result.players.len() == 2);
    let scale = RatingScale::from(PlayerId(1));
    let ratings = Ratings::of(result, &scale, Bootstrap::default()).unwrap();
    let provenance = Provenance {
        command: "oplus sprt new old --movetime 20".to_owned(),
        conditions: vec![("limits".to_owned(), "1000 nodes per move".to_owned())],
        date: "2026-03-14".to_owned(),
        ..Provenance::default()
    };
    page("new <b> & old", provenance, result, &ratings, sprt).unwrap()
}

/// The folder, names of plots and sheets, and the page.
fn written(result: &TournamentResult) -> (tempfile::TempDir, [Vec<String>; 2], String) {
    let folder = tempfile::tempdir().unwrap();
    let files = page_of(result).write(&folder.path().join("deep/er")).unwrap();
    let html = fs::read_to_string(&files.page).unwrap();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let names = [files.plots, files.sheets].map(|paths| paths.iter().map(name).collect());
    (folder, names, html)
}

fn sheet(folder: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join("deep/er").join(name)).unwrap()
}

#[test]
fn a_test_shows_its_curve_between_the_bounds() {
    let (folder, [plots, sheets], html) = written(&of_a_test());
    assert_eq!(plots, ["llr.svg", "course.svg"]);
    assert_eq!(sheets, ["meetings.csv", "players.csv", "course.csv", "llr.csv", "players.tex"]);
    for part in ["new &#60;b&#62; &#38; old", "LLR ", "5 Elo (normalised)", "64.0 %"] {
        assert!(html.contains(part), "{part} is not on the page");
    }
    assert!(html.contains("<pre>oplus sprt new old --movetime 20</pre>"), "{html}");
    assert!(html.contains("<span class=\"better\">▲</span></td>"), "{html}");
    assert!(!html.contains("Scores"), "two players need no cross table");
    let llr = sheet(&folder, "llr.csv");
    assert!(llr.starts_with("pairs,llr\n0,0.0000\n") && llr.lines().count() == 52, "{llr}");
    assert_eq!(sheet(&folder, "course.csv").lines().next(), Some("pairs,elo,elo_low,elo_high"));
}

#[test]
fn forfeited_games_leave_no_verdict() {
    let mut invalid = of_a_test();
    invalid.pairings[0].forfeits[1].add_many(Forfeit::ALL[0], 13);
    let (folder, _, html) = written(&invalid);
    assert!(html.contains("<span class=\"open\">?</span></td>"), "{html}");
    assert!(!html.contains("likelihood of superiority"), "{html}");
    assert!(html.contains("13 of 100 games"), "{html}");
    assert!(sheet(&folder, "meetings.csv").lines().any(|line| line.contains(",0,13,")));
}

#[test]
fn a_tournament_shows_ratings_and_a_cross_table() {
    let result = of_a_tournament();
    let (folder, [plots, _], html) = written(&result);
    assert_eq!(plots, ["ratings.svg"]);
    assert!(html.contains("Ratings") && html.contains("Scores"), "{html}");
    let meetings = sheet(&folder, "meetings.csv");
    let read = |line: &str| -> Vec<String> { line.split(',').map(String::from).collect() };
    let lines: Vec<Vec<String>> = meetings.lines().map(read).collect();
    assert_eq!(lines[1][..5], ["a", "b", "40", "48", "12"]);
    let column = |name: &str| lines[0].iter().position(|cell| cell == name).unwrap();
    let elo = result.pairings[0].pentanomial.elo().unwrap();
    assert_eq!(lines[1][column("elo_low")].parse(), Ok(elo.low));
    assert_eq!(lines[1][column("pairs_1.5")], "16");
}

#[test]
fn scores_turn_around() {
    let result = of_a_tournament();
    let ratings =
        Ratings::of(&result, &RatingScale::from(PlayerId(0)), Bootstrap::default()).unwrap();
    let cross = tables::scores(&result, &ratings);
    for (row, cells) in cross.cells.iter().enumerate() {
        assert_eq!(cells[row], None);
        for (column, cell) in cells.iter().enumerate().filter(|(column, _)| *column != row) {
            let (there, back) = (cell.unwrap(), cross.cells[column][row].unwrap());
            assert!((there.share + back.share - 1.0).abs() < 1e-12);
        }
    }
}

/// The page is well-formed, so no tag is left open.
#[test]
fn pages_are_well_formed() {
    for result in [of_a_test(), of_a_tournament()] {
        let (_folder, _, html) = written(&result);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        roxmltree::Document::parse_with_options(&html, options).expect("well-formed");
    }
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    for (name, result) in [("games-test", of_a_test()), ("games-tournament", of_a_tournament())] {
        page_of(&result).write(&demo.join(name)).unwrap();
    }
}
