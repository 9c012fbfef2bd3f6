//! Version of the program.

use std::sync::OnceLock;

static COMMIT: OnceLock<&'static str> = OnceLock::new();

/// Sets the commit of the build. Only the program itself contains it: a room with it would be
/// compiled again with every commit.
pub fn is_of_commit(commit: &'static str) {
    // A second call has the same value.
    let _ = COMMIT.set(commit);
}

/// Version and commit, `0.1.0 (a5b4b9e2c)`; a `+` behind the commit is for changes on top of it.
/// The version alone where the commit is not set.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match COMMIT.get() {
        Some(commit) if !commit.is_empty() => format!("{version} ({commit})"),
        _ => version.to_owned(),
    }
}
