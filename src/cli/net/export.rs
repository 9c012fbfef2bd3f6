//! `oplus net export`: nets for other programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{is_same_file, load};
use crate::cli::Failure;
use base::atomic::write_atomically;
use engine::NetEvaluator;
use nnue_tools::export::{ExportFormat, WrittenDataFile, export};

/// Write a net in a form that other programs read
///
/// docs/net-file.md explains the forms with a reader for each.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net export net.oplus                       net.bin and net.json
  oplus net export net.oplus --format raw,c        and net.h, a struct for net.bin
  oplus net export net.oplus --format safetensors --out python/net")]
pub(super) struct NetExportArgs {
    /// The net file
    file: PathBuf,
    /// Forms (repeatable, or separated by commas)
    #[arg(long, value_enum, value_delimiter = ',', default_value = "raw")]
    format: Vec<ExportFormat>,
    /// Output without the ending, replaced if it exists; by default beside FILE, by its name
    #[arg(long, value_name = "STEM")]
    out: Option<PathBuf>,
}

pub(super) fn main(args: &NetExportArgs) -> Result<(), Failure> {
    let net = load(&args.file)?;
    let target = args.out.clone().unwrap_or_else(|| args.file.with_extension(""));
    let Some(stem) = target.file_name().map(|name| name.to_string_lossy()) else {
        let target = target.display();
        return Err(Failure::usage(format!("--out {target}: expected the name of a file")));
    };
    let net = Arc::new(net);
    let search_scale = NetEvaluator::new(Arc::clone(&net)).scale();
    for &format in &args.format {
        for file in export(&net, format, &stem, search_scale)? {
            write(&target, file, &args.file)?;
        }
    }
    Ok(())
}

fn write(target: &Path, file: WrittenDataFile, net: &Path) -> Result<(), Failure> {
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
    Ok(())
}
