//! The feature-set algebra: one line of text defines a feature set for all other crates.
//!
//! A feature set is a finite ordered set of elements with a predicate; an element is *active* when
//! its predicate holds of the position. Loader, trainer, quantiser, engine, statistics and pictures
//! use the same compiled [`FeatureSet`]; no other definition of any feature exists.
//!
//! ```
//! use chess::{Color, Position, Scene};
//! use oplus_features::{Feature, FeatureSet};
//!
//! let set = FeatureSet::parse("ALL + pair(FILES * PIECES * PIECES)")?;
//! assert_eq!(set.size(), 768 + 8 * 12 * 12);
//!
//! let mut active: Vec<Feature> = Vec::new();
//! set.active(&Scene::from(&Position::default()), Color::White, &mut active);
//! // 32 pieces, and three pairs on every file.
//! assert_eq!(active.len(), 32 + 8 * 3);
//! assert_eq!(set.describe(Feature(6)), "own rook on a1");
//!
//! let error = FeatureSet::parse("ALL + pair(FILES * PEICES)").unwrap_err();
//! assert!(error.to_string().contains("PEICES"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A text goes `parser` → [`Expr`] (with the `catalogue` and the user's own names expanded) →
//! [`FeatureSet`], a list of `block`s: products of compiled `predicate`s with their place in the
//! index order. Indices, per-move rows and the refresh rule derive from the expression; the
//! `oracle` implements the definitions alone, and the tests compare the rest with it.
//!
//! To add a predicate: one file in `predicate/` and one line in the list of `predicate.rs`.

#![warn(missing_docs)]

mod block;
pub mod catalogue;
pub mod concept;
pub mod error;
mod expr;
mod feature;
mod fusion;
mod image;
pub mod lints;
mod parser;
mod partial_sums;
mod perspective_map;
pub mod picture;
mod piece_tables;
mod possible;
pub mod predicate;
mod product;
mod refresh;
mod set;
pub mod statistics;
pub mod together;
mod token;
mod trained;
mod tuple_values;

pub use catalogue::Names;
pub use error::ExpressionError;
pub use expr::{Any, Each, Expr};
pub use feature::{Delta, Feature, Step, Update, Weighted};
pub use partial_sums::{Multiplier, PartialSums, SumPlace};
pub use perspective_map::PerspectiveMap;
pub use piece_tables::{KingGroups, PieceFeatureTables, Slot};
pub use possible::Possibilities;
pub use predicate::sink::Sink;
pub use product::{Factor, Product};
pub use refresh::{KindSet, RefreshCause};
pub use set::{FeatureSet, IndexError, SetPart, Summand};
pub use statistics::{Frequencies, MoveCounts};
pub use trained::TrainedSet;

#[cfg(test)]
mod tests;
