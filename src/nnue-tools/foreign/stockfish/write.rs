//! The bytes of a network file of Stockfish 15.1, in the layout of [`read`](super::read).

use super::read::{GROUP, VERSION};
use super::{Affine, Sizes, Stack, StockfishNet, hashes};

impl StockfishNet {
    /// The file. Padding is zeros, as the trainer of the released nets writes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Writer(Vec::new());
        file.word(VERSION);
        file.word(hashes::network(self.sizes));
        file.word(self.description.len() as u32);
        file.0.extend(self.description.as_bytes());
        file.word(hashes::transformer(self.sizes));
        file.values(&self.biases, i16::to_le_bytes);
        file.values(&self.weights, i16::to_le_bytes);
        file.values(&self.psqt, i32::to_le_bytes);
        self.stacks.iter().for_each(|stack| file.stack(stack, self.sizes));
        file.0
    }
}

/// Sections one after the other, little endian.
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn values<const N: usize, T: Copy>(&mut self, values: &[T], bytes: fn(T) -> [u8; N]) {
        values.iter().for_each(|&value| self.0.extend(bytes(value)));
    }

    fn stack(&mut self, stack: &Stack, sizes: Sizes) {
        self.word(hashes::stack(sizes));
        self.affine(&stack.fc_0, sizes.products());
        self.affine(&stack.fc_1, sizes.activations());
        self.affine(&stack.fc_2, sizes.l3);
    }

    /// A dense layer, the weights of each output padded.
    fn affine(&mut self, layer: &Affine, inputs: usize) {
        self.values(&layer.biases, i32::to_le_bytes);
        let padding = vec![0; inputs.next_multiple_of(GROUP) - inputs];
        for row in layer.weights.chunks_exact(inputs) {
            self.values(row, i8::to_le_bytes);
            self.0.extend(&padding);
        }
    }
}
