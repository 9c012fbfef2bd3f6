//! Index formulas: the row of a feature, for other programs.
//!
//! An expression, multiplied out, is a list of products. The index of a
//! feature of a product is an offset plus, for every concept of its
//! predicates, the number of the class times a stride. Where a predicate leaves
//! out impossible tuples, or rows were selected, the place in a list of tuples
//! takes the place of the classes.
//!
//! Features of a valued set count a number of the position: the product of its scalars, and how
//! many pieces a counting predicate finds.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use features::Expr;
use features::concept::{Axis, Concept};
use features::predicate::{Predicate, Scalar};

/// A product of an expression that was multiplied out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Product<'a> {
    /// Index where all classes are 0.
    pub offset: u64,
    /// Its factors; all of them hold where a feature of the product is active.
    pub factors: Vec<Factor<'a>>,
}

/// A factor and its stride.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Factor<'a> {
    pub kind: FactorKind<'a>,
    /// Whether the board is mirrored while the own king stands on files e to h.
    pub mirrored: bool,
    /// What one step of its own index adds.
    pub stride: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactorKind<'a> {
    /// A predicate over concepts.
    Predicate(&'a Predicate),
    /// One whose features count how many there are.
    Count(&'a Predicate),
    /// A number of the position: one feature, which always holds.
    Scalar(Scalar),
    /// A list of rows of other products: the index is the place in the list.
    Rows(Vec<Product<'a>>, &'a [u32]),
    /// Classes of rows of other products, each of which holds if any of its members does.
    Classes {
        of: Vec<Product<'a>>,
        /// The class of each row, none for those that are left out; without a list the rest when
        /// the index of the row is divided by the number of classes.
        listed: Option<&'a [Option<u32>]>,
        /// How many classes there are.
        count: u64,
    },
}

impl<'a> Product<'a> {
    /// The products of the expression of a net.
    pub(super) fn all_of(expr: &'a Expr) -> Vec<Self> {
        Self::all(expr, false)
    }

    fn all(expr: &'a Expr, mirrored: bool) -> Vec<Self> {
        let leaf = |kind, mirrored| {
            vec![Self { offset: 0, factors: vec![Factor { kind, mirrored, stride: 1 }] }]
        };
        match expr {
            Expr::Predicate(predicate) => leaf(FactorKind::Predicate(predicate), mirrored),
            Expr::Count(predicate) => leaf(FactorKind::Count(predicate), mirrored),
            Expr::Scalar(Scalar::One) => vec![Self::default()],
            Expr::Scalar(scalar) => leaf(FactorKind::Scalar(*scalar), mirrored),
            Expr::Mirror(inner) => Self::all(inner, true),
            // Its products say themselves whether they are mirrored.
            Expr::Rows(inner, rows) => {
                leaf(FactorKind::Rows(Self::all(inner, mirrored), rows), false)
            }
            Expr::Quotient(inner, classes) => {
                let of = Self::all(inner, mirrored);
                let (listed, count) = (Some(&classes[..]), expr.size());
                leaf(FactorKind::Classes { of, listed, count }, false)
            }
            Expr::Any(any) => {
                let of = Self::one_after_the_other(any.parts(), mirrored);
                let (listed, count) = (None, expr.size());
                leaf(FactorKind::Classes { of, listed, count }, false)
            }
            Expr::Sum(_) | Expr::Each(_) => Self::one_after_the_other(expr.terms(), mirrored),
            Expr::Product(parts) => parts.iter().fold(vec![Self::default()], |left, part| {
                let right = Self::all(part, mirrored);
                let times = |a| right.iter().map(move |b| Self::times(a, b, part.size()));
                left.iter().flat_map(times).collect()
            }),
        }
    }

    fn one_after_the_other(parts: &'a [Expr], mirrored: bool) -> Vec<Self> {
        let mut offset = 0;
        let mut products = Vec::new();
        for part in parts {
            let moved = |p: Self| Self { offset: p.offset + offset, ..p };
            products.extend(Self::all(part, mirrored).into_iter().map(moved));
            offset += part.size();
        }
        products
    }

    /// The product with one of a right factor of `size` features.
    fn times(&self, right: &Self, size: u64) -> Self {
        let left = self.factors.iter().cloned();
        let left = left.map(|factor| Factor { stride: factor.stride * size, ..factor });
        Self {
            offset: self.offset * size + right.offset,
            factors: left.chain(right.factors.iter().cloned()).collect(),
        }
    }

    /// The factors as an expression: `king(SQUARES) * piece(FILES)`.
    pub(super) fn text(&self) -> String {
        let join = |text: fn(&Factor<'a>) -> String| {
            self.factors.iter().map(text).collect::<Vec<_>>().join(" * ")
        };
        match self.factors.as_slice() {
            [] => "ONE".to_owned(),
            factors if factors.iter().all(|factor| factor.mirrored) => {
                format!("mirror({})", join(Factor::plain_text))
            }
            _ => join(Factor::text),
        }
    }

    /// `768 + 12 * square + 2 * role + color`.
    pub(super) fn formula(&self) -> String {
        let terms = self.terms();
        let terms = terms.iter().map(|term| match term.stride {
            1 => term.name.clone(),
            stride => format!("{stride} * {}", term.name),
        });
        let offset = (self.offset > 0).then(|| self.offset.to_string());
        let all: Vec<String> = offset.into_iter().chain(terms).collect();
        if all.is_empty() { "0".to_owned() } else { all.join(" + ") }
    }

    /// The names in the formula, each with the meaning of its numbers.
    pub(super) fn legend(&self) -> Vec<(String, String)> {
        self.terms().into_iter().map(|term| (term.name, term.says)).collect()
    }

    /// What a feature of the product counts when it is active: `PHASE * own_king.file`; nothing
    /// where that is 1.
    pub(super) fn value(&self) -> Option<String> {
        let numbers: Vec<String> = self.factors.iter().filter_map(Factor::number).collect();
        (!numbers.is_empty()).then(|| numbers.join(" * "))
    }

    /// The scalars in its value, each with its definition.
    pub(super) fn value_legend(&self) -> Vec<(&'static str, &'static str)> {
        let scalars = self.factors.iter().filter_map(|factor| match factor.kind {
            FactorKind::Scalar(scalar) => Some((scalar.name(), scalar.says())),
            _ => None,
        });
        scalars.collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "product": self.text(),
            "formula": self.formula(),
            "value": self.value(),
            "offset": self.offset,
            "factors": self.factors.iter().map(Factor::to_json).collect::<Vec<_>>(),
        })
    }

    fn terms(&self) -> Vec<Term> {
        let several = self.factors.len() > 1;
        let mut terms: Vec<Term> =
            self.factors.iter().flat_map(|factor| factor.terms(several)).collect();
        let names: Vec<String> = terms.iter().map(|term| term.name.clone()).collect();
        for (i, term) in terms.iter_mut().enumerate() {
            let before = names[..i].iter().filter(|&name| *name == term.name).count();
            if before > 0 {
                term.name = format!("{}_{}", term.name, before + 1);
            }
        }
        terms
    }
}

