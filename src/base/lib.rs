//! Common helpers of all rooms.
//!
//! Files that are whole or not there, folders for one process at a time, bounds on input from
//! outside and on memory, progress, numbers as people read them. Nothing here depends on chess.

pub mod atomic;
pub mod batches;
mod beside;
pub mod compression;
mod diagnostic;
pub mod estimate;
pub mod files;
pub mod format;
pub mod identity;
pub mod journal;
mod key;
mod lock;
mod machine;
pub mod memory;
mod message;
pub mod partial;
mod printable;
mod program;
mod progress;
pub mod sealed;
mod shard;
mod text;
pub mod zst;

pub use atomic::{WriteError, replace_atomically, write_atomically};
pub use diagnostic::{Diagnostic, Place};
pub use estimate::Estimate;
pub use key::{Content, Key, KeyError, content_of};
pub use lock::{FileLock, FolderLock, LockError, hold};
pub use machine::{cores, cpu_time, host, processor};
pub use message::Message;
pub use partial::PartialFile;
pub use printable::{printable, printable_line};
pub use program::{is_of_commit, version};
pub use progress::{Observer, Silent, Stopwatch, WorkRate};
pub use shard::{NoShard, Shard};
