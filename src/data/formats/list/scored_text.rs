//! `FEN | score | result`.

use super::{ListedPosition, cut_short, has_no_end, malformed, may_be_cut, position, result, text};
use crate::defect::BadEntry;
use chess::Score;

/// Bytes of an invalid line that its error shows.
const SHOWN: usize = 80;

pub(crate) fn decode(line: &[u8], number: u64) -> Result<ListedPosition, BadEntry> {
    let text = text(line, number)?;
    let mut fields = text.split('|').map(str::trim);
    let (Some(fen), Some(score), Some(points), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        let found: String = text.chars().take(SHOWN).collect();
        return Err(malformed(number, format!("expected `FEN | score | result`, found `{found}`")));
    };
    let position = position(fen, number)?;
    let centipawns: i32 = score.parse().map_err(|_| {
        malformed(
            number,
            format!(
                "the score is `{score}`; expected whole centipawns from White's side, such as `-35`"
            ),
        )
    })?;
    let result = result(points).ok_or_else(|| {
        malformed(
            number,
            format!(
                "the result is `{points}`; expected `1.0` (White won), `0.5` or `0.0` (Black won)"
            ),
        )
    })?;
    if has_no_end(line) && may_be_cut(points) {
        return Err(cut_short(number, points));
    }
    let has_counters = fen.split_ascii_whitespace().count() == 6;
    let ply = has_counters.then(|| position.ply());
    let white_score = score_of(centipawns);
    let result = Some(result);
    Ok(ListedPosition { position, ply, played: None, white_score, depth: None, result })
}

/// A score in centipawns; beyond 16 bits there are no marks of mates.
pub(in crate::formats) fn score_of(centipawns: i32) -> Option<Score> {
    match i16::try_from(centipawns) {
        Ok(stored) => Score::from_i16(stored),
        Err(_) => Some(Score::Centipawns(centipawns)),
    }
}