/// A summand of a formula.
struct Term {
    stride: u64,
    name: String,
    says: String,
}

impl Factor<'_> {
    fn text(&self) -> String {
        let plain = self.plain_text();
        if self.mirrored { format!("mirror({plain})") } else { plain }
    }

    /// Without its mirror.
    fn plain_text(&self) -> String {
        match &self.kind {
            FactorKind::Predicate(predicate) => predicate.to_string(),
            FactorKind::Count(predicate) => format!("count({predicate})"),
            FactorKind::Scalar(scalar) => scalar.name().to_owned(),
            FactorKind::Rows(products, rows) => {
                let texts: Vec<String> = products.iter().map(Product::text).collect();
                format!("{} rows of ({})", rows.len(), texts.join(" + "))
            }
            FactorKind::Classes { of, count, .. } => {
                let texts: Vec<String> = of.iter().map(Product::text).collect();
                format!("{count} classes of ({})", texts.join(" + "))
            }
        }
    }

    fn terms(&self, several: bool) -> Vec<Term> {
        let predicate = match &self.kind {
            FactorKind::Scalar(_) => return Vec::new(),
            FactorKind::Predicate(predicate) | FactorKind::Count(predicate)
                if has_all_tuples(predicate) =>
            {
                predicate
            }
            FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => {
                return vec![self.listed(predicate)];
            }
            FactorKind::Rows(..) => {
                let says = "place in the list of rows, of the index that the set inside gives";
                let (name, says) = ("row".to_owned(), says.to_owned());
                return vec![Term { stride: self.stride, name, says }];
            }
            FactorKind::Classes { listed, count, .. } => {
                let class = match listed {
                    Some(_) => "class, by the list, of an index that the set inside gives".into(),
                    None => format!(
                        "rest of an index that the set inside gives when divided by {count}"
                    ),
                };
                let says = format!("{class}, once for all members");
                return vec![Term { stride: self.stride, name: "class".to_owned(), says }];
            }
        };
        let prefix = if several { format!("{}.", predicate.kind().name()) } else { String::new() };
        let strides = strides(predicate.concepts());
        let terms = predicate.concepts().iter().zip(strides).map(|(concept, stride)| Term {
            stride: stride * self.stride,
            name: format!("{prefix}{}", variable(concept.axis())),
            says: says(concept),
        });
        terms.collect()
    }

    /// What it multiplies the value of a feature with, if not 1.
    fn number(&self) -> Option<String> {
        match &self.kind {
            FactorKind::Predicate(_) | FactorKind::Classes { .. } => None,
            FactorKind::Count(predicate) => Some(format!("the number of {predicate} found")),
            FactorKind::Scalar(_) => Some(self.text()),
            FactorKind::Rows(products, _) => {
                let is_valued = products.iter().any(|product| product.value().is_some());
                is_valued.then(|| "the value that the set inside gives".to_owned())
            }
        }
    }

    /// A predicate that leaves out impossible tuples.
    fn listed(&self, predicate: &Predicate) -> Term {
        let what = match predicate.unordered(0) {
            Some(_) => "pairs a < b of indices of the concepts given, ordered by a, then b",
            None => "indices of the concepts given, in rising order",
        };
        Term {
            stride: self.stride,
            name: format!("{}_tuple", predicate.kind().name()),
            says: format!("number of the tuple among the possible ones: {what}"),
        }
    }

    fn to_json(&self) -> Value {
        let (mirrored, stride) = (self.mirrored, self.stride);
        match &self.kind {
            FactorKind::Scalar(scalar) => json!({
                "kind": "scalar",
                "scalar": scalar.name(),
                "value": scalar.says(),
                "mirrored": mirrored,
                "stride": stride,
                "size": 1,
            }),
            FactorKind::Predicate(predicate) | FactorKind::Count(predicate) => json!({
                "predicate": predicate.to_string(),
                "kind": predicate.kind().name(),
                "counted": matches!(self.kind, FactorKind::Count(_)),
                "mirrored": mirrored,
                "stride": stride,
                "size": predicate.size(),
                "all_tuples": has_all_tuples(predicate),
                "concepts": concepts_json(predicate.concepts()),
            }),
            FactorKind::Rows(products, rows) => json!({
                "kind": "rows",
                "mirrored": mirrored,
                "stride": stride,
                "size": rows.len(),
                "of": products.iter().map(Product::to_json).collect::<Vec<_>>(),
                "rows": rows,
            }),
            FactorKind::Classes { of, listed, count } => {
                json!({
                    "kind": "classes",
                    "mirrored": mirrored,
                    "stride": stride,
                    "size": count,
                    "of": of.iter().map(Product::to_json).collect::<Vec<_>>(),
                    "classes": listed,
                    "modulo": listed.is_none().then_some(count),
                })
            }
        }
    }
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

/// What one step of each concept adds to the index of the predicate.
fn strides(concepts: &[Concept]) -> Vec<u64> {
    let below = |at: usize| concepts[at + 1..].iter().map(|concept| concept.len() as u64).product();
    (0..concepts.len()).map(below).collect()
}

fn has_all_tuples(predicate: &Predicate) -> bool {
    let products: u64 = predicate.concepts().iter().map(|concept| concept.len() as u64).product();
    predicate.size() == products && predicate.unordered(0).is_none()
}

/// `SQUARES a1, b1, c1, … h8`: what 0, 1, 2 and so on stand for.
fn says(concept: &Concept) -> String {
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
