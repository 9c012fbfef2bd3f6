//! Training sets: a feature set, and the factors folded into it.
//!
//! `train KING-ALL + factors` learns a row for every king square *and* one that all king squares
//! share. The network reads the set with its factors behind it; the export adds each shared row to
//! its copies, so the exported net reads KING-ALL alone, with the same evaluations.

use std::sync::Arc;

use super::catalogue::Names;
use super::error::{ExpressionError, Result, Span};
use super::expr::Expr;
use super::image::{Image, NoImage};
use super::parser::{self, FactorRequest, ParsedSummand};
use super::set::FeatureSet;

/// Sets that `factors` tries first, in this order, before the products of the set without their
/// one-hot factors; the first linear image wins.
const AUTOMATIC: [&str; 2] = ["ALL", "mirror(ALL)"];

/// A linear image that is trained with a set.
#[derive(Clone, Debug)]
struct TrainedFactor {
    set: Arc<FeatureSet>,
    image: Image,
}

/// A feature set as it is trained.
#[derive(Clone, Debug)]
pub struct TrainedSet {
    expression: String,
    set: Arc<FeatureSet>,
    /// The set with its factors behind it.
    input: Arc<FeatureSet>,
    factors: Vec<TrainedFactor>,
}

impl TrainedSet {
    /// Compiles a training expression that uses names of the catalogue only.
    pub fn parse(expression: &str) -> Result<Arc<Self>> {
        Self::compile(expression, &Names::catalogue())
    }

    /// Compiles `train EXPR + factors`, or a plain expression.
    pub fn compile(expression: &str, names: &Names) -> Result<Arc<Self>> {
        let parsed = parser::parse_training(expression, names)?;
        let texts: Vec<&str> = parsed.summands.iter().map(|s| s.text.as_str()).collect();
        let set = FeatureSet::of(&texts.join(" + "), parsed.summands.clone())
            .map_err(|error| error.in_text(expression))?;
        let factors = parsed
            .factors
            .into_iter()
            .map(|request| find_factor(expression, &set, request))
            .collect::<Result<Vec<TrainedFactor>>>()?;
        let input =
            if factors.is_empty() { set.clone() } else { with_factors(parsed.summands, &factors)? };
        Ok(Arc::new(Self { expression: expression.trim().to_owned(), set, input, factors }))
    }

    /// The expression as written.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Identity of the training set: the sets with all names expanded.
    pub fn canonical(&self) -> &str {
        self.input.canonical()
    }

    /// The set that is exported and played.
    pub fn set(&self) -> &Arc<FeatureSet> {
        &self.set
    }

    /// The set that the network reads while it is trained.
    pub fn input(&self) -> &Arc<FeatureSet> {
        &self.input
    }

    /// The factors, for people.
    pub fn factors(&self) -> impl Iterator<Item = &Arc<FeatureSet>> {
        self.factors.iter().map(|factor| &factor.set)
    }

    /// First-layer rows of the exported set from those of the input: every
    /// factor's row added to its copies. Both are `[features][l1]`.
    pub fn fold(&self, mut rows: Vec<f32>, l1: usize) -> Vec<f32> {
        let shared = rows.split_off(self.set.size() * l1);
        let mut offset = 0;
        for factor in &self.factors {
            factor.image.fold(&mut rows, &shared[offset * l1..], l1);
            offset += factor.set.size();
        }
        rows
    }
}

fn find_factor(text: &str, set: &FeatureSet, request: FactorRequest) -> Result<TrainedFactor> {
    let refuse = |span: Span, message: String, label: String| {
        let help = "a factor must be a sum of rows of the set, as ALL is of KING-ALL and mirror(ALL) of HALF-KA-HM";
        Err(ExpressionError::new("expression", text, span, message, label, Some(help.into())))
    };
    match request {
        FactorRequest::Explicit(expr, span) => {
            let name = text[span.clone()].to_owned();
            let summand = ParsedSummand { text: expr.to_string(), expr };
            let factor = FeatureSet::of(&summand.text.clone(), vec![summand])?;
            match share(set, &factor) {
                Ok(image) => Ok(TrainedFactor { set: factor, image }),
                Err(NoImage::Same) => {
                    let message = format!("`{name}` would train rows of the set twice");
                    refuse(span, message, NoImage::Same.to_string())
                }
                Err(why) => {
                    refuse(span, format!("`{name}` is no linear image of the set"), why.to_string())
                }
            }
        }
        FactorRequest::Automatic(span) => {
            let automatic = AUTOMATIC.into_iter().map(str::to_owned);
            let own = set.summands().iter().filter_map(|summand| unanchored(&summand.expr));
            let candidates = automatic.chain(own.map(|expr| expr.to_string()));
            let mut why: Option<(String, NoImage)> = None;
            for candidate in candidates {
                let factor = FeatureSet::parse(&candidate)?;
                match share(set, &factor) {
                    Ok(image) => return Ok(TrainedFactor { set: factor, image }),
                    // A set that is there already is the best reason.
                    Err(_) if matches!(why, Some((_, NoImage::Same))) => {}
                    Err(refusal) => why = Some((candidate, refusal)),
                }
            }
            let why = why.map_or(String::new(), |(name, refusal)| format!("{name}: {refusal}"));
            refuse(span, "this set has no copies that could share rows".to_owned(), why)
        }
    }
}

/// A product without its one-hot factors, if it has any and others beside.
fn unanchored(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Product(parts) => {
            let is_one_hot = |part: &Expr| matches!(part, Expr::Predicate(predicate) if predicate.selector().is_some());
            let rest: Vec<Expr> = parts.iter().filter(|part| !is_one_hot(part)).cloned().collect();
            let dropped = (1..parts.len()).contains(&rest.len());
            dropped.then_some(Expr::Product(rest))
        }
        Expr::Mirror(inner) => Some(Expr::Mirror(Box::new(unanchored(inner)?))),
        _ => None,
    }
}

/// The image, if rows share it; otherwise the set has its rows already.
fn share(set: &FeatureSet, factor: &FeatureSet) -> std::result::Result<Image, NoImage> {
    let image = Image::prove(set, factor)?;
    image.shares().then_some(image).ok_or(NoImage::Same)
}

fn with_factors(
    mut summands: Vec<ParsedSummand>,
    factors: &[TrainedFactor],
) -> Result<Arc<FeatureSet>> {
    summands.extend(factors.iter().map(|factor| ParsedSummand {
        text: format!("factor {}", factor.set.expression()),
        expr: factor.set.expr().clone(),
    }));
    let texts: Vec<&str> = summands.iter().map(|summand| summand.text.as_str()).collect();
    FeatureSet::of(&texts.join(" + "), summands)
}
