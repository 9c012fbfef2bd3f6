//! Names of one's own, in files and on the command line.

use crate::support::Workdir;

/// The experiment with another text for its one definition.
fn with_definition(work: &Workdir, definition: &str) {
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("CENTRE = ").unwrap();
    let (own, rest) = rest.split_once('\n').unwrap();
    std::fs::write(path, format!("{head}CENTRE = {own}\n{definition}\n{rest}")).unwrap();
}

/// The same rule in a file and on the command line.
#[test]
fn names_of_the_catalogue_keep_their_meaning() {
    let work = Workdir::new();
    let reply = ["`ALL` is a name of the catalogue", "piece(SQUARES * PIECES)", "another name"];
    with_definition(&work, "ALL = \"H\"");
    let in_file = work.run(&["run", "small.toml", "--dry-run"]);
    assert_eq!(in_file.code, 2, "{}", in_file.err);
    in_file.assert_shows(&reply);
    for command in [
        vec!["features", "ALL", "--define", "ALL=H"],
        vec!["train", "ALL", "--define", "ALL=H", "--data", "none.viri", "--out", "net"],
    ] {
        let answer = work.run(&command);
        assert_eq!(answer.code, 2, "{}", answer.err);
        answer.assert_shows(&reply);
    }
    // A definition equal to the catalogue's is allowed.
    with_definition(&work, "ALL = \"piece(SQUARES * ROLES * COLORS)\"");
    let answer = work.run(&["run", "small.toml", "--dry-run"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
}

#[test]
fn broken_definitions_are_errors_though_unused() {
    let work = Workdir::new();
    for (definition, reply) in [
        ("TORN = \"piece({d4, e9} * PIECES)\"", "e9"),
        ("GAP = [0, 0, 0, 0, 2, 2, 2, 2]", "without a gap"),
        ("NOBODY = \"CENTER + ALL\"", "did you mean `CENTRE`?"),
    ] {
        with_definition(&work, definition);
        let answer = work.run(&["run", "small.toml", "--dry-run"]);
        assert_eq!(answer.code, 2, "{definition}: {}", answer.out);
        answer.assert_shows(&[reply, "small.toml"]);
        let name = definition.split(' ').next().unwrap();
        assert!(answer.err.contains(name), "the line is shown: {}", answer.err);
    }
    let answer = work.run(&["features", "ALL", "--define", "TORN=piece({d4, e9} * PIECES)"]);
    assert_eq!(answer.code, 2, "{}", answer.out);
    answer.assert_shows(&["e9", "definition of TORN"]);
}

/// Lists may stand in a file as lists.
#[test]
fn lists_need_no_quotes() {
    let work = Workdir::new();
    let sets = "grid.features=[\"piece(FILES / HALVES * PIECES)\"]";
    let reference = "evaluation.reference=\"\"";
    for list in ["[0, 0, 0, 0, 1, 1, 1, 1]", "\"[0, 0, 0, 0, 1, 1, 1, 1]\""] {
        with_definition(&work, &format!("HALVES = {list}"));
        let answer =
            work.run(&["run", "small.toml", "--dry-run", "--set", sets, "--set", reference]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        assert!(answer.out.contains("piece(FILES / HALVES * PIECES)"), "{}", answer.out);
    }
    with_definition(&work, "HALVES = 8");
    let answer = work.run(&["run", "small.toml", "--dry-run"]);
    assert_eq!(answer.code, 2);
    answer.assert_shows(&["expected an expression in quotes, or a list of numbers"]);
}

#[test]
fn one_set_under_two_names_is_refused() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let twice = "grid.features=[\"H\", \"ALL\", \"piece(SQUARES * ROLES * COLORS)\"]";
    let answer = work.run(&["run", "small.toml", "--dry-run", "--set", twice]);
    assert_eq!(answer.code, 2, "{}", answer.out);
    answer.assert_shows(&[
        "`piece(SQUARES * ROLES * COLORS)` and `ALL` are the same set",
        "compared with itself",
        "keep one of them",
    ]);
}
