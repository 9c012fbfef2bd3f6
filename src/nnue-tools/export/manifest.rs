//! Description of a net as JSON: beside a raw file, or inside a safetensors file.

use serde_json::{Value, json};

use super::blocks::Blocks;
use super::index;
use super::inference::{Constant, activation, bucket_rule, perspective, steps};
use nnue::Net;
use nnue::{Addition, Hidden, Layers};

/// Version of the manifest's layout.
const VERSION: u32 = 1;

/// The manifest of the raw file `stem`.bin.
pub(super) fn raw(net: &Net, constants: &[Constant], blocks: &Blocks, stem: &str) -> String {
    let mut manifest = plain(net, constants);
    let tensors = blocks.blocks.iter().map(|block| {
        json!({
            "name": block.name.as_str(),
            "dtype": block.name.dtype().as_str(),
            "axes": block.axes.iter().map(|axis| axis.name).collect::<Vec<_>>(),
            "shape": block.axes.iter().map(|axis| axis.size).collect::<Vec<_>>(),
            "offset": block.offset,
            "bytes": block.bytes,
        })
    });
    manifest["raw"] = json!({
        "file": format!("{stem}.bin"),
        "bytes": blocks.bytes,
        "blake3": blake3::hash(&blocks.bytes(net)).to_string(),
        "endianness": "little",
        "order": "row-major: the last axis varies fastest",
        "tensors": tensors.collect::<Vec<_>>(),
    });
    format!("{manifest:#}\n")
}

/// The layers one by one, for readers that do not parse lines.
fn layers(layers: &Layers) -> Value {
    let hidden = |hidden: &Hidden| {
        let Hidden { neurons, activation, addition } = hidden;
        let addition = addition.map(Addition::word);
        json!({ "neurons": neurons, "activation": activation.word(), "addition": addition })
    };
    json!({
        "transformer": layers.transformer().map(|transformer| {
            json!({ "width": transformer.width, "activation": transformer.activation.word() })
        }),
        "hidden": layers.hidden().iter().map(hidden).collect::<Vec<_>>(),
        "buckets": layers.buckets().count(),
        "psqt": layers.has_psqt(),
    })
}

/// The part without the offsets of the tensors.
pub(super) fn plain(net: &Net, constants: &[Constant]) -> Value {
    let features = net.features();
    let products = index::products(features.expr());
    let constants: serde_json::Map<String, Value> =
        constants.iter().map(|c| (c.name.to_lowercase(), c.value.into())).collect();
    json!({
        "format": "oplus net export",
        "version": VERSION,
        "fingerprint": net.fingerprint().to_string(),
        "features": {
            "expression": features.canonical(),
            "hash": features.hash(),
            "size": features.size(),
            "max_active": features.max_active(),
            "perspective": perspective(features).join(" "),
            "index": products.iter().map(index::to_json).collect::<Vec<_>>(),
        },
        "architecture": net.architecture(),
        "activation": activation(net),
        "layers": layers(&net.architecture().layers),
        "constants": constants,
        "bucket": bucket_rule(&net.architecture().layers),
        "evaluation": steps(net),
        "provenance": net.provenance(),
    })
}
