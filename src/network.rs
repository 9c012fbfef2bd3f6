//! The Burn module and the sparse first layer.
