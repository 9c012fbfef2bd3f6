//! Concepts: the small ordered sets that features are made of.
//!
//! A concept holds *classes* of elements of one axis. In `SQUARES` each square is a class of its
//! own; a quotient such as `SQUARES / [0, 0, 1, …]` merges several into one. Elements without a
//! class are in no feature.

use std::fmt;

use chess::{PieceKind, Role, Side, Square};

/// Most bands of any scale.
pub(crate) const MOST_BANDS: u8 = 50;

/// Kind of the elements of a concept.
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
    /// A role and its side; `PIECES` with some of them merged or left out.
    Piece,
    /// Files from a piece or square to a king; `FILE_STEPS`, −7 to 7.
    FileStep,
    /// Ranks from a piece or square to a king; `RANK_STEPS`, −7 to 7.
    RankStep,
    /// The rook's side of the king when castling; `WINGS`, left then right as seen.
    Wing,
    /// How many; `COUNTS(n)`: 0, 1, … up to n, which stands for n or more.
    Count(u8),
    /// One of n equal bands of a scale; `BANDS(n)`.
    Band(u8),
}

const ROLE_WORDS: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const SIDE_WORDS: [&str; 2] = ["own", "other"];
const WING_WORDS: [&str; 2] = ["left", "right"];

/// Offset of a step: element 0 is −7.
const STEP_ZERO: i32 = 7;

impl Axis {
    /// All axes whose concept is named by a word alone.
    pub(crate) const NAMED: [Axis; 10] = [
        Axis::Square,
        Axis::File,
        Axis::Rank,
        Axis::Diag1,
        Axis::Diag2,
        Axis::Role,
        Axis::Color,
        Axis::FileStep,
        Axis::RankStep,
        Axis::Wing,
    ];

