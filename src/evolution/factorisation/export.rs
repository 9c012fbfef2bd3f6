//! Constants for other programs, with the code that unpacks them.
//!
//! In all of them bit 0 of a component is a1, tables go from pawn to king in the middlegame and
//! then in the endgame, and the unpacked values are centipawns with the values of the pieces, a1
//! first. A black piece stands on `square ^ 56`.

use super::factors::OFFSET_STEP;
use super::packing::Packed;
use super::{SQUARES, TABLES};

/// A language to write constants in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `ulong` and `decimal`, as in the Tiny Chess Bot Challenge.
    CSharp,
    /// Words and signed bytes.
    C,
    /// Words and 128-bit words.
    Rust,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::CSharp, Self::C, Self::Rust];

    /// Ending of a file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::CSharp => "cs",
            Self::C => "h",
            Self::Rust => "rs",
        }
    }

    /// The constants and the code that unpacks tables from them, below `heading`.
    pub fn write(self, packed: &Packed, heading: &str) -> String {
        let heading: String = heading.lines().map(|line| format!("// {line}\n")).collect();
        let body = match self {
            Self::CSharp => csharp(packed),
            Self::C => c(packed),
            Self::Rust => rust(packed),
        };
        format!("{heading}// {ORDER}\n\n{body}")
    }
}

const ORDER: &str = "Tables: pawn to king, middlegame, then endgame; squares: a1 first.";

/// Words, some to a line.
fn lines<T>(words: &[T], in_line: usize, write: impl Fn(&T) -> String) -> String {
    let line = |words: &[T]| {
        let words: Vec<String> = words.iter().map(&write).collect();
        format!("    {},\n", words.join(", "))
    };
    words.chunks(in_line).map(line).collect()
}

fn csharp(packed: &Packed) -> String {
    let components = lines(&packed.components, 4, |word| format!("0x{word:016x}UL"));
    let weights = lines(&packed.weights, 2, |word| format!("{word}M"));
    format!(
        "static readonly ulong[] Components = {{\n{components}}};\n\n\
         static readonly decimal[] Weights = {{\n{weights}}};\n\n\
         // [table * {SQUARES} + square]\n\
         static int[] Unpack()\n{{\n    \
             var tables = new int[{cells}];\n    \
             for (int i = 0; i < tables.Length; i++)\n        \
                 for (int j = 0; j < Weights.Length; j++)\n            \
                     tables[i] += (sbyte)Buffer.GetByte(decimal.GetBits(Weights[j]), i / {SQUARES})\n                \
                         * (j == Components.Length ? {OFFSET_STEP} : (int)(Components[j] >> i % {SQUARES} & 1));\n    \
             return tables;\n}}\n",
        cells = SQUARES * TABLES,
    )
}

fn c(packed: &Packed) -> String {
    let count = packed.components.len();
    let components = lines(&packed.components, 4, |word| format!("0x{word:016x}u"));
    let row = |word: &u128| {
        let bytes: Vec<String> =
            (0..TABLES).map(|table| ((word >> (8 * table)) as u8 as i8).to_string()).collect();
        format!("{{{}}}", bytes.join(", "))
    };
    let weights = lines(&packed.weights, 1, row);
    // C has no arrays without elements.
    let declared = count.max(1);
    let components = if count == 0 { "    0,\n".to_owned() } else { components };
    format!(
        "#include <stdint.h>\n\n\
         static const uint64_t components[{declared}] = {{\n{components}}};\n\n\
         static const int8_t weights[{rows}][{TABLES}] = {{\n{weights}}};\n\n\
         static void unpack(int16_t tables[{TABLES}][{SQUARES}])\n{{\n    \
             for (int table = 0; table < {TABLES}; table++)\n        \
                 for (int square = 0; square < {SQUARES}; square++) {{\n            \
                     int sum = {OFFSET_STEP} * weights[{count}][table];\n            \
                     for (int i = 0; i < {count}; i++)\n                \
                         if (components[i] >> square & 1)\n                    \
                             sum += weights[i][table];\n            \
                     tables[table][square] = (int16_t)sum;\n        \
                 }}\n}}\n",
        rows = count + 1,
    )
}

fn rust(packed: &Packed) -> String {
    let count = packed.components.len();
    let components = lines(&packed.components, 4, |word| format!("0x{word:016x}"));
    let weights = lines(&packed.weights, 2, |word| format!("0x{word:024x}"));
    format!(
        "pub const COMPONENTS: [u64; {count}] = [\n{components}];\n\n\
         pub const WEIGHTS: [u128; {rows}] = [\n{weights}];\n\n\
         pub const fn unpack() -> [[i16; {SQUARES}]; {TABLES}] {{\n    \
             let mut tables = [[0; {SQUARES}]; {TABLES}];\n    \
             let mut cell = 0;\n    \
             while cell < {TABLES} * {SQUARES} {{\n        \
                 let (table, square) = (cell / {SQUARES}, cell % {SQUARES});\n        \
                 let mut sum = {OFFSET_STEP} * (WEIGHTS[{count}] >> (8 * table)) as i8 as i16;\n        \
                 let mut i = 0;\n        \
                 while i < {count} {{\n            \
                     if COMPONENTS[i] >> square & 1 == 1 {{\n                \
                         sum += (WEIGHTS[i] >> (8 * table)) as i8 as i16;\n            \
                     }}\n            \
                     i += 1;\n        \
                 }}\n        \
                 tables[table][square] = sum;\n        \
                 cell += 1;\n    \
             }}\n    \
             tables\n}}\n",
        rows = count + 1,
    )
}

#[cfg(test)]
mod tests;
