//! `oplus ablate`: parts of the search played off against the whole.

use crate::support::Workdir;

#[test]
fn what_a_part_adds_has_its_sign() {
    let work = Workdir::new();
    let parts = ["ablate", "alpha-beta", "aspiration", "check-extension"];
    let play = [&parts[..], &["--games", "20", "--nodes", "400", "--depth", "4"]].concat();
    let answer = work.run(&play);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let row = |part: &str| {
        let row = answer.out.lines().find(|line| line.trim().starts_with(part)).unwrap();
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // No engine plays better by searching moves that cannot matter.
    let alpha_beta = row("alpha-beta");
    // Of a side that won every game only a bound is known: `> +123`.
    let least = if alpha_beta[4] == ">" { 0.0 } else { 100.0 };
    let elo = alpha_beta[4..].iter().find_map(|word| word.parse::<f64>().ok()).unwrap();
    assert!(elo > least, "{alpha_beta:?}");
    let [won, lost] = [1, 3].map(|column| alpha_beta[column].parse::<u32>().unwrap());
    assert!(won > lost, "{alpha_beta:?}");
    // The part that is worth most comes first.
    assert!(answer.out.find("alpha-beta").unwrap() < answer.out.find("aspiration").unwrap());
    let nodes: f64 = alpha_beta.last().unwrap().parse().unwrap();
    assert!(nodes > 5.0, "{alpha_beta:?}");
    // A search that extends needs more nodes, though play does without it.
    let nodes: f64 = row("check-extension").last().unwrap().parse().unwrap();
    assert!(nodes < 1.0, "{}", answer.out);
    // Finished jobs are not repeated.
    let again = work.run(&play);
    assert_eq!(again.out, answer.out);
    assert_eq!(std::fs::read_dir(work.path().join("runs/ablation/results")).unwrap().count(), 3);
}

/// The jobs are shown before, the page and its lines of JSON come after, and it can be found.
#[test]
fn an_ablation_is_a_plan_and_a_page() {
    let work = Workdir::new();
    let part = ["ablate", "alpha-beta", "--games", "4", "--nodes", "100", "--depth", "3"];
    let plan = work.run(&[&part[..], &["--plan", "--json"]].concat());
    assert_eq!(plan.code, 0, "{}", plan.err);
    let plan: serde_json::Value = serde_json::from_str(&plan.out).unwrap();
    assert_eq!(
        (&plan["jobs"][0]["kind"], &plan["jobs"][0]["state"]),
        (&"ablation".into(), &"ready".into())
    );
    let dry = work.run(&[&part[..], &["--dry-run"]].concat());
    assert!(dry.code == 0 && dry.out.contains("0 of 1 job"), "{}{}", dry.out, dry.err);
    assert!(!work.path().join("runs").exists(), "a plan runs nothing");
    let reply = work.run(&[&part[..], &["--json"]].concat());
    assert_eq!(reply.code, 0, "{}", reply.err);
    let result: serde_json::Value =
        serde_json::from_str(reply.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&result["event"], &result["parts"][0]["part"]),
        (&"result".into(), &"alpha-beta".into())
    );
    let page = std::fs::read_to_string(work.path().join("reports/ablation/index.html")).unwrap();
    assert!(page.contains("alpha-beta") && page.contains("oplus ablate"), "{page}");
    let status = work.run(&["runs", "status", "ablation", "--all"]);
    assert!(status.code == 0 && status.out.contains("alpha-beta"), "{}{}", status.out, status.err);
    let report = work.run(&["report", "ablation", "--out", "elsewhere"]);
    assert_eq!(report.code, 0, "{}", report.err);
    assert!(work.path().join("elsewhere/ablation/parts.csv").exists());
}

#[test]
fn every_part_is_listed_with_what_it_does() {
    let answer = Workdir::new().run(&["ablate", "--list"]);
    let null_move = answer.out.lines().find(|line| line.starts_with("null-move")).unwrap();
    assert!(null_move.ends_with("Cut off if a null move fails high"), "{null_move}");
    assert!(answer.out.lines().count() > 30);
}

#[test]
fn an_unknown_part_is_bad_usage() {
    let answer = Workdir::new().run(&["ablate", "nul-move"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("null-move"), "{}", answer.err);
}

#[test]
fn the_signature_tells_what_is_left_out() {
    let bench = |more: &[&str]| {
        let arguments = [&["bench", "--depth", "5"], more].concat();
        Workdir::new().run(&arguments).out.lines().next().unwrap().to_owned()
    };
    assert_ne!(bench(&[]), bench(&["--without", "null-move,killers"]));
}
