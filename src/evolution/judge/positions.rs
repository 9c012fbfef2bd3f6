//! Tables judged by positions whose results are known: without noise, and with a slope.
//!
//! The evaluation of a position is a sum over cells, so a position is a few cells with factors. The
//! loss is the mean square of the difference between the expected score σ(evaluation / scale) and
//! the result, as in Texel's tuning method (Österlund, 2014).

use std::sync::atomic::AtomicBool;

use chess::{Board, Position};
use data::Sample;
use rayon::prelude::*;

use super::{Colours, Judge, JudgeRound, JudgedRound};
use crate::factorisation::{self, CountedCell};
use crate::genome::{TableCell, TableGenome};
use crate::{EvolutionError, PointFitness, SearchPoint};

/// Positions as factors of cells.
pub struct PositionJudge {
    /// Centipawns at which the expected score is e : 1.
    scale: f64,
    /// End of each position's terms.
    ends: Vec<u32>,
    terms: Vec<CellTerm>,
    /// Results seen by White: 0, ½, 1.
    results: Vec<f32>,
    /// Sums of cells outside the genome.
    fixed: Vec<f32>,
    genes: usize,
}

#[derive(Clone, Copy)]
struct CellTerm {
    gene: u16,
    factor: f32,
}

/// Positions of a thread at a time; sums do not depend on the threads.
const CHUNK: usize = 1_024;

impl PositionJudge {
    /// From boards and White's results, for tables of this kind.
    pub fn new<'b>(
        tables: &TableGenome,
        scale: f64,
        boards: impl IntoIterator<Item = (&'b Board, f32)>,
    ) -> Self {
        let genes = Genes::of(tables);
        let mut positions = Self {
            scale,
            ends: Vec::new(),
            terms: Vec::new(),
            results: Vec::new(),
            fixed: Vec::new(),
            genes: tables.cells().len(),
        };
        for (board, result) in boards {
            positions.add(board, result, tables, &genes);
        }
        positions
    }

    /// From samples with known results.
    pub fn of_samples(tables: &TableGenome, scale: f64, samples: &[Sample]) -> Self {
        let known = samples.iter().filter(|sample| sample.result != Sample::UNKNOWN_RESULT);
        let positions: Vec<(Position, f32)> = known
            .filter_map(|sample| {
                let position = sample.position.unpack()?;
                let of_mover = f32::from(sample.result) / 2.0;
                let white = position.turn().fold_wb(of_mover, 1.0 - of_mover);
                Some((position, white))
            })
            .collect();
        let boards = positions.iter().map(|(position, white)| (position.board(), *white));
        Self::new(tables, scale, boards)
    }

    pub fn len(&self) -> usize {
        self.results.len()
    }

    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn add(&mut self, board: &Board, result: f32, tables: &TableGenome, genes: &Genes) {
        let mut fixed = 0.0;
        for CountedCell { square, table, factor } in factorisation::counted(board) {
            let factor = factor as f32;
            match genes.0[table][square] {
                _ if factor == 0.0 => {}
                Some(gene) => self.terms.push(CellTerm { gene, factor }),
                None => fixed += factor * TableCell { table, square }.of(tables.base()) as f32,
            }
        }
        self.ends.push(self.terms.len() as u32);
        self.results.push(result);
        self.fixed.push(fixed);
    }

    /// The mean squared error of the expected score.
    pub fn loss(&self, point: &SearchPoint) -> f64 {
        self.sums(point, false).loss / self.len().max(1) as f64
    }

    /// Minus the loss, with its slope if `wants_slope`.
    pub fn judge(&self, point: &SearchPoint, wants_slope: bool) -> PointFitness {
        let LossSums { loss, slope } = self.sums(point, wants_slope);
        let mean = -1.0 / self.len().max(1) as f64;
        let slope = wants_slope.then(|| slope.into_iter().map(|sum| mean * sum).collect());
        PointFitness { fitness: mean * loss, slope }
    }

    /// Over all positions, in an order that does not depend on the threads.
    fn sums(&self, point: &SearchPoint, wants_slope: bool) -> LossSums {
        let starts: Vec<usize> = (0..self.len()).step_by(CHUNK).collect();
        let of_chunk = |&start: &usize| {
            self.of_chunk(start..(start + CHUNK).min(self.len()), point, wants_slope)
        };
        let chunks: Vec<LossSums> = starts.par_iter().map(of_chunk).collect();
        let mut whole = LossSums { loss: 0.0, slope: self.no_slope(wants_slope) };
        for chunk in chunks {
            whole.loss += chunk.loss;
            whole.slope.iter_mut().zip(&chunk.slope).for_each(|(sum, part)| *sum += part);
        }
        whole
    }

