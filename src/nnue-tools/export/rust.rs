//! A header in Rust for a raw file: its struct, its constants, and the arithmetic in comments.

use super::blocks::{ALIGNMENT, Blocks, TensorBlock};
use super::bucket::{by_pieces, listed};
use super::headline;
use super::inference::Constant;
use nnue::Net;
use nnue::{Buckets, Layers};

/// The header: a module.
pub(super) fn header(net: &Net, constants: &[Constant], blocks: &Blocks, stem: &str) -> String {
    let about: String = headline(net, stem)
        .iter()
        .map(|line| format!("// {line}").trim_end().to_owned() + "\n")
        .collect();
    let constants: String = constants.iter().map(constant).collect();
    let fields: String = blocks.blocks.iter().map(field).collect();
    let places: String = blocks.blocks.iter().map(place).collect();
    let (bytes, hash) = (blocks.bytes, net.features().hash());
    let bucket = bucket(&net.architecture().layers);
    format!(
        "{about}\n\
         {constants}\
         /// Hash of the feature set in this index order.\n\
         pub const FEATURES_HASH: u64 = 0x{hash};\n\n\
         /// A block at its place.\n\
         #[repr(C, align({ALIGNMENT}))]\n\
         pub struct Aligned<T>(pub T);\n\n\
         /// The raw file as it lies in memory, on little-endian machines.\n\
         #[repr(C)]\n\
         pub struct Net {{\n{fields}}}\n\n\
         const _: () = assert!(core::mem::size_of::<Net>() == {bytes});\n\
         {places}\
         {bucket}"
    )
}

fn constant(constant: &Constant) -> String {
    let Constant { name, value, meaning } = constant;
    format!("/// {meaning}.\npub const {name}: i64 = {value};\n")
}

fn field(block: &TensorBlock) -> String {
    let number = block.name.dtype().as_str().to_owned();
    let array = |inner: String, size: usize| format!("[{inner}; {size}]");
    let array = block.axes.iter().rev().fold(number, |inner, axis| array(inner, axis.size));
    let names: Vec<&str> = block.axes.iter().map(|axis| axis.name).collect();
    let (name, names) = (block.name.as_str(), names.join("]["));
    format!("    /// `[{names}]`\n    pub {name}: Aligned<{array}>,\n")
}

fn place(block: &TensorBlock) -> String {
    let (name, offset) = (block.name.as_str(), block.offset);
    format!("const _: () = assert!(core::mem::offset_of!(Net, {name}) == {offset});\n")
}

fn bucket(layers: &Layers) -> String {
    let Some(table) = by_pieces(layers.buckets()) else { return String::new() };
    let body = match layers.buckets() {
        Buckets::Pieces(_) => format!("(pieces - 1) * BUCKETS as usize / {}", Buckets::MOST),
        Buckets::Set(_) => format!("[{}][pieces - 1]", listed(&table)),
    };
    format!(
        "\n/// Output bucket by the number of pieces on the board, kings included.\n\
         pub const fn bucket(pieces: usize) -> usize {{\n    {body}\n}}\n"
    )
}
