//! `oplus net info --kings`: what pieces of a linear net are worth as the kings move.

use std::path::Path;

use crate::cli::Failure;
use base::atomic::write_atomically;
use nnue::Net;
use nnue_tools::Following;
use report::plot::following;

pub(super) fn draw(net: &Net, path: &Path) -> Result<(), Failure> {
    let following = Following::of(net).ok_or_else(|| {
        Failure::usage(
            "--kings is for linear nets (layers `1`): pieces of others have no worth alone",
        )
    })?;
    let columns = following.columns();
    let picture = following::draw("Worth of pieces as the kings move", &columns);
    let picture = picture?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from)
}
