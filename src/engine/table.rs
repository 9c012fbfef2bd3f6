//! The transposition table.
//!
//! Sixteen bytes an entry, four entries a cache line. The whole 64-bit key is kept for
//! verification: reproducible node counts should not depend on luck, and other fields are packed to
//! pay for it. A move from here is played only if it is legal, so a collision could at worst change
//! the order.
//!
//! All threads of a search share one table without locks. An entry is two words
//! that each are read and written whole; the key is stored combined with the
//! other word, so that an entry with one word each of two threads belongs
//! to no position at all (Hyatt and Mann, *A lockless transposition table
//! implementation for parallel search*, 2002).

use std::num::NonZeroU16;
use std::sync::atomic::{AtomicU64, Ordering};

use base::memory;
use chess::{Move, Position, PositionKey, Role, Square};

use super::value::{MATE_BOUND, Value};

mod prefetch;

/// A move in 16 bits: from, to, promotion; castling is king takes rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedMove(NonZeroU16);

impl PackedMove {
    /// Packs a move. Origin and target differ, so no move packs to zero.
    #[inline]
    pub(crate) fn of(m: Move) -> Self {
        let promotion = m.promotion().map_or(0, |role| role as u16);
        let bits = m.squares() as u16 | promotion << 12;
        Self(NonZeroU16::new(bits).unwrap_or(NonZeroU16::MAX))
    }

    /// The move in a position; `None` if it is not legal there.
    #[inline]
    pub(crate) fn find(self, position: &Position) -> Option<Move> {
        let bits = self.0.get();
        let square = |bits: u16| Square::try_from(u32::from(bits & 63)).ok();
        let promotion = Role::ALL.get(usize::from(bits >> 12).wrapping_sub(1)).copied();
        position.legal_move(square(bits >> 6)?, square(bits)?, promotion)
    }
}

/// Relation of a stored score to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Bound {
    /// The true score is at most this (no move was good enough).
    Upper = 1,
    /// The true score is at least this (a move was too good).
    Lower = 2,
    /// It is the score.
    Exact = 3,
}

impl Bound {
    /// Bound of a fail-soft score from a search with that window.
    #[inline]
    pub(crate) fn of(score: Value, alpha: Value, beta: Value) -> Self {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a score with this bound proves that the true score is outside (alpha, beta).
    #[inline]
    pub(crate) fn cuts(self, score: Value, alpha: Value, beta: Value) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        }
    }

    /// Whether the score is a better guess than `evaluation` under this bound.
    #[inline]
    pub(crate) fn improves(self, score: Value, evaluation: Value) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score > evaluation,
            Bound::Upper => score < evaluation,
        }
    }
}

/// An entry of the table, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TtEntry {
    /// The best move, or the one that caused the cutoff.
    pub best: Option<PackedMove>,
    /// Score, mates counted from the probed position.
    pub score: Value,
    /// Relation of `score` to the true score.
    pub bound: Bound,
    /// Depth it was searched to, in plies; 0 is quiescence.
    pub depth: i32,
    /// Static evaluation, unless in check.
    pub evaluation: Option<Value>,
    /// Whether it was ever part of a principal variation.
    pub on_pv: bool,
}

/// An entry without its key, in one word.
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct SlotContent {
    best: u16,
    score: i16,
    evaluation: i16,
    depth: u8,
    /// Bits 0–1 bound (0: empty), bit 2 principal variation, bits 3–7 age.
    flags: u8,
}

const NO_EVALUATION: i16 = i16::MIN;
const PV_FLAG: u8 = 4;
const AGE_SHIFT: u8 = 3;
const AGES: u8 = 32;

impl SlotContent {
    #[inline]
    fn bound(self) -> Option<Bound> {
        match self.flags & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    /// Searches since this was written.
    #[inline]
    fn age(self, now: u8) -> u8 {
        (now + AGES - (self.flags >> AGE_SHIFT)) % AGES
    }

    /// Cost of overwriting: depth, less for each search gone by.
    #[inline]
    fn worth(self, now: u8) -> i32 {
        match self.bound() {
            None => i32::MIN,
            Some(_) => i32::from(self.depth) - 4 * i32::from(self.age(now)),
        }
    }
}

/// An entry that threads may read and write at any time.
#[derive(Default)]
#[repr(C)]
struct Slot {
    key_and_content: AtomicU64,
    content: AtomicU64,
}

impl Slot {
    #[inline]
    fn load(&self) -> (PositionKey, SlotContent) {
        let content = self.content.load(Ordering::Relaxed);
        let key = self.key_and_content.load(Ordering::Relaxed) ^ content;
        (key, bytemuck::cast(content))
    }

