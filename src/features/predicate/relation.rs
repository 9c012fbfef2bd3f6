//! Predicates that mark squares: a piece *stands* on a square, *attacks* it or
//! *can move* to it.
//!
//! All three say, for each kind of piece, which squares it marks; one table
//! turns marks into tuples. With a square and one kind a tuple says exactly
//! one thing. With less, several marks make the same tuple true (two rooks on
//! a file), and the tuple is active if *any* does: a set, not a count. What a
//! move changes is then found by comparing masks before and after.

use arrayvec::ArrayVec;

use super::coding::{Coding, NONE, all_distinct};
use super::sink::Sink;
use super::{Misuse, ViewStep};
use crate::chess::{Bitboard, Color, Piece, PieceKind, Role, Scene, Side, Square, View};
use crate::features::concept::{Axis, Concept};
use crate::features::set::Update;

/// How a piece marks squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It stands there: `piece`.
    Stands,
    /// It attacks or protects what stands there: `attacks`.
    Attacks,
    /// It can move there: `mobility`.
    Moves,
}

impl Relation {
    /// Squares marked by the pieces of one kind, not turned.
    #[inline]
    fn squares(self, scene: &Scene, piece: Piece) -> Bitboard {
        match self {
            Relation::Stands => scene.board().by_piece(piece),
            Relation::Attacks => *scene.attacks().get(piece.color).get(piece.role),
            Relation::Moves => *scene.mobility().get(piece.color).get(piece.role),
        }
    }

    /// Most squares that one piece of a role marks.
    fn most_by_one(self, role: Role) -> u64 {
        match (self, role) {
            (Relation::Stands, _) => 1,
            (Relation::Attacks, Role::Pawn) => 2,
            (Relation::Moves, Role::Pawn) => 3,
            (_, Role::Knight | Role::King) => 8,
            (_, Role::Bishop) => 13,
            (_, Role::Rook) => 14,
            (_, Role::Queen) => 27,
        }
    }

    /// A mark in words, as in `own rook on d4`.
    fn verb(self) -> &'static str {
        match self {
            Relation::Stands => "on",
            Relation::Attacks => "attacks",
            Relation::Moves => "can move to",
        }
    }
}

/// Checks the concepts of a predicate called `name`.
pub fn check(name: &str, concepts: &[Concept]) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        let axis = concept.axis();
        if !axis.is_place() && !axis.is_kind() && !matches!(axis, Axis::Count(_)) {
            return Err(Misuse::of(
                i,
                format!("`{name}` cannot take {axis}"),
                "neither place nor piece",
            ));
        }
        let clash = |earlier: &Concept| {
            let other = earlier.axis();
            other == axis
                || (other.is_kind()
                    && axis.is_kind()
                    && (other == Axis::Piece || axis == Axis::Piece))
                || matches!((other, axis), (Axis::Count(_), Axis::Count(_)))
        };
        if concepts[..i].iter().any(clash) {
            return Err(Misuse::of(i, format!("`{name}` is given {axis} twice"), "a second time"));
        }
    }
    let says = |wanted: fn(Axis) -> bool| concepts.iter().any(|concept| wanted(concept.axis()));
    if says(Axis::is_place) || says(|axis| matches!(axis, Axis::Count(_))) {
        return Ok(());
    }
    Err(Misuse::missing(
        &format!("`{name}` needs to know where: a square, file, rank or diagonal"),
        "no place among these",
    ))
}

/// Most tuples active together in a position that a game can reach.
pub fn max_active(relation: Relation, concepts: &[Concept]) -> u64 {
    let of = |wanted: fn(Axis) -> bool| {
        concepts.iter().filter(move |c| wanted(c.axis())).map(|c| c.len() as u64).product::<u64>()
    };
    if concepts.iter().any(|concept| matches!(concept.axis(), Axis::Count(_))) {
        // Every place and kind has exactly one number.
        return of(Axis::is_place) * of(Axis::is_kind);
    }
    let coding = Coding::new(concepts);
    let places = of(Axis::is_place);
    let of_side = |side: Side| {
        let roles: Vec<Role> = Role::ALL
            .into_iter()
            .filter(|&role| coding.kind(PieceKind { role, side }).is_some())
            .collect();
        most_marks_of_side(relation, &roles, places)
    };
    Side::ALL.into_iter().map(of_side).sum()
}

