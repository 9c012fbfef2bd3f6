//! Nets for other programs: raw blocks with a manifest, safetensors and numpy archives, headers in
//! Rust and C that name the layout, and files in the formats of [other programs](crate::foreign).
//!
//! One module each has the parts that formats share: offsets of the tensors (`blocks`), indices of
//! the features (`index`), arithmetic (`inference`), the description (`manifest`).

mod blocks;
mod bucket;
mod c;
mod index;
mod inference;
mod manifest;
mod npz;
mod rust;
mod safetensors;
#[cfg(test)]
mod tests;

use ::safetensors::tensor::SafeTensorError;
use zip::result::ZipError;

use super::floats;
use super::foreign::bullet::{
    BulletError, BulletExportError, BulletLayout, BulletNet, BulletScales,
};
use super::foreign::stockfish::{StockfishError, StockfishExportError, StockfishNet};
use super::provenance::PROGRAM;
use blocks::Blocks;
use index::Product;
use nnue::Net;

/// A format that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ExportFormat {
    /// FILE.bin, the tensors in little endian, and FILE.json with their layout
    Raw,
    /// FILE.safetensors, for Python: the tensors by name, the rest as metadata
    Safetensors,
    /// FILE.npz, for numpy: the tensors by name, the rest as oplus.json
    Npz,
    /// FILE.floats.safetensors, for PyTorch: floating-point weights by name, which `net import` and
    /// `train --start` read
    Floats,
    /// FILE.rs, a header for the raw file: constants, types, index formulas
    Rust,
    /// FILE.h, the same in C
    C,
    /// FILE.nnue, for Stockfish 15.1: nets of its features and layers
    Nnue,
    /// FILE.bin as bullet's quantised.bin: nets of one hidden layer, at --scales
    Bullet,
}

/// A net that a format cannot hold.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("no safetensors file: {0}")]
    Safetensors(#[from] SafeTensorError),
    #[error("no archive of numpy: {0}")]
    Npz(#[from] ZipError),
    #[error("no file of Stockfish 15.1: {0}")]
    Stockfish(#[from] StockfishExportError),
    #[error("no file of bullet: {0}")]
    Bullet(#[from] BulletExportError),
}

impl From<StockfishError> for ExportError {
    fn from(error: StockfishError) -> Self {
        Self::Stockfish(error.into())
    }
}

impl From<BulletError> for ExportError {
    fn from(error: BulletError) -> Self {
        Self::Bullet(error.into())
    }
}

/// The parts of an export that are not in the net.
#[derive(Clone, Copy, Debug)]
pub struct ExportSettings<'a> {
    /// File name without extension, by which headers and manifests name the raw file.
    pub stem: &'a str,
    /// Evaluation scale of the search, in 1,024ths.
    pub search_scale: i32,
    /// Scales of a file of bullet; without them those of its import, or of bullet's examples.
    pub bullet: Option<BulletScales>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenDataFile {
    pub extension: &'static str,
    pub bytes: Vec<u8>,
}

/// The files of an export.
#[derive(Clone, Debug)]
pub struct Export {
    pub files: Vec<WrittenDataFile>,
    /// The net in the arithmetic of another program, for files in its format.
    pub foreign: Option<ForeignNet>,
}

/// The net that an import of an exported file makes.
#[derive(Clone, Debug)]
pub struct ForeignNet {
    pub net: Net,
    /// Description of a file that has no header.
    pub layout: Option<BulletLayout>,
}

impl ExportFormat {
    /// Extensions of its files.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Raw => &["bin", "json"],
            Self::Safetensors => &["safetensors"],
            Self::Npz => &["npz"],
            Self::Floats => &["floats.safetensors"],
            Self::Rust => &["rs"],
            Self::C => &["h"],
            Self::Nnue => &["nnue"],
            Self::Bullet => &["bin"],
        }
    }
}

/// The files of a net in a format.
pub fn export(
    net: &Net,
    format: ExportFormat,
    settings: &ExportSettings<'_>,
) -> Result<Export, ExportError> {
    let (stem, blocks) = (settings.stem, Blocks::of(net));
    let constants = inference::constants(net, settings.search_scale);
    let mut foreign = None;
    let contents = match format {
        ExportFormat::Raw => {
            vec![blocks.bytes(net), manifest::raw(net, &constants, &blocks, stem).into_bytes()]
        }
        ExportFormat::Safetensors => vec![safetensors::file(net, &constants)?],
        ExportFormat::Npz => vec![npz::archive(net, &constants)?],
        ExportFormat::Floats => vec![floats::to_bytes(&net.to_floats(), net.features())?],
        ExportFormat::Rust => vec![rust::header(net, &constants, &blocks, stem).into_bytes()],
        ExportFormat::C => vec![c::header(net, &constants, &blocks, stem).into_bytes()],
        ExportFormat::Nnue => {
            let file = StockfishNet::of_net(net)?;
            let net = file.to_net(net.provenance().clone())?;
            foreign = Some(ForeignNet { net, layout: None });
            vec![file.to_bytes()]
        }
        ExportFormat::Bullet => {
            let file = BulletNet::of_net(net, settings.bullet)?;
            let net = file.to_net(net.provenance().clone())?;
            foreign = Some(ForeignNet { net, layout: Some(file.layout().clone()) });
            vec![file.to_bytes()]
        }
    };
    let files = format.extensions().iter().zip(contents);
    let files = files.map(|(&extension, bytes)| WrittenDataFile { extension, bytes }).collect();
    Ok(Export { files, foreign })
}

/// Comment above the code of a header, line by line.
fn headline(net: &Net, stem: &str) -> Vec<String> {
    let heading = |text: &str| [String::new(), text.to_owned()];
    let mut lines = identity(net, stem);
    lines.push(String::new());
    lines.extend(inference::perspective(net.features()).into_iter().map(str::to_owned));
    lines.extend(heading(match net.value_parts() {
        None => "Index of a feature, that is its row in ft_weights or psqt:",
        Some(_) => "Index of a feature, that is its row in psqt, and its value:",
    }));
    let products = index::products(net.features().expr());
    lines.extend(products.iter().flat_map(index_lines));
    lines.extend(heading("A feature is active when all predicates of its product hold:"));
    let predicates = index::predicates(&products).into_iter();
    lines.extend(predicates.map(|(name, holds)| format!("  {name}: {holds}")));
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