    fn no_slope(&self, wants_slope: bool) -> Vec<f64> {
        vec![0.0; if wants_slope { self.genes } else { 0 }]
    }

    fn of_chunk(
        &self,
        places: std::ops::Range<usize>,
        point: &SearchPoint,
        wants_slope: bool,
    ) -> LossSums {
        let mut sums = LossSums { loss: 0.0, slope: self.no_slope(wants_slope) };
        for place in places {
            let terms = self.terms(place);
            let value = |term: &CellTerm| f64::from(term.factor) * point[usize::from(term.gene)];
            let evaluation = f64::from(self.fixed[place]) + terms.iter().map(value).sum::<f64>();
            let expected = 1.0 / (1.0 + (-evaluation / self.scale).exp());
            let error = expected - f64::from(self.results[place]);
            sums.loss += error * error;
            if wants_slope {
                let rise = 2.0 * error * expected * (1.0 - expected) / self.scale;
                for term in terms {
                    sums.slope[usize::from(term.gene)] += rise * f64::from(term.factor);
                }
            }
        }
        sums
    }

    fn terms(&self, place: usize) -> &[CellTerm] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.terms[start as usize..self.ends[place] as usize]
    }
}

impl Judge for PositionJudge {
    fn judge(
        &mut self,
        round: &JudgeRound<'_>,
        _stop: &AtomicBool,
    ) -> Result<Option<JudgedRound>, EvolutionError> {
        let judge = |point| PositionJudge::judge(self, point, round.wants_slopes);
        let judgements: Vec<PointFitness> = round.points.iter().map(judge).collect();
        let spent = judgements.len() as u64;
        Ok(Some(JudgedRound { judgements, spent, colours: Colours::default() }))
    }
}

struct LossSums {
    loss: f64,
    slope: Vec<f64>,
}

/// The gene of each cell, by table and square.
struct Genes([[Option<u16>; 64]; factorisation::TABLES]);

impl Genes {
    fn of(tables: &TableGenome) -> Self {
        let mut genes = [[None; 64]; factorisation::TABLES];
        for (gene, cell) in (0..).zip(tables.cells()) {
            genes[cell.table][cell.square] = Some(gene);
        }
        Self(genes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::CellSelection;
    use engine::{Evaluator, PieceTables, Tapered};

    const FENS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/3q4/8/2N5/8/PP6/4K3 w - - 0 1",
    ];

    fn positions(tables: &TableGenome) -> (Vec<Position>, PositionJudge) {
        let all: Vec<Position> = FENS.iter().map(|fen| Position::from_fen(fen).unwrap()).collect();
        let results = [0.5, 1.0, 0.0, 1.0];
        let boards = all.iter().map(Position::board).zip(results);
        let judge = PositionJudge::new(tables, 200.0, boards);
        (all, judge)
    }

    /// Sums equal the engine's own evaluation, up to its rounding.
    #[test]
    fn cells_add_up_to_the_evaluation() {
        for cells in [CellSelection::All, CellSelection::Phoenix] {
            let tables = TableGenome::new(PieceTables::pesto().clone(), &cells, 300, 5.0).unwrap();
            let (all, judge) = positions(&tables);
            let point = tables.space().start();
            let mut tapered = Tapered::pesto();
            for (place, position) in all.iter().enumerate() {
                tapered.reset(position);
                let white = position.turn().fold_wb(1, -1) * tapered.evaluate(position);
                let sum: f64 = judge
                    .terms(place)
                    .iter()
                    .map(|term| f64::from(term.factor) * point[usize::from(term.gene)])
                    .sum::<f64>()
                    + f64::from(judge.fixed[place]);
                assert!((sum - f64::from(white)).abs() < 1.01, "{sum} {white}");
            }
        }
    }

    #[test]
    fn the_slope_is_that_of_the_loss() {
        let tables =
            TableGenome::new(PieceTables::pesto().clone(), &CellSelection::Phoenix, 300, 5.0)
                .unwrap();
        let (_, judge) = positions(&tables);
        let start = tables.space().start();
        let PointFitness { fitness, slope } = judge.judge(&start, true);
        assert!((fitness + judge.loss(&start)).abs() < 1e-15);
        let slope = slope.unwrap();
        for gene in (0..slope.len()).step_by(7) {
            let moved = |by: f64| {
                let mut point = start.clone();
                point[gene] += by;
                judge.judge(&point, false).fitness
            };
            let measured = (moved(0.5) - moved(-0.5)) / 1.0;
            assert!((measured - slope[gene]).abs() < 1e-8, "{gene}: {measured} {}", slope[gene]);
        }
    }
}
