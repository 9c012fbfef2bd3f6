//! `oplus net info --kings`: piece values of a linear net by king square.

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
    let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
    let worth = |column: usize, role, square| columns[column].worth(role, square);
    let picture = following::draw("Worth of pieces as the kings move", &titles, worth)?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from)
}
