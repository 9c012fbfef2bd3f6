//! Options that have another name now.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// As they were called, and what to write instead.
const RENAMED: [(&str, &str); 2] = [
    ("--win-rule", "self-play has '--resign-rule' now, in moves of each side"),
    ("--max-plies", "self-play has '--max-moves' now, in moves of each side"),
];

/// The same error with the new name instead of one that only looks alike.
pub fn told(mut error: clap::Error) -> clap::Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::UnknownArgument => name,
        _ => return error,
    };
    if let Some((_, instead)) = RENAMED.iter().find(|(old, _)| old == unknown) {
        error.remove(ContextKind::SuggestedArg);
        let tip = ContextValue::StyledStrs(vec![(*instead).into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}
