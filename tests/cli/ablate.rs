//! `oplus ablate`: parts of the search played off against the whole.

use crate::support::Workplace;

#[test]
fn a_part_is_played_off_against_the_whole() {
    let play = ["ablate", "null-move", "killers", "--games", "4", "--nodes", "200"];
    let answer = Workplace::new().run(&play);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for part in ["Elo it adds", "null-move", "killers"] {
        assert!(answer.out.contains(part), "{part} is not in:\n{}", answer.out);
    }
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
    for command in [
        &["ablate", "internal-reduction"][..],
        &["bench", "--without", "internal-reduction"],
        &["match", "pesto", "pesto", "--first", "without=internal-reduction"],
    ] {
        let answer = Workplace::new().run(command);
        assert_eq!(answer.code, 2, "{command:?}");
        answer.assert_tells(&["called", "iir"]);
    }
}

#[test]
fn the_signature_tells_what_is_left_out() {
    let bench = |more: &[&str]| {
        let arguments = [&["bench", "--depth", "5"], more].concat();
        Workplace::new().run(&arguments).out.lines().next().unwrap().to_owned()
    };
    assert_ne!(bench(&[]), bench(&["--without", "null-move,killers"]));
}
