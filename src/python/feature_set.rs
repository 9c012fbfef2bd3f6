//! `oplus.FeatureSet`.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use chess::{Color, Position, Scene};
use experiment::define;
use features::{Delta, Feature, FeatureSet, Names, RefreshCause, Step, Update, Weighted, lints};
use pyo3::exceptions::{PyIndexError, PyUserWarning};
use pyo3::prelude::*;

use super::arrays::{Array, array};
use super::error::{guarded, mistake, raised, refused};

/// A feature set, compiled from its expression such as `ALL + PH`.
///
/// `define` has names of the caller's own for use in the expression, with their definitions.
/// `len(fs)` is the number of features.
#[pyclass(frozen, module = "oplus", name = "FeatureSet")]
pub(crate) struct PyFeatureSet {
    pub(crate) set: Arc<FeatureSet>,
    define: BTreeMap<String, String>,
}

/// A summand of the expression.
#[pyclass(frozen, get_all, module = "oplus")]
pub(crate) struct Block {
    /// As written: `ALL`.
    name: String,
    /// With names expanded; the order of its concepts is the index order.
    definition: String,
    /// Index of its first feature.
    start: usize,
    /// Number of features.
    size: usize,
    /// Largest number of its features active for one side.
    max_active: usize,
}

#[pymethods]
impl Block {
    fn __repr__(&self) -> String {
        let Self { name, start, size, max_active, .. } = self;
        format!("Block({name:?}, start={start}, size={size}, max_active={max_active})")
    }
}

#[pymethods]
impl PyFeatureSet {
    #[new]
    #[pyo3(signature = (expression, define = None))]
    fn new(
        py: Python<'_>,
        expression: &str,
        define: Option<BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        guarded(|| {
            let define = define.unwrap_or_default();
            let set = FeatureSet::compile(expression, &names(&define)?);
            let set = set.map_err(|error| mistake(*error))?;
            for lint in lints::of(&set) {
                let text = CString::new(lint.to_string()).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
            }
            Ok(Self { set, define })
        })
    }

    fn __getnewargs__(&self) -> (String, BTreeMap<String, String>) {
        (self.set.expression().to_owned(), self.define.clone())
    }

    fn __len__(&self) -> usize {
        self.set.size()
    }

