//! `oplus net info --neuron`: weights of a neuron of the first layer on boards.

use std::path::Path;

use crate::cli::Failure;
use base::atomic::write_atomically;
use nnue::Net;
use nnue_tools::first_layer;
use report::plot::piece_boards;

/// Own perspective: own pieces of the side that sees the position, its first rank at the bottom.
pub(super) fn draw(net: &Net, number: usize, path: &Path) -> Result<(), Failure> {
    let weights = net.to_floats();
    let sums = first_layer::neuron(&weights, net.features(), number).ok_or_else(|| {
        let layers = net.architecture().layers.to_string();
        Failure::usage(format!(
            "--neuron: the layers `{layers}` have no neuron {number}, from 0 on"
        ))
    })?;
    let title = format!("Weights of neuron {number} for a lone piece");
    let picture = piece_boards::draw_signed(&title, &sums)?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from)
}
