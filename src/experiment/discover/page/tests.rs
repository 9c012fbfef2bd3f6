use std::num::NonZeroU64;

use arena::{Decision, Limit, NetId, TooManyForfeits};
use discovery::Findings;
use features::FeatureSet;
use measure::{Pace, Remedy, Verdict};
use report::now::{Now, StageProgress};

use super::*;
use crate::discover::history::{Challenger, Round};
use crate::discover::planner::Model;
use crate::discover::pruning::Pruned;
use crate::discover::testing::tests::won;
use crate::discover::testing::{Test, Trial};
use crate::discover::training::{Gain, TrainedCandidate};
use crate::publish;
use crate::study::Chapter;

fn candidate(name: &str, gain: f64, q: f64) -> discovery::CandidateGain {
    discovery::CandidateGain {
        candidate: name.to_owned(),
        features: 1_152,
        active: 9.0,
        gain,
        low: gain - 0.1,
        high: gain + 0.1,
        p: q,
        q,
        ns_per_move: 210.0,
    }
}

fn model(expression: &str) -> Model {
    let set = FeatureSet::parse(expression).unwrap();
    Model { expression: expression.to_owned(), set, net: NetId::File(expression.to_owned()) }
}

fn pace(ns: f64) -> Option<Pace> {
    let pesto_ns_per_node = vec![300.0; 3];
    let ns_per_node = vec![ns; 3];
    Some(Pace { ns_per_node, pesto_ns_per_node, rows_per_node: 4.0, refreshed_rows_per_node: 0.0 })
}

fn at_equal_time(too_many_forfeits: Option<TooManyForfeits>) -> EloResult {
    let limit = Limit::EqualTime(1_000.try_into().unwrap());
    EloResult { limit, estimate: Estimate::symmetric(21.0, 12.0), games: 2_100, too_many_forfeits }
}

/// A round that PV won, pruned to a quarter of its rows.
fn history() -> History {
    let tried = TrainedCandidate {
        finding: candidate("PV", 0.4, 0.001),
        gain: Some(Gain { share: 1.0, percent: Estimate::symmetric(1.7, 0.5) }),
        model: Some(model("ALL + PV")),
        cost: Some(Estimate::symmetric(1.2, 0.05)),
        expected: -1.4,
    };
    let pruned = Pruned {
        rows: 288,
        gain: Some(Estimate::symmetric(1.5, 0.5)),
        is_borne: true,
        cost: None,
        model: None,
    };
    let equal = Limit::EqualTime(NonZeroU64::new(1_000).unwrap());
    let nodes = Limit::Nodes(NonZeroU64::new(1_000).unwrap());
    let challenger = Challenger {
        tried: tried.clone(),
        pruned: vec![pruned],
        model: model("ALL + PV"),
        pace: pace(900.0),
        trial: Some(Trial { nodes: won(nodes, 0), time: Some(won(equal, 0)) }),
    };
    let findings = Findings {
        loss: 0.0023,
        own_gain: Estimate::symmetric(0.04, 0.04),
        all: vec![candidate("PV", 0.4, 0.001), candidate("PASSED", 0.0, 0.4)],
    };
    let round = Round {
        base: model("ALL"),
        findings,
        tried: vec![tried],
        challengers: vec![challenger],
        is_over: true,
    };
    History { start_pace: pace(800.0), rounds: vec![round], ..History::default() }
}

fn found() -> FoundSet {
    FoundSet {
        set: "ALL + PV".to_owned(),
        baseline: "mirror(ALL)".to_owned(),
        verdict: Verdict::Pays,
        elo: vec![at_equal_time(None)],
        cost: Some(Estimate::symmetric(1.2, 0.05)),
        seeds: 3,
        gains: vec![Estimate::symmetric(1.6, 0.4)],
    }
}

fn page(history: &History, found: Option<FoundSet>, standing: Standing) -> Page {
    let shown = SearchPage {
        name: "search",
        question: "What helps?",
        start: "ALL",
        history,
        found,
        standing,
        warnings: Vec::new(),
        provenance: Provenance::default(),
    };
    shown.page().unwrap()
}

fn headline(page: &Page) -> &str {
    &page.findings[0].text
}

