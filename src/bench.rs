//! What `oplus bench` runs.
