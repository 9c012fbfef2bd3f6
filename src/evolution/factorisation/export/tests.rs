//! The constants, compiled in other languages.

use std::path::Path;
use std::process::Command;

use super::*;
use crate::factorisation::Factors;

fn packed() -> (Factors, Packed) {
    let components = [0xffff_0000_0000_0000, 0x8142_2418_1824_4281, 0x00ff_0000_0000_ff00];
    let weights = [[-128, 127, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12], [1; TABLES], [-1; TABLES]];
    let offsets = [9, 37, -40, 53, 113, 0, 10, 31, 33, 57, 104, -128];
    let factors = Factors::new(&components, &weights, offsets);
    let packed = Packed::pack(&factors);
    (factors, packed)
}

/// All cells as a program prints them, table after table.
fn printed(mut command: Command, folder: &Path) -> Vec<i32> {
    let compiled = command.current_dir(folder).output().expect("the compiler is there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(folder.join("unpack")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn expected(factors: &Factors) -> Vec<i32> {
    let cells = factors.cells();
    (0..TABLES).flat_map(|table| cells.map(|row| row[table])).collect()
}

#[test]
fn rust_unpacks_the_same() {
    let (factors, packed) = packed();
    let folder = tempfile::tempdir().unwrap();
    let main =
        "fn main() { for table in unpack() { for cell in table { println!(\"{cell}\"); } } }";
    let source = Language::Rust.write(&packed, "A test.") + main;
    std::fs::write(folder.path().join("unpack.rs"), source).unwrap();
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition", "2021", "unpack.rs", "-o", "unpack"]);
    assert_eq!(printed(compiler, folder.path()), expected(&factors));
}

#[test]
fn c_unpacks_the_same() {
    let (factors, packed) = packed();
    let folder = tempfile::tempdir().unwrap();
    let main = "#include <stdio.h>\nint main(void) { int16_t t[12][64]; unpack(t); \
                for (int i = 0; i < 768; i++) printf(\"%d\\n\", t[i / 64][i % 64]); return 0; }";
    let source = Language::C.write(&packed, "A test.") + main;
    std::fs::write(folder.path().join("unpack.c"), source).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Werror", "unpack.c", "-o", "unpack"]);
    assert_eq!(printed(compiler, folder.path()), expected(&factors));
}

/// The literals of the C# text, decoded by its own rules.
#[test]
fn decimals_hold_the_weights() {
    let (factors, packed) = packed();
    let text = Language::CSharp.write(&packed, "A test.");
    let words = |ending: &str| -> Vec<String> {
        let words = text.split([' ', ',', '\n', '{', '}', ';']);
        let of_kind = words.filter_map(|word| word.strip_suffix(ending));
        of_kind
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let components: Vec<u64> = words("UL")
        .iter()
        .map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap())
        .collect();
    let weights: Vec<u128> = words("M").iter().map(|word| word.parse().unwrap()).collect();
    assert_eq!(Packed { components, weights }.unpack(), factors);
}
