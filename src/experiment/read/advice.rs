//! The known key nearest to an unknown one.

use features::error::nearest;

/// For serde's "unknown field `x`, expected one of `a`, `b`": the nearest of them.
pub(crate) fn nearest_key(message: &str) -> Option<String> {
    let rest =
        message.strip_prefix("unknown field `").or(message.strip_prefix("unknown variant `"))?;
    let mut quoted = rest.split('`').step_by(2);
    let unknown = quoted.next()?;
    let known: Vec<&str> = rest.split('`').skip(2).step_by(2).collect();
    match nearest(unknown, known.iter().copied()) {
        Some(key) => Some(format!("did you mean `{key}`? docs/experiment.md documents every key")),
        None => Some(format!("known here: {}; see docs/experiment.md", known.join(", "))),
    }
}
