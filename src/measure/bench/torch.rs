//! PyTorch as a peer: the same net trained on the same batches by
//! `experiments/torch_train.py`, in a process of its own that takes turns with ours.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use super::train::TrainBench;
use nnue::{Addition, Architecture, Hidden, Layers};
use training::batch::Batch;

/// Ways to write the net in PyTorch.
pub const VARIANTS: [&str; 5] = ["bag", "slices", "sparse", "dense", "compiled"];

/// Largest set for which the `dense` variant's rows of ones and zeros are
/// written out: 1 GB per batch of 16,384.
const DENSE_FEATURES: usize = 8_192;

/// Whether a variant can train such layers on a set of that size, and is another than the
/// first for them.
pub fn is_feasible(variant: &str, features: usize, layers: &Layers) -> bool {
    match variant {
        "dense" => features <= DENSE_FEATURES,
        "slices" => layers.buckets().count() > 1,
        _ => true,
    }
}

/// Setting of glibc's allocator that keeps large buffers from step to step: PyTorch is up to
/// twice as fast with it.
const ALLOCATOR: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=9223372036854775807:glibc.malloc.top_pad=268435456",
);

/// A running peer. Ends with its value.
#[derive(Debug)]
pub struct Torch {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Holds the batches.
    _folder: TempDir,
    /// Of PyTorch.
    pub version: String,
}

impl Torch {
    /// Starts the script with a Python that has PyTorch and NumPy.
    pub fn start(
        python: &str,
        script: &Path,
        bench: &TrainBench<'_>,
        threads: usize,
    ) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let batches = folder.path().join("batches");
        write_batches(bench, BufWriter::new(std::fs::File::create(&batches)?))?;
        let mut process = Command::new(python)
            .args([script.as_os_str(), batches.as_os_str()])
            .arg(threads.to_string())
            .arg(if bench.compute.is_gpu() { "gpu" } else { "cpu" })
            .env(ALLOCATOR.0, ALLOCATOR.1)
            .env("OMP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ended = || io::Error::other("the process has no pipes");
        let requests = process.stdin.take().ok_or_else(ended)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(ended)?);
        let version = String::new();
        let mut torch = Self { process, requests, answers, _folder: folder, version };
        torch.version = torch.answer()?;
        Ok(torch)
    }

    /// Runs some steps of a variant in a row; milliseconds of one, and the loss before the last.
    /// A variant without the last turn restarts from the initial weights.
    pub fn steps(&mut self, variant: &str, steps: u32) -> io::Result<(f64, f64)> {
        writeln!(self.requests, "{variant} {steps}")?;
        let answer = self.answer()?;
        let numbers: Option<(&str, &str)> = answer.split_once(' ');
        let numbers = numbers.and_then(|(ms, loss)| Some((ms.parse().ok()?, loss.parse().ok()?)));
        numbers.ok_or_else(|| io::Error::other(answer))
    }

    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err(io::Error::other("Python ended; its output is above")),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone afterwards.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The file that the script describes.
fn write_batches(bench: &TrainBench<'_>, mut out: impl Write) -> io::Result<()> {
    // The output as the network has it: in units, not in centipawns.
    let start = bench.start.clone().with_output_times(1.0 / network::OUTPUT_SCALE);
    let batches: Vec<Batch> = bench.listed().collect();
    let width = batches.iter().map(|batch| batch.lists().width).max().unwrap_or(0);
    let positions = batches.first().map_or(0, |batch| batch.len());
    let mut header = shape(&start.architecture);
    header["batches"] = batches.len().into();
    header["positions"] = positions.into();
    header["width"] = width.into();
    let header = header.to_string();
    out.write_all(&(header.len() as u32).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for (_, values) in start.tensors() {
        out.write_all(bytemuck::cast_slice(values))?;
    }
    for batch in &batches {
        let lists = batch.lists();
        for row in lists.indices.chunks(lists.width) {
            out.write_all(bytemuck::cast_slice(row))?;
            for _ in lists.width..width {
                out.write_all(&network::front::PADDING.to_le_bytes())?;
            }
        }
        let only = vec![0; positions];
        let buckets = if batch.buckets.is_empty() { &only } else { &batch.buckets };
        out.write_all(bytemuck::cast_slice(buckets))?;
        out.write_all(bytemuck::cast_slice(&batch.targets))?;
    }
    out.flush()
}

/// Sizes and layers.
fn shape(architecture: &Architecture) -> serde_json::Value {
    let Architecture { features, layers } = architecture;
    let hidden = |hidden: &Hidden| {
        let Hidden { neurons, activation, addition } = hidden;
        let skip = *addition == Some(Addition::Skip);
        json!({ "neurons": neurons, "activation": activation.word(), "skip": skip })
    };
    let dense: Vec<[usize; 2]> = layers.dense().iter().map(|it| [it.inputs, it.sums]).collect();
    json!({
        "features": features,
        "buckets": layers.buckets().count(),
        "psqt": layers.has_psqt(),
        "transformer": { "width": layers.width(), "activation": layers.activation().word() },
        "hidden": layers.hidden().iter().map(hidden).collect::<Vec<_>>(),
        "dense": dense,
    })
}