#[test]
fn the_page_shows_the_rounds_and_its_sheets_hold_every_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut shown = page(&history(), Some(found()), Standing::Over);
    let chapter = Chapter { folder: "verdict", about: "Verdict", page: Page::default() };
    shown.sections.push(publish::link(&chapter));
    let written = shown.write(folder.path()).unwrap();
    let html = std::fs::read_to_string(written.page).unwrap();
    for part in [
        "Found: ALL + PV beats mirror(ALL) in the confirming games: \
         <span class=\"keep\">+21 ± 12</span> Elo at equal time (1,000 reference nodes) \
         (2,100 games), time per node <span class=\"keep\">× 1.200 ± 0.050.</span>",
        "1.70<span class=\"pm\"> (1.20 to 2.20)</span>",
        "new base",
        "2 candidates, 1 discovery",
        "288",
        "no discovery",
        "<a href=\"verdict/index.html\">",
        "Candidates beside ALL",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("screened.csv").lines().count(), 3);
    let tests = read("tests.csv");
    let line = "1,ALL + PV,ALL,\"1,000 nodes\",100,3,stronger,";
    assert!(tests.contains(line), "{tests}");
    let elo =
        history().rounds[0].challengers[0].trial.as_ref().unwrap().nodes.tested.elo().unwrap();
    assert!(tests.contains(&format!("{line}{},{},{}", elo.value, elo.low, elo.high)), "{tests}");
    assert!(read("tried.csv").contains("1,ALL,PV,1,-1.4,"));
    assert!(read("pruned.csv").contains("1,PV,1152,288,true,1.5,1,2"));
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("no {text}"));
    let confirmed = place("id=\"verdict-elo\"");
    assert!(confirmed < place("id=\"front\""), "confirming games first");
    for figure in ["verdict-elo.svg", "front.svg"] {
        assert!(folder.path().join(figure).exists(), "{figure}");
    }
}

/// The page lists the best candidates, the sheet all.
#[test]
fn a_long_list_is_cut_on_the_page_alone() {
    let mut long = history();
    let all = (0..40).map(|at| candidate(&format!("C{at}"), 0.1, 0.4)).collect();
    long.rounds[0].findings.all = all;
    let shown = page(&long, None, Standing::Over);
    let on_page = shown.tables().find(|table| table.title == "Screened").unwrap();
    assert_eq!(on_page.rows.len(), 15);
    let sheet = shown.sheets.iter().find(|table| table.key == "screened").unwrap();
    assert_eq!(sheet.rows.len(), 40);
}

#[test]
fn without_a_set_found_the_page_claims_no_more_than_games_showed() {
    let mut way = history();
    let nothing = page(&way, None, Standing::Over);
    let text = "No set was shown to be better than ALL: 2 candidates screened, 1 of them \
                trained, 1 tested by games.";
    assert_eq!(headline(&nothing), text);
    if let Some(trial) = &mut way.rounds[0].challengers[0].trial {
        trial.nodes.tested.decision = Decision::AcceptH0;
    }
    let refused = page(&way, None, Standing::Over);
    let accepted = "The tests accepted no trained set as stronger than ALL.";
    assert_eq!(headline(&refused), accepted);
    way.rounds[0].tried.clear();
    way.rounds[0].challengers.clear();
    let untrained = page(&way, None, Standing::Over);
    assert!(headline(&untrained).contains("none of them was a discovery and trained"));
}

#[test]
fn rejected_candidates_have_the_reason_of_their_rejection() {
    let live = |way: &History| page(way, None, Standing::Over).live(&Now::default()).unwrap();
    let mut way = history();
    assert!(live(&way).contains("ALL + PV replaces ALL as the base."));
    let trial = way.rounds[0].challengers[0].trial.as_mut().unwrap();
    let test = trial.time.as_mut().unwrap();
    test.tested.decision = Decision::Continue;
    test.tested.played.result.pentanomial.counts.reverse();
    assert!(live(&way).contains("undecided at equal time, without a lead"));
    let round = &mut way.rounds[0];
    round.challengers.clear();
    round.tried[0].expected = 3.0;
    round.tried[0].gain = Some(Gain { share: 1.0, percent: Estimate::new(0.5, -0.2, 1.2) });
    let html = live(&way);
    assert!(html.contains("no measurable gain in loss") && !html.contains("others had more"));
}

/// The candidate that was tested at equal time goes before one with fixed nodes alone.
#[test]
fn a_rejected_candidate_answers_with_its_last_test() {
    let mut way = history();
    let round = &mut way.rounds[0];
    let lost = |test: &mut Test| {
        test.tested.decision = Decision::AcceptH0;
        test.tested.played.result.pentanomial.counts.reverse();
    };
    let mut at_nodes = round.challengers[0].clone();
    at_nodes.model = model("ALL + PH");
    if let Some(Trial { nodes, time }) = &mut at_nodes.trial {
        nodes.tested.decision = Decision::AcceptH0;
        *time = None;
    }
    round.challengers[0].trial.iter_mut().flat_map(|trial| &mut trial.time).for_each(lost);
    round.challengers.push(at_nodes);
    let shown = page(&way, None, Standing::Over);
    let answer: Vec<[&str; 2]> =
        shown.answer.iter().map(|fact| [fact.title.as_str(), fact.value.as_str()]).collect();
    let expected = [
        ["Found", "no better set"],
        ["Cost of the loser", "20.0 % more time per node"],
        ["Certainty", "2 of 2 candidates played"],
    ];
    assert_eq!(answer, expected);
    let [found, _, certainty] = &shown.answer[..] else { panic!() };
    assert!(found.detail.starts_with("ALL beats ALL + PV by "), "{}", found.detail);
    assert!(found.detail.contains("at equal time"), "{}", found.detail);
    assert!(certainty.detail.ends_with("1 seed, 100 games in all"));
    way.rounds[0].challengers.clear();
    assert!(page(&way, None, Standing::Over).answer.is_empty());
}

