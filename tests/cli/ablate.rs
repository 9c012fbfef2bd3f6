//! `oplus ablate`: parts of the search played off against the whole.

use crate::support::Workplace;

#[test]
fn what_a_part_adds_has_its_sign() {
    let work = Workplace::new();
    let parts = ["ablate", "alpha-beta", "aspiration", "check-extension"];
    let play = [&parts[..], &["--games", "20", "--nodes", "400", "--depth", "4"]].concat();
    let answer = work.run(&play);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let row = |part: &str| {
        let row = answer.out.lines().find(|line| line.trim().starts_with(part)).unwrap();
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // Nobody plays better for looking at moves that cannot matter.
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
    // What is done is not done again.
    let again = work.run(&play);
    assert_eq!(again.out, answer.out);
    assert_eq!(std::fs::read_dir(work.path().join("runs/ablation/results")).unwrap().count(), 3);
}

#[test]
fn every_part_is_listed_with_what_it_does() {
    let answer = Workplace::new().run(&["ablate", "--list"]);
    let null_move = answer.out.lines().find(|line| line.starts_with("null-move")).unwrap();
    assert!(null_move.ends_with("Cut off where even passing the turn fails high"), "{null_move}");
    assert!(answer.out.lines().count() > 30);
}

#[test]
fn an_unknown_part_is_bad_usage() {
    let answer = Workplace::new().run(&["ablate", "nul-move"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("null-move"), "{}", answer.err);
}

#[test]
fn the_signature_tells_what_is_left_out() {
    let bench = |more: &[&str]| {
        let arguments = [&["bench", "--depth", "5"], more].concat();
        Workplace::new().run(&arguments).out.lines().next().unwrap().to_owned()
    };
    assert_ne!(bench(&[]), bench(&["--without", "null-move,killers"]));
}
