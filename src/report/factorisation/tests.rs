use super::*;
use crate::Provenance;
use crate::files::folder_to_look_at;

fn row(kind: &str, components: usize, elo: Option<Estimate>) -> FactorRow {
    FactorRow {
        kind: kind.to_owned(),
        seed: 1,
        seconds: 60.0,
        components: vec![0xffff_0000_00ff_00ff; components],
        cells: [[3; 64]; 12],
        literals: 2 * components + 1,
        bytes: 20 * components + 12,
        mean_squared_error: 400.0 / components as f64,
        largest_error: 44,
        evaluation_error: elo.map(|_| 12.5),
        elo,
    }
}

fn report() -> FactorisationReport {
    let rows = vec![
        row("genetic, plain", 5, None),
        row("annealing, evaluation", 12, Some(Estimate::new(-8.0, -14.0, -2.0))),
    ];
    FactorisationReport {
        tables: "pesto & <co>".to_owned(),
        original: [[5; 64]; 12],
        rows,
        games: "5,000 nodes a move.".to_owned(),
        provenance: Provenance::default(),
    }
}

#[test]
fn a_page_shows_every_row_and_plots_what_there_is() {
    let report = report();
    assert_eq!(report.shown().unwrap().kind, "annealing, evaluation");
    let folder = tempfile::tempdir().unwrap();
    let written = write(&report, folder.path()).unwrap();
    let page = std::fs::read_to_string(&written.page).unwrap();
    assert!(page.contains("pesto &#38; &#60;co&#62;"), "{page}");
    for told in ["genetic, plain", "80.0", "33.3", "12.5", "5,000 nodes a move."] {
        assert!(page.contains(told), "{told}");
    }
    let names: Vec<_> =
        written.plots.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
    assert_eq!(names, ["components", "middlegame", "endgame", "errors", "evaluation", "elo"]);
    let sheet = std::fs::read_to_string(&written.sheets[0]).unwrap();
    assert_eq!(sheet.lines().count(), 3);
    assert!(sheet.contains("-8,-14,-2"), "{sheet}");
}

#[test]
#[ignore = "writes a page to look at into target/report-demo"]
fn write_pages_to_look_at() {
    write(&report(), &folder_to_look_at("factorisation")).unwrap();
}
