use super::*;
use crate::files::folder_to_look_at;
use crate::now::Stage;
use crate::{EloResult, Spoilt};
use arena::Limit;

fn row(candidate: &str, gain: f64, is_discovery: bool) -> ScreenedRow {
    ScreenedRow {
        candidate: candidate.to_owned(),
        features: 1_152,
        gain: Estimate::symmetric(gain, 0.1),
        q: if is_discovery { 0.001 } else { 0.4 },
        ns: 210.0,
        is_discovery,
        was_trained: is_discovery,
    }
}

fn on_the_clock(spoilt: Option<Spoilt>) -> EloResult {
    let limit = Limit::MovetimeMs(10.try_into().unwrap());
    EloResult { limit, estimate: Estimate::symmetric(21.0, 12.0), games: 2_100, spoilt }
}

fn report() -> DiscoveryReport {
    let tried = TriedRow {
        candidate: "PV".to_owned(),
        share: Some(1.0),
        gain: Some(Estimate::symmetric(1.7, 0.5)),
        cost: Some(Estimate::symmetric(1.2, 0.05)),
        expected: -1.4,
        fate: "took the place of the set before it".to_owned(),
    };
    let test = TestRow {
        challenger: "ALL + PV".to_owned(),
        limit: "1,000 nodes".to_owned(),
        elo: Some(Estimate::symmetric(20.0, 9.0)),
        games: 640,
        llr: 2.97,
        is_refused: false,
        decision: "stronger".to_owned(),
    };
    let pruned = PrunedRow {
        candidate: "PV".to_owned(),
        of: 1_152,
        rows: 288,
        gain: Some(Estimate::symmetric(1.5, 0.5)),
        is_borne: true,
    };
    let point = |set: &str, elo: Option<f64>| FrontPoint {
        set: set.to_owned(),
        speed: Estimate::symmetric(1.2e6, 1e4),
        elo: elo.map(|elo| Estimate::symmetric(elo, 9.0)),
        is_taken: true,
    };
    DiscoveryReport {
        name: "search".to_owned(),
        question: "What helps?".to_owned(),
        start: "ALL".to_owned(),
        standing: Standing::Over,
        found: Some(FoundSet {
            set: "ALL + PV".to_owned(),
            rival: "mirror(ALL)".to_owned(),
            elo: vec![on_the_clock(None)],
            cost: Some(Estimate::symmetric(1.2, 0.05)),
            gains: vec![Estimate::symmetric(1.6, 0.4)],
            page: "verdict/index.html".to_owned(),
        }),
        warnings: Vec::new(),
        front: vec![point("ALL", None), point("ALL + PV", Some(20.0))],
        rounds: vec![RoundReport {
            base: "ALL".to_owned(),
            loss: 0.0023,
            own_gain: Estimate::symmetric(0.04, 0.04),
            screened: vec![row("PV", 0.4, true), row("PASSED", 0.0, false)],
            tried: vec![tried],
            pruned: vec![pruned],
            tests: vec![test],
            is_over: true,
            taken: Some("ALL + PV".to_owned()),
        }],
        rivals: Vec::new(),
        games: Vec::new(),
        provenance: Provenance::default(),
    }
}

#[test]
fn the_page_tells_the_way_and_its_sheets_hold_every_number() {
    let folder = tempfile::tempdir().unwrap();
    let written = write(&report(), folder.path()).unwrap();
    let page = std::fs::read_to_string(written.page).unwrap();
    for told in [
        "Found: ALL + PV. Against mirror(ALL): +21 ± 12 Elo at 10 ms a move (2,100 games).",
        "1.70 (1.20 to 2.20)",
        "took the place of the set before it",
        "2 candidates, 1 discovery",
        "288",
        "no discovery",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("screened.csv").lines().count(), 3);
    assert!(
        read("tests.csv").contains("1,ALL + PV,ALL,\"1,000 nodes\",640,2.97,stronger,20,11,29")
    );
    assert!(read("tried.csv").contains("1,ALL,PV,1,-1.4,"));
    assert!(read("pruned.csv").contains("1,PV,1152,288,true,1.5,1,2"));
}

#[test]
fn where_nothing_was_found_the_page_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = DiscoveryReport { found: None, ..report() };
    let page = std::fs::read_to_string(write(&nothing, folder.path()).unwrap().page).unwrap();
    let told = "Nothing was shown to be better than ALL: 2 candidates screened, 1 of them were \
                trained, and games refused 0.";
    assert!(page.contains(told), "{}", nothing.headline());
    let mut refused = nothing;
    refused.rounds[0].tests[0].is_refused = true;
    assert_eq!(refused.headline(), "Nothing that was tried is better than ALL.");
    refused.rounds[0].tried.clear();
    refused.rounds[0].tests.clear();
    assert!(refused.headline().contains("none of them was a discovery and trained"));
}

#[test]
fn the_headline_withholds_what_the_verdict_withholds() {
    let mut spoilt = report();
    if let Some(found) = &mut spoilt.found {
        found.elo = vec![on_the_clock(Spoilt::of(40, 2_100))];
    }
    let told = "Found: ALL + PV. Against mirror(ALL): no verdict at 10 ms a move, since 40 of 2100 \
                games were lost otherwise than by chess (more than 1 %).";
    assert_eq!(spoilt.headline(), told);
    let folder = tempfile::tempdir().unwrap();
    let page = std::fs::read_to_string(write(&spoilt, folder.path()).unwrap().page).unwrap();
    assert!(!page.contains("+21 ± 12"), "the table withholds it too");
}

#[test]
fn a_page_that_lives_says_what_is_under_way_and_names_no_files() {
    let now = Now {
        stages: vec![Stage { name: "screening".to_owned(), done: 0, jobs: 1 }],
        ..Now::default()
    };
    let begun = DiscoveryReport { found: None, standing: Standing::UnderWay, ..report() };
    let page = live(&begun, &now).unwrap();
    assert!(page.contains("A search for a set that is better than ALL, under way."));
    assert!(page.contains("screening") && !page.contains(".csv"));
    let judged = live(&DiscoveryReport { standing: Standing::UnderWay, ..report() }, &now).unwrap();
    assert!(judged.contains("it is being judged against mirror(ALL)"));
    assert!(!judged.contains("Judged by nets of other seeds"));
    let standing = Standing::Failed("training ALL: the loss is no number".to_owned());
    let failed = DiscoveryReport { found: None, standing, ..report() };
    assert!(live(&failed, &now).unwrap().contains("ended: training ALL: the loss is no number."));
}

#[test]
#[ignore = "writes a page to look at into target/report-demo"]
fn write_pages_to_look_at() {
    write(&report(), &folder_to_look_at("discovery")).unwrap();
}
