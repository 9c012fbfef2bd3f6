//! A Slurm that is away for a moment: programs of its names that fail as often as a test says.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::plan::UNTIMED;
use crate::support::{Answer, OPLUS, Workdir};

const AWAY: &str = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";

/// What every program does first: it writes down its call, and fails as long as there are lines in
/// the file of its failures, with the text of one.
const BEGINNING: &str = r#"#!/bin/bash
here=$(dirname "$0")
name=$(basename "$0")
echo "$name $*" >> "$here/calls"
if [ -s "$here/$name.fails" ]; then
    head -n 1 "$here/$name.fails" >&2
    sed -i 1d "$here/$name.fails"
    exit 1
fi
"#;

/// The job that looks for the folder is done at the next query.
const SBATCH: &str = r#"text=$(cat)
case "$*" in *--test-only*) exit 0;; esac
case "$text" in *looking*) echo "$text" > "$here/looking";; esac
echo x >> "$here/jobs"
wc -l < "$here/jobs"
"#;
const SQUEUE: &str = r#"if [ -e "$here/looking" ]; then bash "$here/looking"; fi
cat "$here/state"
"#;

struct Programs {
    dir: TempDir,
}

impl Programs {
    fn new() -> Self {
        let programs = Self { dir: tempfile::tempdir().unwrap() };
        let does = [
            ("sbatch", SBATCH),
            ("squeue", SQUEUE),
            ("scontrol", ""),
            ("sinfo", "echo 4\n"),
            ("scancel", ""),
            ("sleep", ""),
        ];
        for (name, does) in does {
            let path = programs.path(name);
            std::fs::write(&path, format!("{BEGINNING}{does}")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::fs::write(programs.path("state"), "RUNNING\n").unwrap();
        programs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn fails(&self, program: &str, times: usize, reason: &str) {
        let lines = format!("{reason}\n").repeat(times);
        std::fs::write(self.path(&format!("{program}.fails")), lines).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    fn calls_of(&self, program: &str) -> usize {
        self.calls().iter().filter(|call| call.starts_with(program)).count()
    }

    fn search_path(&self) -> String {
        format!("{}:{}", self.dir.path().display(), std::env::var("PATH").unwrap())
    }

    fn run(&self, work: &Workdir, more: &[&str]) -> Answer {
        self.answer(work, &[&["run", "small.toml", "--slurm"], &UNTIMED[..], more].concat())
    }

    fn answer(&self, work: &Workdir, args: &[&str]) -> Answer {
        Answer::from(work.command(args).env("PATH", self.search_path()).output().unwrap())
    }
}

/// The tasks of all submissions that are not in `known`, run in their order; then their last jobs.
fn run_submissions(slurm: &Programs, work: &Workdir, known: &mut BTreeSet<PathBuf>) {
    let folder = std::fs::read_dir(work.path().join("runs/small/cluster")).unwrap().flatten();
    let files = folder.map(|entry| entry.path());
    let new: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|it| it == "json") && !known.contains(path))
        .collect();
    for path in new {
        let submission: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let file = path.to_str().unwrap();
        for (stage, of_stage) in submission["stages"].as_array().unwrap().iter().enumerate() {
            for task in 0..of_stage["tasks"].as_array().unwrap().len() {
                let [stage, task] = [stage, task].map(|number| number.to_string());
                let task = ["work", file, "--stage", &stage, "--task", &task];
                let done = slurm.answer(work, &task);
                assert_eq!(done.code, 0, "{}", done.err);
            }
        }
        let last = slurm.answer(work, &["work", file, "--report"]);
        assert_eq!(last.code, 0, "{}", last.err);
        known.insert(path);
    }
}

#[test]
fn a_submission_outlives_a_moment_without_slurm() {
    let (slurm, work) = (Programs::new(), Workdir::new());
    work.experiment("small.toml");
    for program in ["scontrol", "sinfo", "sbatch", "squeue"] {
        slurm.fails(program, 2, AWAY);
    }
    let answer = slurm.run(&work, &[]);
    assert_eq!(answer.code, 0, "{}\n{:?}", answer.err, slurm.calls());
    assert!(answer.out.contains("train, 3 tasks"), "{}", answer.out);
    assert_eq!(slurm.calls_of("scancel"), 0, "{:?}", slurm.calls());
}

/// The last job of each submission hands over the jobs that have become known since, up to the page.
#[test]
fn a_search_goes_on_by_itself() {
    let (slurm, work) = (Programs::new(), Workdir::new());
    work.file("small.toml", &crate::discovery::search("grammar = \"none\""));
    let answer = slurm.answer(&work, &["discover", "small.toml", "--slurm"]);
    assert_eq!(answer.code, 0, "{}\n{:?}", answer.err, slurm.calls());
    assert!(answer.out.contains("train, 1 task"), "{}", answer.out);
    let (page, mut known) = (work.path().join("reports/small/index.html"), BTreeSet::new());
    while !page.exists() {
        let before = known.len();
        run_submissions(&slurm, &work, &mut known);
        assert!(known.len() > before, "nothing was handed over, and there is no page");
    }
    // A round at least: positions and the first net, screening, training, games or their refusal.
    assert!(known.len() > 2, "{known:?}");
    assert!(std::fs::read_to_string(page).unwrap().contains("Round 1"), "{known:?}");
    // The same search here has nothing left to run.
    let here = work.run(&["discover", "small.toml"]);
    assert_eq!(here.code, 0, "{}", here.err);
    // Four games of verdict may confirm the winner or not.
    let ends = ["Found: H + ALL", "the best candidate, H + ALL"];
    assert!(ends.iter().any(|end| here.out.contains(end)), "{}", here.out);
    assert!(!here.err.contains("training") && !here.err.contains("screening"), "{}", here.err);
    let again = slurm.answer(&work, &["discover", "small.toml", "--slurm"]);
    assert_eq!(again.code, 1, "{}", again.out);
    again.assert_shows(&["all jobs are done"]);
}

#[test]
fn a_submission_that_fails_takes_the_job_back_that_looks() {
    let (slurm, work) = (Programs::new(), Workdir::new());
    work.experiment("small.toml");
    slurm.fails("squeue", 1, "slurm_load_jobs error: Access/permission denied");
    let answer = slurm.run(&work, &[]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    answer.assert_shows(&["squeue", "permission denied"]);
    assert!(slurm.calls().contains(&"scancel 1".to_owned()), "{:?}", slurm.calls());
    // What cannot be taken back is named.
    slurm.fails("squeue", 1, "slurm_load_jobs error: Access/permission denied");
    slurm.fails("scancel", 1, "scancel: error: Access/permission denied");
    let answer = slurm.run(&work, &[]);
    answer.assert_shows(&["squeue", "`scancel 2` ends them"]);
}

/// The script for the trainings, with a worker that ends with a code.
fn script(slurm: &Programs, work: &Workdir, code: u8) -> PathBuf {
    let shown = slurm.run(work, &["--dry-run"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    let text = shown.out.split("# script ").find(|text| text.contains("--array")).unwrap();
    let text = text.split_once('\n').unwrap().1;
    let program = Path::new(OPLUS).canonicalize().unwrap();
    let worker = format!("sh -c 'exit {code}'");
    let replaced = text.replace(&format!("{} work", program.display()), &worker);
    assert_ne!(replaced, text, "the worker is replaced");
    work.file("job.sh", &replaced)
}

/// The exit code of a task's script, and how often it was put back.
fn ended(slurm: &Programs, script: &Path) -> (i32, usize) {
    std::fs::remove_file(slurm.path("calls")).unwrap();
    let mut bash = Command::new("bash");
    bash.arg(script).env("PATH", slurm.search_path());
    bash.env("SLURM_ARRAY_JOB_ID", "7").env("SLURM_ARRAY_TASK_ID", "3");
    let code = bash.output().unwrap().status.code().unwrap();
    let requeues = slurm.calls().iter().filter(|call| *call == "scontrol requeue 7_3").count();
    (code, requeues)
}

#[test]
fn a_stopped_worker_is_put_back_though_slurm_is_away() {
    let (slurm, work) = (Programs::new(), Workdir::new());
    work.experiment("small.toml");
    let stopped = script(&slurm, &work, 75);
    assert_eq!(ended(&slurm, &stopped), (75, 1));
    slurm.fails("squeue", 2, AWAY);
    assert_eq!(ended(&slurm, &stopped), (75, 1), "squeue fails twice");
    slurm.fails("squeue", 1_000, AWAY);
    assert_eq!(ended(&slurm, &stopped), (75, 1), "nobody knows the state");
    slurm.fails("squeue", 0, "");
    slurm.fails("scontrol", 2, AWAY);
    assert_eq!(ended(&slurm, &stopped), (75, 3), "scontrol fails twice");
    std::fs::write(slurm.path("state"), "COMPLETING\n").unwrap();
    assert_eq!(ended(&slurm, &stopped), (75, 0), "somebody ends it");
    std::fs::write(slurm.path("state"), "RUNNING\n").unwrap();
    let done = script(&slurm, &work, 0);
    assert_eq!(ended(&slurm, &done), (0, 0));
}

#[test]
fn a_dry_run_shows_the_command_and_needs_no_answer() {
    let (slurm, work) = (Programs::new(), Workdir::new());
    work.experiment("small.toml");
    slurm.fails("scontrol", 1_000, AWAY);
    let options = ["--dry-run", "--sbatch", "--time=1:00:00 --comment='two words'"];
    let shown = slurm.run(&work, &options);
    assert_eq!(shown.code, 0, "{}", shown.err);
    shown.assert_shows(&["Unable to contact slurm controller", "assume a standard Slurm"]);
    let commands: Vec<&str> =
        shown.out.lines().filter(|line| line.starts_with("# script ")).collect();
    assert!(commands.len() > 2, "{}", shown.out);
    for command in commands {
        assert!(command.contains("sbatch '--time=1:00:00' '--comment=two words'"), "{command}");
    }
    assert_eq!(slurm.calls_of("sbatch"), 0);
}
