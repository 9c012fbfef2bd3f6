//! Files of safetensors: the tensors by name, the manifest as metadata.

use std::collections::HashMap;

use ::safetensors::tensor::{Dtype as SafeDtype, SafeTensorError, TensorView, serialize};

use super::inference::Constant;
use super::manifest;
use nnue::Net;
use nnue::tensors::Dtype;

/// The only entry of the metadata, which holds the manifest: several would change their order from
/// run to run.
const METADATA_KEY: &str = "oplus";

/// The tensors of a net by name, and its manifest.
pub(super) fn file(net: &Net, constants: &[Constant]) -> Result<Vec<u8>, SafeTensorError> {
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