#[test]
fn only_the_confirming_games_say_found() {
    let says = |verdict: Verdict| {
        let shown = page(&history(), Some(FoundSet { verdict, ..found() }), Standing::Over);
        headline(&shown).to_owned()
    };
    assert!(says(Verdict::Pays).starts_with("Found: ALL + PV beats mirror(ALL) "));
    let strongest = |verdict: Verdict| {
        let shown = page(&history(), Some(FoundSet { verdict, ..found() }), Standing::Over);
        shown.answer.first().map(|fact| fact.value.clone())
    };
    assert_eq!(strongest(Verdict::Pays).as_deref(), Some("ALL + PV"));
    assert_eq!(strongest(Verdict::DoesNotPay).as_deref(), Some("mirror(ALL)"));
    assert_eq!(strongest(Verdict::Unknown), None);
    assert!(page(&history(), Some(found()), Standing::Grows).answer.is_empty());
    for verdict in [Verdict::DoesNotPay, Verdict::Undecided(Remedy::MoreSeeds), Verdict::Unknown] {
        let text = says(verdict);
        assert!(text.starts_with("Not ") && !text.contains("Found"), "{text}");
    }
}

#[test]
fn headline_and_table_withhold_what_the_verdict_withholds() {
    let forfeits = TooManyForfeits::of(40, 2_100);
    let verdict = Verdict::Withheld(forfeits.unwrap());
    let invalid = FoundSet { elo: vec![at_equal_time(forfeits)], verdict, ..found() };
    let shown = page(&history(), Some(invalid), Standing::Over);
    let text = "Not confirmed: the best candidate, ALL + PV, has no verdict against \
                mirror(ALL): no verdict at equal time (1,000 reference nodes): 40 of 2100 games were \
                forfeited (more than 1 %), time per node × 1.200 ± 0.050.";
    assert_eq!(headline(&shown), text);
    assert!(shown.answer.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let html = std::fs::read_to_string(shown.write(folder.path()).unwrap().page).unwrap();
    assert!(!html.contains("+21"), "the table withholds it too");
}

/// A machine that is half as fast at the second timing draws no set at half the speed.
#[test]
fn speeds_on_the_plot_are_relative_to_the_start() {
    let mut way = history();
    let busy = way.rounds[0].challengers[0].pace.as_mut().unwrap();
    busy.ns_per_node.iter_mut().chain(&mut busy.pesto_ns_per_node).for_each(|ns| *ns *= 2.0);
    let front = |history: &History| {
        let figure = plots::front("ALL", history).unwrap().unwrap();
        figure.svg.inline()
    };
    assert_eq!(front(&way), front(&history()));
}

/// Tests of the search stand beside the confirming games where they have a limit in common.
#[test]
fn the_plot_of_the_verdict_has_valid_results_alone() {
    let drawn =
        |elo: Vec<EloResult>| plots::verdict(&FoundSet { elo, ..found() }, &history()).unwrap();
    let both = drawn(vec![at_equal_time(None)]).unwrap();
    let text = both.svg.inline();
    assert!(text.contains("over mirror(ALL)") && text.contains("over ALL"), "{text}");
    assert!(both.caption.contains("inflates"), "{}", both.caption);
    let other = Limit::EqualTime(5_000.try_into().unwrap());
    let alone = drawn(vec![EloResult { limit: other, ..at_equal_time(None) }]).unwrap();
    assert!(!alone.svg.inline().contains("tests of the search"));
    assert!(!alone.caption.contains("inflates"), "{}", alone.caption);
    assert!(drawn(vec![at_equal_time(TooManyForfeits::of(40, 2_100))]).is_none());
}

#[test]
fn a_live_page_shows_the_work_under_way_and_names_no_files() {
    let now = Now {
        stages: vec![StageProgress { name: "screening".to_owned(), done: 0, jobs: 1 }],
        ..Now::default()
    };
    let begun = page(&history(), None, Standing::Grows).live(&now).unwrap();
    assert!(begun.contains("The search for a set better than ALL is running."));
    assert!(begun.contains("screening") && !begun.contains(".csv"));
    let judged = page(&history(), Some(found()), Standing::Grows).live(&now).unwrap();
    assert!(judged.contains(
        "ALL + PV is the best candidate; its confirming games against mirror(ALL) are running"
    ));
    assert!(!judged.contains("Confirmation by nets of other seeds"));
    let failed = Standing::Failed("training ALL: the loss is no number".to_owned());
    let failed = page(&history(), None, failed).live(&now).unwrap();
    assert!(failed.contains("failed: training ALL: the loss is no number."));
}

#[test]
#[ignore = "writes pages to look at into target/report-demo"]
fn write_pages_to_look_at() {
    let demo = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/report-demo");
    let shown = page(&history(), Some(found()), Standing::Over);
    shown.write(&demo.join("discovery")).unwrap();
}
