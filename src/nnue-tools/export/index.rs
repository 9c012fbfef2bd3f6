//! Index formulas: the row of a feature, for other programs.
//!
//! An expression, multiplied out, is a list of products. The index of a feature of a product is an
//! offset plus, for every concept of its predicates, the number of the class times a stride. If a
//! predicate leaves out impossible tuples, or rows were selected, the index in a list of tuples
//! replaces the classes.
//!
//! Features of a valued set count a number of the position: the product of its scalars, and the
//! number of pieces of a counting predicate.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use features::Expr;
use features::concept::{Axis, Concept};
use features::predicate::{Predicate, Scalar};

/// A product of an expression that was multiplied out; a feature is active where all factors hold.
pub(super) type Product<'a> = features::Product<FactorKind<'a>>;
type IndexedFactor<'a> = features::Factor<FactorKind<'a>>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactorKind<'a> {
    Predicate(&'a Predicate),
    /// Its features have counts as values.
    Count(&'a Predicate),
    /// A number of the position: one feature, which always holds.
    Scalar(Scalar),
    /// A list of rows of other products: the index is that in the list.
    Rows(Vec<Product<'a>>, &'a [u32]),
    /// Classes of rows of other products; a class holds if any member does.
    Classes {
        of: Vec<Product<'a>>,
        /// The class of each row, none for rows in no class; without a list the index of the row
        /// modulo the number of classes.
        listed: Option<&'a [Option<u32>]>,
        count: u64,
    },
}

/// The leaf of an expression, and the mirror that it leaves to its factor: products inside it have
/// their own.
fn leaf(expr: &Expr, mirrored: bool) -> Option<(FactorKind<'_>, bool)> {
    match expr {
        Expr::Predicate(predicate) => Some((FactorKind::Predicate(predicate), mirrored)),
        Expr::Count(predicate) => Some((FactorKind::Count(predicate), mirrored)),
        Expr::Scalar(scalar) if *scalar != Scalar::One => {
            Some((FactorKind::Scalar(*scalar), mirrored))
        }
        Expr::Rows(inner, rows) => {
            Some((FactorKind::Rows(inner.products(mirrored, &leaf), rows), false))
        }
        Expr::Quotient(inner, classes) => {
            let of = inner.products(mirrored, &leaf);
            let (listed, count) = (Some(&classes[..]), expr.size());
            Some((FactorKind::Classes { of, listed, count }, false))
        }
        Expr::Any(any) => {
            let of = Product::of_sum(any.parts(), mirrored, &leaf);
            Some((FactorKind::Classes { of, listed: None, count: expr.size() }, false))
        }
        Expr::Scalar(_) | Expr::Mirror(_) | Expr::Sum(_) | Expr::Each(_) | Expr::Product(_) => None,
    }
}

/// The products of the expression of a net.
pub(super) fn products(expr: &Expr) -> Vec<Product<'_>> {
    expr.products(false, &leaf)
}

/// The factors as an expression: `king(SQUARES) * piece(FILES)`.
pub(super) fn text(product: &Product<'_>) -> String {
    let join = |text: fn(&IndexedFactor<'_>) -> String| {
        product.factors.iter().map(text).collect::<Vec<_>>().join(" * ")
    };
    match product.factors.as_slice() {
        [] => "ONE".to_owned(),
        factors if factors.iter().all(|factor| factor.mirrored) => {
            format!("mirror({})", join(plain_factor_text))
        }
        _ => join(factor_text),
    }
}

/// `768 + 12 * square + 2 * role + color`.
pub(super) fn formula(product: &Product<'_>) -> String {
    let terms = terms(product);
    let terms = terms.iter().map(|term| match term.stride {
        1 => term.name.clone(),
        stride => format!("{stride} * {}", term.name),
    });
    let offset = (product.offset > 0).then(|| product.offset.to_string());
    let all: Vec<String> = offset.into_iter().chain(terms).collect();
    if all.is_empty() { "0".to_owned() } else { all.join(" + ") }
}

/// The names in the formula, each with the meaning of its numbers.
pub(super) fn legend(product: &Product<'_>) -> Vec<(String, String)> {
    terms(product).into_iter().map(|term| (term.name, term.meaning)).collect()
}

/// Value of an active feature of the product: `PHASE * own_king.file`; `None` if it is 1.
pub(super) fn value(product: &Product<'_>) -> Option<String> {
    let numbers: Vec<String> = product.factors.iter().filter_map(number).collect();
    (!numbers.is_empty()).then(|| numbers.join(" * "))
}

