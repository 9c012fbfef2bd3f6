//! `oplus net export`: nets for other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::diff::print_evaluations;
use super::{is_same_file, line, load};
use crate::cli::Failure;
use base::atomic::write_atomically;
use engine::{NetEvaluator, reference_positions};
use nnue::Net;
use nnue_tools::diff::EvaluationDiff;
use nnue_tools::export::{
    Export, ExportFormat, ExportSettings, ForeignNet, WrittenDataFile, export,
};
use nnue_tools::foreign::bullet::BulletScales;

/// Write a net in a form that other programs read
///
/// docs/net-file.md explains the forms with a reader for each. Files of Stockfish 15.1 and bullet
/// have scales of their own: imported nets keep their integers and give the same file again, others
/// are quantised again, which is reported in centipawns. Nets that such a file cannot hold are
/// refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net export net.oplus                       net.bin and net.json
  oplus net export net.oplus --format raw,c        and net.h, a struct for net.bin
  oplus net export net.oplus --format safetensors --out python/net
  oplus net export net.oplus --format npz          net.npz, for numpy.load
  oplus net export net.oplus --format floats       net.floats.safetensors, for torch
  oplus net export net.oplus --format nnue         net.nnue, for Stockfish 15.1
  oplus net export net.oplus --format bullet --scales \"qa 255, qb 64, scale 400\"")]
pub(super) struct NetExportArgs {
    /// The net file
    file: PathBuf,
    /// Forms (repeatable, or separated by commas)
    #[arg(long, value_enum, value_delimiter = ',', default_value = "raw")]
    format: Vec<ExportFormat>,
    /// Integers per unit and centipawns per unit of a file of bullet [default: those of its import,
    /// or "qa 255, qb 64, scale 400"]
    #[arg(long, value_name = "SCALES")]
    scales: Option<BulletScales>,
    /// Output without the ending, replaced if it exists; by default beside FILE, by its name
    #[arg(long, value_name = "STEM")]
    out: Option<PathBuf>,
}

pub(super) fn main(args: &NetExportArgs) -> Result<(), Failure> {
    check_formats(args)?;
    let net = load(&args.file)?;
    let target = args.out.clone().unwrap_or_else(|| args.file.with_extension(""));
    let Some(stem) = target.file_name().map(|name| name.to_string_lossy()) else {
        let target = target.display();
        return Err(Failure::usage(format!("--out {target}: expected the name of a file")));
    };
    let net = Arc::new(net);
    let search_scale = NetEvaluator::new(Arc::clone(&net)).scale();
    let settings = ExportSettings { stem: &stem, search_scale, bullet: args.scales };
    for &format in &args.format {
        let Export { files, foreign } = export(&net, format, &settings)
            .map_err(|error| Failure::message(format!("{}: {error}", args.file.display())))?;
        let mut written = Vec::new();
        for file in files {
            written.push(write(&target, file, &args.file)?);
        }
        if let (Some(foreign), [path]) = (foreign, &written[..]) {
            print_foreign(&net, &foreign, path);
        }
    }
    Ok(())
}

/// Rejects formats that write the same file, and scales without a use.
fn check_formats(args: &NetExportArgs) -> Result<(), Failure> {
    let both = [ExportFormat::Raw, ExportFormat::Bullet];
    if both.iter().all(|format| args.format.contains(format)) {
        return Err(Failure::usage(
            "--format raw and bullet both write FILE.bin; export them one by one, each with its --out",
        ));
    }
    if args.scales.is_some() && !args.format.contains(&ExportFormat::Bullet) {
        return Err(Failure::usage("--scales are those of --format bullet; leave them out"));
    }
    Ok(())
}

fn write(target: &Path, file: WrittenDataFile, net: &Path) -> Result<PathBuf, Failure> {
    // Added, not replaced: a name may have dots of its own.
    let path = target.with_added_extension(file.extension);
    if is_same_file(&path, net) {
        return Err(Failure::usage(format!(
            "{}: this would replace the file that is exported; choose another --out",
            path.display()
        )));
    }
    write_atomically(&path, &[&file.bytes])?;
    println!("{} ({} bytes)", path.display(), file.bytes.len());
    Ok(path)
}

/// The difference between the net and the net in the file, and the command that reads the file.
fn print_foreign(net: &Net, foreign: &ForeignNet, path: &Path) {
    if foreign.net.fingerprint() == net.fingerprint() {
        line("evaluations", "those of the net: the file has its integers");
    } else {
        print_evaluations(&EvaluationDiff::on(net, &foreign.net, reference_positions()));
    }
    if let Some(excess) = foreign.net.excess() {
        eprintln!("note: no bound shows that sums cannot overflow: {excess}; they would wrap");
    }
    if let Some(layout) = &foreign.layout {
        line("read by", format_args!("oplus net import {} --layout \"{layout}\"", path.display()));
    }
}
