//! Games of a file that are not of a tournament.
//!
//! A tournament writes its PGN whole, from its log if there is one, so a resumed one replaces its
//! earlier file. Games of another tournament are kept.

use std::collections::HashSet;

use super::{GameRecord, PgnError, write_pgn};

/// Whether the file has games other than those that [`write_pgn`] writes of `records`. Their
/// `Event`, the command, may differ.
///
/// # Errors
/// A record that is no game of chess.
pub fn holds_other_games(file: &[u8], records: &[GameRecord]) -> Result<bool, PgnError> {
    let file = String::from_utf8_lossy(file);
    // Without records every game is another one, and the file may be large.
    if records.is_empty() {
        return Ok(games(&file).next().is_some());
    }
    let mut written = Vec::new();
    write_pgn(&mut written, "", records)?;
    let written = String::from_utf8_lossy(&written);
    let own: HashSet<&str> = games(&written).collect();
    Ok(games(&file).any(|game| !own.contains(game)))
}

/// Games from their second tag on: the first one is the `Event`.
fn games(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.split("[Event \"").filter(|game| !game.trim().is_empty());
    whole.map(|game| game.split_once('\n').map_or(game, |(_, rest)| rest).trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::tests::record;
    use super::*;

    #[test]
    fn games_of_another_event_are_the_same_and_other_moves_are_not() {
        let start = chess::Position::default().fen();
        let game = |moves| record(&start, "", moves, &[0, 0]);
        let [one, other] = ["e2e4 e7e5", "d2d4 d7d5"].map(game);
        let text = |event, records: &[GameRecord]| {
            let mut out = Vec::new();
            write_pgn(&mut out, event, records).unwrap();
            out
        };
        let both = [one.clone(), other.clone()];
        let holds = |file: &[u8], records: &[GameRecord]| holds_other_games(file, records).unwrap();
        assert!(!holds(&text("another", &both), &both));
        assert!(!holds(&text("another", std::slice::from_ref(&other)), &both));
        assert!(holds(&text("test", &both), std::slice::from_ref(&one)));
        assert!(holds(&text("test", &both), &[]));
        assert!(!holds(b"\n", &[]));
        assert!(holds(b"words", &both));
    }
}
