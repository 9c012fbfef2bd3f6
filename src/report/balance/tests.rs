//! Pages of invented comparisons.

use super::*;

fn row(label: &str, nodes: f64, time: f64) -> BalanceRow {
    let elo = |value: f64| Estimate::new(value, value - 20.0, value + 20.0);
    BalanceRow {
        label: label.to_owned(),
        nets: 3,
        at_nodes: Some((elo(nodes), 1000)),
        at_time: Some((elo(time), 400)),
        expected: Some(elo(time + 3.0)),
        cost: Some(Estimate::new(1.25, 1.22, 1.29)),
        nodes_per_second: Some(Estimate::new(800e3, 780e3, 820e3)),
        rows_per_node: Some(13.2),
        refreshed_rows_per_node: Some(0.4),
        puzzles: Some(Estimate::new(0.61, 0.59, 0.63)),
        puzzle_lead: Some(Estimate::new(0.013, 0.002, 0.024)),
        validation_loss: None,
        verdict: "pays".to_owned(),
        tone: crate::Verdict::Better,
    }
}

fn report() -> BalanceReport {
    let reference = BalanceRow { at_nodes: None, at_time: None, ..row("ALL", 0.0, 0.0) };
    BalanceReport {
        title: "ALL & <others>".to_owned(),
        conditions: vec![("machine".to_owned(), "Imaginary Chip".to_owned())],
        node_limit: "4096 nodes a move".to_owned(),
        time_limit: "20 ms a move".to_owned(),
        reference,
        rows: vec![row("ALL + H", 35.0, 21.0), row("ALL + MB", 50.0, -40.0)],
        price: Some(Estimate::new(90.0, 70.0, 110.0)),
        warnings: vec!["fixed time: 2 games repeat".to_owned()],
    }
}

fn written(report: &BalanceReport) -> (tempfile::TempDir, WrittenFiles, String) {
    let folder = tempfile::tempdir().unwrap();
    let files = write(report, folder.path()).unwrap();
    let page = std::fs::read_to_string(&files.page).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
    (folder, files, page)
}

#[test]
fn the_page_says_what_pays() {
    let (_folder, files, page) = written(&report());
    assert_eq!(files.plots.len(), 2);
    for part in [
        "ALL &#38; &#60;others&#62;",
        "Twice the time is worth +90 ± 20 Elo to ALL",
        "Elo, 4096 nodes a move",
        "13.2 + 0.4",
        "2 games repeat",
        "+1.3 ± 1.1",
    ] {
        assert!(page.contains(part), "{part} is not on the page:\n{page}");
    }
    let sheet = std::fs::read_to_string(&files.sheets[0]).unwrap();
    assert_eq!(sheet.lines().count(), 4);
    assert!(sheet.contains("ALL + MB,3,50.00,30.00,70.00,-40.00,-60.00,-20.00"), "{sheet}");
}

#[test]
fn what_was_not_measured_is_left_out() {
    let bare = |label: &str| BalanceRow { label: label.to_owned(), nets: 1, ..Default::default() };
    let report = BalanceReport {
        reference: bare("ALL"),
        rows: vec![bare("ALL + H")],
        price: None,
        warnings: Vec::new(),
        ..report()
    };
    let (_folder, files, page) = written(&report);
    assert!(files.plots.is_empty());
    assert!(!page.contains("Twice the time"));
}