    fn __repr__(&self) -> String {
        format!("FeatureSet({:?})", self.set.expression())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().set.canonical() == self.set.canonical())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.set.canonical().hash(&mut hasher);
        hasher.finish()
    }

    /// The expression as written.
    #[getter]
    fn expression(&self) -> &str {
        self.set.expression()
    }

    /// The expression with all names expanded.
    #[getter]
    fn definition(&self) -> &str {
        self.set.canonical()
    }

    /// Most features active together for one side.
    #[getter]
    fn max_active(&self) -> usize {
        self.set.max_active()
    }

    /// Whether features have values other than 1.
    #[getter]
    fn is_valued(&self) -> bool {
        self.set.is_valued()
    }

    /// The summands of the expression in index order.
    #[getter]
    fn blocks(&self) -> Vec<Block> {
        let block = |summand: &features::Summand| Block {
            name: summand.text.clone(),
            definition: summand.definition.clone(),
            start: summand.offset,
            size: summand.size,
            max_active: summand.max_active,
        };
        self.set.summands().iter().map(block).collect()
    }

    /// Meaning of a feature in words: `own rook on d4`.
    fn name(&self, index: i128) -> PyResult<String> {
        guarded(|| {
            // A negative index has no summand either.
            let index = u64::try_from(index).unwrap_or(u64::MAX);
            let known = self.set.summand_of(index);
            known.map_err(|error| PyIndexError::new_err(error.to_string()))?;
            // Sets have at most 2³¹ features.
            Ok(self.set.describe(Feature(index as u32)))
        })
    }

    /// Active features of a position: (own, other), ascending int32 arrays [active].
    ///
    /// `fen` is a FEN or `startpos`; own is the side to move.
    fn active(&self, py: Python<'_>, fen: &str) -> PyResult<(Array<i32>, Array<i32>)> {
        self.both_sides(fen, |seen| array(py, indices(&seen)))
    }

    /// Values of the features of `active`: (own, other), float32 arrays [active]; 1 in binary sets.
    fn values(&self, py: Python<'_>, fen: &str) -> PyResult<(Array<f32>, Array<f32>)> {
        self.both_sides(fen, |seen| array(py, seen.iter().map(|entry| entry.value).collect()))
    }

    /// Rows that a move changes: (added, removed), ascending int32 arrays.
    ///
    /// `move` is in coordinate or standard notation, `side` is `own`, the side that moves, or
    /// `other`. Where the accumulator starts again (`refreshed`), they are the difference of the
    /// active features.
    #[pyo3(signature = (fen, r#move, side = "own"))]
    fn delta(
        &self,
        py: Python<'_>,
        fen: &str,
        r#move: &str,
        side: &str,
    ) -> PyResult<(Array<i32>, Array<i32>)> {
        guarded(|| {
            let played = PlayedMove::new(fen, r#move)?;
            let delta = played.delta(&self.set, played.side(side)?);
            Ok((array(py, indices(&delta.added)), array(py, indices(&delta.removed))))
        })
    }

    /// Reasons for which the accumulator of a side starts again with a move; empty where it follows
    /// by rows.
    #[pyo3(signature = (fen, r#move, side = "own"))]
    fn refreshed(&self, fen: &str, r#move: &str, side: &str) -> PyResult<Vec<String>> {
        guarded(|| {
            let played = PlayedMove::new(fen, r#move)?;
            let side = played.side(side)?;
            let causes = self.set.parts().flat_map(|part| part.refreshed_by(played.step(), side));
            let causes: std::collections::BTreeSet<RefreshCause> = causes.collect();
            Ok(causes.iter().map(ToString::to_string).collect())
        })
    }
}

impl PyFeatureSet {
    /// A set whose expression has names of the catalogue only.
    pub(crate) fn of(set: &Arc<FeatureSet>) -> Self {
        Self { set: set.clone(), define: BTreeMap::new() }
    }

    /// A set of an expression with names of the caller.
    pub(crate) fn named(set: &Arc<FeatureSet>, define: &BTreeMap<String, String>) -> Self {
        Self { set: set.clone(), define: define.clone() }
    }

    fn both_sides<T>(&self, fen: &str, convert: impl Fn(Vec<Weighted>) -> T) -> PyResult<(T, T)> {
        guarded(|| {
            let position = Position::named(fen).map_err(raised)?;
            let scene = Scene::from(&position);
            let [own, other] = [position.turn(), !position.turn()]
                .map(|side| convert(active(&self.set, &scene, side)));
            Ok((own, other))
        })
    }
}

/// A move with the positions before and after it.
struct PlayedMove {
    before: Position,
    scenes: [Scene; 2],
    change: chess::BoardChange,
}

impl PlayedMove {
    fn new(fen: &str, played: &str) -> PyResult<Self> {
        let before = Position::named(fen).map_err(raised)?;
        let played = before.named_move(played).map_err(raised)?;
        let scenes = [Scene::from(&before), Scene::from(&before.after(played))];
        Ok(Self { change: before.change(played), before, scenes })
    }

    fn step(&self) -> Step<'_> {
        let [before, after] = &self.scenes;
        Step { before, after, change: &self.change }
    }

    fn side(&self, name: &str) -> PyResult<Color> {
        match name {
            "own" => Ok(self.before.turn()),
            "other" => Ok(!self.before.turn()),
            _ => Err(refused(format!("side: expected `own` or `other`, found `{name}`"))),
        }
    }

    /// Rows added and removed; after a refresh, the difference of the active features.
    fn delta(&self, set: &FeatureSet, side: Color) -> Delta<Weighted> {
        let mut delta = Delta::default();
        if set.delta(self.step(), side, &mut delta) == Update::Refresh {
            let [before, after] = self.scenes.each_ref().map(|scene| active(set, scene, side));
            delta.added = difference(&after, &before);
            delta.removed = difference(&before, &after);
        }
        delta.added.sort_unstable_by_key(|entry| entry.feature);
        delta.removed.sort_unstable_by_key(|entry| entry.feature);
        delta
    }
}

/// Active features in the order of their indices.
fn active(set: &FeatureSet, scene: &Scene, side: Color) -> Vec<Weighted> {
    let mut seen: Vec<Weighted> = Vec::new();
    set.active(scene, side, &mut seen);
    seen.sort_unstable_by_key(|entry| entry.feature);
    seen
}

fn difference(from: &[Weighted], without: &[Weighted]) -> Vec<Weighted> {
    from.iter().filter(|entry| !without.contains(entry)).copied().collect()
}

fn indices(entries: &[Weighted]) -> Vec<i32> {
    entries.iter().map(|entry| entry.feature.0 as i32).collect()
}

/// The catalogue with names of the caller.
pub(crate) fn names(own: &BTreeMap<String, String>) -> PyResult<Names> {
    let mut names = Names::catalogue();
    for (name, expression) in own {
        define::define(&mut names, name, expression)
            .map_err(|error| refused(format!("define: {error}; {}", define::DefineError::HELP)))?;
    }
    for name in own.keys() {
        define::check(&names, name).map_err(|error| mistake(*error))?;
    }
    Ok(names)
}
