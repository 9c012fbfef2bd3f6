//! Training on lists of positions.

use oplus::data::CandidatePosition;
use oplus::nnue::Net;

use crate::support::{Answer, Workdir, epd_line, games, listed, scored_line};

const SMALL: &str = "--layers=8->8->1 --epochs 1 --positions-per-epoch 512 --batch 256";

fn train(work: &Workdir, data: &[&str], out: &str, more: &[&str]) -> Answer {
    let mut args = vec!["train", "H", "--out", out];
    data.iter().for_each(|file| args.extend(["--data", file]));
    args.extend(SMALL.split(' '));
    args.extend(more);
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer
}

/// Contents that decide evaluations; the training files have names of their own.
fn net(work: &Workdir, out: &str) -> blake3::Hash {
    Net::load(&work.path().join(out).join("net.oplus")).unwrap().fingerprint()
}

fn trained_loss(answer: &Answer) -> &str {
    answer.err.lines().find(|line| line.starts_with("epoch 1: ")).unwrap()
}

/// A line for positions in which a quiet move was played.
fn quiet_scored_line(candidate: &CandidatePosition<'_>) -> String {
    match candidate.played {
        Some(m) if m.is_capture() || m.is_promotion() => String::new(),
        _ => scored_line(candidate),
    }
}

#[test]
fn a_list_teaches_what_its_games_teach() {
    let work = Workdir::new();
    work.file("list.txt", &listed(quiet_scored_line));
    let packed = zstd::encode_all(listed(quiet_scored_line).as_bytes(), 1).unwrap();
    std::fs::write(work.path().join("packed.txt.zst"), packed).unwrap();
    let vouched = ["--filter", "{ quiet_lists = true }"];
    let reply = train(&work, &["list.txt"], "a", &vouched);
    for part in ["listed positions", "to train", "warning: ", "the validation loss is too low"] {
        assert!(reply.err.contains(part), "{part}: {}", reply.err);
    }
    let packed = train(&work, &["packed.txt.zst"], "b", &vouched);
    assert_eq!(trained_loss(&reply), trained_loss(&packed));
    assert!(net(&work, "a") == net(&work, "b"), "the same data give the same net");

    let kept = |answer: &Answer| -> String {
        let at = answer.err.find(" kept (").unwrap();
        answer.err[..at].rsplit(' ').next().unwrap().to_owned()
    };
    let of_games = train(&work, &[games().to_str().unwrap()], "c", &[]);
    assert_eq!(kept(&reply), kept(&of_games));
    assert!(!of_games.err.contains("loss is too low"), "{}", of_games.err);
}

#[test]
fn results_alone_teach_too() {
    let work = Workdir::new();
    work.file("list.epd", &listed(epd_line));
    let filter = "{ quiet_lists = true, unscored = true }";
    let reply = train(&work, &["list.epd"], "net", &["--filter", filter, "--wdl", "1"]);
    assert!(reply.err.contains(" kept (") && reply.err.contains("in check"), "{}", reply.err);
    assert!(!reply.err.contains("NaN"), "{}", reply.err);
    assert_eq!(work.run(&["net", "info", "net/net.oplus"]).code, 0);
}

#[test]
fn the_report_of_mixed_data_warns_of_the_split() {
    let work = Workdir::new();
    work.file("list.txt", &listed(scored_line));
    let path = work.experiment("small.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let both = format!("{}\", \"list.txt", games().display());
    let filter = "validation = 0.2\nfilter = { quiet_lists = true, keep = 0.8 }";
    let text = text.replace(games().to_str().unwrap(), &both).replace("validation = 0.2", filter);
    std::fs::write(&path, text).unwrap();
    let run = |threads: &str| {
        let threads = format!("training.threads={threads}");
        let fewer = ["--set", "grid.features=[\"ALL\"]", "--set", "evaluation.match=[]"];
        let answer = work
            .command(&[&["run", "small.toml", "--set", &threads][..], &fewer].concat())
            .env("RAYON_NUM_THREADS", threads.rsplit('=').next().unwrap())
            .output()
            .unwrap();
        Answer::from(answer)
    };
    let first = run("1");
    assert_eq!(first.code, 0, "{}", first.err);
    for part in ["games, ", " listed positions, ", "not in the share to keep", "loss is too low"] {
        assert!(first.err.contains(part), "{part}: {}", first.err);
    }
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    assert!(page.contains("positions come from lists") && page.contains("loss is too low"));
    // Read with other threads it is the same data: nothing is trained again.
    let again = run("3");
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(!again.err.contains("training"), "{}", again.err);
}
