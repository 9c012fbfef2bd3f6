//! Plans on a cluster: a Slurm of one node, which these tests start and end themselves.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use oplus::base::sealed::seal;
use serde_json::Value;
use tempfile::TempDir;

use crate::generations;
use crate::plan::{UNTIMED, results};
use crate::support::{Answer, Workdir, games};

const SLOTS: u32 = 2;

/// Slurm's programs at work for one test.
struct Slurm {
    dir: TempDir,
    daemons: BTreeMap<&'static str, Child>,
}

impl Slurm {
    /// Begins a cluster of one node with [`SLOTS`] processors, whose arrays have 51 tasks at most.
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut slurm = Self { dir, daemons: BTreeMap::new() };
        let at = slurm.dir.path().to_owned();
        for name in ["state", "spool"] {
            std::fs::create_dir(at.join(name)).unwrap();
        }
        std::fs::write(at.join("munge.key"), [7_u8; 1024]).unwrap();
        open_to_owner_alone(&at.join("munge.key"));
        std::fs::write(at.join("slurm.conf"), config(&at)).unwrap();
        let munge = ["key-file", "socket", "pid-file", "log-file", "seed-file"].map(|option| {
            format!("--{option}={}", at.join(format!("munge.{}", &option[..3])).display())
        });
        slurm
            .daemon("munged", Command::new("munged").args(["--foreground", "--force"]).args(munge));
        slurm.daemon("slurmctld", Command::new("slurmctld").args(["-D", "-c"]));
        slurm.start_node(&mut Command::new("slurmd"));
        slurm
    }

    fn start_node(&mut self, slurmd: &mut Command) {
        self.daemon("slurmd", slurmd.args(["-D", "-N", "localhost"]));
        self.until("the node is idle", |slurm| {
            slurm.reply("sinfo", &["-h", "-o", "%T"]).contains("idle")
        });
    }

    fn daemon(&mut self, name: &'static str, command: &mut Command) {
        let log = std::fs::File::create(self.dir.path().join(format!("{name}.out"))).unwrap();
        let child = self.within(command).stdout(log.try_clone().unwrap()).stderr(log).spawn();
        let child =
            child.unwrap_or_else(|error| panic!("{name}: {error}; apt-get install slurm-wlm"));
        self.daemons.insert(name, child);
    }

    /// A command that knows where this cluster is.
    fn within<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("SLURM_CONF", self.dir.path().join("slurm.conf"))
    }

    /// Output of one of Slurm's programs.
    fn reply(&self, program: &str, args: &[&str]) -> String {
        let output = self.within(Command::new(program).args(args)).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn run(&self, work: &Workdir, args: &[&str]) -> Answer {
        Answer::from(self.within(&mut work.command(args)).output().unwrap())
    }

    /// Hands an experiment over, which has to be taken.
    fn submit(&self, work: &Workdir, more: &[&str]) -> Answer {
        let args = [&["run", "small.toml", "--slurm", "--cpus", "1"], &UNTIMED[..], more].concat();
        let answer = self.run(work, &args);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let since = Instant::now();
        while !holds(self) {
            assert!(
                since.elapsed() < Duration::from_secs(240),
                "not yet: {what}\n{}",
                self.queue()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn queue(&self) -> String {
        self.reply("squeue", &["-h", "-o", "%i %T %R"])
    }

    fn until_over(&self) {
        self.until("the queue is empty", |slurm| slurm.queue().is_empty());
    }

    /// The task of a training that runs, once it has kept something.
    fn training(&self, work: &Workdir) -> String {
        self.until("there is a checkpoint", |_| checkpoint(work).is_some());
        let running = self.reply("squeue", &["-h", "-t", "R", "-n", "small-train", "-o", "%i"]);
        running.lines().next().expect("it runs").to_owned()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.reply("scancel", &["--full", "--signal=KILL", "--name=small-train"]);
        self.reply("scancel", &["--user", &user()]);
        for name in ["slurmd", "slurmctld", "munged"] {
            if let Some(daemon) = self.daemons.get_mut(name) {
                let _ = daemon.kill();
                let _ = daemon.wait();
            }
        }
    }
}

/// The user of these tests, the only one of the cluster.
fn user() -> String {
    let output = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn config(at: &Path) -> String {
    let (at, user) = (at.display(), user());
    let [controller, node] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [controller, node] = [controller, node].map(|socket| socket.local_addr().unwrap().port());
    format!(
        "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\n\
         AuthType=auth/munge\nAuthInfo=socket={at}/munge.soc,cred_expire=6\n\
         CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n\
         SlurmctldPort={controller}\nSlurmdPort={node}\n\
         StateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\n\
         SlurmctldPidFile={at}/slurmctld.pid\nSlurmdPidFile={at}/slurmd.pid\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
         SchedulerType=sched/backfill\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1\n\
         ReturnToService=2\nMaxArraySize=21\nKillWait=3\nMinJobAge=60\n\
         JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
         NodeName=localhost NodeAddr=127.0.0.1 CPUs={SLOTS} RealMemory=4000 State=UNKNOWN\n\
         PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP\n"
    )
}

fn open_to_owner_alone(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o400)).unwrap();
}

/// A net that is trained for a while, with a checkpoint after each of its many epochs.
pub(crate) fn long_training(work: &Workdir, epochs: u64) {
    let text = r#"
name = "small"
[grid]
features = ["ALL"]
layers = ["16 -> 8 -> 1"]
[data]
train = ["GAMES"]
validation = 0.2
[training]
epochs = EPOCHS
positions_per_epoch = 65_536
batch = 256
"#;
    let text = text.replace("EPOCHS", &epochs.to_string());
    work.file("small.toml", &text.replace("GAMES", games().to_str().unwrap()));
}

/// The newest checkpoint of the only net.
fn checkpoint(work: &Workdir) -> Option<PathBuf> {
    runs(work)
        .into_iter()
        .flat_map(|run| std::fs::read_dir(run).unwrap().flatten())
        .find_map(|entry| entry.file_name().to_str()?.contains("checkpoint").then(|| entry.path()))
}

/// Folders of nets.
fn runs(work: &Workdir) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(work.path().join("runs/small")).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.join("metrics.jsonl").exists()).collect()
}