/// Most marks that one side's pieces of these roles make together: its first
/// pieces, and its pawns promoted to whatever marks most.
fn most_marks_of_side(relation: Relation, roles: &[Role], places: u64) -> u64 {
    const FIRST: [u64; 6] = [8, 2, 2, 2, 1, 1];
    let first = |role: Role| FIRST[role as usize - 1];
    let marks = |role: Role, count: u64| {
        (count * relation.most_by_one(role)).min(match relation {
            Relation::Stands => u64::MAX,
            _ => places,
        })
    };
    let counted = |role: Role| roles.contains(&role);
    let mut total: u64 = roles.iter().map(|&role| marks(role, first(role))).sum();
    let mut counts: Vec<(Role, u64)> = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .filter(|&role| counted(role))
        .map(|role| (role, first(role)))
        .collect();
    let lost = if counted(Role::Pawn) { relation.most_by_one(Role::Pawn) } else { 0 };
    for _ in 0..FIRST[0] {
        let gain = |&(role, count): &(Role, u64)| marks(role, count + 1) - marks(role, count);
        let Some(best) = counts.iter_mut().max_by_key(|entry| gain(entry)) else { break };
        let gained = gain(best);
        if gained <= lost {
            break;
        }
        total += gained - lost;
        best.1 += 1;
    }
    total
}

/// `own rook on d4`, `other bishop attacks file c`, `own knight: 3 squares`.
pub fn describe(relation: Relation, concepts: &[Concept], classes: &[usize]) -> String {
    let (mut kind, mut places, mut count) = (Vec::new(), Vec::new(), None);
    let mut role = None;
    for (concept, &class) in concepts.iter().zip(classes) {
        let words = concept.words(class);
        match concept.axis() {
            Axis::Role => role = Some(words),
            Axis::Color => kind.insert(0, words),
            Axis::Piece => role = Some(words),
            Axis::Count(_) => count = Some(words),
            _ => places.push(words),
        }
    }
    kind.push(role.unwrap_or_else(|| "piece".to_owned()));
    let kind = kind.join(" ");
    let place = places.join(", ");
    match count {
        None => format!("{kind} {} {place}", relation.verb()),
        Some(count) if relation == Relation::Stands && place.is_empty() => {
            format!("{kind}: {count}")
        }
        Some(count) if relation == Relation::Stands => format!("{kind} on {place}: {count}"),
        Some(count) if place.is_empty() => format!("{kind} {} {count} squares", relation.verb()),
        Some(count) => format!("{kind} {} {count} squares of {place}", relation.verb()),
    }
}

/// Kinds of pieces that make the same tuples true.
#[derive(Clone, Debug)]
struct KindClass {
    kinds: ArrayVec<PieceKind, { PieceKind::COUNT }>,
}

impl KindClass {
    /// Classes of kinds with equal index parts, and the class of each kind.
    fn all(parts: &[u32; PieceKind::COUNT]) -> (Vec<KindClass>, [Option<u8>; PieceKind::COUNT]) {
        let mut classes: Vec<KindClass> = Vec::new();
        let mut class_of = [None; PieceKind::COUNT];
        for kind in PieceKind::all() {
            let part = parts[kind.index()];
            if part == NONE {
                continue;
            }
            let same = |class: &KindClass| parts[class.first().index()] == part;
            let at = classes.iter().position(same).unwrap_or_else(|| {
                classes.push(KindClass { kinds: ArrayVec::new() });
                classes.len() - 1
            });
            classes[at].kinds.push(kind);
            class_of[kind.index()] = Some(at as u8);
        }
        (classes, class_of)
    }

    #[inline]
    fn first(&self) -> PieceKind {
        self.kinds[0]
    }

    /// Squares that pieces of the class mark, not turned.
    #[inline]
    fn squares(&self, relation: Relation, scene: &Scene, perspective: Color) -> Bitboard {
        self.kinds.iter().fold(Bitboard::EMPTY, |all, kind| {
            let piece = Piece { role: kind.role, color: kind.side.color(perspective) };
            all | relation.squares(scene, piece)
        })
    }
}

/// The classes whose marks a move may change, as bits.
#[inline]
fn touched(
    relation: Relation,
    class_of: &[Option<u8>; PieceKind::COUNT],
    classes: usize,
    step: &ViewStep<'_>,
) -> u16 {
    if relation != Relation::Stands {
        return ((1u32 << classes) - 1) as u16;
    }
    step.removed().chain(step.added()).fold(0, |bits, (_, kind)| match class_of[kind.index()] {
        Some(class) => bits | 1 << class,
        None => bits,
    })
}

