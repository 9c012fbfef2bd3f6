//! Data generation with the engine.
