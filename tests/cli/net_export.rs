//! Exported nets, evaluated by readers that know nothing but the exported
//! files: one that reads the manifest, and programs in C and in Rust compiled
//! with the generated headers.

use std::path::Path;
use std::process::Command;

use oplus::chess::{Position, Scene};
use oplus::nnue::Net;
use oplus::nnue::testing::{Kind, Rows, layers};
use serde_json::Value;

use crate::net::net;
use crate::support::Workdir;

const FENS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
];

fn expected(net: &Net) -> Vec<i64> {
    let positions = FENS.map(|fen| Position::from_fen(fen).unwrap());
    positions.iter().map(|p| net.evaluate(&Scene::from(p), p.turn()).into()).collect()
}

fn export(work: &Workdir, net: &Net, formats: &str) {
    net.save(&work.path().join("net.oplus")).unwrap();
    let done = work.run(&["net", "export", "net.oplus", "--format", formats]);
    assert_eq!(done.code, 0, "{}", done.err);
}

/// Active features of `ALL` by its formula, `12 * square + 2 * role + color`.
fn features(fen: &str, white: bool) -> Vec<usize> {
    let (mut rank, mut file, mut out) = (7, 0, Vec::new());
    for c in fen.split(' ').next().unwrap().chars() {
        match (c, c.to_digit(10)) {
            ('/', _) => (rank, file) = (rank - 1, 0),
            (_, Some(empty)) => file += empty as usize,
            (piece, None) => {
                let role = "pnbrqk".find(piece.to_ascii_lowercase()).unwrap();
                let square = (8 * rank + file) ^ if white { 0 } else { 56 };
                let other = piece.is_uppercase() != white;
                out.push(12 * square + 2 * role + usize::from(other));
                file += 1;
            }
        }
    }
    out
}

/// The reader of a raw file that docs/net-file.md describes.
struct Reader {
    manifest: Value,
    bytes: Vec<u8>,
}

