//! Loss, schedule, optimiser, loop, checkpoints.
