//! The `oplus` program. All it does stands in [`oplus::cli`].

use std::process::ExitCode;

// Training allocates buffers of tens of megabytes per step; the system
// allocator gives them back to the kernel each time, which halves the speed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    oplus::cli::main()
}
