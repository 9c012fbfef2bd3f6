//! Tells the program of which commit it is built (`oplus --version`, and every page).

use std::path::Path;
use std::process::Command;

fn main() {
    // Changes to these make it another program, or another commit.
    for path in ["src", "Cargo.toml", "Cargo.lock", "build.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    for state in ["HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", state]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rustc-env=OPLUS_COMMIT={}", commit().unwrap_or_default());
}

/// `None` of sources that are not those of a repository of their own: a packaged crate, say.
fn commit() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let is_own = Path::new(&top).canonicalize().ok()? == Path::new(".").canonicalize().ok()?;
    let commit = git(&["rev-parse", "--short=9", "HEAD"]).filter(|_| is_own)?;
    let changed = git(&["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock"])?;
    Some(if changed.is_empty() { commit } else { commit + "+" })
}

fn git(args: &[&str]) -> Option<String> {
    let answer = Command::new("git").args(args).output().ok()?;
    answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).trim().to_owned())
}