impl Reader {
    fn open(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("net.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        let file = manifest["raw"]["file"].as_str().unwrap();
        Self { bytes: std::fs::read(folder.join(file)).unwrap(), manifest }
    }

    fn constant(&self, name: &str) -> i64 {
        self.manifest["constants"][name].as_i64().unwrap_or_else(|| panic!("no {name}"))
    }

    fn tensor(&self, name: &str) -> Vec<i64> {
        let tensors = self.manifest["raw"]["tensors"].as_array().unwrap();
        let Some(tensor) = tensors.iter().find(|t| t["name"] == name) else { return Vec::new() };
        let at = |key: &str| tensor[key].as_u64().unwrap() as usize;
        let bytes = &self.bytes[at("offset")..][..at("bytes")];
        match tensor["dtype"].as_str().unwrap() {
            "i16" => bytes.chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]]).into()).collect(),
            "i32" => {
                bytes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect()
            }
            _ => bytes.chunks(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect(),
        }
    }

    /// Rows of a tensor added up, onto others.
    fn sum(&self, rows: &str, mut sums: Vec<i64>, features: &[usize]) -> Vec<i64> {
        let (rows, width) = (self.tensor(rows), sums.len());
        for feature in features {
            sums.iter_mut().zip(&rows[feature * width..]).for_each(|(sum, w)| *sum += w);
        }
        sums
    }

    /// Sums of high digits before sums of low ones, put together.
    fn joined(&self, sums: Vec<i64>) -> Vec<i64> {
        let Some(base) = self.manifest["constants"]["base"].as_i64() else { return sums };
        let (high, low) = sums.split_at(sums.len() / 2);
        high.iter().zip(low).map(|(high, low)| high * base + low).collect()
    }

    /// Activations of the transformer.
    fn activated(&self, sums: Vec<i64>) -> Vec<i64> {
        let (top, shift) = (self.constant("top"), self.constant("shift"));
        let clipped: Vec<i64> = sums.into_iter().map(|sum| sum.clamp(0, top)).collect();
        let long: Vec<i64> = match self.manifest["layers"]["transformer"]["activation"].as_str() {
            Some("screlu") => clipped.iter().map(|a| a * a).collect(),
            Some("pairwise") => {
                let (first, second) = clipped.split_at(clipped.len() / 2);
                first.iter().zip(second).map(|(a, b)| a * b).collect()
            }
            _ => clipped,
        };
        long.into_iter().map(|long| (long + (1 << shift >> 1)) >> shift).collect()
    }

    /// The sums of a dense layer for a bucket.
    fn dense(&self, name: &str, bucket: usize, x: &[i64]) -> Vec<i64> {
        let weights = self.tensor(&format!("{name}_weights"));
        let biases = self.tensor(&format!("{name}_bias"));
        let sums = biases.len() / self.constant("buckets") as usize;
        let products = |o: usize| weights[o * x.len()..].iter().zip(x).map(|(w, x)| w * x);
        let sum = |o: usize| biases[o] + products(o).sum::<i64>();
        (bucket * sums..(bucket + 1) * sums).map(sum).collect()
    }

    fn evaluate(&self, fen: &str) -> i64 {
        let white = fen.split(' ').nth(1) == Some("w");
        let sides = [features(fen, white), features(fen, !white)];
        let buckets = self.constant("buckets") as usize;
        let bucket = (features(fen, true).len() - 1) * buckets / 32;
        let mut head = 0;
        if self.manifest["layers"]["psqt"] == true {
            let [own, other] = sides.each_ref().map(|it| self.sum("psqt", vec![0; buckets], it));
            head = own[bucket] - other[bucket];
        }
        let whole = self.constant("whole");
        let rounded = |sum: i64| (sum + whole / 2).div_euclid(whole);
        if self.manifest["layers"]["transformer"].is_null() {
            return rounded(head);
        }
        let of_side = |side: &Vec<usize>| {
            self.activated(self.joined(self.sum("ft_weights", self.tensor("ft_bias"), side)))
        };
        let mut x = sides.each_ref().map(of_side).concat();
        let mut skipped = 0;
        let hidden = self.manifest["layers"]["hidden"].as_array().unwrap();
        for (place, hidden) in hidden.iter().enumerate() {
            let z = self.dense(["dense", "dense2"][place], bucket, &x);
            let neurons = hidden["neurons"].as_u64().unwrap() as usize;
            if hidden["addition"] == "skip" {
                let [times, over] = ["skip_times", "skip_over"].map(|name| self.constant(name));
                skipped = z[neurons] * times / over;
            }
            x = self.hidden(place, hidden["activation"].as_str().unwrap(), &z[..neurons]);
        }
        let name = if hidden.is_empty() { "dense" } else { "out" };
        let sum = self.dense(name, bucket, &x)[0] + skipped;
        match self.manifest["layers"]["psqt"] == true {
            true => rounded(sum * self.constant("mix_output") + head * self.constant("mix_psqt")),
            false => rounded(sum),
        }
    }

    /// Activations of a dense layer.
    fn hidden(&self, place: usize, activation: &str, z: &[i64]) -> Vec<i64> {
        let ending = ["", "2"][place];
        let maybe = |name: &str| self.manifest["constants"][format!("{name}{ending}")].as_i64();
        let (top, lost) = (maybe("clip").unwrap(), maybe("lost").unwrap_or(0));
        let clipped = z.iter().map(|z| ((*z).clamp(0, top) + (1 << lost >> 1)) >> lost);
        let squared = |least: i64| {
            z.iter().map(move |z| (*z).clamp(least, top).pow(2) >> maybe("square").unwrap())
        };
        match activation {
            "screlu" => squared(0).collect(),
            "dual" => squared(-top).chain(clipped).collect(),
            _ => clipped.collect(),
        }
    }
}