/// Marks before and after a move, not turned, of each class that it changed.
#[inline]
fn changes<'t>(
    relation: Relation,
    classes: &'t [KindClass],
    mut touched: u16,
    step: &'t ViewStep<'_>,
) -> impl Iterator<Item = (usize, Bitboard, Bitboard)> + 't {
    let (before, after) = (step.before().scene(), step.after().scene());
    std::iter::from_fn(move || {
        while touched != 0 {
            let at = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let old = classes[at].squares(relation, before, step.perspective());
            let new = classes[at].squares(relation, after, step.perspective());
            if old != new {
                return Some((at, old, new));
            }
        }
        None
    })
}

/// Marks as tuples: active if any square of the place is marked by any kind
/// of the class. Valued, the value is the number of marks.
#[derive(Clone, Debug)]
pub struct MarkTable {
    relation: Relation,
    valued: bool,
    /// `[square][kind]`: the tuple that such a mark makes true, or `NONE`.
    tuple: [[u32; PieceKind::COUNT]; 64],
    /// Whether no two marks can make the same tuple true.
    injective: bool,
    /// Squares of the same place, the square itself included.
    same_place: [Bitboard; 64],
    classes: Vec<KindClass>,
    class_of: [Option<u8>; PieceKind::COUNT],
}

impl MarkTable {
    /// Table for checked concepts without a number.
    pub fn new(relation: Relation, concepts: &[Concept], valued: bool) -> Self {
        let coding = Coding::new(concepts);
        let (places, kinds) = (coding.places(), coding.kinds());
        let mut tuple = [[NONE; PieceKind::COUNT]; 64];
        for (row, &place) in tuple.iter_mut().zip(&places) {
            for (entry, &kind) in row.iter_mut().zip(&kinds) {
                if place != NONE && kind != NONE {
                    *entry = place + kind;
                }
            }
        }
        let same_place = std::array::from_fn(|a| {
            let equal = |b: &Square| {
                usize::from(*b) == a || (places[a] != NONE && places[usize::from(*b)] == places[a])
            };
            Square::ALL.iter().copied().filter(equal).collect()
        });
        let (classes, class_of) = KindClass::all(&kinds);
        // A square holds one piece, so kinds that share tuples never meet there.
        let injective =
            all_distinct(&places) && (relation == Relation::Stands || all_distinct(&kinds));
        Self { relation, valued, tuple, injective, same_place, classes, class_of }
    }

    /// Whether every piece adds tuples of its own, so that the whole is the sum
    /// of what its pieces say.
    pub fn is_sum_over_pieces(&self) -> bool {
        self.relation == Relation::Stands && (self.injective || self.valued)
    }

    /// The tuple that a mark makes true.
    #[inline]
    pub fn tuple(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let tuple = self.tuple[square as usize][kind.index()];
        (tuple != NONE).then_some(tuple)
    }

