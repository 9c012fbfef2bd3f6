//! Several numbers of nodes and several books: a line, a table, a sentence.

use crate::support::Workdir;

const OPEN: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n\
                    rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -\n\
                    rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n";
const ENDGAMES: &str = "8/5pk1/6p1/8/8/6P1/5PK1/3R1r2 w - -\n\
                        8/pp3k2/8/8/8/8/PP3K2/8 w - -\n\
                        4k3/4p3/8/8/8/8/3PP3/4K3 w - -\n";

fn workdir() -> Workdir {
    let work = Workdir::new();
    work.experiment("small.toml");
    std::fs::write(work.path().join("open.epd"), OPEN).unwrap();
    std::fs::write(work.path().join("endgames.epd"), ENDGAMES).unwrap();
    work
}

const GRID: [&str; 13] = [
    "run",
    "small.toml",
    "--set",
    "evaluation.speed_rounds=0",
    "--set",
    "grid.features=[\"H\", \"ALL\"]",
    "--set",
    "grid.seed=[1, 2, 3]",
    "--set",
    "training.epochs=1",
    "--set",
    "evaluation.timing_rounds=8",
    "--set",
];

#[test]
fn nodes_and_books_are_axes_of_a_match() {
    let work = workdir();
    let games = "evaluation.match=[{ nodes = [30, 120], equal_time = true, games = 4, \
                 planned_games = 8, openings = [\"open.epd\", \"endgames.epd\"] }]";
    let price = ["--set", "evaluation.price_games=2", "--set", "evaluation.puzzles.limit=1"];
    let arguments = [&GRID[..], &[games], &price].concat();
    let answer = work.run(&arguments);
    assert_eq!(answer.code, 0, "{}", answer.err);
    // A sentence for the set, over all numbers of nodes.
    let sentence =
        answer.out.lines().find(|line| line.contains("nodes per move at equal time against ALL"));
    let sentence = sentence.unwrap_or_else(|| panic!("{}", answer.out));
    assert!(
        ["gains", "loses", "is not separable"].iter().any(|verb| sentence.contains(verb)),
        "{sentence}"
    );
    assert!(answer.out.contains("Seeds of ALL against each other"), "{}", answer.out);
    let read = |name: &str| std::fs::read_to_string(work.path().join("reports/small").join(name));
    let page = read("index.html").unwrap();
    let tables = ["By opening book", "Elo, open", "Elo, endgames", "The reference against itself"];
    for part in ["Lead over nodes per move"].into_iter().chain(tables) {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(read("null.csv").unwrap().lines().count(), 1 + 3, "a ring of three seeds");
    // One set at two numbers of nodes.
    assert_eq!(read("books.csv").unwrap().lines().count(), 1 + 2);
    let again = work.run(&arguments);
    assert_eq!((again.code, again.out), (0, answer.out));
    assert!(!again.err.contains("match at"), "{}", again.err);
}

#[test]
fn lists_that_cannot_be_meant_are_refused_where_they_stand() {
    let work = workdir();
    std::fs::write(work.path().join("empty.epd"), "\n").unwrap();
    for (games, why) in [
        ("nodes = []", "the list is empty"),
        ("nodes = [30, 0]", "0"),
        ("nodes = [30, 120], depth = 3", "a match needs exactly one limit"),
        ("nodes = [30], openings = []", "the list is empty"),
        ("nodes = 30, games = 4, openings = [\"open.epd\", \"none.epd\"]", "none.epd"),
        ("nodes = 30, games = 4, openings = \"empty.epd\"", "found 0"),
        ("nodes = 30, games = 8, planned_games = 4", "planned_games = 4 is less than games = 8"),
        ("nodes = [30, 30], games = 4", "a second match at 30 nodes from the same openings"),
        ("depth = 3, equal_time = true", "equal_time = true needs the nodes"),
    ] {
        let games = format!("evaluation.match=[{{ {games} }}]");
        let answer = work.run(&[&GRID[..], &[&games]].concat());
        let is_file = games.contains(".epd");
        assert_eq!(answer.code, if is_file { 1 } else { 2 }, "{games}: {}", answer.err);
        assert!(answer.err.contains(why), "{games}: {}", answer.err);
    }
}

#[test]
fn equal_time_wants_a_reference_that_can_be_timed() {
    let work = workdir();
    let one = ["--set", "grid.features=[\"ALL\"]", "--set", "grid.layers=[\"8 -> 1\"]"];
    let equal = ["--set", "evaluation.match=[{ nodes = 30, equal_time = true, games = 4 }]"];
    let alone = work.run(&[&["run", "small.toml"], &one[..], &equal].concat());
    assert_eq!(alone.code, 2, "{}", alone.err);
    alone.assert_shows(&["the grid has one set", "grid.features"]);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/default.oplus");
    let engine = work.run(&["compare", net, "stockfish", "--equal-games", "4"]);
    assert_eq!(engine.code, 2, "{}", engine.err);
    engine.assert_shows(&["`stockfish`", "not a `.oplus` file"]);
}