#[test]
fn a_raw_file_evaluates_as_the_net_does() {
    for (seed, line) in (0..).zip([
        "32 -> 8 -> 1",
        "16 screlu -> 8 screlu -> 1, buckets 8",
        "24 -> 1, buckets 4",
        "16 screlu -> 1",
        "1",
        "1, buckets 8",
        "32 pairwise -> 16 dual -> 32 -> 1, buckets 8, psqt",
        "32 pairwise -> 15 dual + skip -> 8 screlu -> 1",
        "16 -> 7 + skip -> 1, psqt",
    ]) {
        let work = Workdir::new();
        let net = net("ALL", layers(line), seed);
        export(&work, &net, "raw");
        let reader = Reader::open(work.path());
        assert_eq!(reader.manifest["raw"]["bytes"], reader.bytes.len());
        let evaluations: Vec<i64> = FENS.iter().map(|fen| reader.evaluate(fen)).collect();
        assert_eq!(evaluations, expected(&net), "{}", net.architecture());
    }
}

/// Nets of two digits say so in the manifest and in both headers.
#[test]
fn a_raw_file_of_two_digits_evaluates_as_the_net_does() {
    for (seed, line, l1) in [
        (20, "32 -> 8 -> 1", 32),
        (21, "16 screlu -> 8 screlu -> 1, buckets 8", 16),
        (22, "24 -> 1, buckets 4", 24),
    ] {
        let work = Workdir::new();
        let net = net("ALL", Kind { layers: layers(line), rows: Rows::Large }, seed);
        assert!(net.scales().transformer.unwrap().base.is_some(), "{}", net.scales());
        export(&work, &net, "raw,c,rust");
        let reader = Reader::open(work.path());
        let axes = &reader.manifest["raw"]["tensors"][0]["axes"];
        assert_eq!(axes, &serde_json::json!(["feature", "digit", "l1"]));
        let stated: Vec<i64> = FENS.iter().map(|fen| reader.evaluate(fen)).collect();
        assert_eq!(stated, expected(&net), "{}", net.architecture());
        for (file, array) in [
            ("net.h", format!("int16_t ft_weights[768][2][{l1}]; // [feature][digit][l1]")),
            ("net.rs", format!("ft_weights: Aligned<[[[i16; {l1}]; 2]; 768]>")),
        ] {
            let header = std::fs::read_to_string(work.path().join(file)).unwrap();
            assert!(header.contains(&array), "{header}");
            assert!(header.contains("acc(side)[0][i] * BASE + acc(side)[1][i]"), "{header}");
        }
    }
}

/// Compiles and runs; the printed numbers.
fn run(work: &Workdir, compiler: &mut Command) -> Vec<i64> {
    let built = compiler.current_dir(work.path()).output().unwrap();
    let reply = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && reply.is_empty(), "{reply}");
    let output =
        Command::new(work.path().join("reader")).current_dir(work.path()).args(FENS).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

const C: &str = r#"
#include "net.h"
#include <stdio.h>
#include <string.h>

static oplus_net net;

static int accumulate(const char *fen, int white, int64_t *sums) {
    int rank = 7, file = 0, pieces = 0, pawns[10] = {0};
    for (int i = 0; i < OPLUS_L1; i++) sums[i] = net.ft_bias[i];
    for (; *fen != ' '; fen++) {
        if (*fen == '/') { rank--; file = 0; continue; }
        if (*fen >= '1' && *fen <= '8') { file += *fen - '0'; continue; }
        const char *roles = "pnbrqkPNBRQK", *found = strchr(roles, *fen);
        int role = (int)(found - roles) % 6, is_white = found - roles >= 6;
        int square = (8 * rank + file++) ^ (white ? 0 : 56);
        int feature = 12 * square + 2 * role + (is_white != white);
        for (int i = 0; i < OPLUS_L1; i++) sums[i] += net.ft_weights[feature][i];
        if (role == 0 && is_white == white) pawns[1 + square % 8]++;
        pieces++;
    }
    for (int f = 0; 768 + f < OPLUS_FEATURES; f++)
        if (pawns[f + 1] && !pawns[f] && !pawns[f + 2])
            for (int i = 0; i < OPLUS_L1; i++) sums[i] += net.ft_weights[768 + f][i];
    return pieces;
}

static int64_t clamp(int64_t x, int64_t top) { return x < 0 ? 0 : x > top ? top : x; }

static int64_t input(int64_t sum) {
    return (clamp(sum, OPLUS_QA) + (1 << OPLUS_SHIFT >> 1)) >> OPLUS_SHIFT;
}