/// The scalars in its value, each with its definition.
pub(super) fn value_legend(product: &Product<'_>) -> Vec<(&'static str, &'static str)> {
    let scalars = product.factors.iter().filter_map(|factor| match factor.leaf {
        FactorKind::Scalar(scalar) => Some((scalar.name(), scalar.definition())),
        _ => None,
    });
    scalars.collect::<BTreeMap<_, _>>().into_iter().collect()
}

/// The predicates of products, each with the condition of its features.
pub(super) fn predicates(products: &[Product<'_>]) -> BTreeMap<&'static str, &'static str> {
    let factors = products.iter().flat_map(|product| &product.factors);
    let of_factor = |factor: &IndexedFactor<'_>| match &factor.leaf {
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => {
            BTreeMap::from([(predicate.kind().name(), predicate.kind().holds())])
        }
        FactorKind::Rows(of, _) | FactorKind::Classes { of, .. } => predicates(of),
        FactorKind::Scalar(_) => BTreeMap::new(),
    };
    factors.flat_map(of_factor).collect()
}

pub(super) fn to_json(product: &Product<'_>) -> Value {
    json!({
        "product": text(product),
        "formula": formula(product),
        "value": value(product),
        "offset": product.offset,
        "factors": product.factors.iter().map(factor_json).collect::<Vec<_>>(),
    })
}

fn terms(product: &Product<'_>) -> Vec<Term> {
    let several = product.factors.len() > 1;
    let mut terms: Vec<Term> =
        product.factors.iter().flat_map(|factor| factor_terms(factor, several)).collect();
    let names: Vec<String> = terms.iter().map(|term| term.name.clone()).collect();
    for (i, term) in terms.iter_mut().enumerate() {
        let before = names[..i].iter().filter(|&name| *name == term.name).count();
        if before > 0 {
            term.name = format!("{}_{}", term.name, before + 1);
        }
    }
    terms
}

/// A summand of a formula.
struct Term {
    stride: u64,
    name: String,
    meaning: String,
}

fn factor_text(factor: &IndexedFactor<'_>) -> String {
    let plain = plain_factor_text(factor);
    if factor.mirrored { format!("mirror({plain})") } else { plain }
}

/// Without its mirror.
fn plain_factor_text(factor: &IndexedFactor<'_>) -> String {
    match &factor.leaf {
        FactorKind::Predicate(predicate) => predicate.to_string(),
        FactorKind::Count(predicate) => format!("count({predicate})"),
        FactorKind::Scalar(scalar) => scalar.name().to_owned(),
        FactorKind::Rows(products, rows) => {
            let texts: Vec<String> = products.iter().map(text).collect();
            format!("{} rows of ({})", rows.len(), texts.join(" + "))
        }
        FactorKind::Classes { of, count, .. } => {
            let texts: Vec<String> = of.iter().map(text).collect();
            format!("{count} classes of ({})", texts.join(" + "))
        }
    }
}

fn factor_terms(factor: &IndexedFactor<'_>, several: bool) -> Vec<Term> {
    let predicate = match &factor.leaf {
        FactorKind::Scalar(_) => return Vec::new(),
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate)
            if has_all_tuples(predicate) =>
        {
            predicate
        }
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => {
            return vec![listed(factor.stride, predicate)];
        }
        FactorKind::Rows(..) => {
            let meaning = "place in the list of rows, of the index that the set inside gives";
            let (name, meaning) = ("row".to_owned(), meaning.to_owned());
            return vec![Term { stride: factor.stride, name, meaning }];
        }
        FactorKind::Classes { listed, count, .. } => {
            let class = match listed {
                Some(_) => "class, by the list, of an index that the set inside gives".into(),
                None => {
                    format!("rest of an index that the set inside gives when divided by {count}")
                }
            };
            let meaning = format!("{class}, once for all members");
            return vec![Term { stride: factor.stride, name: "class".to_owned(), meaning }];
        }
    };
    let prefix = if several { format!("{}.", predicate.kind().name()) } else { String::new() };
    let strides = strides(predicate.concepts());
    let varied = predicate.concepts().iter().zip(strides).filter(|(concept, _)| concept.len() > 1);
    let terms = varied.map(|(concept, stride)| Term {
        stride: stride * factor.stride,
        name: format!("{prefix}{}", variable(concept.axis())),
        meaning: meaning(concept),
    });
    terms.collect()
}

