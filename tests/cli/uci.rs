//! The engine as an interface meets it: `oplus uci` through pipes.

use crate::support::Workdir;

/// All that is answered to a script.
fn answers(arguments: &[&str], script: &str) -> Vec<String> {
    let work = Workdir::new();
    let answer = work.run_with(arguments, script);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.out.lines().map(str::to_owned).collect()
}

/// Everything that does not depend on a clock.
fn without_times(answers: &[String]) -> Vec<String> {
    let clean = |line: &String| -> String {
        let mut words: Vec<&str> = line.split(' ').collect();
        for name in ["time", "nps"] {
            if let Some(at) = words.iter().position(|&word| word == name) {
                words.drain(at..at + 2);
            }
        }
        words.join(" ")
    };
    answers.iter().map(clean).collect()
}

#[test]
fn a_new_game_repeats_the_last_to_the_node() {
    let game = "ucinewgame\nposition startpos\ngo nodes 3000\n\
                position startpos moves e2e4 e7e5\ngo depth 6\n\
                position startpos moves e2e4 e7e5 g1f3 b8c6\ngo nodes 5000\n";
    let answers = without_times(&answers(&["uci"], &format!("{game}{game}")));
    assert_eq!(answers.iter().filter(|line| line.starts_with("bestmove")).count(), 6);
    let (first, second) = answers.split_at(answers.len() / 2);
    assert_eq!(first, second);
}

#[test]
fn the_evaluation_is_chosen_on_the_command_line() {
    let queen = "position fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\neval\n";
    let judged = |arguments: &[&str]| {
        let answers = answers(arguments, queen);
        answers.iter().find(|line| line.contains("for the side to move")).unwrap().clone()
    };
    let material = judged(&["uci", "--eval", "material"]);
    assert_eq!(material, "evaluation 900 cp for the side to move, scale of the search");
    assert_ne!(judged(&["uci", "--eval", "pesto"]), material);
    assert_eq!(judged(&["uci"]), judged(&["uci", "--eval", "net"]));
    assert_ne!(judged(&["uci"]), judged(&["uci", "--eval", "pesto"]));
}

/// Another grader reaches the search of experiments, comparisons and puzzles by an option.
#[test]
fn the_option_judging_is_the_search_that_judges() {
    let game = "position startpos moves e2e4 e7e5\ngo nodes 6000\n\
                position startpos moves e2e4 e7e5 g1f3 b8c6\ngo nodes 6000\n";
    let judging = format!("setoption name Judging value true\n{game}");
    let without = without_times(&answers(&["uci", "--without", "correction-history"], game));
    assert_eq!(without_times(&answers(&["uci"], &judging)), without);
    assert_ne!(without_times(&answers(&["uci"], game)), without);
}

#[test]
fn bytes_that_are_no_text_are_answered() {
    let work = Workdir::new();
    let script = b"\xff\xfe\x00uci\n\x00\x00\nposition fen \xff\nisready\n\nd\nquit\n";
    let answer = work.run_with(&["uci"], script);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = answer.out;
    assert!(text.contains("info string unknown command"), "{text}");
    assert!(text.contains("info string not a legal position"), "{text}");
    assert!(text.contains("readyok") && text.contains("Fen: rnbqkbnr/"), "{text}");
}