static int64_t evaluate(const char *fen) {
    int64_t x[2 * OPLUS_L1];
    int white = strstr(fen, " w ") != NULL;
    int b = oplus_bucket(accumulate(fen, white, x));
    accumulate(fen, !white, x + OPLUS_L1);
    int64_t sum = net.out_bias[b];
    for (int o = 0; o < OPLUS_L2; o++) {
        int64_t z = net.dense_bias[b][o];
        for (int i = 0; i < 2 * OPLUS_L1; i++) z += net.dense_weights[b][o][i] * input(x[i]);
        sum += net.out_weights[b][o] * clamp(z, OPLUS_UNIT * OPLUS_QB);
    }
    int64_t whole = (int64_t)OPLUS_UNIT * OPLUS_QB * OPLUS_QC, up = sum + whole / 2;
    return up / whole - (up % whole < 0);
}

int main(int count, char **fens) {
    FILE *file = fopen("net.bin", "rb");
    if (!file || fread(&net, sizeof net, 1, file) != 1) return 1;
    for (int i = 1; i < count; i++) printf("%lld\n", (long long)evaluate(fens[i]));
    return 0;
}
"#;

/// There is a C compiler wherever the program was built: SQLite needs one.
#[test]
fn a_c_program_with_the_header_evaluates_as_the_net_does() {
    for set in ["ALL", "ALL + ISOLATED"] {
        let work = Workdir::new();
        let net = net(set, layers("16 -> 8 -> 1, buckets 8"), 5);
        export(&work, &net, "raw,c");
        work.file("reader.c", C);
        let flags = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "reader.c", "-o", "reader"];
        assert_eq!(run(&work, Command::new("cc").args(flags)), expected(&net), "{set}");
        check_header(&work);
    }
}

/// The program of the book, `docs/your-engine.md`, on its own positions.
#[test]
fn the_program_of_the_book_evaluates_as_the_net_does() {
    let fens: Vec<&str> = include_str!("../../docs/your-engine/positions.txt").lines().collect();
    for (seed, line) in [(31, "16 screlu -> 1, buckets 4"), (32, "16 screlu -> 1")] {
        let work = Workdir::new();
        let net = net("ALL", layers(line), seed);
        export(&work, &net, "raw,c");
        work.file("evaluate.c", include_str!("../../docs/your-engine/evaluate.c"));
        let flags = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "evaluate.c", "-o", "evaluate"];
        let built = Command::new("cc").args(flags).current_dir(work.path()).output().unwrap();
        let reply = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success() && reply.is_empty(), "{reply}");
        let positions = work.file("positions.txt", &fens.join("\n"));
        let stated = Command::new(work.path().join("evaluate"))
            .arg(work.path().join("net.bin"))
            .stdin(std::fs::File::open(positions).unwrap())
            .output()
            .unwrap();
        let stated = String::from_utf8(stated.stdout).unwrap();
        let stated: Vec<i64> = stated.lines().map(|line| line.parse().unwrap()).collect();
        let wanted = fens.iter().map(|fen| Position::from_fen(fen).unwrap());
        let wanted = wanted.map(|it| net.evaluate(&Scene::from(&it), it.turn()).into());
        assert_eq!(stated, wanted.collect::<Vec<i64>>(), "{line}");
    }
}

