//! The `oplus` program. All it does stands in [`oplus::cli`].

use std::process::ExitCode;

// Training allocates buffers of tens of megabytes per step; the system
// allocator gives them back to the kernel each time, which halves the speed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of `mi_option_purge_delay` in mimalloc's header, versions 2 and 3;
/// its Rust binding does not name it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

fn main() -> ExitCode {
    keep_freed_memory();
    oplus::base::is_of_commit(env!("OPLUS_COMMIT"));
    oplus::cli::main()
}

/// Disables the return of freed memory to the system: once a second it would
/// take away the buffers of the next step, a tenth of the time of training a
/// large set. The peak of the memory stays the same.
#[allow(unsafe_code)]
fn keep_freed_memory() {
    // SAFETY: sets a number in the allocator; nothing is allocated or freed.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, -1) }
}
