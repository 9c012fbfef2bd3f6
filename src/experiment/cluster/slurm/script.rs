//! Scripts for `sbatch`.

use std::path::Path;

use super::{Slurm, absolute};
use crate::cluster::{Kind, Needs, Submission, Submissions};

/// Seconds between the signal and the end of a job.
const NOTICE: u32 = 60;

/// End of a task's script: a stopped worker is requeued. The pauses of both commands fit into the
/// notice.
const REQUEUE: &str = r#"# Retries while Slurm is unreachable.
retry() {
    for pause in 1 2 4 8; do
        "$@" && return
        sleep "$pause"
    done
    "$@"
}
# Requeue, unless the job is being cancelled or Slurm requeues it itself. An unknown state counts as
# running: a surplus task in the queue finds its job done.
if [ "$code" -eq 75 ]; then
    job=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}
    state=$(retry squeue --noheader --format=%T --jobs="$job") || state=RUNNING
    if [ "$state" = RUNNING ]; then
        retry scontrol requeue "$job"
    fi
fi
exit "$code""#;

/// Writes the scripts of a submission.
pub(super) struct Writer<'s> {
    pub(super) slurm: &'s Slurm,
    pub(super) cpus: usize,
    pub(super) submission: &'s Submission,
    pub(super) submissions: &'s Submissions,
}

impl Writer<'_> {
    /// For some tasks of a stage.
    pub(super) fn of_stage(&self, stage: usize, first: usize, tasks: usize) -> String {
        let kind = &self.submission.stages[stage].kind;
        let mut head = self.head(kind);
        let at_once = self.slurm.parallel.map_or(String::new(), |most| format!("%{most}"));
        head.push(format!("--array=0-{}{at_once}", tasks - 1));
        head.push(format!("--output={}", quoted(&self.log(&format!("{stage}-{kind}-%A_%a.log")))));
        let work = format!(
            "{} work {} --stage {stage} --task $(({first} + SLURM_ARRAY_TASK_ID))",
            self.program(),
            self.file()
        );
        script(
            &head,
            &[
                format!("# Tasks {first} to {} of stage {stage}.", first + tasks - 1),
                format!("{work} &"),
                "worker=$!".to_owned(),
                "# Slurm signals this shell; the worker saves its progress and ends with 75."
                    .to_owned(),
                "trap 'kill -TERM \"$worker\" 2> /dev/null' TERM USR1".to_owned(),
                "while wait \"$worker\"; code=$?; kill -0 \"$worker\" 2> /dev/null; do :; done"
                    .to_owned(),
                REQUEUE.to_owned(),
            ],
        )
    }

    /// For the page, even if other jobs failed.
    pub(super) fn of_report(&self) -> String {
        let mut head = self.head(&Kind::REPORT);
        head.push(format!("--output={}", quoted(&self.log("report-%j.log"))));
        script(&head, &[format!("exec {} work {} --report", self.program(), self.file())])
    }

    fn head(&self, kind: &Kind) -> Vec<String> {
        let needs = Needs::of(kind, self.cpus);
        let mut head = vec![
            format!("--job-name={}", kind.job_name(&self.submission.study)),
            format!("--cpus-per-task={}", needs.cpus),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            format!("--signal=B:USR1@{NOTICE}"),
        ];
        if kind.is_training() {
            head.extend(
                self.slurm.memory.map(|bytes| format!("--mem={}M", bytes.div_ceil(1 << 20))),
            );
        }
        if needs.gpus > 0 {
            head.push(format!("--gres=gpu:{}", needs.gpus));
        }
        if needs.alone {
            head.push("--exclusive".to_owned());
        }
        head
    }

    fn program(&self) -> String {
        quoted(&self.slurm.program)
    }

    fn file(&self) -> String {
        quoted(&absolute(&self.submissions.path(self.submission)))
    }

    fn log(&self, name: &str) -> std::path::PathBuf {
        absolute(&self.submissions.logs(self.submission)).join(name)
    }
}

fn script(head: &[String], body: &[String]) -> String {
    let head = head.iter().map(|option| format!("#SBATCH {option}"));
    let lines = std::iter::once("#!/bin/bash".to_owned()).chain(head).chain(body.iter().cloned());
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

/// A path quoted for shell and Slurm.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+%:@".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$"))
        }
    }
}
