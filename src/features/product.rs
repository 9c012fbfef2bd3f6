//! An expression multiplied out: products of leaves, each with its place in the index order.
//!
//! `A * (B + C)` is two products, each with an offset and one stride per factor. The compiler
//! ([`Block`](super::block::Block)) and exports of index formulas walk this one form and differ
//! in their leaves only.

use super::expr::{Each, Expr};
use super::predicate::Scalar;

/// A product of leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Product<T> {
    /// Index of its first feature.
    pub offset: u64,
    /// Its factors, the left one with the largest stride.
    pub factors: Vec<Factor<T>>,
}

/// A leaf in a product.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor<T> {
    /// Predicate, scalar, or table made of other products.
    pub leaf: T,
    /// Whether the board is mirrored while the own king stands on files e to h.
    pub mirrored: bool,
    /// Index distance of two neighbouring features of the leaf.
    pub stride: u64,
}

impl<T> Default for Product<T> {
    fn default() -> Self {
        Self { offset: 0, factors: Vec::new() }
    }
}

impl<T: Clone> Product<T> {
    /// The products of several sets, one after the other.
    pub fn of_sum<'a>(
        parts: &'a [Expr],
        mirrored: bool,
        leaf: &impl Fn(&'a Expr, bool) -> Option<(T, bool)>,
    ) -> Vec<Self> {
        let mut offset = 0;
        let mut products = Vec::new();
        for part in parts {
            let moved = |product: Self| Self { offset: product.offset + offset, ..product };
            products.extend(part.products(mirrored, leaf).into_iter().map(moved));
            offset += part.size();
        }
        products
    }

    /// The product with one right factor of `size` features.
    fn times(&self, right: &Self, size: u64) -> Self {
        let left = self.factors.iter().cloned();
        let left = left.map(|factor| Factor { stride: factor.stride * size, ..factor });
        Self {
            offset: self.offset * size + right.offset,
            factors: left.chain(right.factors.iter().cloned()).collect(),
        }
    }
}

impl Expr {
    /// The products of the expression, seen mirrored or not, in index order. `leaf` maps a part and
    /// its mirror to a leaf and the mirror that is left to the factor. A part without a leaf is
    /// multiplied out, and `ONE` is the empty product.
    pub fn products<'a, T: Clone>(
        &'a self,
        mirrored: bool,
        leaf: &impl Fn(&'a Expr, bool) -> Option<(T, bool)>,
    ) -> Vec<Product<T>> {
        if let Some((leaf, mirrored)) = leaf(self, mirrored) {
            return vec![Product {
                offset: 0,
                factors: vec![Factor { leaf, mirrored, stride: 1 }],
            }];
        }
        match self {
            Expr::Mirror(inner) => inner.products(true, leaf),
            Expr::Product(parts) => parts.iter().fold(vec![Product::default()], |left, part| {
                let right = part.products(mirrored, leaf);
                let times = |a| right.iter().map(move |b| Product::times(a, b, part.size()));
                left.iter().flat_map(times).collect()
            }),
            Expr::Sum(parts) | Expr::Each(Each { parts, .. }) => {
                Product::of_sum(parts, mirrored, leaf)
            }
            Expr::Scalar(Scalar::One) => vec![Product::default()],
            Expr::Predicate(_)
            | Expr::Count(_)
            | Expr::Scalar(_)
            | Expr::Rows(..)
            | Expr::Any(_)
            | Expr::Quotient(..) => unreachable!("`{self}` cannot be multiplied out"),
        }
    }
}