    /// Active tuples.
    #[inline]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        if self.injective && self.relation == Relation::Stands {
            return self.pieces(view, sink);
        }
        for class in &self.classes {
            let squares = class.squares(self.relation, view.scene(), view.perspective());
            let mut rest = view.orientation().squares(squares);
            while let Some(square) = rest.first() {
                let same = rest & self.same_place[square as usize];
                rest &= !same;
                self.send(square, class.first(), same.count(), sink);
            }
        }
    }

    #[inline]
    fn pieces<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let (board, orientation) = (view.scene().board(), view.orientation());
        // One for each square, and a place for the last that is dropped.
        let mut tuples = [NONE; 65];
        let mut count = 0;
        for color in Color::ALL {
            let side = Side::seen(color, view.perspective());
            for role in Role::ALL {
                let kind = PieceKind { role, side }.index();
                for square in board.by_role(role) & board.by_color(color) {
                    let tuple = self.tuple[orientation.square(square) as usize][kind];
                    // Written always and counted if it is one: no branch.
                    tuples[count] = tuple;
                    count = (count + usize::from(tuple != NONE)).min(64);
                }
            }
        }
        sink.push_all(tuples[..count].iter().copied());
    }

    #[inline]
    fn send<S: Sink>(&self, square: Square, kind: PieceKind, marks: usize, sink: &mut S) {
        let tuple = self.tuple[square as usize][kind.index()];
        if tuple != NONE {
            sink.push(tuple, if self.valued { marks as f32 } else { 1.0 });
        }
    }

    /// Tuples a move switches off and on.
    #[inline(always)]
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        if self.injective && self.relation == Relation::Stands {
            step.exchanged(|square, kind| self.tuple(square, kind), removed, added);
        } else if self.injective {
            self.delta_of_marks(step, removed, added);
        } else {
            self.delta_of_sets(step, removed, added);
        }
        Update::Rows
    }

    /// Of a table in which every mark is a tuple of its own.
    fn delta_of_marks<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) {
        let (before, after) = (step.before().scene(), step.after().scene());
        let orientation = step.orientation();
        for color in Color::ALL {
            let side = Side::seen(color, step.perspective());
            for role in Role::ALL {
                let piece = Piece { role, color };
                let old = self.relation.squares(before, piece);
                let new = self.relation.squares(after, piece);
                let kind = PieceKind { role, side };
                for square in old & !new {
                    self.send(orientation.square(square), kind, 1, removed);
                }
                for square in new & !old {
                    self.send(orientation.square(square), kind, 1, added);
                }
            }
        }
    }

    fn delta_of_sets<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) {
        let touched = touched(self.relation, &self.class_of, self.classes.len(), step);
        for (at, old, new) in changes(self.relation, &self.classes, touched, step) {
            let kind = self.classes[at].first();
            let (old, new) = (step.orientation().squares(old), step.orientation().squares(new));
            let mut rest = old ^ new;
            while let Some(square) = rest.first() {
                let same = self.same_place[square as usize];
                rest &= !same;
                let (before, after) = ((old & same).count(), (new & same).count());
                let differ =
                    if self.valued { before != after } else { (before == 0) != (after == 0) };
                if differ && before > 0 {
                    self.send(square, kind, before, removed);
                }
                if differ && after > 0 {
                    self.send(square, kind, after, added);
                }
            }
        }
    }
}

/// Numbers of marks as tuples: for every place and class of kinds exactly the
/// tuple of its number is active.
#[derive(Clone, Debug)]
pub struct CountTable {
    relation: Relation,
    /// The squares of each place, as seen, and what it adds to the index.
    places: Vec<(Bitboard, u32)>,
    /// What each class of kinds adds to the index.
    parts: Vec<u32>,
    classes: Vec<KindClass>,
    class_of: [Option<u8>; PieceKind::COUNT],
    /// What each number adds to the index; the last stands for all above it.
    numbers: Vec<u32>,
}

impl CountTable {
    /// Table for checked concepts with a number.
    pub fn new(relation: Relation, concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let mut places: Vec<(Bitboard, u32)> = Vec::new();
        for (square, part) in Square::ALL.into_iter().zip(coding.places()) {
            match places.iter_mut().find(|(_, known)| *known == part) {
                _ if part == NONE => {}
                Some((squares, _)) => squares.add(square),
                None => places.push((square.into(), part)),
            }
        }
        let kinds = coding.kinds();
        let (classes, class_of) = KindClass::all(&kinds);
        let parts = classes.iter().map(|class| kinds[class.first().index()]).collect();
        let axis = concepts.iter().map(Concept::axis).find(|axis| matches!(axis, Axis::Count(_)));
        let numbers = axis.map_or_else(Vec::new, |axis| coding.along(axis));
        Self { relation, places, parts, classes, class_of, numbers }
    }

    /// What the number of marked squares adds to the index.
    #[inline]
    fn number(&self, marked: Bitboard) -> u32 {
        self.numbers[marked.count().min(self.numbers.len() - 1)]
    }

    /// Active tuples.
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for (class, part) in self.classes.iter().zip(&self.parts) {
            let squares = class.squares(self.relation, view.scene(), view.perspective());
            let squares = view.orientation().squares(squares);
            for (place, at) in &self.places {
                let number = self.number(squares & *place);
                if number != NONE {
                    sink.push(part + at + number, 1.0);
                }
            }
        }
    }

    /// Tuples a move switches off and on.
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let touched = touched(self.relation, &self.class_of, self.classes.len(), step);
        for (class, old, new) in changes(self.relation, &self.classes, touched, step) {
            let (old, new) = (step.orientation().squares(old), step.orientation().squares(new));
            for (place, at) in &self.places {
                let (before, after) = (self.number(old & *place), self.number(new & *place));
                if before == after {
                    continue;
                }
                let tuple = self.parts[class] + at;
                if before != NONE {
                    removed.push(tuple + before, 1.0);
                }
                if after != NONE {
                    added.push(tuple + after, 1.0);
                }
            }
        }
        Update::Rows
    }
}
