//! Concepts: the small ordered sets that features are made of.

use std::fmt;

use crate::chess::{Role, Side, Square};

/// What an element of a concept says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// A square; `SQUARES`, rank-major, a1 first.
    Square,
    /// A file; `FILES`, a to h.
    File,
    /// A rank; `RANKS`, 1 to 8 as the looking side sees them.
    Rank,
    /// A diagonal with constant file + rank; `DIAGS1`, a1 is 0, h8 is 14.
    Diag1,
    /// A diagonal with constant file + 7 − rank; `DIAGS2`, a8 is 0, h1 is 14.
    Diag2,
    /// A role; `ROLES`, pawn to king.
    Role,
    /// Whose piece; `COLORS`, own then other.
    Color,
}

const ROLE_WORDS: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const SIDE_WORDS: [&str; 2] = ["own", "other"];

impl Axis {
    /// All axes.
    pub const ALL: [Axis; 7] =
        [Axis::Square, Axis::File, Axis::Rank, Axis::Diag1, Axis::Diag2, Axis::Role, Axis::Color];

    /// Name of the full concept.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Square => "SQUARES",
            Axis::File => "FILES",
            Axis::Rank => "RANKS",
            Axis::Diag1 => "DIAGS1",
            Axis::Diag2 => "DIAGS2",
            Axis::Role => "ROLES",
            Axis::Color => "COLORS",
        }
    }

    /// Number of elements of the full concept.
    pub fn size(self) -> u8 {
        match self {
            Axis::Square => 64,
            Axis::File | Axis::Rank => 8,
            Axis::Diag1 | Axis::Diag2 => 15,
            Axis::Role => 6,
            Axis::Color => 2,
        }
    }

    /// Whether an element says where a piece stands.
    pub fn is_place(self) -> bool {
        !matches!(self, Axis::Role | Axis::Color)
    }

    /// Whether an element is a line of squares on which pieces can be neighbours.
    pub fn is_line(self) -> bool {
        matches!(self, Axis::File | Axis::Rank | Axis::Diag1 | Axis::Diag2)
    }

    /// The element of a place axis that a square lies on.
    #[inline]
    pub fn of_square(self, square: Square) -> u8 {
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        match self {
            Axis::Square => square as u8,
            Axis::File => file,
            Axis::Rank => rank,
            Axis::Diag1 => file + rank,
            Axis::Diag2 => file + 7 - rank,
            Axis::Role | Axis::Color => unreachable!("a square has no {} element", self.name()),
        }
    }

    /// An element as it is written in a set: `d4`, `rook`, `own`, `7`.
    pub fn word(self, element: u8) -> String {
        match self {
            Axis::Square => Square::new(u32::from(element)).to_string(),
            Axis::File => char::from(b'a' + element).to_string(),
            Axis::Rank => (element + 1).to_string(),
            Axis::Diag1 => format!("{element}"),
            Axis::Diag2 => format!("{element}"),
            Axis::Role => ROLE_WORDS[usize::from(element)].to_owned(),
            Axis::Color => SIDE_WORDS[usize::from(element)].to_owned(),
        }
    }

    /// Reads a word of a set; the word decides the axis.
    pub fn parse_word(word: &str) -> Option<(Axis, u8)> {
        [Axis::Square, Axis::File, Axis::Rank, Axis::Role, Axis::Color].into_iter().find_map(
            |axis| (0..axis.size()).find(|&e| axis.word(e) == word).map(|element| (axis, element)),
        )
    }

    /// All words that a set may contain, for suggestions.
    pub fn words() -> Vec<String> {
        [Axis::Square, Axis::File, Axis::Rank, Axis::Role, Axis::Color]
            .into_iter()
            .flat_map(|axis| (0..axis.size()).map(move |e| axis.word(e)))
            .collect()
    }
}

/// An ordered set of elements of one axis. Its order is index order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Concept {
    axis: Axis,
    elements: Vec<u8>,
}

impl Concept {
    /// All elements of an axis in their natural order.
    pub fn full(axis: Axis) -> Self {
        Self { axis, elements: (0..axis.size()).collect() }
    }

    /// The elements in the order given. Elements must be distinct and of the axis.
    pub fn subset(axis: Axis, elements: Vec<u8>) -> Self {
        debug_assert!(elements.iter().all(|&e| e < axis.size()));
        Self { axis, elements }
    }

    /// The elements that `other` does not have, in this order.
    pub fn without(&self, other: &Concept) -> Self {
        let elements =
            self.elements.iter().copied().filter(|e| !other.elements.contains(e)).collect();
        Self { axis: self.axis, elements }
    }

    /// What the elements say.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Elements in index order.
    pub fn elements(&self) -> &[u8] {
        &self.elements
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Where an element stands in the order.
    pub fn position(&self, element: u8) -> Option<usize> {
        self.elements.iter().position(|&e| e == element)
    }

    /// Whether every element of the axis is in it.
    pub fn is_full(&self) -> bool {
        self.elements.len() == usize::from(self.axis.size())
    }
}

impl fmt::Display for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.elements.iter().copied().eq(0..self.axis.size()) {
            return f.write_str(self.axis.name());
        }
        let words: Vec<String> = self.elements.iter().map(|&e| self.axis.word(e)).collect();
        match self.axis {
            // Diagonals have no words of their own: their complement is written.
            Axis::Diag1 | Axis::Diag2 => write!(f, "{}{{{}}}", self.axis.name(), words.join(", ")),
            _ => write!(f, "{{{}}}", words.join(", ")),
        }
    }
}

/// Role of a [`Axis::Role`] element.
pub fn role(element: u8) -> Role {
    Role::ALL[usize::from(element)]
}

/// Side of a [`Axis::Color`] element.
pub fn side(element: u8) -> Side {
    Side::ALL[usize::from(element)]
}
