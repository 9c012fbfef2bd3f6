//! Licence of the files of prepared positions.
//!
//! It changes no sample, so it is no part of the job's definition: plans hand it on beside the
//! paths of the files.

use std::sync::Arc;

use base::Key;
use plan::Inputs;

/// Name of a licence in the words of the user, such as `CC0` or `CC BY-SA 3.0 (TCEC)`.
struct Licence(String);

/// Hands on the licence of the positions that a job prepares; an empty text is none.
pub fn set_licence(inputs: &mut Inputs, positions: Key, name: &str) {
    if !name.is_empty() {
        inputs.insert(positions.to_string(), Arc::new(Licence(name.to_owned())));
    }
}

/// Licence of the positions that a job prepares; empty if none was given.
pub fn licence_of(inputs: &Inputs, positions: Key) -> String {
    let licence = inputs.get::<Licence>(&positions.to_string());
    licence.map_or_else(String::new, |licence| licence.0.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_belongs_to_its_positions() {
        let mut inputs = Inputs::default();
        let [one, other] = ["one", "two"].map(|it| Key::of("positions", &it).unwrap());
        set_licence(&mut inputs, one, "CC0");
        set_licence(&mut inputs, other, "");
        assert_eq!(licence_of(&inputs, one), "CC0");
        assert_eq!(licence_of(&inputs, other), "");
    }
}
