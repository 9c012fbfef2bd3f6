//! Imports of a predicate's file.

pub(super) use super::coding::{Coding, NONE, all_distinct};
pub(super) use super::compiled::{Compiled, SumOverPieces, Table, compare};
pub(super) use super::kind::{AfterComma, Definition, Entry};
pub(super) use super::minimal_cause::MinimalCause;
pub(super) use super::selector::Selector;
pub(super) use super::sink::{Sink, Tuples, distinct};
pub(super) use super::step::ViewStep;
pub(super) use super::{Clauses, Misuse, Predicate, Tupling, check_each};
pub(super) use crate::concept::{Axis, Concept};
pub(super) use crate::feature::Update;
pub(super) use crate::picture::Subject;
pub(super) use crate::possible::Arrangement;
pub(super) use crate::refresh::RefreshCause;
