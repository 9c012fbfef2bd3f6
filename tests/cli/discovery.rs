//! `oplus screen` and `oplus rank`, as people use them.

use crate::support::Workdir;

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/bootstrap.oarc");

#[test]
fn candidates_are_ranked_and_written_down() {
    let work = Workdir::new();
    let answer = work.run(&[
        "screen",
        "--candidates",
        "PH; BISHOP-PAIR",
        "--data",
        BUNDLED,
        "--positions",
        "20000",
        "--csv",
        "gains.csv",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("of 2 are discoveries"), "{}", answer.out);
    let sheet = std::fs::read_to_string(work.path().join("gains.csv")).unwrap();
    let lines: Vec<&str> = sheet.lines().collect();
    assert_eq!(lines[0], "candidate,features,active,gain,gain_low,gain_high,p,q,ns_per_move,pay");
    assert_eq!(lines.len(), 3, "{sheet}");
    for (name, features) in [("PH", "1152"), ("BISHOP-PAIR", "2")] {
        assert!(sheet.contains(&format!("\n{name},{features},")), "{sheet}");
    }
    let screen = ["screen", "--candidates", "PH", "--data", BUNDLED, "--positions", "20000"];
    let answer = work.run(&[&screen[..], &["--json"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let found: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert!(found["loss"].is_f64(), "{found}");
    assert_eq!(found["candidates"][0]["candidate"], "PH", "{found}");
}

#[test]
fn unscreenable_candidates_are_errors_before_reading() {
    let work = Workdir::new();
    let screen = |candidates: &str, data: &str, positions: &str| {
        let args = ["screen", "--candidates", candidates, "--data", data, "--positions", positions];
        let answer = work.run(&args);
        (answer.code, answer.err)
    };
    // There is no data, and none is needed yet.
    for (candidates, why) in [
        ("mirror(ALL)", "the net contains `mirror(ALL)`"),
        ("PH; pair(RANKS * PIECES * PIECES)", "are the same set"),
        ("PASED", "PASSED"),
    ] {
        let (code, err) = screen(candidates, "nowhere.pgn", "1000");
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(why), "{err}");
    }
    let (code, err) = screen("PH", "nowhere.pgn", "1000");
    assert!(code != 0 && err.contains("nowhere.pgn"), "{err}");
    let (code, err) = screen("PH", BUNDLED, "1000");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("games are too few"), "{err}");
}

#[test]
fn half_move_clocks_are_looked_for_in_data_without_any() {
    let work = Workdir::new();
    let converted = work.run(&["data", "convert", BUNDLED, "list.data"]);
    assert_eq!(converted.code, 0, "{}", converted.err);
    let set = "halfmoves(BANDS(4)) * ALL";
    let quiet = "validation = 0.3\nfilter = { base = \"quiet\", quiet_lists = true }";
    let file = search("grammar = \"none\"").replace(BUNDLED, "list.data");
    let file = file.replace("validation = 0.3", quiet);
    std::fs::write(work.path().join("ok.toml"), &file).unwrap();
    std::fs::write(
        work.path().join("small.toml"),
        file.replace("\"ALL\", ", &format!("\"{set}\", ")),
    )
    .unwrap();
    for args in [
        &["screen", "--candidates", set, "--data", "list.data"][..],
        &["discover", "small.toml", "--dry-run"],
    ] {
        let answer = work.run(args);
        assert_ne!(answer.code, 0, "{args:?}: {}", answer.out);
        answer.assert_shows(&["list.data", "has no half-move clocks", "`halfmoves`"]);
    }
    let answer = work.run(&["discover", "ok.toml", "--dry-run"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
}

#[test]
fn rows_are_ranked_and_those_kept_make_a_set() {
    let work = Workdir::new();
    let requested = ["rank", "--data", BUNDLED, "--positions", "1500", "--picture", "squares.svg"];
    let answer = work.run(&[&requested[..], &["--top", "100", "--out", "rows.txt"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    for reply in ["increases are in per cent", "saliency"] {
        assert!(answer.out.contains(reply), "{}", answer.out);
    }
    let rows = std::fs::read_to_string(work.path().join("rows.txt")).unwrap();
    assert_eq!(rows.lines().count(), 100);
    let picture = std::fs::read_to_string(work.path().join("squares.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains("knight"));
    assert!(rows.lines().all(|line| line.contains(" # own ") || line.contains(" # other ")));
    let kept = work.run(&["features", "top(ALL, \"rows.txt\")"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert!(kept.out.contains("100"), "{}", kept.out);
}

#[test]
fn a_block_that_is_not_there_is_named_with_those_that_are() {
    let work = Workdir::new();
    let answer = work.run(&["rank", "--data", BUNDLED, "--block", "PH"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("`PH` is not a summand of the net"), "{}", answer.err);
}

/// A search, in `small.toml`, that finds something: where pieces stand is worth more than on which files.
pub(crate) fn search(more: &str) -> String {
    format!(
        r#"
name = "small"
question = "Do squares help files?"

[grid]
features = ["H", "H + V"]
layers = ["8 -> 1"]
seed = [1]

[define]
OPEN-LINES = "OPEN-FILES"

[data]
train = ["{BUNDLED}"]
validation = 0.3

[training]
epochs = 6
positions_per_epoch = 40_000
batch = 2_048
learning_rate = 5e-3

[evaluation]
match = [{{ nodes = 200, games = 4 }}]
speed_rounds = 1
timing_rounds = 4
hash_mb = 1

[discover]
rounds = 2
candidates = ["ALL", "OPEN-LINES"]
screened = 100_000
prior = 300.0
trained = 2
stages = [0.5, 1]
keep = [0.5]
prune_from = 700
elo_per_percent = 1000.0
games = 20
nodes = 200
{more}
"#
    )
}

#[test]
fn a_search_finds_squares_judges_them_and_goes_no_way_twice() {
    let work = Workdir::new();
    let file = search("grammar = \"none\"");
    std::fs::write(work.path().join("small.toml"), file).unwrap();
    let plan = work.run(&["discover", "small.toml", "--plan"]);
    assert!(plan.code == 0 && plan.out.contains("more jobs follow"), "{}{}", plan.out, plan.err);
    assert!(!work.path().join("runs").exists(), "a plan runs nothing");
    let answer = work.run(&["discover", "small.toml"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    // Four games of verdict may confirm the winner or not.
    let ends = ["Found: H + ALL", "the best candidate, H + ALL"];
    assert!(ends.iter().any(|end| answer.out.contains(end)), "{}", answer.out);
    assert!(answer.out.contains("at equal time (200 reference nodes)"), "{}", answer.out);
    let read = |name: &str| std::fs::read_to_string(work.path().join("reports/small").join(name));
    let page = read("index.html").unwrap();
    for part in ["Round 1", "Screened", "Trained", "Pruned", "Tested", "verdict/index.html"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(read("verdict/index.html").unwrap().contains("Do squares help files?"));
    let screened = read("screened.csv").unwrap();
    assert!(screened.starts_with("round,base,candidate,features,q"), "{screened}");
    assert!(screened.contains("\n1,H,ALL,768,"), "{screened}");
    // A name of the file is shown with its definition.
    assert!(screened.contains("piece(FILES * {pawn}"), "{screened}");
    let pruned = read("pruned.csv").unwrap();
    assert!(pruned.contains("\n1,ALL,768,384,"), "{pruned}");
    let again = work.run(&["discover", "small.toml"]);
    assert_eq!((again.code, again.out), (0, answer.out));
    assert!(!again.err.contains("training") && !again.err.contains("screening"), "{}", again.err);

    let status = work.run(&["runs", "status", "small"]);
    assert_eq!(status.code, 0, "{}", status.err);
    assert!(status.out.contains("all jobs are done; --all"), "{}", status.out);
    let all = work.run(&["runs", "status", "small", "--all"]);
    assert!(all.out.contains("screening beside H") && all.out.contains("sprt"), "{}", all.out);
    let report = work.run(&["report", "small.toml", "--out", "elsewhere"]);
    assert_eq!(report.code, 0, "{}", report.err);
    let elsewhere = work.path().join("elsewhere/small");
    assert_eq!(std::fs::read_to_string(elsewhere.join("index.html")).unwrap(), page);
    assert!(elsewhere.join("verdict/index.html").exists());
    let reply = work.run(&["discover", "small.toml", "--json"]);
    let result: serde_json::Value =
        serde_json::from_str(reply.out.lines().last().unwrap()).unwrap();
    assert_eq!(result["event"], "result", "{}", reply.err);
    assert_eq!(result["more"][0]["results"].as_array().unwrap().len(), 2, "{result:#}");
}

#[test]
fn a_search_that_cannot_be_meant_is_refused_where_it_says_so() {
    let work = Workdir::new();
    for (more, why) in [
        ("grammar = \"nome\"", "`nome` is none of"),
        ("grammar = \"none\"\nseed = 1", "reserved for the verdict"),
        ("grammar = \"none\"\nlose = 2.0", "a share from 0 to 1"),
        ("grammar = \"none\"\nround = 2", "did you mean `rounds`"),
    ] {
        std::fs::write(work.path().join("wrong.toml"), search(more)).unwrap();
        let answer = work.run(&["discover", "wrong.toml"]);
        assert_eq!(answer.code, 2, "{}", answer.err);
        assert!(answer.err.contains(why), "{why}: {}", answer.err);
    }
    std::fs::write(work.path().join("small.toml"), search("grammar = \"none\"")).unwrap();
    let run = work.run(&["run", "small.toml"]);
    assert!(run.code == 2 && run.err.contains("oplus discover small.toml"), "{}", run.err);
    let plain = "name = \"x\"\n[grid]\nfeatures = [\"ALL\"]\n[data]\ntrain = [\"x.pgn\"]\n";
    std::fs::write(work.path().join("plain.toml"), plain).unwrap();
    let none = work.run(&["discover", "plain.toml"]);
    assert_eq!(none.code, 2, "{}", none.err);
    none.assert_shows(&["plain.toml is an experiment", "no `[discover]` table"]);
}