/// The bytes of the only net.
fn net(work: &Workdir) -> Vec<u8> {
    std::fs::read(runs(work)[0].join("net.oplus")).unwrap()
}

fn epochs(work: &Workdir) -> Vec<u64> {
    let text = std::fs::read_to_string(runs(work)[0].join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| line["epoch"].as_u64()).collect()
}

fn logs(work: &Workdir) -> String {
    let mut all = String::new();
    let folders = std::fs::read_dir(work.path().join("runs/small/cluster")).unwrap().flatten();
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            all += &std::fs::read_to_string(file.path()).unwrap_or_default();
        }
    }
    all
}

/// The same long training, in one go on this machine.
fn uninterrupted(epochs: u64) -> Vec<u8> {
    let work = Workdir::new();
    long_training(&work, epochs);
    let answer = work.run(&[&["run", "small.toml"], &UNTIMED[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    net(&work)
}

#[test]
#[ignore = "needs Slurm's programs"]
fn a_cluster_comes_to_what_one_machine_does() {
    let many = ["--set", "evaluation.match=[{ nodes = 60, games = 320 }]"];
    let alone = Workdir::new();
    alone.experiment("small.toml");
    let answer = alone.run(&[&["run", "small.toml"], &UNTIMED[..], &many].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);

    let (slurm, work) = (Slurm::start(), Workdir::new());
    work.experiment("small.toml");
    let shown = slurm.run(
        &work,
        &[&["run", "small.toml", "--slurm", "--dry-run"], &UNTIMED[..], &many].concat(),
    );
    for part in
        ["#SBATCH --array=0-2", "afterok:<script 1>", "--signal=B:USR1@60", "scontrol requeue"]
    {
        assert!(shown.out.contains(part), "{part} is not in:\n{}{}", shown.out, shown.err);
    }
    let reply = slurm.submit(&work, &[&many[..], &["--parallel", "3"]].concat());
    assert!(reply.out.contains("train, 3 tasks") && reply.err.contains("does"), "{reply:?}");
    slurm.until_over();
    assert_eq!(results(work.path()), results(alone.path()), "{}", logs(&work));
    assert!(logs(&work).contains("3/3 is done"), "matches are divided:\n{}", logs(&work));
    assert!(work.path().join("reports/small/index.html").exists());
    let status = slurm.run(&work, &["runs", "status", "small"]);
    assert!(status.out.contains(" done") && !status.out.contains("running"), "{}", status.out);
    let again =
        slurm.run(&work, &[&["run", "small.toml", "--slurm"], &UNTIMED[..], &many].concat());
    assert_eq!(again.code, 1);
    again.assert_shows(&["all jobs are done"]);
}

#[test]
#[ignore = "needs Slurm's programs"]
fn a_training_loses_nothing_to_signals_requeues_and_scancel() {
    const EPOCHS: u64 = 300;
    let (slurm, work) = (Slurm::start(), Workdir::new());
    // Much longer than the three runs before its end, on fast machines too.
    long_training(&work, EPOCHS);
    slurm.submit(&work, &[]);
    // Two signals, as in a preemption.
    let task = slurm.training(&work);
    for _ in 0..2 {
        slurm.reply("scancel", &["--batch", "--signal=TERM", &task]);
    }
    slurm.until("it begins anew", |_| logs(&work).contains("restart 1"));
    // Requeued by an administrator.
    std::thread::sleep(Duration::from_secs(1));
    slurm.reply("scontrol", &["requeue", &task]);
    slurm.until("it begins once more", |_| logs(&work).contains("restart 2"));
    // Ended, and handed over once more.
    std::thread::sleep(Duration::from_secs(1));
    slurm.reply("scancel", &[&task]);
    slurm.until_over();
    assert!(!runs(&work)[0].join("net.oplus").exists(), "it was not stopped in time");
    slurm.submit(&work, &[]);
    slurm.until_over();
    assert_eq!(net(&work), uninterrupted(EPOCHS), "{}", logs(&work));
    assert_eq!(epochs(&work), (1..=EPOCHS).collect::<Vec<_>>());
}

#[test]
#[ignore = "needs Slurm's programs"]
fn killed_workers_and_nodes_do_nothing_twice() {
    let (mut slurm, work) = (Slurm::start(), Workdir::new());
    long_training(&work, 100);
    slurm.submit(&work, &[]);
    slurm.training(&work);
    // The worker, by the number in its lease; beside leases is what their workers report.
    let leases = std::fs::read_dir(work.path().join("runs/small/leases")).unwrap().flatten();
    let mut leases = leases.map(|entry| entry.path()).filter(|path| path.extension().is_none());
    let lease = std::fs::read_to_string(leases.next().unwrap()).unwrap();
    let lease: Value = serde_json::from_str(lease.lines().next().unwrap()).unwrap();
    let process = lease["process"].to_string();
    assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
    slurm.until_over();
    assert!(!runs(&work)[0].join("net.oplus").exists(), "it was not killed in time");

    slurm.submit(&work, &[]);
    slurm.until("it goes on", |slurm| slurm.queue().contains("RUNNING"));
    let mut node = slurm.daemons.remove("slurmd").unwrap();
    node.kill().unwrap();
    node.wait().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    slurm.daemon("slurmd", Command::new("slurmd").args(["-D", "-N", "localhost"]));
    slurm.until_over();
    assert_eq!(net(&work), uninterrupted(100), "{}", logs(&work));
    assert_eq!(epochs(&work), (1..=100).collect::<Vec<_>>());
}

#[test]
#[ignore = "needs Slurm's programs"]
fn more_tasks_than_an_array_may_have_are_divided() {
    let (slurm, work) = (Slurm::start(), Workdir::new());
    let seeds: Vec<String> = (1..=60).map(|seed| seed.to_string()).collect();
    let text = format!(
        "name = \"small\"\n[grid]\nfeatures = [\"H\"]\nlayers = [\"1\"]\nseed = [{}]\n\
         [data]\ntrain = [\"{}\"]\n\
         [training]\nepochs = 1\npositions_per_epoch = 256\nbatch = 256\n",
        seeds.join(", "),
        games().display()
    );
    work.file("small.toml", &text);
    let reply = slurm.submit(&work, &[]);
    assert_eq!(reply.out.matches("train, ").count(), 3, "{}", reply.out);
    slurm.until_over();
    let nets = runs(&work).iter().filter(|run| run.join("net.oplus").exists()).count();
    assert_eq!(nets, 60, "{}", logs(&work));
}

#[test]
#[ignore = "needs Slurm's programs"]
fn a_parent_that_fails_leaves_nobody_waiting() {
    let (slurm, work) = (Slurm::start(), Workdir::new());
    let data = work.path().join("games.viri.zst");
    std::fs::copy(games(), &data).unwrap();
    long_training(&work, 60);
    let text = std::fs::read_to_string(work.path().join("small.toml")).unwrap();
    work.file("small.toml", &text.replace(games().to_str().unwrap(), data.to_str().unwrap()));
    // Nothing begins before the file is gone.
    slurm.reply("scontrol", &["update", "NodeName=localhost", "State=drain", "Reason=test"]);
    let reply = slurm.submit(&work, &[]);
    assert!(reply.err.contains("no free machine for the check"), "{}", reply.err);
    std::fs::remove_file(&data).unwrap();
    slurm.reply("scontrol", &["update", "NodeName=localhost", "State=resume"]);
    slurm.until_over();
    assert!(logs(&work).contains("games.viri.zst"), "{}", logs(&work));
    let status = slurm.run(&work, &["runs", "status", "small"]);
    assert!(status.out.contains("not started"), "{}", status.out);
}

#[test]
#[ignore = "needs Slurm's programs"]
fn nothing_is_handed_over_that_cannot_be_done() {
    let (mut slurm, work) = (Slurm::start(), Workdir::new());
    long_training(&work, 60);
    let args = ["run", "small.toml", "--slurm"];
    let refused = |slurm: &Slurm, more: &[&str], parts: &[&str]| {
        let answer = slurm.run(&work, &[&args[..], more].concat());
        assert_eq!(answer.code, 1, "{}", answer.out);
        answer.assert_shows(parts);
        assert!(slurm.queue().is_empty());
    };
    refused(&slurm, &["--sbatch", "--partition=nowhere"], &["sbatch", "nowhere"]);
    let unclosed = slurm.run(&work, &[&args[..], &["--sbatch", "--comment='a"]].concat());
    assert_eq!(unclosed.code, 2);
    unclosed.assert_shows(&["quotation mark"]);

    // A machine that has something else where the folder is.
    let mut node = slurm.daemons.remove("slurmd").unwrap();
    node.kill().unwrap();
    node.wait().unwrap();
    let elsewhere =
        format!("mount -t tmpfs none '{}' && exec slurmd \"$@\"", work.path().display());
    let mut apart = Command::new("unshare");
    let as_root: &[&str] = if user() == "root" { &[] } else { &["--map-root-user"] };
    slurm.start_node(apart.args(as_root).args(["--mount", "sh", "-c", &elsewhere, "slurmd"]));
    refused(&slurm, &[], &["does not exist on", "all machines share"]);

    // Another process runs the job.
    let waits = slurm.reply("sbatch", &["--parsable", "--hold", "--wrap", "true"]);
    let note = r#"{"kind": "experiment", "config": "", "command": "", "contents": {}}"#;
    let theirs = format!(
        r#"{{"id": "1", "study": "small", "user": "ada", "note": {note}, "stages": [],
            "submitted": [{{"job": "{}", "stage": 0, "first": 0, "tasks": 1}}]}}"#,
        waits.trim()
    );
    std::fs::write(work.path().join("runs/small/cluster/1.json"), theirs).unwrap();
    let answer = slurm.run(&work, &args);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["ada", waits.trim(), "unfinished"]);
}

