//! Archives of numpy: a tensor is the entry `NAME.npy`, the manifest the entry `oplus.json`.
//!
//! `numpy.load` reads arrays by name, and other entries as bytes. Entries are stored, since integers
//! of trained weights hardly shrink, and have no time of their own: a net gives the same bytes each
//! time.

use std::io::{Cursor, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::inference::Constant;
use super::manifest;
use nnue::Net;
use nnue::tensors::{Dtype, TensorName};

/// Entry with the manifest.
const MANIFEST: &str = "oplus.json";

/// Length above which an entry needs 64-bit sizes.
const LARGE: usize = u32::MAX as usize;

/// Numbers of an array begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// The tensors of a net, and its manifest.
pub(super) fn archive(net: &Net, constants: &[Constant]) -> Result<Vec<u8>, ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, values) in net.tensors() {
        let parts = [header(net, name), values.to_le_bytes()];
        write(&mut zip, &format!("{}.npy", name.as_str()), &parts)?;
    }
    write(&mut zip, MANIFEST, &[manifest::plain(net, constants).to_string().into_bytes()])?;
    Ok(zip.finish()?.into_inner())
}

fn write(
    zip: &mut ZipWriter<Cursor<Vec<u8>>>,
    name: &str,
    parts: &[Vec<u8>],
) -> Result<(), ZipError> {
    let length: usize = parts.iter().map(Vec::len).sum();
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(length >= LARGE);
    zip.start_file(name, options)?;
    parts.iter().try_for_each(|part| zip.write_all(part))?;
    Ok(())
}

/// The header of an array in format version 1.0 of numpy.
fn header(net: &Net, name: TensorName) -> Vec<u8> {
    let kind = match name.dtype() {
        Dtype::I16 => "<i2",
        Dtype::I32 => "<i4",
        Dtype::I64 => "<i8",
    };
    let axes = name.axes(net.architecture(), net.scales());
    // A comma behind each size: `(8,)` is a tuple, `(8)` is none.
    let shape: String = axes.iter().map(|axis| format!("{},", axis.size)).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let start = b"\x93NUMPY\x01\x00";
    let before = start.len() + size_of::<u16>();
    let length = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let text = format!("{text:width$}\n", width = length - 1);
    // At most five dimensions: the text is far shorter than 64 KiB.
    [&start[..], &(length as u16).to_le_bytes(), text.as_bytes()].concat()
}
