use super::*;
use crate::factorisation::{
    EvaluationRms, FactorGames, FactorLoss, FactorMethod, OFFSET_STEP, TABLES,
};

fn record(
    method: FactorMethod,
    loss: FactorLoss,
    components: usize,
    elo: Option<[f64; 3]>,
) -> Record {
    Record {
        tables: "pesto & <co>".to_owned(),
        method,
        loss,
        seed: 1,
        seconds: 60.04,
        components: vec!["ffff000000ff00ff".to_owned(); components],
        weights: vec![[1; TABLES]; components],
        offsets: [3; TABLES],
        step: OFFSET_STEP,
        literals: 2 * components + 1,
        bytes: 20 * components + 12,
        mean_squared_error: 400.0 / components as f64,
        largest_error: 44,
        evaluation_error: elo.map(|_| EvaluationRms {
            seen: 12.0,
            seen_positions: 800,
            held_out: 12.5,
            held_out_positions: 800,
        }),
        games: elo.map(|elo| FactorGames {
            elo,
            games: 400,
            terms: "5,000 nodes per move".to_owned(),
        }),
    }
}

fn shown() -> Page {
    let records = [
        record(FactorMethod::Genetic, FactorLoss::Plain, 5, None),
        record(FactorMethod::Annealing, FactorLoss::Evaluation, 12, Some([-8.0, -14.0, -2.0])),
    ];
    of("pesto & <co>", &[[5; TABLES]; 64], &records, Provenance::default()).unwrap()
}

#[test]
fn a_page_shows_every_row_and_plots_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let written = shown().write(folder.path()).unwrap();
    let page = std::fs::read_to_string(&written.page).unwrap();
    assert!(page.contains("pesto &#38; &#60;co&#62;"), "{page}");
    for part in [
        "The components of 12, annealing, evaluation, seed 1",
        "genetic, plain",
        "80.0",
        "33.3",
        "12.5",
        "5,000 nodes per move.",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let names: Vec<_> =
        written.plots.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
    assert_eq!(names, ["components", "middlegame", "endgame", "errors", "evaluation", "elo"]);
    let sheet = std::fs::read_to_string(&written.sheets[0]).unwrap();
    assert_eq!(sheet.lines().count(), 3);
    let last = "\"12, annealing, evaluation, seed 1\",12,\"annealing, evaluation\",1,60.0,25,252,\
                33.333,44,12.500,-8,-14,-2";
    assert_eq!(sheet.lines().nth(2), Some(last));
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    shown().write(&demo.join("factorisation")).unwrap();
}