#[test]
fn where_there_is_no_slurm_the_scripts_can_be_read() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let nowhere = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let args = [&["run", "small.toml", "--slurm"], more].concat();
        Answer::from(work.command(&args).env("PATH", nowhere.path()).output().unwrap())
    };
    let answer = run(&[]);
    assert_eq!(answer.code, 1);
    answer.assert_shows(&["no Slurm on this machine", "--dry-run"]);
    let shown = run(&["--dry-run", "--parallel", "20", "--sbatch", "--time=1:00:00"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("%20") && shown.out.contains("--mem="), "{}", shown.out);
    assert!(!work.path().join("runs").exists(), "a dry run writes nothing");
}

#[test]
fn two_may_collect_at_once() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let answer = work.run(&[&["run", "small.toml"], &UNTIMED[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    std::fs::remove_dir_all(work.path().join("reports")).unwrap();
    let collect = || {
        let args = [&["run", "small.toml", "--collect"], &UNTIMED[..]].concat();
        work.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both: Vec<Child> = (0..4).map(|_| collect()).collect();
    for child in both {
        let answer = Answer::from(child.wait_with_output().unwrap());
        assert_eq!(answer.code, 0, "{}", answer.err);
        assert!(answer.out.contains("report: "), "{}", answer.out);
    }
    let left = std::fs::read_dir(work.path().join("reports/small")).unwrap().flatten();
    let names: Vec<String> =
        left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.ends_with(".tmp")), "{names:?}");
}

/// The tasks of a job file, as HyperQueue would do them.
fn do_tasks(work: &Workdir, file: &str) -> Vec<toml::Value> {
    let text = std::fs::read_to_string(work.path().join(file)).unwrap();
    let file: toml::Table = text.parse().unwrap();
    let tasks = file["task"].as_array().unwrap();
    for task in tasks {
        let command = task["command"].as_array().unwrap();
        let words: Vec<&str> = command.iter().map(|word| word.as_str().unwrap()).collect();
        let done = work.run(&words[1..]);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    tasks.clone()
}

#[test]
fn hyperqueue_gets_tasks_that_know_whom_they_wait_for() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let args = [&["run", "small.toml", "--hq", "jobs.toml", "--cpus", "2"], &UNTIMED[..]].concat();
    let answer = work.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let tasks = do_tasks(&work, "jobs.toml");
    let number = |task: &toml::Value| task["id"].as_integer().unwrap();
    let needs = |task: &toml::Value| -> Vec<i64> {
        let deps = task.get("deps").and_then(toml::Value::as_array);
        deps.into_iter().flatten().filter_map(toml::Value::as_integer).collect()
    };
    assert_eq!(needs(&tasks[0]), [0_i64; 0]);
    for task in &tasks[1..] {
        assert!(!needs(task).is_empty(), "{task}");
        assert!(needs(task).iter().all(|&need| need < number(task)), "{task}");
        assert_eq!(task["request"][0]["resources"]["cpus"].as_str(), Some("2"));
    }
    let collected = work.run(&[&["run", "small.toml", "--collect"], &UNTIMED[..]].concat());
    assert_eq!(collected.code, 0, "{}", collected.err);
    assert!(!collected.out.contains("are open"), "{}", collected.out);
}

#[test]
fn tasks_play_as_many_timed_games_at_once_as_requested() {
    let work = Workdir::new();
    work.experiment("small.toml");
    let args = ["run", "small.toml", "--hq", "jobs.toml", "--time-concurrency", "3"];
    let answer = work.run(&[&args[..], &UNTIMED[..]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let files = std::fs::read_dir(work.path().join("runs/small/cluster")).unwrap().flatten();
    let paths: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| path.is_file()).collect();
    let [path] = paths.as_slice() else { panic!("{paths:?}") };
    let submission: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(submission["timed_games"], 3);
}

/// An ablation with little of everything.
const ABLATION: [&str; 8] =
    ["ablate", "alpha-beta", "aspiration", "--games", "20", "--nodes", "400", "--depth=4"];

#[test]
fn an_ablation_in_tasks_is_that_of_one_process() {
    let (alone, work) = (Workdir::new(), Workdir::new());
    let expected = alone.run(&ABLATION);
    assert_eq!(expected.code, 0, "{}", expected.err);
    let answer = work.run(&[&ABLATION[..], &["--hq", "jobs.toml"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(!do_tasks(&work, "jobs.toml").is_empty());
    let collected = work.run(&[&ABLATION[..], &["--collect"]].concat());
    assert_eq!((collected.code, collected.out), (0, expected.out));
}

#[test]
#[ignore = "needs Slurm's programs"]
fn a_search_goes_on_by_itself_on_a_cluster() {
    let (slurm, work) = (Slurm::start(), Workdir::new());
    // Few steps, since each is a submission.
    let few = crate::discovery::search("grammar = \"none\"")
        .replace("rounds = 2", "rounds = 1")
        .replace("stages = [0.5, 1]", "stages = [1]")
        .replace("prune_from = 700", "prune_from = 100_000");
    work.file("small.toml", &few);
    let args = ["discover", "small.toml", "--slurm", "--cpus", "1"];
    let answer = slurm.run(&work, &args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let page = work.path().join("reports/small/index.html");
    slurm.until("there is a page", |_| page.exists());
    assert!(std::fs::read_to_string(page).unwrap().contains("Round 1"), "{}", logs(&work));
    slurm.until_over();
}

/// Three sets, two widths, three seeds, three numbers of nodes, two books, all at equal time.
const GRID: &str = r#"
name = "small"
question = "Features or neurons, from which number of nodes on?"
[grid]
features = ["ALL", "ALL + PV", "mirror(ALL)"]
layers = ["16 screlu -> 1", "32 screlu -> 1"]
seed = [1, 2, 3]
[data]
train = ["GAMES"]
validation = 0.2
[training]
epochs = 2
positions_per_epoch = 65_536
batch = 1_024
[evaluation]
reference = "ALL"
timing_rounds = 4
price_games = 20
match = [
    { nodes = [100, 300, 1_000], equal_time = true, games = 20, pairings = "gauntlet", openings = ["castled.epd", "endings.epd"] },
]
"#;

/// Castled positions, Black's pawns and the turn in ten ways.
fn castled() -> String {
    ["ppp2ppp/2np1n2", "1pp2ppp/p1np1n2", "ppp2pp1/2np1n1p", "1pp2pp1/p1np1n1p", "1pp2p1p/p1np1np1"]
        .iter()
        .flat_map(|black| ["w", "b"].map(|turn| (black, turn)))
        .map(|(black, turn)| {
            format!("r1bq1rk1/{black}/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 {turn} - -\n")
        })
        .collect()
}

/// Pawn endings, White's king on each square of its rank.
fn endings() -> String {
    let kings = ["K7", "1K6", "2K5", "3K4", "4K3", "5K2", "6K1", "7K"];
    kings
        .iter()
        .flat_map(|king| ["w", "b"].map(|turn| (king, turn)))
        .map(|(king, turn)| format!("8/1p2kppp/p7/8/8/P7/1P3PPP/{king} {turn} - -\n"))
        .collect()
}

/// The verdict over nodes of each variant but the reference.
fn assert_verdicts(work: &Workdir) {
    let page = std::fs::read_to_string(work.path().join("reports/small/index.html")).unwrap();
    for variant in ["ALL + PV, 16", "mirror(ALL), 16", "ALL, 32", "ALL + PV, 32", "mirror(ALL), 32"]
    {
        let (set, width) = variant.split_once(", ").unwrap();
        assert!(page.contains(set) && page.contains(width), "{variant}");
    }
    let is_verdict = |line: &&str| {
        ["<li>", "nodes per move", "at equal time"].iter().all(|part| line.contains(part))
    };
    let found: Vec<&str> = page.lines().filter(is_verdict).collect();
    assert_eq!(found.len(), 5, "a verdict over nodes for each: {found:#?}");
    assert!(page.contains("By opening book") && page.contains("Features or neurons"));
}

/// Ends the program by a signal after this number of jobs.
fn stop_after(work: &Workdir, args: &[&str], results: usize) {
    let done =
        || std::fs::read_dir(work.path().join("runs/small/results")).map_or(0, Iterator::count);
    let mut child = work.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while done() < results && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    assert_eq!(child.wait().unwrap().code(), Some(75), "after {results} jobs");
}

#[test]
#[ignore = "needs Slurm's programs; takes minutes"]
fn a_grid_at_equal_time_goes_on_after_stops_and_runs_on_a_cluster() {
    let workdir = || {
        let work = Workdir::new();
        work.file("small.toml", &GRID.replace("GAMES", games().to_str().unwrap()));
        work.file("castled.epd", &castled());
        work.file("endings.epd", &endings());
        work
    };
    let args = [&["run", "small.toml"], &UNTIMED[..]].concat();
    let alone = workdir();
    // Among the trainings, among the measurements, among the games.
    for results in [5, 40, 90] {
        stop_after(&alone, &args, results);
    }
    let answer = alone.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_verdicts(&alone);

    let (slurm, work) = (Slurm::start(), workdir());
    slurm.submit(&work, &[]);
    slurm.until_over();
    assert_verdicts(&work);
    let kinds = |work: &Workdir| results_by_kind(work).into_keys().collect::<Vec<_>>();
    assert_eq!(kinds(&alone), kinds(&work), "{}", logs(&work));
}

/// 30,000 positions of each generation, which three processes make.
const GENERATIONS: [&str; 6] =
    ["run", "small.toml", "--scale", "0.075", "--set", "evaluation.speed_rounds=0"];

#[test]
fn games_in_shards_are_those_of_one_process() {
    let (alone, work) = (generations::workdir(), generations::workdir());
    let answer = alone.run(&GENERATIONS);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let hq = [&GENERATIONS[..], &["--hq", "jobs.toml", "--parallel", "3"]].concat();
    let answer = work.run(&hq);
    assert_eq!(answer.code, 0, "{}", answer.err);
    // Two generations, each in three shards and a task that puts them together.
    let shards = do_tasks(&work, "jobs.toml");
    assert!(shards.len() >= 8, "{}", shards.len());
    let (made, expected) = (generations::made(work.path()), generations::made(alone.path()));
    assert_eq!(made.len(), 4);
    for ((name, bytes), (own, expected)) in made.iter().zip(&expected) {
        assert!(name == own && bytes == expected, "{} {}", name.display(), own.display());
    }
}

#[test]
fn shards_of_self_play_are_joined_to_what_one_process_makes() {
    let work = Workdir::new();
    let play = |more: &[&str]| {
        let answer = work.run(&[&["selfplay", "--games", "40", "--nodes", "30"], more].concat());
        assert_eq!(answer.code, 0, "{}", answer.err);
    };
    play(&["--out", "alone.oarc"]);
    let shards = ["1.oarc", "2.oarc", "3.oarc"];
    for (number, file) in (1..).zip(shards) {
        play(&["--shard", &format!("{number}/3"), "--out", file]);
    }
    let joined = work.run(&[&["data", "convert"], &shards[..], &["joined.oarc"]].concat());
    assert_eq!(joined.code, 0, "{}", joined.err);
    let read = |name: &str| std::fs::read(work.path().join(name)).unwrap();
    assert!(read("joined.oarc") == read("alone.oarc"));
    // Another part under the same name is another file.
    let other = work
        .run(&["selfplay", "--games", "40", "--nodes", "30", "--shard", "2/3", "--out", "1.oarc"]);
    assert_eq!(other.code, 2);
    other.assert_shows(&["games.end was 13, now it is 26", "games.start was 0, now it is 13"]);
}

/// Cost of a plan larger than any grid so far.
#[test]
#[cfg(target_os = "linux")]
fn ten_thousand_jobs_are_planned_and_collected_in_seconds() {
    let work = Workdir::new();
    work.file("small.toml", &many_nets(1));
    let one = work.run(&["run", "small.toml"]);
    assert_eq!(one.code, 0, "{}", one.err);
    let done = results_by_kind(&work);
    let first = runs(&work).remove(0);
    let named = first.file_name().unwrap().to_str().unwrap().to_owned();
    let (slug, _) = named.split_once("-s1-").unwrap();
    work.file("small.toml", &many_nets(3_333));
    let (plan, memory) = within_seconds(&work, &["run", "small.toml", "--plan", "--json"]);
    assert!(memory < 500_000_000, "{memory} bytes");
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let jobs = plan["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 1 + 3 * 3_333);
    // As if all of them were done, with the results of the first net.
    for job in jobs {
        let mut result = done[job["kind"].as_str().unwrap()].clone();
        result.as_object_mut().unwrap().remove("checksum");
        for field in ["key", "title", "needs", "job"] {
            result[field] = job[field].clone();
        }
        let key = job["key"].as_str().unwrap();
        if job["kind"] == "train" {
            let seed = job["job"]["seed"].as_u64().unwrap();
            let folder = format!("{slug}-s{seed}-{key}");
            let to = work.path().join("runs/small").join(&folder);
            std::fs::create_dir_all(&to).unwrap();
            if to != first {
                std::fs::copy(first.join("net.oplus"), to.join("net.oplus")).unwrap();
            }
            result["folder"] = folder.into();
        }
        let path = work.path().join(format!("runs/small/results/{key}.json"));
        std::fs::write(path, seal(&result.to_string())).unwrap();
    }
    let (_, memory) = within_seconds(&work, &["runs", "status", "small", "--json"]);
    assert!(memory < 500_000_000, "{memory} bytes");
    let (collected, memory) = within_seconds(&work, &["run", "small.toml", "--collect"]);
    assert!(collected.contains("report: ") && !collected.contains("are open"), "{collected}");
    assert!(memory < 500_000_000, "{memory} bytes");
}

fn many_nets(nets: u32) -> String {
    let seeds: Vec<String> = (1..=nets).map(|seed| seed.to_string()).collect();
    format!(
        "name = \"small\"\n[grid]\nfeatures = [\"H\"]\nlayers = [\"1\"]\nseed = [{}]\n\
         [data]\ntrain = [\"{}\"]\n\
         [training]\nepochs = 1\npositions_per_epoch = 256\nbatch = 256\n\
         [evaluation]\nspeed_rounds = 0\n",
        seeds.join(", "),
        games().display()
    )
}

/// A result of each kind.
fn results_by_kind(work: &Workdir) -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(work.path().join("runs/small/results")).unwrap().flatten();
    let read = |path: PathBuf| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let results = files.map(|file| read(file.path()));
    results.map(|result| (result["kind"].as_str().unwrap().to_owned(), result)).collect()
}

/// Output and peak memory of the program, within the seconds of a bar of
/// this project, three times over, since machines differ.
#[cfg(target_os = "linux")]
fn within_seconds(work: &Workdir, args: &[&str]) -> (String, u64) {
    let begun = Instant::now();
    let mut command = work.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut pipe, &mut text).unwrap();
        text
    });
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let reply = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = reply.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(1024 * kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = reader.join().unwrap();
    let answer = Answer::from(child.wait_with_output().unwrap());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(begun.elapsed() < Duration::from_secs(30), "{args:?} took {:?}", begun.elapsed());
    (text, most)
}
