//! The experiment file, the grid, runs and their registry.
