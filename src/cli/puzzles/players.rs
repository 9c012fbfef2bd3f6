//! Players of puzzles.

use crate::cli::Failure;
use arena::contender::Evaluation;

/// Default player.
const USUAL: &str = Evaluation::BUNDLED;

/// A player and its name in the results.
pub(super) struct Player {
    /// As it was given, numbered if given twice.
    pub name: String,
    /// Its evaluation.
    pub evaluation: Evaluation,
}

/// Gets players ready by the names that `oplus match` knows.
pub(super) fn players(texts: &[String]) -> Result<Vec<Player>, Failure> {
    if texts.is_empty() {
        return Ok(vec![player(USUAL, &[])?]);
    }
    texts.iter().enumerate().map(|(i, text)| player(text, &texts[..i])).collect()
}

fn player(text: &str, before: &[String]) -> Result<Player, Failure> {
    let unknown = || {
        let message = format!(
            "`{text}` is not a puzzle player: give a net (FILE.oplus, or net:FILE), tables \
             (FILE.csv), bundled, pesto or material"
        );
        Failure::usage(message)
    };
    let evaluation = Evaluation::named(text)?.ok_or_else(unknown)?;
    let name = match before.iter().filter(|other| *other == text).count() {
        0 => text.to_owned(),
        times => format!("{text} ({})", times + 1),
    };
    Ok(Player { name, evaluation })
}
