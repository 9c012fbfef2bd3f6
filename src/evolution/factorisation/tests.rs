//! Laws of all methods.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::factorisation::factors::RANGE;
use engine::PieceTables;

/// File names equal the names in the records.
#[test]
fn names_are_those_of_records() {
    let written = |value: serde_json::Value| value.as_str().map(str::to_owned);
    let methods = [
        FactorMethod::Genetic,
        FactorMethod::Alternating,
        FactorMethod::LocalSearch,
        FactorMethod::Annealing,
    ];
    for method in methods {
        assert_eq!(written(serde_json::to_value(method).unwrap()).as_deref(), Some(method.name()));
    }
    for loss in [FactorLoss::Plain, FactorLoss::Cells, FactorLoss::Evaluation] {
        assert_eq!(written(serde_json::to_value(loss).unwrap()).as_deref(), Some(loss.name()));
    }
}

fn pesto() -> FactorTarget {
    FactorTarget::plain(cells_of(PieceTables::pesto()))
}

fn found(
    target: &FactorTarget,
    method: FactorMethod,
    count: usize,
    steps: u64,
    seed: u64,
) -> Factors {
    let settings =
        FactorSettings { count, method, budget: FactorBudget::Steps(steps), seed, threads: 1 };
    factorise(target, None, settings, &AtomicBool::new(false), &mut |_| {})
}

/// The error of the document's offsets alone.
#[test]
fn offsets_are_those_of_the_document() {
    let target = pesto();
    let error = target.mean_squared_error(&target.start());
    assert!((error - 955.7).abs() < 5.0, "{error}");
}

/// By brute force: no other set of components is better for a square, and no weight one step off.
fn assert_at_the_bottom(target: &FactorTarget, factors: &Factors) {
    let cost = target.cost(factors);
    let room = cost * 1e-5 + 1e-3;
    for square in 0..SQUARES {
        for mask in 0..1u32 << factors.count() {
            let mut other = factors.clone();
            other.masks[square] = mask;
            assert!(target.cost(&other) >= cost - room, "square {square}, {mask:b}");
        }
    }
    for component in 0..factors.count() {
        for table in 0..TABLES {
            for step in [-1, 1] {
                let mut other = factors.clone();
                let weight = &mut other.weights[component][table];
                *weight += step;
                if RANGE.contains(weight) {
                    assert!(target.cost(&other) >= cost - room, "weight {component} of {table}");
                }
            }
        }
    }
}

#[test]
fn nothing_alone_helps_where_annealing_ends() {
    let target = pesto();
    assert_at_the_bottom(&target, &found(&target, FactorMethod::Annealing, 5, 400_000, 1));
    let mut occupancy = Occupancy::default();
    let mut position = chess::Position::default();
    for ply in 0..300 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[ply * 7 % moves.len()]);
        occupancy.add(position.board());
    }
    let weighted = FactorTarget::weighted(target.cells, &occupancy);
    assert_at_the_bottom(&weighted, &found(&weighted, FactorMethod::LocalSearch, 4, 20, 2));
}

#[test]
fn the_same_steps_and_seed_give_the_same() {
    let target = pesto();
    for method in [
        FactorMethod::Annealing,
        FactorMethod::LocalSearch,
        FactorMethod::Genetic,
        FactorMethod::Alternating,
    ] {
        let once = found(&target, method, 3, 5_000, 7);
        assert_eq!(once, found(&target, method, 3, 5_000, 7), "{method:?}");
        assert_eq!(once.count(), 3, "{method:?}");
    }
}

#[test]
fn more_components_lower_the_error() {
    let target = pesto();
    let error = |count| {
        target.mean_squared_error(&found(&target, FactorMethod::Annealing, count, 400_000, 1))
    };
    let (few, more) = (error(4), error(8));
    assert!(more < 0.8 * few && few < 300.0, "{few} {more}");
}

/// Tables that are made of components are found again.
#[test]
fn composed_tables_are_recovered() {
    let components = [0x0000_0000_ffff_ffff, 0x8181_8181_8181_8181, 0x00ff_0000_0000_0000];
    let weights: Vec<[i8; TABLES]> = (0..3)
        .map(|i| std::array::from_fn(|table| ((31 * i + 17 * table) % 90) as i8 - 45))
        .collect();
    let made = Factors::new(&components, &weights, [5; TABLES]);
    let mut target = FactorTarget::plain(made.cells());
    target.fits_offsets = true;
    let error =
        |seed| target.mean_squared_error(&found(&target, FactorMethod::LocalSearch, 3, 400, seed));
    assert!((1..20).any(|seed| error(seed) == 0.0));
}

proptest! {
    /// The error of the evaluation equals the difference of the tables' evaluations.
    #[test]
    fn evaluation_errors_are_those_of_positions(seed in 0usize..50, wrong in -50i32..50) {
        let pesto = cells_of(PieceTables::pesto());
        let mut other = pesto;
        let (square, table) = (seed % SQUARES, seed % TABLES);
        other[square][table] += wrong;
        other[(square + 9) % SQUARES][(table + 6) % TABLES] -= 2 * wrong;
        let mut occupancy = Occupancy::default();
        let mut position = chess::Position::default();
        let mut sum = 0.0;
        for ply in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[(ply * 11 + seed) % moves.len()]);
            occupancy.add(position.board());
            sum += (by_hand(&other, &position) - by_hand(&pesto, &position)).powi(2);
        }
        let errors: Cells<i32> = std::array::from_fn(|square| {
            std::array::from_fn(|table| other[square][table] - pesto[square][table])
        });
        let mean = (sum / occupancy.positions() as f64).sqrt();
        prop_assert!((occupancy.evaluation_error(&errors) - mean).abs() < 1e-6 * (1.0 + mean));
    }
}

/// Evaluation of a position by tables, for White, in fractions of centipawns.
fn by_hand(cells: &Cells<i32>, position: &chess::Position) -> f64 {
    let gone = f64::from(chess::phase(position.board())) / 24.0;
    let of = |(square, piece): (chess::Square, chess::Piece)| {
        let (sign, seen) = match piece.color {
            chess::Color::White => (1.0, square as usize),
            chess::Color::Black => (-1.0, square as usize ^ 56),
        };
        let role = piece.role as usize - 1;
        sign * (f64::from(cells[seen][role]) * (1.0 - gone)
            + f64::from(cells[seen][role + 6]) * gone)
    };
    position.board().iter().map(of).sum()
}