    /// Axes whose elements are words that a set can hold without naming the axis.
    pub(crate) const SPOKEN: [Axis; 7] =
        [Axis::Square, Axis::File, Axis::Rank, Axis::Role, Axis::Color, Axis::Piece, Axis::Wing];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Axis::Square => "SQUARES",
            Axis::File => "FILES",
            Axis::Rank => "RANKS",
            Axis::Diag1 => "DIAGS1",
            Axis::Diag2 => "DIAGS2",
            Axis::Role => "ROLES",
            Axis::Color => "COLORS",
            Axis::Piece => "PIECES",
            Axis::FileStep => "FILE_STEPS",
            Axis::RankStep => "RANK_STEPS",
            Axis::Wing => "WINGS",
            Axis::Count(_) => "COUNTS",
            Axis::Band(_) => "BANDS",
        }
    }

    pub(crate) fn size(self) -> u8 {
        match self {
            Axis::Square => 64,
            Axis::File | Axis::Rank => 8,
            Axis::Diag1 | Axis::Diag2 | Axis::FileStep | Axis::RankStep => 15,
            Axis::Role => 6,
            Axis::Color | Axis::Wing => 2,
            Axis::Piece => PieceKind::COUNT as u8,
            Axis::Count(most) => most + 1,
            Axis::Band(bands) => bands,
        }
    }

    pub(crate) fn is_place(self) -> bool {
        matches!(self, Axis::Square) || self.is_line()
    }

    /// Whether an element is a line of squares on which pieces can be neighbours.
    pub(crate) fn is_line(self) -> bool {
        matches!(self, Axis::File | Axis::Rank | Axis::Diag1 | Axis::Diag2)
    }

    /// Whether an element restricts the kind of a piece.
    pub(crate) fn is_kind(self) -> bool {
        matches!(self, Axis::Role | Axis::Color | Axis::Piece)
    }

    /// Whether an element is a number.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Axis::Count(_))
    }

    /// Whether an element is a distance from a king.
    pub(crate) fn is_step(self) -> bool {
        matches!(self, Axis::FileStep | Axis::RankStep)
    }

    /// Whether two axes restrict the same property of a piece, in whole or in part.
    pub(crate) fn overlaps(self, other: Axis) -> bool {
        match (self, other) {
            (Axis::Count(_), Axis::Count(_)) | (Axis::Band(_), Axis::Band(_)) => true,
            (Axis::Piece, kind) | (kind, Axis::Piece) => kind.is_kind(),
            _ => self == other,
        }
    }

    /// The element of a place axis that a square lies on; 0 for other axes.
    #[inline]
    pub(crate) fn of_square(self, square: Square) -> u8 {
        let (file, rank) = (square.file() as u8, square.rank() as u8);
        match self {
            Axis::Square => square as u8,
            Axis::File => file,
            Axis::Rank => rank,
            Axis::Diag1 => file + rank,
            Axis::Diag2 => file + 7 - rank,
            _ => 0,
        }
    }

    /// The element of an axis of kinds that a kind of piece is; 0 for other axes.
    #[inline]
    pub(crate) fn of_kind(self, kind: PieceKind) -> u8 {
        match self {
            Axis::Role => kind.role as u8 - 1,
            Axis::Color => kind.side as u8,
            Axis::Piece => kind.index() as u8,
            _ => 0,
        }
    }

    /// The element of a step axis for going from `square` to `king`; 0 for other axes.
    #[inline]
    pub(crate) fn of_step(self, king: Square, square: Square) -> u8 {
        let steps = match self {
            Axis::FileStep => i32::from(king.file()) - i32::from(square.file()),
            Axis::RankStep => i32::from(king.rank()) - i32::from(square.rank()),
            _ => return 0,
        };
        (steps + STEP_ZERO) as u8
    }

    /// An element as it is written in a set: `d4`, `rook`, `own`, `7`.
    pub fn word(self, element: u8) -> String {
        let at = usize::from(element);
        match self {
            Axis::Square => Square::new(u32::from(element)).to_string(),
            Axis::File => char::from(b'a' + element).to_string(),
            Axis::Rank => (element + 1).to_string(),
            Axis::Role => ROLE_WORDS[at].to_owned(),
            Axis::Color => SIDE_WORDS[at].to_owned(),
            Axis::Piece => format!("{} {}", SIDE_WORDS[at % 2], ROLE_WORDS[at / 2]),
            Axis::Wing => WING_WORDS[at].to_owned(),
            Axis::FileStep | Axis::RankStep => (i32::from(element) - STEP_ZERO).to_string(),
            Axis::Diag1 | Axis::Diag2 | Axis::Count(_) | Axis::Band(_) => element.to_string(),
        }
    }

    /// Reads a word of a set; the word decides the axis.
    pub(crate) fn parse_word(word: &str) -> Option<(Axis, u8)> {
        Self::SPOKEN.into_iter().find_map(|axis| axis.parse_element(word).map(|e| (axis, e)))
    }

    /// Reads an element of this axis.
    pub(crate) fn parse_element(self, word: &str) -> Option<u8> {
        (0..self.size()).find(|&element| self.word(element) == word)
    }

    /// The words of all its elements.
    pub(crate) fn words(self) -> Vec<String> {
        (0..self.size()).map(|element| self.word(element)).collect()
    }

    /// All words that a set may contain without naming an axis, for suggestions.
    pub(crate) fn all_words() -> Vec<String> {
        Self::SPOKEN.into_iter().flat_map(Self::words).collect()
    }

    /// The first and the last of its elements, or two: "`a1` to `h8`".
    pub(crate) fn extent(self) -> String {
        let (first, last) = (self.word(0), self.word(self.size() - 1));
        let between = if self.size() == 2 { "and" } else { "to" };
        format!("`{first}` {between} `{last}`")
    }

    /// An element of a place axis in words: `d4`, `file d`, `rank 4`.
    fn place_words(self, element: u8) -> String {
        let word = self.word(element);
        match self {
            Axis::File => format!("file {word}"),
            Axis::Rank => format!("rank {word}"),
            Axis::Diag1 => format!("diagonal {word} of DIAGS1"),
            Axis::Diag2 => format!("diagonal {word} of DIAGS2"),
            _ => word,
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Axis::Count(n) | Axis::Band(n) => write!(f, "{}({n})", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

/// An ordered set of classes of elements of one axis. Its order is index order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Concept {
    axis: Axis,
    classes: Vec<Vec<u8>>,
    /// Source text, if it is not the list of elements.
    spelling: Option<Spelling>,
}

/// Source text of a concept whose elements depend on a variable or derive from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spelling {
    /// As written: `x`, `shift(x, RANKS 1..7)`.
    pub text: String,
    /// Each class in words, if its elements do not describe it well.
    pub words: Option<Vec<String>>,
    /// Whether it stands for any element of a variable.
    pub of_any: bool,
}

impl Concept {
    /// All elements of an axis in their natural order.
    pub(crate) fn full(axis: Axis) -> Self {
        Self::subset(axis, (0..axis.size()).collect())
    }

    /// The elements in the order given. Elements must be distinct and of the axis.
    pub(crate) fn subset(axis: Axis, elements: Vec<u8>) -> Self {
        debug_assert!(elements.iter().all(|&e| e < axis.size()));
        Self::of(axis, elements.into_iter().map(|element| vec![element]).collect())
    }

    /// The quotient by a numbering of all elements: those with the same number
    /// are one class, those without are left out. `None` if the numbers used
    /// are not 0, 1, … without a gap, or if there are none.
    pub(crate) fn quotient(axis: Axis, numbers: &[Option<u32>]) -> Option<Self> {
        let count = numbers.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let mut classes = vec![Vec::new(); count];
        for (element, number) in (0..).zip(numbers) {
            if let Some(number) = number {
                classes[*number as usize].push(element);
            }
        }
        let sound = count > 0 && classes.iter().all(|class| !class.is_empty());
        sound.then_some(Self::of(axis, classes))
    }

    /// The classes without the elements that `other` has.
    pub(crate) fn without(&self, other: &Concept) -> Self {
        let gone: Vec<u8> = other.classes.iter().flatten().copied().collect();
        let rest = self.classes.iter().map(|class| {
            class.iter().copied().filter(|element| !gone.contains(element)).collect::<Vec<u8>>()
        });
        Self::of(self.axis, rest.filter(|class| !class.is_empty()).collect())
    }

    fn of(axis: Axis, classes: Vec<Vec<u8>>) -> Self {
        Self { axis, classes, spelling: None }
    }

    /// One of its classes, which a variable stands for.
    pub(crate) fn bound(&self, class: usize, variable: &str) -> Self {
        let words = self.spelling.as_ref().and_then(|spelling| spelling.words.as_ref());
        let words = words.map(|words| vec![words[class].clone()]);
        let spelling = Some(Spelling { text: variable.to_owned(), words, of_any: false });
        Self { axis: self.axis, classes: vec![self.classes[class].clone()], spelling }
    }

    /// The concept of any element, spelled as the variable.
    pub(crate) fn bound_to_any(&self, variable: &str) -> Self {
        let (text, words) = (variable.to_owned(), Some(vec![variable.to_owned()]));
        let spelling = Some(Spelling { text, words, of_any: true });
        Self { axis: self.axis, classes: vec![self.classes[0].clone()], spelling }
    }

    /// Whether it stands for any element of a variable.
    pub(crate) fn is_of_any(&self) -> bool {
        self.spelling.as_ref().is_some_and(|spelling| spelling.of_any)
    }

    /// Classes of other elements, which may be empty, and how they are written.
    pub(crate) fn spelled(axis: Axis, classes: Vec<Vec<u8>>, spelling: Spelling) -> Self {
        Self { axis, classes, spelling: Some(spelling) }
    }

    /// The same by its elements.
    pub(crate) fn plain(self) -> Self {
        Self { spelling: None, ..self }
    }

    /// Whether its elements depend on how it is written.
    pub(crate) fn is_spelled(&self) -> bool {
        self.spelling.is_some()
    }

    /// As it was written, with its variables.
    pub(crate) fn as_written(&self) -> String {
        self.spelling.as_ref().map_or_else(|| self.in_ranges(), |spelling| spelling.text.clone())
    }

    /// As a set, elements that follow each other as `a2..h7`.
    fn in_ranges(&self) -> String {
        let elements: Vec<u8> = self.elements().collect();
        let is_plain = !self.merges() && !self.elements().eq(0..self.axis.size());
        // Elements of two words, such as `own pawn`, have no ranges.
        if !is_plain || self.axis == Axis::Piece {
            return self.factor();
        }
        let word = |element: &u8| self.axis.word(*element);
        let runs = elements.chunk_by(|a, b| a + 1 == *b).flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{}..{}", word(first), word(last))],
            few => few.iter().map(word).collect(),
        });
        let runs: Vec<String> = runs.collect();
        format!("{}{{{}}}", self.prefix(), runs.join(", "))
    }

    /// Words that other axes have too are written after the name of theirs.
    fn prefix(&self) -> String {
        if Axis::SPOKEN.contains(&self.axis) { String::new() } else { self.axis.to_string() }
    }

    /// Axis of the elements.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The elements of a class.
    pub fn class(&self, class: usize) -> &[u8] {
        &self.classes[class]
    }

    /// All elements, class by class.
    pub(crate) fn elements(&self) -> impl Iterator<Item = u8> + '_ {
        self.classes.iter().flatten().copied()
    }

    /// The class that an element belongs to.
    pub(crate) fn position(&self, element: u8) -> Option<usize> {
        self.classes.iter().position(|class| class.contains(&element))
    }

    /// Whether some class has more than one element.
    pub(crate) fn merges(&self) -> bool {
        self.classes.iter().any(|class| class.len() > 1)
    }

    /// A class in words: `d4`, `file d`, `rook`, `a1, b1 or c1`.
    pub(crate) fn words(&self, class: usize) -> String {
        if let Some(words) = self.spelling.as_ref().and_then(|spelling| spelling.words.as_ref()) {
            return words[class].clone();
        }
        let elements = &self.classes[class];
        let word = |&element: &u8| match self.axis {
            axis if axis.is_place() => axis.place_words(element),
            Axis::Count(most) if element == most => format!("{most} or more"),
            axis => axis.word(element),
        };
        // Large classes have a number only: a list of 16 squares is unreadable.
        const LISTED: usize = 4;
        match elements.as_slice() {
            [one] => word(one),
            [] => "nowhere".to_owned(),
            some if some.len() <= LISTED => some.iter().map(word).collect::<Vec<_>>().join(" or "),
            many => format!("class {class} ({} … {})", word(&many[0]), word(&many[many.len() - 1])),
        }
    }

    /// As a factor of a product: a quotient stands in parentheses.
    pub(crate) fn factor(&self) -> String {
        if self.merges() { format!("({self})") } else { self.to_string() }
    }

    fn numbers(&self) -> Vec<String> {
        (0..self.axis.size())
            .map(|element| self.position(element).map_or("-".to_owned(), |class| class.to_string()))
            .collect()
    }
}

impl fmt::Display for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.merges() {
            return write!(f, "{} / [{}]", self.axis, self.numbers().join(", "));
        }
        if self.elements().eq(0..self.axis.size()) {
            return write!(f, "{}", self.axis);
        }
        let words: Vec<String> = self.elements().map(|element| self.axis.word(element)).collect();
        write!(f, "{}{{{}}}", self.prefix(), words.join(", "))
    }
}

/// Role of an [`Axis::Role`] element.
pub(crate) fn role(element: u8) -> Role {
    Role::ALL[usize::from(element)]
}

/// Side of an [`Axis::Color`] element.
pub(crate) fn side(element: u8) -> Side {
    Side::ALL[usize::from(element)]
}
