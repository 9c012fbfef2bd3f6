use report::CurveSeries;

use super::*;

fn comparison() -> MethodComparison {
    let method = |label: &str, with_white: f64| MethodRow {
        label: label.to_owned(),
        seeds: 3,
        unit: "games",
        spent: 10_000.0,
        rounds: 250.0,
        seconds: 42.0,
        diversity: 0.125,
        colours: Some(ColourShares { with_white, scores: [0.55, 0.45] }),
        errors: Some(ErrorMeans { judged_by: Estimate::symmetric(0.075, 0.001), held_out: None }),
        trials: vec![
            Some(TrialResult { elo: Estimate::symmetric(30.0, 12.0), white: 0.54, games: 1_200 }),
            None,
        ],
    };
    let points: Vec<(f64, Estimate)> = [(0.0, 0.0), (5_000.0, 20.0), (10_000.0, 30.0)]
        .map(|(spent, elo)| (spent, Estimate::symmetric(elo, 10.0)))
        .into();
    let series = |label: &str| CurveSeries {
        label: label.to_owned(),
        points: points.clone(),
        band: points.clone(),
        ..CurveSeries::default()
    };
    MethodComparison {
        name: "phoenix".to_owned(),
        question: "Does it climb?".to_owned(),
        warnings: vec!["the games of `white` were with White alone".to_owned()],
        unit: "games",
        trials: vec!["against start".to_owned(), "against pesto".to_owned()],
        methods: vec![method("genetic", 0.5), method("white", 1.0)],
        panels: vec![LearningPanel {
            remark: String::new(),
            title: "Elo against start".to_owned(),
            unit: "Elo".to_owned(),
            across: "games".to_owned(),
            series: vec![series("genetic"), series("white")],
        }],
        ablations: vec![Ablations {
            evaluation: "pesto".to_owned(),
            games: 1_000,
            nodes: 3_000,
            depth: 8,
            rows: vec![AblationRow {
                part: "null-move".to_owned(),
                about: "Cut off".to_owned(),
                elo: Some(Estimate::symmetric(41.0, 12.0)),
                nodes: 1.5,
            }],
        }],
        provenance: Provenance::default(),
    }
}

#[test]
fn the_page_shows_each_method_and_flags_one_colour() {
    let folder = tempfile::tempdir().unwrap();
    let written = comparison().page().unwrap().write(folder.path()).unwrap();
    let page = std::fs::read_to_string(&written.page).unwrap();
    for expected in [
        "Does it climb?",
        "White alone: 55.0 %",
        "55.0 % with White, 45.0 % with Black",
        "+30",
        "White scored 54.0 % against start.",
        "with White alone",
        "<svg",
        "0.0750<span class=\"pm\"> ± 0.0010</span>",
        "1,000 games each at 3,000 nodes per move",
        "+41",
        "nodes to depth 8",
        "× 1.50",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    // The warning stands before the table.
    assert!(page.find("with White alone").unwrap() < page.find("<table").unwrap());
    let curves = std::fs::read_to_string(folder.path().join("curves.csv")).unwrap();
    assert_eq!(curves.lines().count(), 7);
    let parts = std::fs::read_to_string(folder.path().join("ablations.csv")).unwrap();
    assert_eq!(parts.lines().nth(1), Some("null-move,pesto,1000,3000,8,1.5,41,29,53"));
    let methods = std::fs::read_to_string(folder.path().join("methods.csv")).unwrap();
    assert!(methods.lines().nth(1).unwrap().starts_with("genetic,3,games,10000,250,42,0.125,0.5,"));
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    comparison().page().unwrap().write(&demo.join("evolution")).unwrap();
}
