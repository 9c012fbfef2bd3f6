//! A growing buffer in memory or, for many items, in a file.
//!
//! A file takes space on the disk, and only memory that the system can reclaim: its page cache.
//! Items are appended by writing, since a full disk fails a write with an error; written through
//! a mapping it would end the program.

// For `MmapMut::map_mut`.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Write};

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::error::DataError;
use base::memory;

/// Items of one allocation or write.
const ROOM: usize = 1 << 16;

/// Items in the order in which they were appended.
#[derive(Debug)]
pub(crate) struct SpillVec<T> {
    /// Those in memory; if there is a file, the last ones.
    held: Vec<T>,
    file: Option<Filed>,
}

#[derive(Debug)]
struct Filed {
    file: File,
    len: usize,
}

impl<T: Pod> SpillVec<T> {
    pub(crate) fn in_memory() -> Self {
        Self { held: Vec::new(), file: None }
    }

    /// In a file, which must be empty and open for reading and writing.
    pub(crate) fn in_file(file: File) -> Self {
        Self { held: Vec::new(), file: Some(Filed { file, len: 0 }) }
    }

    pub(crate) fn len(&self) -> usize {
        self.held.len() + self.file.as_ref().map_or(0, |file| file.len)
    }

    /// Appends items.
    ///
    /// # Errors
    /// Too little memory; a disk that is full.
    pub(crate) fn append(&mut self, things: &[T]) -> Result<(), DataError> {
        if self.file.is_none() {
            make_room(&mut self.held, things.len())?;
        } else if self.held.len() >= ROOM {
            self.flush()?;
        }
        self.held.extend_from_slice(things);
        Ok(())
    }

    /// Keeps the first `len`.
    ///
    /// # Errors
    /// The disk.
    pub(crate) fn truncate(&mut self, len: usize) -> Result<(), DataError> {
        self.flush()?;
        match &mut self.file {
            None => self.held.truncate(len),
            Some(filed) => {
                filed.len = filed.len.min(len);
                filed.cut::<T>().map_err(DataError::Gather)?;
            }
        }
        Ok(())
    }

    /// Calls `work` with all items.
    ///
    /// # Errors
    /// The disk.
    pub(crate) fn with<R>(&mut self, work: impl FnOnce(&mut [T]) -> R) -> Result<R, DataError> {
        self.flush()?;
        match &self.file {
            None => Ok(work(&mut self.held)),
            // An empty file cannot be mapped.
            Some(filed) if filed.len == 0 => Ok(work(&mut [])),
            Some(filed) => {
                // SAFETY: any bytes are items. The file is this buffer's alone: a temporary
                // one that others cannot find, or that they leave alone since it is locked.
                let mut map =
                    unsafe { MmapMut::map_mut(&filed.file) }.map_err(DataError::Gather)?;
                Ok(work(bytemuck::cast_slice_mut(&mut map[..filed.len * size_of::<T>()])))
            }
        }
    }

    pub(crate) fn into_memory(self) -> Vec<T> {
        self.held
    }

    /// The file with nothing else in it, positioned at its end.
    ///
    /// # Errors
    /// The disk; there is no file.
    pub(crate) fn into_file(mut self) -> Result<File, DataError> {
        self.flush()?;
        let gone = || DataError::Gather(io::Error::other("nothing was gathered in a file"));
        Ok(self.file.ok_or_else(gone)?.file)
    }

    /// Writes items in memory to the file, if there is one.
    fn flush(&mut self) -> Result<(), DataError> {
        let Some(filed) = &mut self.file else { return Ok(()) };
        let written = filed.file.write_all(bytemuck::cast_slice(&self.held));
        written.map_err(DataError::Gather)?;
        filed.len += self.held.len();
        self.held.clear();
        Ok(())
    }
}

impl Filed {
    /// Shortens the file to its length.
    fn cut<T>(&mut self) -> io::Result<()> {
        use std::io::Seek;
        let bytes = (self.len * size_of::<T>()) as u64;
        self.file.set_len(bytes)?;
        self.file.seek(io::SeekFrom::Start(bytes)).map(drop)
    }
}

/// Makes room for more items, half as much again as there are: large data end with an error,
/// not with the program.
fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<(), DataError> {
    let len = items.len();
    if items.capacity() - len >= more {
        return Ok(());
    }
    let wanted = (len + more).max(len / 2 * 3).max(ROOM);
    memory::ensure((wanted * size_of::<T>()) as u64)
        .map_err(|shortage| DataError::TooMany { positions: len, shortage })?;
    items.reserve_exact(wanted - len);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An operation on a buffer.
    #[derive(Clone, Debug)]
    enum Step {
        Append(Vec<u32>),
        Truncate(usize),
        Reverse,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            prop::collection::vec(any::<u32>(), 0..9).prop_map(Step::Append),
            (0usize..30).prop_map(Step::Truncate),
            Just(Step::Reverse),
        ];
        prop::collection::vec(step, 0..20)
    }

    proptest! {
        #[test]
        fn a_file_holds_what_memory_holds(steps in steps()) {
            let mut plain: Vec<u32> = Vec::new();
            let mut memory = SpillVec::in_memory();
            let mut file = SpillVec::in_file(tempfile::tempfile().unwrap());
            for step in steps {
                match &step {
                    Step::Append(things) => plain.extend(things),
                    Step::Truncate(len) => plain.truncate(*len),
                    Step::Reverse => plain.reverse(),
                }
                for buffer in [&mut memory, &mut file] {
                    match &step {
                        Step::Append(things) => buffer.append(things).unwrap(),
                        Step::Truncate(len) => buffer.truncate(*len).unwrap(),
                        Step::Reverse => buffer.with(<[u32]>::reverse).unwrap(),
                    }
                    prop_assert_eq!(buffer.len(), plain.len());
                    prop_assert_eq!(buffer.with(|all| all.to_vec()).unwrap(), plain.clone());
                }
            }
            prop_assert_eq!(memory.into_memory(), plain.clone());
            let length = file.into_file().unwrap().metadata().unwrap().len();
            prop_assert_eq!(length as usize, 4 * plain.len());
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let full = std::fs::OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        let mut buffer = SpillVec::in_file(full);
        buffer.append(&[1u32]).unwrap();
        let error = buffer.with(|_| ()).unwrap_err();
        assert!(matches!(error, DataError::Gather(_)), "{error}");
    }
}
