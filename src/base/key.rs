//! Names by content: of files, and of things that are defined.
//!
//! Equal definitions have the same [`Key`] on every machine, different ones another.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

/// BLAKE3 of a file's content; 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content(blake3::Hash);

impl From<blake3::Hash> for Content {
    fn from(hash: blake3::Hash) -> Self {
        Self(hash)
    }
}

impl Content {
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl FromStr for Content {
    type Err = blake3::HexError;

    fn from_str(text: &str) -> Result<Self, blake3::HexError> {
        blake3::Hash::from_hex(text).map(Self)
    }
}

crate::serde_as_text!(Content);

/// Name of a definition: the first 64 bits of the BLAKE3 of its JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 8]);

/// A definition that cannot be written down, or a text that is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("a definition of `{kind}` cannot be written down: {source}")]
    Unwritable { kind: String, source: serde_json::Error },
    #[error("`{0}` is no key: a key has 16 hexadecimal digits")]
    NoKey(String),
}

impl Key {
    /// The key of a definition; `kind` separates definitions with the same JSON.
    ///
    /// # Errors
    /// A definition that JSON cannot hold.
    pub fn of<T: Serialize>(kind: &str, definition: &T) -> Result<Self, KeyError> {
        let json = serde_json::to_vec(definition)
            .map_err(|source| KeyError::Unwritable { kind: kind.to_owned(), source })?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(kind.as_bytes()).update(&[0]).update(&json);
        let mut key = [0; 8];
        hasher.finalize_xof().fill(&mut key);
        Ok(Self(key))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(text, 16).ok().filter(|_| is_hex);
        number
            .map(|number| Self(number.to_be_bytes()))
            .ok_or_else(|| KeyError::NoKey(text.to_owned()))
    }
}

crate::serde_as_text!(Key);

/// Hash of a file's content. `progress` gets the bytes read so far.
///
/// # Errors
/// A file that cannot be read.
pub fn content_of(path: &Path, progress: &mut dyn FnMut(u64)) -> io::Result<Content> {
    use io::Read;
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().into()),
            read => {
                hasher.update(&buffer[..read]);
                progress(hasher.count());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_kind_and_definition_and_reads_back() {
        let key = Key::of("speed", &(1, "net")).unwrap();
        assert_eq!(key, Key::of("speed", &(1, "net")).unwrap());
        assert_ne!(key, Key::of("speed", &(2, "net")).unwrap());
        assert_ne!(key, Key::of("loss", &(1, "net")).unwrap());
        assert_eq!(key.to_string().parse::<Key>().unwrap(), key);
        for text in ["", "12", "zz3456789012345z", "+123456789012345"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_is_named_by_what_it_holds() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, b"content").unwrap();
        let mut read = 0;
        let content = content_of(&path, &mut |bytes| read = bytes).unwrap();
        assert_eq!(content, blake3::hash(b"content").into());
        let json = serde_json::to_string(&content).unwrap();
        assert_eq!(serde_json::from_str::<Content>(&json).unwrap(), content);
        assert_eq!(read, 7);
    }
}
