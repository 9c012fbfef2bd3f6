//! `oplus evolve`, as people use it.

use crate::support::Workplace;

const FILE: &str = r#"
name = "small"
question = "Does it run?"

[genome]
cells = "phoenix"

[fitness]
kind = "games"
nodes = 20
games = 2

[budget]
games = 60

[[method]]
kind = "genetic"
population = 6
replaced = 3

[[method]]
name = "White alone"
kind = "spsa"
fitness = { kind = "games", nodes = 20, games = 2, opponents = "start", colours = "white" }

[[trial]]
games = 4
nodes = 20
curve = true

[[trial]]
against = "pesto"
games = 4
nodes = 20
colours = "white"
"#;

#[test]
fn searches_are_made_tried_shown_and_not_made_again() {
    let work = Workplace::new();
    std::fs::write(work.path().join("small.toml"), FILE).unwrap();
    let args = ["evolve", "small.toml", "--answers", "found"];
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("genetic") && answer.out.contains("60 games"), "{}", answer.out);
    // Whose games are not balanced is said first.
    assert!(
        answer.err.contains("White alone were not balanced by colour: 100 %"),
        "{}",
        answer.err
    );
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    let warning = page.find("not balanced by colour").unwrap();
    assert!(warning < page.find("<table").unwrap());
    assert!(page.contains("it is no measure of strength"), "{page}");
    let played =
        work.run(&["match", "found/genetic-s1.csv", "pesto", "--nodes", "20", "--games", "2"]);
    assert_eq!(played.code, 0, "{}", played.err);
    let results = || std::fs::read_dir(work.path().join("runs/small/results")).unwrap().count();
    let before = results();
    let again = work.run(&args);
    assert_eq!((again.code, again.out), (0, answer.out));
    assert_eq!(results(), before);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    let work = Workplace::new();
    for (from, to, told) in [
        ("kind = \"genetic\"", "kind = \"magic\"", "unknown variant `magic`"),
        ("population = 6", "population = 1", "method `genetic`: genetic: `population` has to be 2"),
        ("population = 6", "popluation = 6", "popluation"),
        ("games = 60", "evaluations = 60", "counts `games` where games judge"),
        ("kind = \"spsa\"", "kind = \"gradient\"", "needs a judge with slopes"),
        ("cells = \"phoenix\"", "range = 0", "`genome.range` has to be"),
        ("cells = \"phoenix\"", "tables = \"pesto\"", "does not hold for low, start, high"),
        ("cells = \"phoenix\"", "tables = \"missing.csv\"", "missing.csv"),
        ("name = \"small\"", "name = \"a b\"", "`name` has to be of letters"),
        ("against = \"pesto\"", "against = \"nobody\"", "`nobody` is none of: pesto"),
    ] {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE);
        std::fs::write(work.path().join("bad.toml"), text).unwrap();
        let answer = work.run(&["evolve", "bad.toml"]);
        assert_eq!(answer.code, 2, "{told}: {}", answer.err);
        assert!(answer.err.contains(told), "{told}: {}", answer.err);
    }
    let answer = work.run(&["evolve", "nothing.toml"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("nothing.toml"), "{}", answer.err);
    assert!(!work.path().join("runs").exists());
}