    #[inline]
    fn store(&self, key: PositionKey, content: SlotContent) {
        let content: u64 = bytemuck::cast(content);
        self.key_and_content.store(key ^ content, Ordering::Relaxed);
        self.content.store(content, Ordering::Relaxed);
    }
}

const ENTRIES_PER_BUCKET: usize = 4;

#[derive(Default)]
#[repr(C, align(64))]
struct Bucket([Slot; ENTRIES_PER_BUCKET]);

/// Largest table, in MiB.
pub const MOST_HASH_MB: usize = 65_536;

/// MiB above which a table checks the free memory.
const LARGE: usize = 32;

/// Bytes of a table.
pub fn bytes(mebibytes: usize) -> u64 {
    (mebibytes as u64).saturating_mul(1 << 20)
}

/// Bytes of the tables of `games` concurrent games, between the two players with the largest.
pub fn bytes_at_once(games: usize, players: impl Iterator<Item = u64>) -> u64 {
    let mut players: Vec<u64> = players.collect();
    players.sort_unstable_by(|a, b| b.cmp(a));
    let of_a_game = players.iter().take(2).fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    of_a_game.saturating_mul(games as u64)
}

pub(crate) struct Table {
    buckets: Vec<Bucket>,
    age: u8,
}

impl Table {
    /// A table of that many MiB (at least one). If the memory is not there, the largest
    /// power-of-two fraction that fits: [`memory::ensure`] checks beforehand.
    pub(crate) fn new(mebibytes: usize) -> Self {
        let mut mebibytes = mebibytes.max(1);
        // Small ones are made by the thousand.
        while mebibytes > LARGE && memory::ensure(bytes(mebibytes)).is_err() {
            mebibytes /= 2;
        }
        let mut size = (mebibytes << 20) / size_of::<Bucket>();
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(size).is_err() && size > 1 {
            size /= 2;
        }
        buckets.resize_with(size, Bucket::default);
        Self { buckets, age: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.age = 0;
    }

    /// Begins a new search: entries grow older.
    pub(crate) fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    #[inline]
    fn bucket(&self, key: PositionKey) -> &Bucket {
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }

    /// Prefetches the bucket of `key` for a later [`probe`](Self::probe).
    #[inline]
    pub(crate) fn prefetch(&self, key: PositionKey) {
        prefetch::read(self.bucket(key));
    }

    /// The entry of `key`, seen from `ply` plies below the root.
    #[inline]
    pub(crate) fn probe(&self, key: PositionKey, ply: usize) -> Option<TtEntry> {
        let entries = self.bucket(key).0.iter().map(Slot::load);
        let (_, content) = entries.into_iter().find(|&(stored, _)| stored == key)?;
        let evaluation = i32::from(content.evaluation);
        Some(TtEntry {
            bound: content.bound()?,
            best: NonZeroU16::new(content.best).map(PackedMove),
            score: from_table(i32::from(content.score), ply),
            depth: i32::from(content.depth),
            evaluation: (content.evaluation != NO_EVALUATION).then_some(evaluation),
            on_pv: content.flags & PV_FLAG != 0,
        })
    }

    /// Stores the result of `key`, `ply` plies below the root.
    #[inline]
    pub(crate) fn store(&self, key: PositionKey, ply: usize, known: TtEntry) {
        let now = self.age;
        let entries = &self.bucket(key).0;
        let there: [(PositionKey, SlotContent); ENTRIES_PER_BUCKET] =
            std::array::from_fn(|i| entries[i].load());
        let slot = there.iter().position(|&(stored, _)| stored == key).unwrap_or_else(|| {
            (0..ENTRIES_PER_BUCKET).min_by_key(|&i| there[i].1.worth(now)).unwrap_or(0)
        });
        let (stored, old) = there[slot];
        let same = stored == key && old.bound().is_some();
        // A shallow result of this search does not displace a deep one.
        let keep = same
            && known.bound != Bound::Exact
            && known.depth + 4 + 2 * i32::from(known.on_pv) <= i32::from(old.depth)
            && old.age(now) == 0;
        // Without a best move the old one is still the best guess.
        let best = known.best.map(|packed| packed.0.get());
        let best = best.unwrap_or(if same { old.best } else { 0 });
        let content = if keep {
            SlotContent { best, ..old }
        } else {
            SlotContent {
                best,
                score: to_table(known.score, ply) as i16,
                evaluation: known.evaluation.map_or(NO_EVALUATION, |value| value as i16),
                depth: known.depth.clamp(0, i32::from(u8::MAX)) as u8,
                flags: known.bound as u8 | if known.on_pv { PV_FLAG } else { 0 } | now << AGE_SHIFT,
            }
        };
        entries[slot].store(key, content);
    }

    /// Use of the table by results of this search, in permille.
    pub(crate) fn permille_used(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let contents = sample.iter().flat_map(|bucket| &bucket.0).map(|entry| entry.load().1);
        let is_of_now =
            |content: &SlotContent| content.bound().is_some() && content.age(self.age) == 0;
        let used = contents.filter(is_of_now).count();
        (used * 1000 / (sample.len() * ENTRIES_PER_BUCKET).max(1)) as u32
    }
}

/// Mates are stored as seen from the position itself, so that they are right at any ply.
#[inline]
fn to_table(score: Value, ply: usize) -> Value {
    if score >= MATE_BOUND {
        score + ply as Value
    } else if score <= -MATE_BOUND {
        score - ply as Value
    } else {
        score
    }
}

#[inline]
fn from_table(score: Value, ply: usize) -> Value {
    if score >= MATE_BOUND {
        score - ply as Value
    } else if score <= -MATE_BOUND {
        score + ply as Value
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{mate_in, mated_in};
    use super::*;
    use chess::Position;

    fn exact(score: Value, depth: i32) -> TtEntry {
        TtEntry {
            best: None,
            score,
            bound: Bound::Exact,
            depth,
            evaluation: Some(12),
            on_pv: false,
        }
    }

    #[test]
    fn layout_is_four_entries_a_cache_line() {
        assert_eq!(size_of::<Slot>(), 16);
        assert_eq!(size_of::<Bucket>(), 64);
        assert_eq!(Table::new(2).buckets.len() * size_of::<Bucket>(), 2 << 20);
    }

    #[test]
    fn entries_are_found_under_their_key_alone() {
        let mut table = Table::new(1);
        let start = Position::default();
        let m = start.legal_moves()[3];
        let known = TtEntry { best: Some(PackedMove::of(m)), ..exact(-321, 9) };
        table.store(start.key(), 4, known);
        assert_eq!(table.probe(start.key(), 4), Some(known));
        assert_eq!(table.probe(start.key() ^ 1, 4), None);
        table.clear();
        assert_eq!(table.probe(start.key(), 4), None);
    }

    #[test]
    fn mates_are_right_at_any_ply() {
        let table = Table::new(1);
        // Mate 3 plies below a node at ply 5 is mate 3 plies below it at ply 9 too.
        table.store(7, 5, exact(mate_in(8), 3));
        assert_eq!(table.probe(7, 9).unwrap().score, mate_in(12));
        table.store(8, 5, exact(mated_in(9), 3));
        assert_eq!(table.probe(8, 1).unwrap().score, mated_in(5));
    }

    #[test]
    fn deep_and_recent_entries_survive() {
        let mut table = Table::new(1);
        // Keys 0..=8 share the first bucket.
        for key in 1..=4 {
            table.store(key, 0, exact(0, key as i32 * 10));
        }
        table.store(5, 0, exact(0, 1));
        assert!(table.probe(1, 0).is_none(), "the shallowest goes");
        assert!((2..=5).all(|key| table.probe(key, 0).is_some()));
        for _ in 0..12 {
            table.new_search();
        }
        table.store(6, 0, exact(0, 1));
        table.store(7, 0, exact(0, 1));
        assert!(table.probe(6, 0).is_some() && table.probe(7, 0).is_some());
        assert!(table.probe(4, 0).is_some(), "the deepest goes last");
    }

    #[test]
    fn packed_moves_tell_all_legal_moves_apart() {
        for fen in [
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ] {
            let moves = Position::from_fen(fen).unwrap().legal_moves();
            for (i, &a) in moves.iter().enumerate() {
                for (j, &b) in moves.iter().enumerate() {
                    assert_eq!(PackedMove::of(a) == PackedMove::of(b), i == j);
                }
            }
        }
    }
}
