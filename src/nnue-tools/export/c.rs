//! A header in C for a raw file: its struct, its constants, and the arithmetic in comments.

use super::blocks::{ALIGNMENT, Blocks, TensorBlock};
use super::bucket::{by_pieces, listed};
use super::headline;
use super::inference::Constant;
use nnue::Net;
use nnue::tensors::Dtype;
use nnue::{Buckets, Layers};

/// The header, in C11 and C++11.
pub(super) fn header(net: &Net, constants: &[Constant], blocks: &Blocks, stem: &str) -> String {
    let about: String = headline(net, stem).iter().map(|line| comment(line)).collect();
    let defines: String = constants
        .iter()
        .map(|c| format!("#define OPLUS_{:<11} {:<8} // {}\n", c.name, c.value, c.meaning))
        .collect();
    let fields: String = blocks.blocks.iter().map(field).collect();
    let places: String = blocks.blocks.iter().map(place).collect();
    let (bytes, hash) = (blocks.bytes, net.features().hash());
    let bucket = bucket(&net.architecture().layers);
    format!(
        "{about}\n\
         #ifndef OPLUS_NET_H\n#define OPLUS_NET_H\n\n\
         #include <assert.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
         {defines}\
         #define OPLUS_FEATURES_HASH 0x{hash} // Of the feature set in this index order\n\n\
         #ifdef __cplusplus\n#define OPLUS_ALIGNED alignas({ALIGNMENT})\n\
         #else\n#define OPLUS_ALIGNED _Alignas({ALIGNMENT})\n#endif\n\n\
         // The raw file as it lies in memory, on little-endian machines.\n\
         typedef struct oplus_net {{\n{fields}}} oplus_net;\n\n\
         static_assert(sizeof(oplus_net) == {bytes}, \"the length of the raw file\");\n\
         {places}\n\
         {bucket}\
         #endif\n"
    )
}

fn comment(line: &str) -> String {
    format!("// {line}").trim_end().to_owned() + "\n"
}

fn field(block: &TensorBlock) -> String {
    let number = match block.name.dtype() {
        Dtype::I16 => "int16_t",
        Dtype::I32 => "int32_t",
        Dtype::I64 => "int64_t",
    };
    let sizes: String = block.axes.iter().map(|axis| format!("[{}]", axis.size)).collect();
    let names: Vec<&str> = block.axes.iter().map(|axis| axis.name).collect();
    let name = block.name.as_str();
    format!("    OPLUS_ALIGNED {number} {name}{sizes}; // [{}]\n", names.join("]["))
}

fn place(block: &TensorBlock) -> String {
    let (name, offset) = (block.name.as_str(), block.offset);
    format!("static_assert(offsetof(oplus_net, {name}) == {offset}, \"where {name} lies\");\n")
}

fn bucket(layers: &Layers) -> String {
    let Some(table) = by_pieces(layers.buckets()) else { return String::new() };
    let body = match layers.buckets() {
        Buckets::Pieces(_) => format!("return (pieces - 1) * OPLUS_BUCKETS / {};", Buckets::MOST),
        Buckets::Set(_) => format!(
            "static const unsigned char bucket[{}] = {{{}}};\n    return bucket[pieces - 1];",
            Buckets::MOST,
            listed(&table)
        ),
    };
    format!(
        "// Output bucket by the number of pieces on the board, kings included.\n\
         static inline int oplus_bucket(int pieces) {{\n    {body}\n}}\n\n"
    )
}
