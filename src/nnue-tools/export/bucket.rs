//! The bucket of a position by its number of pieces, where nothing else decides it.

use super::index;
use chess::{Color, Position, Scene};
use nnue::Buckets;

/// Buckets of positions with 1 to 32 pieces, kings included; `None` where not the number of pieces
/// alone decides.
pub(super) fn by_pieces(buckets: &Buckets) -> Option<Vec<usize>> {
    let is_by_pieces = match buckets {
        Buckets::Pieces(_) => true,
        Buckets::Set(set) => {
            let predicates = index::predicates(&index::products(set.features().expr()));
            predicates.keys().eq(["material"].iter())
        }
    };
    let of = |pieces| buckets.of(&with_pieces(pieces), Color::White);
    is_by_pieces.then(|| (1..=Buckets::MOST).map(of).collect())
}

/// The table as the elements of an array.
pub(super) fn listed(table: &[usize]) -> String {
    table.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A position with this number of pieces, at least both kings.
fn with_pieces(pieces: usize) -> Scene {
    let mut removed = Buckets::MOST.saturating_sub(pieces.max(2));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let kept = start.chars().map(|piece| match piece {
        'k' | 'K' | '/' | '8' => piece,
        _ if removed > 0 => {
            removed -= 1;
            '1'
        }
        _ => piece,
    });
    let fen = format!("{} w - - 0 1", kept.collect::<String>());
    Scene::from(&Position::from_fen(&fen).expect("pieces at their places at the start"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::Layers;

    fn table(buckets: &str) -> Option<Vec<usize>> {
        let layers: Layers = format!("8 screlu -> 1, buckets {buckets}").parse().unwrap();
        by_pieces(layers.buckets())
    }

    #[test]
    fn bands_of_material_are_a_table_by_pieces() {
        assert_eq!(table("8"), table("material(BANDS(8))"));
        let bullets = table(
            "material(BANDS(32) / [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7])",
        );
        let expected: Vec<usize> =
            (1..=32).map(|pieces: usize| pieces.saturating_sub(2) / 4).collect();
        assert_eq!(bullets, Some(expected));
        assert_eq!(table("phase(BANDS(4))"), None);
        assert_eq!(table("king(FILES)"), None);
    }
}
