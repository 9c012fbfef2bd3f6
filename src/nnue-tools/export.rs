//! Nets for other programs: raw blocks with a manifest, safetensors, and
//! headers in Rust and C that name the layout.
//!
//! One module each has the parts that all formats share: offsets of the tensors (`blocks`), indices
//! of the features (`index`), arithmetic (`inference`).

mod blocks;
mod c;
mod index;
mod inference;
mod manifest;
mod rust;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use safetensors::tensor::{Dtype as SafeDtype, SafeTensorError, TensorView, serialize};

use super::provenance::PROGRAM;
use blocks::Blocks;
use index::Product;
use inference::Constant;
use nnue::Net;
use nnue::tensors::Dtype;

/// A format that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ExportFormat {
    /// FILE.bin, the tensors in little endian, and FILE.json with their layout
    Raw,
    /// FILE.safetensors, for Python: the tensors by name, the rest as metadata
    Safetensors,
    /// FILE.rs, a header for the raw file: constants, types, index formulas
    Rust,
    /// FILE.h, the same in C
    C,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenDataFile {
    pub extension: &'static str,
    pub bytes: Vec<u8>,
}

/// The files of a net in a format. `stem` is the file name without extension; headers and manifests
/// name the raw file by it. `search_scale` is the evaluation scale of the search, in 1,024ths.
pub fn export(
    net: &Net,
    format: ExportFormat,
    stem: &str,
    search_scale: i32,
) -> Result<Vec<WrittenDataFile>, SafeTensorError> {
    let file = |extension, bytes| WrittenDataFile { extension, bytes };
    let blocks = Blocks::of(net);
    let constants = inference::constants(net, search_scale);
    Ok(match format {
        ExportFormat::Raw => vec![
            file("bin", blocks.bytes(net)),
            file("json", manifest::raw(net, &constants, &blocks, stem).into_bytes()),
        ],
        ExportFormat::Safetensors => vec![file("safetensors", safetensors(net, &constants)?)],
        ExportFormat::Rust => {
            vec![file("rs", rust::header(net, &constants, &blocks, stem).into_bytes())]
        }
        ExportFormat::C => vec![file("h", c::header(net, &constants, &blocks, stem).into_bytes())],
    })
}

/// The only entry of the metadata, which holds the manifest: several would change their order from
/// run to run.
const METADATA_KEY: &str = "oplus";

fn safetensors(net: &Net, constants: &[Constant]) -> Result<Vec<u8>, SafeTensorError> {
    let (architecture, scales) = (net.architecture(), net.scales());
    let stored: Vec<_> = net
        .tensors()
        .map(|(name, values)| {
            let axes = name.axes(architecture, scales);
            let shape = axes.iter().map(|axis| axis.size).collect::<Vec<_>>();
            (name, shape, values.to_le_bytes())
        })
        .collect();
    let views = stored.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(safe_dtype(name.dtype()), shape.clone(), bytes)?;
        Ok((name.as_str(), view))
    });
    let views = views.collect::<Result<Vec<_>, SafeTensorError>>()?;
    let metadata =
        HashMap::from([(METADATA_KEY.to_owned(), manifest::plain(net, constants).to_string())]);
    serialize(views, Some(metadata))
}

fn safe_dtype(dtype: Dtype) -> SafeDtype {
    match dtype {
        Dtype::I16 => SafeDtype::I16,
        Dtype::I32 => SafeDtype::I32,
        Dtype::I64 => SafeDtype::I64,
    }
}

/// Comment above the code of a header, line by line.
fn headline(net: &Net, stem: &str) -> Vec<String> {
    let heading = |text: &str| [String::new(), text.to_owned()];
    let mut lines = identity(net, stem);
    lines.push(String::new());
    lines.extend(inference::PERSPECTIVE.map(str::to_owned));
    lines.extend(heading(match net.value_parts() {
        None => "Index of a feature, that is its row in ft_weights or psqt:",
        Some(_) => "Index of a feature, that is its row in psqt, and its value:",
    }));
    lines.extend(index::products(net.features().expr()).iter().flat_map(index_lines));
    lines.extend(heading("Evaluation:"));
    lines.extend(inference::steps(net).iter().map(|step| format!("  {step}")));
    lines
}

fn identity(net: &Net, stem: &str) -> Vec<String> {
    let features = net.features();
    vec![
        // A name may hold any characters, but a comment must stay on its line.
        format!("The layout of {}.bin, a net exported by {PROGRAM}.", stem.escape_debug()),
        String::new(),
        format!("features      {}", features.canonical()),
        format!("features hash {}", features.hash()),
        format!("architecture  {}", net.architecture()),
        format!("activation    {}", inference::activation(net)),
        format!("fingerprint   {}", net.fingerprint()),
    ]
}

fn index_lines(product: &Product<'_>) -> Vec<String> {
    let legend = index::legend(product)
        .into_iter()
        .map(|(name, meaning)| format!("      {name}: {meaning}"));
    let formula =
        [format!("  {}", index::text(product)), format!("    index = {}", index::formula(product))];
    let value = index::value(product).map(|value| format!("    value = {value}"));
    let numbers = index::value_legend(product).into_iter();
    let numbers = numbers.map(|(name, meaning)| format!("      {name}: {meaning}"));
    formula.into_iter().chain(legend).chain(value).chain(numbers).collect()
}
