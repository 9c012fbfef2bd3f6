//! Takes the net that is built in: the file that `EVALFILE` names. If it names none, an empty
//! file says so, and the program plays the project's own, which `nnue` holds.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), String> {
    println!("cargo:rerun-if-env-changed=EVALFILE");
    let to = Path::new(&env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?).join("net.oplus");
    let Some(from) = env::var_os("EVALFILE").filter(|name| !name.is_empty()).map(PathBuf::from)
    else {
        return fs::write(&to, []).map_err(|error| format!("{}: {error}", to.display()));
    };
    println!("cargo:rerun-if-changed={}", from.display());
    match fs::copy(&from, &to) {
        Ok(0) => Err(format!("EVALFILE {}: an empty file is no net", from.display())),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("EVALFILE {}: {error}", from.display())),
    }
}
