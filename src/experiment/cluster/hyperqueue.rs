//! A job file for [HyperQueue](https://it4innovations.github.io/hyperqueue): TOML with a `[[task]]`
//! for each task, its number, command, resources and the numbers of those it waits for.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cluster::{Kind, Needs, Submission};

#[derive(Serialize)]
struct File {
    name: String,
    task: Vec<HqTask>,
}

#[derive(Serialize)]
struct HqTask {
    id: u32,
    command: Vec<String>,
    cwd: String,
    stdout: String,
    stderr: String,
    crash_limit: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deps: Vec<u32>,
    request: Vec<Request>,
}

#[derive(Serialize)]
struct Request {
    resources: Resources,
}

#[derive(Serialize)]
struct Resources {
    cpus: String,
    #[serde(rename = "gpus/nvidia", skip_serializing_if = "Option::is_none")]
    gpus: Option<u32>,
}

/// Paths that all machines share.
#[derive(Clone, Debug)]
pub struct SubmissionPlace {
    /// The program that runs a task.
    pub program: PathBuf,
    /// Its working folder.
    pub folder: PathBuf,
    /// File of the submission.
    pub file: PathBuf,
    /// Folder of logs.
    pub logs: PathBuf,
}

/// The job file of a submission whose tasks have `cpus` processors. HyperQueue knows only
/// success as a condition, so no task writes the page.
///
/// # Errors
/// None: all values are valid TOML.
pub fn job_file(
    submission: &Submission,
    place: &SubmissionPlace,
    cpus: usize,
) -> Result<String, toml::ser::Error> {
    let SubmissionPlace { program, folder, file, logs } = place;
    let firsts: Vec<usize> = (submission.stages.iter())
        .scan(0, |next, stage| {
            let first = *next;
            *next += stage.tasks.len();
            Some(first)
        })
        .collect();
    let mut tasks = Vec::new();
    for (at, stage) in submission.stages.iter().enumerate() {
        for number in 0..stage.tasks.len() {
            let needed = |need: &(usize, usize)| (firsts[need.0] + need.1) as u32;
            let deps = stage.needs[number].iter().map(needed).collect();
            let words = [program, Path::new("work"), file].map(|word| word.display().to_string());
            let numbers =
                ["--stage".to_owned(), at.to_string(), "--task".to_owned(), number.to_string()];
            let needs = Needs::of(&stage.kind, cpus);
            let log = logs.join(format!("{at}-{}-{number}.log", stage.kind));
            tasks.push(HqTask {
                id: (firsts[at] + number) as u32,
                command: words.into_iter().chain(numbers).collect(),
                cwd: folder.display().to_string(),
                stdout: log.display().to_string(),
                stderr: log.display().to_string(),
                // Failed machines; exit code 75 counts as one for HyperQueue.
                crash_limit: 20,
                deps,
                request: vec![Request { resources: resources(&stage.kind, needs) }],
            });
        }
    }
    toml::to_string(&File { name: submission.experiment.clone(), task: tasks })
}

fn resources(kind: &Kind, needs: Needs) -> Resources {
    let cpus = if kind.timed { "all".to_owned() } else { needs.cpus.to_string() };
    Resources { cpus, gpus: (needs.gpus > 0).then_some(needs.gpus as u32) }
}
