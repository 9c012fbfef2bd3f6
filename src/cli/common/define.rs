//! `--define NAME=EXPRESSION`.

use super::Failure;
use experiment::define::{self, DefineError};
use features::Names;

/// Reads `NAME=EXPRESSION` definitions.
pub(crate) fn names(definitions: &[String]) -> Result<Names, Failure> {
    let (mut names, mut own) = (Names::catalogue(), Vec::new());
    for text in definitions {
        let (name, expression) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--define needs NAME=EXPRESSION, found `{text}`"))
        })?;
        let name = name.trim();
        define::define(&mut names, name, expression.trim())
            .map_err(|error| Failure::usage(format!("--define: {error}; {}", DefineError::HELP)))?;
        own.push(name);
    }
    own.into_iter().try_for_each(|name| define::check(&names, name))?;
    Ok(names)
}
