//! Lines of text that show whether they were changed.
//!
//! An object of JSON ends with a checksum of all that stands before it,
//! `{"games":4,"checksum":"6ab0d4c1f0a3e875"}`, and stays an object of JSON for other readers.

use serde::de::DeserializeOwned;

const FIELD: &str = ",\"checksum\":\"";
const END: &str = "\"}";

/// A line that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    #[error("there is no checksum at its end")]
    Unsealed,
    #[error("its checksum does not fit: something in it was changed or damaged")]
    Changed,
}

/// A checksum as sixteen hexadecimal digits.
pub fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// An object of JSON, which has a field at least, with its checksum.
pub fn seal(object: &str) -> String {
    let before = object.strip_suffix('}').unwrap_or(object);
    format!("{before}{FIELD}{}{END}", checksum(before))
}

/// The object without its checksum, which is right.
///
/// # Errors
/// A checksum that is missing or wrong.
pub fn unseal(line: &str) -> Result<String, Broken> {
    let (before, written) =
        line.strip_suffix(END).and_then(|line| line.rsplit_once(FIELD)).ok_or(Broken::Unsealed)?;
    match written == checksum(before) {
        true => Ok(format!("{before}}}")),
        false => Err(Broken::Changed),
    }
}

/// Parses a sealed line.
///
/// # Errors
/// A checksum that is missing or wrong, or something else than is looked for, in words.
pub fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    let line = str::from_utf8(line).map_err(|error| error.to_string())?;
    let object = unseal(line.trim_end()).map_err(|error| error.to_string())?;
    serde_json::from_str(&object).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_comes_back_and_stays_json() {
        for object in [r#"{"games":4}"#, r#"{"name":"a\"},","list":[{"b":"é"}]}"#] {
            let sealed = seal(object);
            assert_eq!(unseal(&sealed).as_deref(), Ok(object));
            assert!(serde_json::from_str::<serde_json::Value>(&sealed).unwrap().is_object());
            assert_eq!(unseal(object), Err(Broken::Unsealed));
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let sealed = seal(r#"{"wins":12,"draws":[3,4],"name":"net"}"#);
        for at in 0..sealed.len() {
            for bit in 0..7 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let changed = String::from_utf8(bytes).unwrap();
                assert!(unseal(&changed).is_err(), "{changed}");
            }
            assert!(unseal(&sealed[..at]).is_err());
        }
    }
}
