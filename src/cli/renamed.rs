//! Options, and words they take, that have another name now.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use engine::Technique;

/// As they were called, and what to write instead.
const OPTIONS: [(&str, &str); 6] = [
    ("--win-rule", "self-play has '--resign-rule' now, in moves of each side"),
    ("--l1", LAYERS),
    ("--l2", LAYERS),
    ("--activation", LAYERS),
    ("--buckets", LAYERS),
    ("--max-plies", "self-play has '--max-moves' now, in moves of each side"),
];

/// Four options that one line has taken the place of.
const LAYERS: &str = "layers are one line now: '--layers \"512 -> 32 -> 1\"', \
                      '--layers \"128 screlu -> 1, buckets 8\"'";

/// The same error with the new name instead of one that only looks alike.
pub(super) fn told(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = tip(&error) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedValue);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

fn tip(error: &clap::Error) -> Option<StyledStr> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown = said(ContextKind::InvalidArg)?;
            OPTIONS.iter().find(|(old, _)| *old == unknown).map(|&(_, instead)| instead.into())
        }
        ErrorKind::InvalidValue => {
            let new = Technique::renamed(said(ContextKind::InvalidValue)?)?;
            Some(format!("it is called '{new}' now").into())
        }
        _ => None,
    }
}
