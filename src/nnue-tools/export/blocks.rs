//! Offsets of the tensors in a raw file.
//!
//! Every block begins at a multiple of 64 bytes, a cache line and the widest vector register, and
//! so does the end: the file has the layout of a C struct of aligned arrays, and can be mapped or
//! included as one.

use nnue::Net;
use nnue::tensors::{TensorAxis, TensorName};

/// Offsets and the length of the file are multiples of this, in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// A tensor in a raw file; offset and length are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TensorBlock {
    pub name: TensorName,
    /// Its dimensions, the slowest first.
    pub axes: Vec<TensorAxis>,
    pub offset: usize,
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    pub blocks: Vec<TensorBlock>,
    pub bytes: usize,
}

impl Blocks {
    pub(super) fn of(net: &Net) -> Self {
        let (architecture, scales) = (net.architecture(), net.scales());
        let mut end = 0;
        let mut blocks = Vec::new();
        for name in TensorName::of(&architecture.layers) {
            let axes = name.axes(architecture, scales);
            let bytes = axes.iter().map(|axis| axis.size).product::<usize>() * name.dtype().bytes();
            blocks.push(TensorBlock { name, axes, offset: end, bytes });
            end = (end + bytes).next_multiple_of(ALIGNMENT);
        }
        Self { blocks, bytes: end }
    }

    /// The file, with zeros between the blocks.
    pub(super) fn bytes(&self, net: &Net) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes);
        for block in &self.blocks {
            bytes.resize(block.offset, 0);
            bytes.extend(net.values(block.name).to_le_bytes());
        }
        bytes.resize(self.bytes, 0);
        bytes
    }
}
