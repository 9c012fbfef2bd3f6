//! Boards and counts for users and scripts: `d`, `eval`, `go perft`.
//!
//! These commands are not of UCI, so the output is plain lines, as Stockfish writes them.

use std::sync::atomic::{AtomicBool, Ordering};

use chess::{Color, File, Move, Position, Rank, Square};

/// A board whose squares hold lines of text, each seven characters at most.
fn board<const LINES: usize>(square: impl Fn(Square) -> [String; LINES]) -> Vec<String> {
    let rule = format!(" {}+", "+-------".repeat(8));
    let mut lines = vec![rule.clone()];
    for rank in Rank::ALL.into_iter().rev() {
        let texts = File::ALL.map(|file| square(Square::from_coords(file, rank)));
        for line in 0..LINES {
            let cells: String = texts.iter().map(|text| format!("|{:^7}", text[line])).collect();
            let label = if line == 0 { rank.char() } else { ' ' };
            lines.push(format!(" {cells}| {label}").trim_end().to_owned());
        }
        lines.push(rule.clone());
    }
    let files: String = File::ALL.into_iter().map(|file| format!("{:^8}", file.char())).collect();
    lines.push(format!(" {files}").trim_end().to_owned());
    lines
}

fn piece(position: &Position, square: Square) -> String {
    position.board().piece_at(square).map_or(String::new(), |piece| piece.char().to_string())
}

/// The board with FEN, key and the pieces that give check.
pub(super) fn position(position: &Position) -> Vec<String> {
    let mut lines = board(|square| [piece(position, square)]);
    lines.push(String::new());
    lines.push(format!("Fen: {}", position.fen()));
    lines.push(format!("Key: {:016X}", position.key()));
    let checkers: Vec<String> = position.checkers().into_iter().map(|s| s.to_string()).collect();
    if !checkers.is_empty() {
        lines.push(format!("Checkers: {}", checkers.join(" ")));
    }
    lines
}

/// The evaluation, and on the board each piece's share of it: the change without the piece, in
/// pawns, from White's side. `evaluate` gives centipawns for the side to move.
pub(super) fn evaluation(
    position: &Position,
    mut evaluate: impl FnMut(&Position) -> i32,
) -> Vec<String> {
    let white =
        |position: &Position, cp: i32| if position.turn() == Color::White { cp } else { -cp };
    let own = evaluate(position);
    let whole = white(position, own);
    let mut part = |square: Square| {
        let without = position.without(square)?;
        Some(whole - white(&without, evaluate(&without)))
    };
    let parts: Vec<Option<i32>> = Square::ALL
        .into_iter()
        .map(|square| position.board().piece_at(square).and_then(|_| part(square)))
        .collect();
    let mut lines = board(|square| {
        let value = parts[square as usize].map_or(String::new(), pawns);
        [piece(position, square), value]
    });
    lines.push(String::new());
    lines.push(format!("evaluation {} pawns for White", pawns(whole)));
    lines.push(format!("evaluation {own} cp for the side to move, scale of the search"));
    lines
}

fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}

/// Number of sequences of `depth` legal moves for each first move; `None` if stopped.
pub(super) fn divide(
    position: &Position,
    depth: u32,
    stop: &AtomicBool,
) -> Option<Vec<(Move, u64)>> {
    let moves = position.legal_moves();
    let count = |m: Move| Some((m, perft(&position.after(m), depth.saturating_sub(1), stop)?));
    moves.into_iter().map(count).collect()
}

fn perft(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return Some(moves.len() as u64);
    }
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    moves.into_iter().map(|m| perft(&position.after(m), depth - 1, stop)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Material};

    #[test]
    fn pieces_show_their_value() {
        let position = Position::from_fen("4k3/8/8/8/8/8/3n4/R3K3 b Q - 0 1").unwrap();
        let lines = evaluation(&position, |position| Material.evaluate(position));
        let text = lines.join("\n");
        assert!(
            lines.contains(
                &"evaluation -180 cp for the side to move, scale of the search".to_owned()
            ),
            "{text}"
        );
        assert!(lines.contains(&"evaluation +1.80 pawns for White".to_owned()), "{text}");
        assert!(text.contains("| +5.00 |") && text.contains("| -3.20 |"), "{text}");
        // Without its king there is no position.
        assert_eq!(text.matches('.').count(), 3, "{text}");
    }

    #[test]
    fn the_board_shows_position_and_key() {
        let lines = super::position(&Position::default());
        assert!(lines[1].starts_with(" |   r   |   n   |   b   |   q   |"), "{lines:#?}");
        assert!(lines[1].ends_with("| 8"));
        assert!(lines.contains(&format!("Fen: {}", Position::default())));
        assert!(lines.iter().all(|line| !line.starts_with("Checkers")));
        let check = Position::from_fen("4k3/8/8/8/8/8/4q3/4K3 w - -").unwrap();
        assert!(super::position(&check).contains(&"Checkers: e2".to_owned()));
    }

    #[test]
    fn sequences_of_moves_are_counted() {
        let go_on = AtomicBool::new(false);
        let count = |depth| -> u64 {
            divide(&Position::default(), depth, &go_on).unwrap().iter().map(|(_, n)| n).sum()
        };
        assert_eq!([1, 2, 3, 4].map(count), [20, 400, 8_902, 197_281]);
        assert_eq!(divide(&Position::default(), 99, &AtomicBool::new(true)), None);
    }
}