/// Factor of a feature's value, if not 1.
fn number(factor: &IndexedFactor<'_>) -> Option<String> {
    match &factor.leaf {
        FactorKind::Predicate(_) | FactorKind::Classes { .. } => None,
        FactorKind::Count(predicate) => Some(format!("the number of {predicate} found")),
        FactorKind::Scalar(_) => Some(factor_text(factor)),
        FactorKind::Rows(products, _) => {
            let is_valued = products.iter().any(|product| value(product).is_some());
            is_valued.then(|| "the value that the set inside gives".to_owned())
        }
    }
}

/// A predicate that leaves out impossible tuples.
fn listed(stride: u64, predicate: &Predicate) -> Term {
    let what = match predicate.unordered(0) {
        Some(_) => "pairs a < b of indices of the concepts given, ordered by a, then b",
        None => "indices of the concepts given, in rising order",
    };
    Term {
        stride,
        name: format!("{}_tuple", predicate.kind().name()),
        meaning: format!("number of the tuple among the possible ones: {what}"),
    }
}

fn factor_json(factor: &IndexedFactor<'_>) -> Value {
    let (kind, size) = match &factor.leaf {
        FactorKind::Scalar(_) => ("scalar", 1),
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => {
            (predicate.kind().name(), predicate.size())
        }
        FactorKind::Rows(_, rows) => ("rows", rows.len() as u64),
        FactorKind::Classes { count, .. } => ("classes", *count),
    };
    let mut json = json!({
        "kind": kind,
        "mirrored": factor.mirrored,
        "stride": factor.stride,
        "size": size,
    });
    let mut add = |key: &str, value: Value| json[key] = value;
    let of = |products: &[Product<'_>]| products.iter().map(to_json).collect();
    match &factor.leaf {
        FactorKind::Scalar(scalar) => {
            add("scalar", scalar.name().into());
            add("value", scalar.definition().into());
        }
        FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => {
            add("predicate", predicate.to_string().into());
            add("counted", matches!(factor.leaf, FactorKind::Count(_)).into());
            add("all_tuples", has_all_tuples(predicate).into());
            add("concepts", concepts_json(predicate.concepts()).into());
        }
        FactorKind::Rows(products, rows) => {
            add("of", of(products));
            add("rows", json!(rows));
        }
        FactorKind::Classes { of: products, listed, count } => {
            add("of", of(products));
            add("classes", json!(listed));
            add("modulo", json!(listed.is_none().then_some(count)));
        }
    }
    json
}

fn concepts_json(concepts: &[Concept]) -> Vec<Value> {
    let classes = |concept: &Concept| -> Vec<Vec<String>> {
        (0..concept.len()).map(|class| class_words(concept, class)).collect()
    };
    let concepts = concepts.iter().zip(strides(concepts));
    let json = |(concept, stride): (&Concept, u64)| {
        json!({
            "name": variable(concept.axis()),
            "concept": concept.to_string(),
            "stride": stride,
            "size": concept.len(),
            "classes": classes(concept),
        })
    };
    concepts.map(json).collect()
}

/// Stride of each concept in the index of the predicate.
fn strides(concepts: &[Concept]) -> Vec<u64> {
    let below = |at: usize| concepts[at + 1..].iter().map(|concept| concept.len() as u64).product();
    (0..concepts.len()).map(below).collect()
}

fn has_all_tuples(predicate: &Predicate) -> bool {
    let products: u64 = predicate.concepts().iter().map(|concept| concept.len() as u64).product();
    predicate.size() == products && predicate.unordered(0).is_none()
}

/// `SQUARES a1, b1, c1, … h8`: the meaning of 0, 1, 2 and so on.
fn meaning(concept: &Concept) -> String {
    const LISTED: usize = 15;
    let words = |class| class_words(concept, class).join(" or ");
    let classes: Vec<String> = match concept.len() {
        few @ 0..=LISTED => (0..few).map(words).collect(),
        many => [words(0), words(1), words(2), format!("… {}", words(many - 1))].into(),
    };
    format!("{} {}", concept.axis(), classes.join(", "))
}

fn class_words(concept: &Concept, class: usize) -> Vec<String> {
    concept.class(class).iter().map(|&element| concept.axis().word(element)).collect()
}

/// Name of a class of an axis in formulas.
fn variable(axis: Axis) -> &'static str {
    match axis {
        Axis::Square => "square",
        Axis::File => "file",
        Axis::Rank => "rank",
        Axis::Diag1 => "diagonal",
        Axis::Diag2 => "antidiagonal",
        Axis::Role => "role",
        Axis::Color => "color",
        Axis::Piece => "piece",
        Axis::FileStep => "file_step",
        Axis::RankStep => "rank_step",
        Axis::Wing => "wing",
        Axis::Count(_) => "count",
        Axis::Band(_) => "band",
    }
}
