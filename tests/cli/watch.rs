//! The page of an experiment while it goes on, seen over HTTP and in a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::plan::UNTIMED;
use crate::support::{OPLUS, Workdir};

/// A process that ends with its value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

/// `oplus watch` in a folder: the process, and where it listens.
fn watch(work: &Workdir, args: &[&str]) -> (Running, String) {
    let mut command = work.command(&[&["watch", "--port", "0"], args].concat());
    let mut process = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    (process, address)
}

/// The response to a path, with its headers.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn page(address: &str) -> String {
    let answer = get(address, "/");
    assert!(answer.contains("200 OK"), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn now(address: &str) -> Value {
    let answer = get(address, "/now");
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).expect(&answer)
}

/// Polls the status until the condition holds.
fn until(address: &str, what: &str, mut is: impl FnMut(&Value, &str) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let reply = now(address);
        if is(&reply, reply["section"].as_str().unwrap()) {
            return reply;
        }
        assert!(began.elapsed() < Duration::from_secs(300), "never {what}: {reply:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The shared experiment, long enough to be watched, in the background.
fn begin(work: &Workdir, more: &[&str]) -> Running {
    let longer = ["--set", "training.epochs=12", "--set", "training.positions_per_epoch=100_000"];
    let args = [&["run", "small.toml"], &UNTIMED[..], &longer, more].concat();
    let mut command = work.command(&args);
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// The loss curves are in the page before anything is measured, and the verdict at the end; the
/// watcher sees a second run with other seeds too.
#[test]
fn the_page_follows_a_run_of_another_process() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let mut run = begin(&work, &[]);
    while !work.path().join("runs/small/experiment.json").exists() {
        assert!(!run.is_over());
        std::thread::sleep(Duration::from_millis(20));
    }
    let (_server, address) = watch(&work, &["small"]);
    until(&address, "trains", |_, section| {
        section.contains("learning rate") && section.contains("positions/s in epoch")
    });
    let early = page(&address);
    assert!(early.contains("Loss by epoch") && early.contains("id=\"now\""), "{early}");
    roxmltree::Document::parse_with_options(
        &early,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )
    .unwrap();
    let first = now(&address);
    let later = until(&address, "changes", |reply, _| reply["version"] != first["version"]);
    until(&address, "ends", |reply, _| reply["over"] == true);
    assert!(run.0.wait().unwrap().success());
    let whole = page(&address);
    assert!(whole.contains("Elo") && !early.contains("±"), "{whole}");

    let mut again = begin(&work, &["--set", "grid.seed=[1, 2]"]);
    let reply = until(&address, "begins anew", |reply, _| reply["over"] == false);
    assert_ne!(reply["version"], later["version"]);
    until(&address, "ends again", |reply, _| reply["over"] == true);
    assert!(again.0.wait().unwrap().success());
    assert!(get(&address, "/elsewhere").contains("404"));
}

/// The next jobs of a search depend on its results: its plan grows.
#[test]
fn a_search_can_be_watched() {
    let work = Workdir::new();
    let file = crate::discovery::search("grammar = \"none\"");
    std::fs::write(work.path().join("small.toml"), file).unwrap();
    let mut command = work.command(&["discover", "small.toml"]);
    let mut run = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    while !work.path().join("runs/small/experiment.json").exists() {
        assert!(!run.is_over());
        std::thread::sleep(Duration::from_millis(20));
    }
    let (_server, address) = watch(&work, &[]);
    until(&address, "trains", |_, section| section.contains("positions/s in epoch"));
    let early = page(&address);
    assert!(early.contains("The search for a set better than H is running."), "{early}");
    let status = work.run(&["runs", "status", "small"]);
    assert_eq!(status.code, 0, "{}", status.err);
    assert!(status.out.contains("more jobs follow"), "{}", status.out);
    let report = work.run(&["report", "small.toml"]);
    assert_eq!(report.code, 1, "{}", report.out);
    report.assert_shows(&[
        "small is not finished",
        "oplus discover small.toml",
        "oplus watch small",
    ]);
    until(&address, "screens", |reply, section| {
        section.contains("screening candidates") && reply["over"] == false
    });
    assert!(run.0.wait().unwrap().success());
    until(&address, "is over", |reply, _| reply["over"] == true);
    let whole = page(&address);
    assert!(whole.contains("Round 1") && whole.contains("the confirming games"), "{whole}");
}

/// A small training, in the folder `net`.
fn train(work: &Workdir) {
    let games = crate::support::games().to_str().unwrap();
    let train = ["train", "ALL", "--layers", "16 -> 1", "--data", games, "--out", "net"];
    let small = ["--epochs", "2", "--positions-per-epoch", "2048", "--batch", "256"];
    let answer = work.run(&[&train[..], &small].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
}

#[test]
fn a_training_on_its_own_can_be_watched() {
    let work = Workdir::new();
    train(&work);
    let (_server, address) = watch(&work, &["net"]);
    assert!(page(&address).contains("Loss by epoch"));
    assert_eq!(now(&address)["over"], true);
}

/// A client that asks much and reads nothing, one that never ends its request, and one that waits.
#[test]
fn clients_do_not_wait_for_each_other_and_have_bounds() {
    let work = Workdir::new();
    train(&work);
    let (_server, address) = watch(&work, &["net"]);
    let mut deaf = TcpStream::connect(&address).unwrap();
    deaf.write_all(&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300)).unwrap();
    let mut dumb = TcpStream::connect(&address).unwrap();
    dumb.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let silent = TcpStream::connect(&address).unwrap();
    let mut patient = TcpStream::connect(&address).unwrap();
    patient.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    patient.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let mut page = String::new();
    patient.read_to_string(&mut page).expect("an answer, whatever others do");
    assert!(page.contains("200 OK") && page.contains("Loss by epoch"), "{page}");
    drop((deaf, dumb, silent));

    // A head of megabytes is cut off.
    let mut endless = TcpStream::connect(&address).unwrap();
    endless.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    endless.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nA: ").unwrap();
    let sent = (0..1_024).take_while(|_| endless.write_all(&[b'a'; 1 << 16]).is_ok()).count();
    assert!(sent < 1_024, "64 MiB of a head were taken");
}

/// A page of another site may point its own name at this machine, and read the responses.
#[test]
fn only_this_machine_is_answered_for() {
    let work = Workdir::new();
    train(&work);
    let (_server, address) = watch(&work, &["net"]);
    let (_, port) = address.split_once(':').unwrap();
    let status = |host: &str, path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\n{host}Connection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    for path in ["/", "/now"] {
        for host in [&format!("127.0.0.1:{port}"), "localhost", "localhost:8080", "[::1]:6464"] {
            assert_eq!(status(&format!("Host: {host}\r\n"), path), "200", "{host}");
        }
        for host in [&format!("evil.example:{port}"), "localhost.evil.example", "192.168.0.1"] {
            assert_eq!(status(&format!("Host: {host}\r\n"), path), "421", "{host}");
        }
        assert_eq!(status("", path), "400");
    }
}

#[test]
fn unwatchable_runs_are_errors() {
    let work = Workdir::new();
    let nothing = work.run(&["watch"]);
    assert_eq!(nothing.code, 2);
    nothing.assert_shows(&["no runs in this folder", "oplus run FILE.toml"]);
    work.experiment("small.toml");
    let small = [&["run", "small.toml"], &UNTIMED[..]].concat();
    assert_eq!(work.run(&small).code, 0);
    let unknown = work.run(&["watch", "smal"]);
    assert_eq!(unknown.code, 2);
    unknown.assert_shows(&["no run of `smal` in this folder; it has: small"]);
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let taken = work.run(&["watch", "--port", &port]);
    assert_eq!(taken.code, 1);
    taken.assert_shows(&[&port, "--port 0"]);
}

/// The browser prints its observations as lines; between them this test begins and ends runs.
#[test]
#[ignore = "needs Node with playwright-core (tests/browser) and Chromium"]
fn a_browser_sees_the_page_change() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let mut run = begin(&work, &[]);
    while !work.path().join("runs/small/experiment.json").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (server, address) = watch(&work, &[]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/watch.mjs");
    let mut browser = Command::new("node");
    browser.arg(script).arg(format!("http://{address}/")).stdout(Stdio::piped());
    let mut browser = Running(browser.spawn().unwrap());
    let mut lines = BufReader::new(browser.0.stdout.take().unwrap()).lines();
    let mut sees = |what: &str| assert_eq!(lines.next().unwrap().unwrap(), what);
    sees("a curve");
    sees("a longer curve, and what was opened is open");
    sees("the end");
    assert!(run.0.wait().unwrap().success());
    let again = begin(&work, &["--set", "grid.seed=[1, 2]"]);
    sees("another run");
    drop(again);
    drop(server);
    sees("nobody there");
    // The same port, as in a restart.
    let port = address.rsplit(':').next().unwrap();
    let mut command = Command::new(OPLUS);
    command.args(["watch", "--port", port]).current_dir(work.path()).stdout(Stdio::null());
    let _server = Running(command.spawn().unwrap());
    sees("somebody again");
    assert!(browser.0.wait().unwrap().success());
}
