//! The net that comes with the program: the best that the project has trained.
//!
//! `experiments/default.toml` makes it; `docs/networks.md` describes its training.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::net::Net;

/// Its path in the repository, for error messages.
const PATH: &str = "experiments/default.oplus";

static FILE: &[u8] = include_bytes!("default.oplus");

static NET: LazyLock<Arc<Net>> = LazyLock::new(|| match Net::from_bytes(FILE, Path::new(PATH)) {
    Ok(net) => Arc::new(net),
    // The file is part of the program; a test reads it.
    Err(damage) => unreachable!("{damage}"),
});

/// The bundled net, shared by all callers.
pub fn bundled() -> Arc<Net> {
    NET.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Position, Scene};

    #[test]
    fn the_bundled_net_values_a_queen() {
        let evaluate = |fen: &str| {
            let position = Position::from_fen(fen).unwrap();
            bundled().evaluate(&Scene::from(&position), position.turn())
        };
        let start = evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let ahead = evaluate("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(start.abs() < 100 && ahead > 500, "{start} {ahead}");
        assert!(FILE.len() < 4_000_000);
    }

    #[test]
    fn the_bundled_net_is_written_as_it_was_read() {
        assert_eq!(bundled().to_bytes(), FILE);
    }
}