fn check_header(work: &Workdir) {
    let flags = ["-x", "c", "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "net.h"];
    let checked = Command::new("cc").current_dir(work.path()).args(flags).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

/// Sums over elements are products one after the other, quotients classes of such.
#[test]
fn joined_sets_are_written_out_in_headers() {
    let work = Workdir::new();
    let set = "ISOLATED + KING-ZONE + piece(FILES) / [0, 0, 1, 1, 2, 2, -, -]";
    export(&work, &net(set, layers("16 -> 1"), 8), "c");
    check_header(&work);
    let header = std::fs::read_to_string(work.path().join("net.h")).unwrap();
    for part in [
        "index = 7\n",
        "  attacks: such a piece attacks or protects the place, empty or occupied\n",
        "index = 8 + class",
        "rest of an index that the set inside gives when divided by 48",
        "index = 56 + class",
        "3 classes of (piece(FILES))",
    ] {
        assert!(header.contains(part), "{part:?} is not in:\n{header}");
    }
}

const RUST: &str = r#"
mod net;
use net::*;

static NET: Net = unsafe { core::mem::transmute(*include_bytes!("net.bin")) };

fn features(fen: &str, white: bool) -> Vec<usize> {
    let (mut rank, mut file, mut out) = (7, 0, Vec::new());
    for c in fen.split(' ').next().unwrap().chars() {
        if c == '/' {
            (rank, file) = (rank - 1, 0);
        } else if let Some(empty) = c.to_digit(10) {
            file += empty as usize;
        } else {
            let role = "pnbrqk".find(c.to_ascii_lowercase()).unwrap();
            let square = (8 * rank + file) ^ if white { 0 } else { 56 };
            out.push(12 * square + 2 * role + (c.is_uppercase() != white) as usize);
            file += 1;
        }
    }
    out
}

fn main() {
    for fen in std::env::args().skip(1) {
        let white = fen.contains(" w ");
        let b = bucket(features(&fen, true).len());
        let mut sum = i64::from(NET.dense_bias.0[b][0]);
        for (half, side) in [white, !white].into_iter().enumerate() {
            for i in 0..L1 as usize {
                let rows = features(&fen, side).into_iter().map(|f| i64::from(NET.ft_weights.0[f][i]));
                let acc = i64::from(NET.ft_bias.0[i]) + rows.sum::<i64>();
                let x = (acc.clamp(0, QA).pow(2) + (1 << SHIFT >> 1)) >> SHIFT;
                sum += i64::from(NET.dense_weights.0[b][0][half * L1 as usize + i]) * x;
            }
        }
        println!("{}", (sum + UNIT * QB / 2).div_euclid(UNIT * QB));
    }
}
"#;

#[test]
fn a_rust_program_with_the_header_evaluates_as_the_net_does() {
    let work = Workdir::new();
    let net = net("ALL", layers("16 screlu -> 1, buckets 4"), 6);
    export(&work, &net, "raw,rust");
    work.file("reader.rs", RUST);
    let flags = ["--edition", "2021", "-A", "dead_code", "reader.rs", "-o", "reader"];
    assert_eq!(run(&work, Command::new("rustc").args(flags)), expected(&net));
}

#[test]
fn every_format_is_written_to_its_path() {
    let work = Workdir::new();
    let net = net("HALF-KA-HM", layers("8 -> 1"), 7);
    export(&work, &net, "raw,safetensors,rust,c");
    let header = std::fs::read_to_string(work.path().join("net.h")).unwrap();
    for part in [
        "// features      mirror(king({a1, b1, c1, d1, a2, ",
        "index = 704 * king.square + 11 * piece.square + piece.piece",
        "#define OPLUS_FEATURES    22528    // Inputs of a perspective",
        "int16_t ft_weights[22528][8]; // [feature][l1]",
    ] {
        assert!(header.contains(part), "{part:?} is not in:\n{header}");
    }
    let done = work.run(&["net", "export", "net.oplus", "--out", "my.net.v2"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let manifest = std::fs::read_to_string(work.path().join("my.net.v2.json")).unwrap();
    assert!(manifest.contains("\"file\": \"my.net.v2.bin\""), "{manifest}");

    std::fs::copy(work.path().join("net.oplus"), work.path().join("own.bin")).unwrap();
    let onto_itself = work.run(&["net", "export", "own.bin"]);
    assert_eq!(onto_itself.code, 2, "{}", onto_itself.err);
    onto_itself.assert_shows(&["own.bin: this would replace the file that is exported"]);
    let unknown = work.run(&["net", "export", "net.oplus", "--format", "onnx"]);
    assert_eq!(unknown.code, 2, "{}", unknown.err);
    let away = work.run(&["net", "export", "net.oplus", "--out", "no/such/net"]);
    assert_eq!(away.code, 1, "{}", away.err);
    away.assert_shows(&["no/such/net.bin: cannot write"]);
}
