//! Fields read in sequence from the bytes of an imported net.
//!
//! Files of other programs have no table of contents: a field begins where the one before ends. An
//! error names the field and its byte.

use std::fmt::Display;

/// The bytes end too early, or too late.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// The file ends before its last field.
    #[error(
        "byte {at}: {field} needs {needed} bytes, the file has {left} more; it was cut off: copy it again"
    )]
    Truncated { at: usize, field: String, needed: usize, left: usize },
    /// The file goes on after its last field.
    #[error(
        "byte {at}: the net ends here, the file goes on for {extra} bytes; it is damaged: copy it again"
    )]
    Trailing { at: usize, extra: usize },
}

/// Reads fields, little endian, one after the other.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Offset of the next field.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The bytes of the next field.
    pub(super) fn take(
        &mut self,
        field: impl Display,
        length: usize,
    ) -> Result<&'a [u8], FieldError> {
        let rest = &self.bytes[self.at..];
        match rest.get(..length) {
            Some(bytes) => {
                self.at += length;
                Ok(bytes)
            }
            None => Err(FieldError::Truncated {
                at: self.at,
                field: field.to_string(),
                needed: length,
                left: rest.len(),
            }),
        }
    }

    /// One number of `N` bytes.
    pub(super) fn value<const N: usize, T>(
        &mut self,
        field: impl Display,
        number: fn([u8; N]) -> T,
    ) -> Result<T, FieldError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(field, N)?);
        Ok(number(bytes))
    }

    /// A tensor: numbers of `N` bytes, as many as the product of `sizes`.
    pub(super) fn values<const N: usize, T>(
        &mut self,
        field: impl Display,
        sizes: &[usize],
        number: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, FieldError> {
        let length = sizes.iter().copied().fold(N, usize::saturating_mul);
        let bytes = self.take(field, length)?;
        Ok(bytes.as_chunks::<N>().0.iter().copied().map(number).collect())
    }

    /// Bytes behind the last field.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Checks that no bytes are left.
    pub(super) fn end(self) -> Result<(), FieldError> {
        match self.rest().len() {
            0 => Ok(()),
            extra => Err(FieldError::Trailing { at: self.at, extra }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_each_other() {
        let mut fields = Fields::new(&[1, 0, 0xff, 0xff, 2, 0, 7]);
        assert_eq!(fields.value("a", u16::from_le_bytes), Ok(1));
        assert_eq!(fields.values("b", &[2, 1], i16::from_le_bytes), Ok(vec![-1, 2]));
        assert_eq!(fields.at(), 6);
        assert_eq!(fields.rest(), [7]);
        assert_eq!(fields.end(), Err(FieldError::Trailing { at: 6, extra: 1 }));
        assert_eq!(Fields::new(&[]).end(), Ok(()));
    }

    #[test]
    fn a_field_that_is_not_there_is_named_and_nothing_is_read() {
        let mut fields = Fields::new(&[1, 2, 3]);
        fields.value("first", u8::from_le_bytes).unwrap();
        let error = fields.value("second", u32::from_le_bytes).unwrap_err();
        let message = "byte 1: second needs 4 bytes, the file has 2 more; it was cut off";
        assert!(error.to_string().starts_with(message), "{error}");
        assert_eq!(fields.value("third", u16::from_le_bytes), Ok(0x0302));
        // Lengths beyond any memory are an error too, before any allocation.
        assert!(fields.values("large", &[usize::MAX, 3], i64::from_le_bytes).is_err());
    }
}
