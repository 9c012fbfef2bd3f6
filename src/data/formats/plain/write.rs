//! Writing `.plain`.

use std::io::Write;

use crate::samples::candidate::CandidatePosition;
use chess::game::NO_SCORE;
use chess::{Game, Score};

/// Appends the records of a game; an error is why the format cannot hold it.
pub(crate) fn encode(game: &Game, text: &mut Vec<u8>) -> Result<(), &'static str> {
    let result = game.result.ok_or("it has no result, which `.plain` cannot hold")?;
    if game.moves.is_empty() {
        return Err("no move is played in it");
    }
    CandidatePosition::visit(game, |candidate| {
        let (position, turn) = (candidate.position, candidate.position.turn());
        let movers = |score: Score| score.seen_by(turn).to_i16();
        let score = candidate.white_score.map_or(NO_SCORE, movers);
        let played = candidate.played.map_or_else(String::new, |m| position.uci(m));
        let points = i16::from(result.seen_by(turn)) - 1;
        let ply = position.ply();
        // Writing to memory cannot fail.
        let _ = write!(
            text,
            "fen {position}\nmove {played}\nscore {score}\nply {ply}\nresult {points}\ne\n"
        );
    });
    Ok(())
}
