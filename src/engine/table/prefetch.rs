//! Prefetching.
//!
//! A table entry is nearly always in main memory, some hundred cycles away;
//! requested when a move is made, it is there when the next node looks.

#![allow(unsafe_code)]

/// A hint that `place` will be read soon. Without effect where the processor
/// has no such instruction.
#[inline(always)]
pub(super) fn read<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint on an address that a reference keeps valid; SSE, which
        // every x86-64 processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
