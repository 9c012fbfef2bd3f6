//! `oplus net info --kings`: what pieces of a linear net are worth as the kings move.

use std::path::Path;

use crate::cli::Failure;
use base::atomic::write_atomically;
use chess::{Role, Square};
use linear::{Following, Kings};
use nnue::Net;
use report::plot::following::{self, Column};

/// The mean over kings that have castled or not yet, then kings on some squares.
pub(super) fn draw(net: &Net, path: &Path) -> Result<(), Failure> {
    let following = Following::of(net).ok_or_else(|| {
        Failure::usage(
            "--kings is for linear nets (layers `1`): pieces of others have no worth alone",
        )
    })?;
    let kings = |own, enemy| Kings { own, enemy, is_endgame: false };
    let column = |title: &str, places: &[Kings]| Column {
        title: title.to_owned(),
        worth: [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .map(|role| mean(places.iter().map(|&kings| following.worth(role, kings)))),
    };
    let usual = [Square::G1, Square::E1, Square::C1];
    let all = usual.map(|own| [Square::G8, Square::E8, Square::C8].map(|enemy| kings(own, enemy)));
    let endgame = Kings { own: Square::E4, enemy: Square::E6, is_endgame: true };
    let columns = [
        column("mean", &all.concat()),
        column("king g1", &[kings(Square::G1, Square::E8)]),
        column("king e1", &[kings(Square::E1, Square::E8)]),
        column("king c1", &[kings(Square::C1, Square::E8)]),
        column("enemy g8", &[kings(Square::E1, Square::G8)]),
        column("enemy c8", &[kings(Square::E1, Square::C8)]),
        column("e4, e6, endgame", &[endgame]),
    ];
    let picture = following::draw("Worth of pieces as the kings move", &columns);
    let picture = picture.map_err(Failure::from_error)?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from_error)
}

/// Square by square; nothing where some king stands.
fn mean(boards: impl Iterator<Item = following::Board>) -> following::Board {
    let boards: Vec<following::Board> = boards.collect();
    std::array::from_fn(|square| {
        let all: Option<Vec<f64>> = boards.iter().map(|board| board[square]).collect();
        all.map(|all| all.iter().sum::<f64>() / all.len().max(1) as f64)
    })
}
