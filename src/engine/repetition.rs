//! The keys of the game and of the line being searched.
//!
//! A repetition can only reach back to the last move that cannot be undone
//! (capture, pawn move, and for the search also a null move), so along with
//! each key goes the number of plies since.

use chess::{Position, PositionKey, attacks};

use super::reversal::Reversal;

/// Positions that led here, newest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyLine {
    visited: Vec<Visited>,
    /// Number of positions before the root.
    game: usize,
}

#[derive(Clone, Copy, Debug)]
struct Visited {
    key: PositionKey,
    reversible: usize,
}

impl KeyLine {
    /// A line at `root`, with the earlier positions of its game, oldest first.
    pub(crate) fn new(root: &Position, history: &[PositionKey]) -> Self {
        let reversible = (root.halfmoves() as usize).min(history.len());
        let mut visited: Vec<Visited> =
            history.iter().map(|&key| Visited { key, reversible: 0 }).collect();
        visited.push(Visited { key: root.key(), reversible });
        Self { visited, game: history.len() }
    }

    #[inline]
    pub(crate) fn push(&mut self, position: &Position) {
        let reversible = if position.halfmoves() == 0 { 0 } else { self.top().reversible + 1 };
        self.visited.push(Visited { key: position.key(), reversible });
    }

    /// The turn passed; nothing before it can be repeated.
    #[inline]
    pub(crate) fn push_null(&mut self, position: &Position) {
        self.visited.push(Visited { key: position.key(), reversible: 0 });
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.visited.pop();
    }

    #[inline]
    fn top(&self) -> Visited {
        self.visited.last().copied().unwrap_or(Visited { key: 0, reversible: 0 })
    }

    /// Whether the newest position scores as a repetition: met once before within the search, or
    /// twice before in all. One repetition in the search is enough, since the best line of the
    /// first time is best again.
    #[inline]
    pub(crate) fn is_repetition(&self) -> bool {
        let Visited { key, reversible } = self.top();
        if reversible < 4 {
            return false;
        }
        let now = self.visited.len() - 1;
        let mut met = 0;
        for back in (4..=reversible).step_by(2) {
            let index = now - back;
            if self.visited[index].key == key {
                met += 1;
                if index > self.game || met == 2 {
                    return true;
                }
            }
        }
        false
    }
}

impl KeyLine {
    /// Whether the side to move can go back, by one move, to a position met before within the
    /// search: it has a draw at hand. `position` is the newest.
    #[inline]
    pub(crate) fn can_repeat(&self, position: &Position) -> bool {
        let Visited { key, reversible } = self.top();
        let now = self.visited.len() - 1;
        let within = reversible.min(now.saturating_sub(self.game + 1));
        (3..=within).step_by(2).any(|back| {
            let reversal = Reversal::of(key ^ self.visited[now - back].key);
            reversal.is_some_and(|reversal| {
                let [a, b] = reversal.squares();
                (attacks::between(a, b) & position.board().occupied()).is_empty()
            })
        })
    }
}

/// Whether `position` occurs for the third time; `earlier` has the keys of the positions before it.
pub fn is_threefold(earlier: &[PositionKey], position: &Position) -> bool {
    let reachable = earlier.iter().rev().take(position.halfmoves() as usize);
    reachable.filter(|&&key| key == position.key()).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(start: &Position, moves: &[&str]) -> Vec<Position> {
        let mut positions = vec![start.clone()];
        for text in moves {
            let last = &positions[positions.len() - 1];
            positions.push(last.after(last.parse_uci(text).unwrap()));
        }
        positions
    }

    const SHUFFLE: [&str; 8] = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];

    #[test]
    fn one_return_within_the_search_is_enough() {
        let mut positions = walk(&Position::default(), &SHUFFLE[..1]);
        let root = positions.remove(1);
        let line_positions = walk(&root, &["g8f6", "f3g1", "f6g8", "g1f3", "g8f6"]);
        let mut line = KeyLine::new(&root, &[Position::default().key()]);
        let found: Vec<bool> = line_positions[1..]
            .iter()
            .map(|position| {
                line.push(position);
                line.is_repetition()
            })
            .collect();
        // The start (before the root) and the root itself come once more at
        // plies 3 and 4; only the position at ply 5 repeats one below the root.
        assert_eq!(found, [false, false, false, false, true]);
    }

    #[test]
    fn the_game_needs_a_third_time() {
        let positions = walk(&Position::default(), &SHUFFLE);
        let keys: Vec<PositionKey> = positions.iter().map(Position::key).collect();
        assert!(is_threefold(&keys[..8], &positions[8]));
        assert!(!is_threefold(&keys[..4], &positions[4]), "twice only");
        assert!(!is_threefold(&keys[..7], &positions[7]), "another position");
        let mut line = KeyLine::new(&positions[7], &keys[..7]);
        line.push(&positions[8]);
        assert!(line.is_repetition());
    }

    #[test]
    fn a_way_back_is_seen_a_ply_before() {
        let root = walk(&Position::default(), &["e2e4"]).remove(1);
        let line_positions = walk(&root, &["b8c6", "g1f3", "g8f6", "f3g1", "f6g8"]);
        let mut line = KeyLine::new(&root, &[]);
        let found: Vec<bool> = line_positions[1..]
            .iter()
            .map(|position| {
                line.push(position);
                line.can_repeat(position)
            })
            .collect();
        // After Ng1 the knight on f6 can go back to where the first move had led, and once it is
        // there the other knight can go out again.
        assert_eq!(found, [false, false, false, true, true]);
    }

    #[test]
    fn a_null_move_cuts_the_line() {
        let positions = walk(&Position::default(), &SHUFFLE[..4]);
        let mut line = KeyLine::new(&positions[0], &[]);
        line.push_null(&positions[1]);
        for position in &positions[2..] {
            line.push(position);
        }
        assert!(!line.is_repetition());
    }
}
