//! Invented but plausible numbers, for tests only: sizes, losses and Elo are of
//! the order that the thesis *Feature set analysis for chess NNUE networks*
//! reports for these sets.

use crate::over_nodes::{NodesLine, Odds};
use crate::page::model::*;
use crate::{EloResult, Pace, Remedy};
use arena::{Limit, Pentanomial, SeedSpread, SpreadSource, Trinomial};
use base::estimate::{Estimate, Separation};
use nnue::QuantisationError;
use nnue_tools::KingColumn;
use report::{
    CurveSeries, DataFile, EpochLoss, FirstLayerPicture, LearningPanel, Machine, Provenance,
    PuzzleBucket,
};
use std::num::{NonZeroU32, NonZeroU64};

use crate::puzzles::{Interval, Lead, Paired};

pub(crate) const NODES: Limit = Limit::Nodes(NonZeroU64::new(1_000).unwrap());
pub(crate) const MS: Limit = Limit::MovetimeMs(NonZeroU32::new(20).unwrap());

struct Sketch {
    features: &'static str,
    size: usize,
    loss: f64,
    by_nodes: f64,
    by_time: f64,
    puzzles: f64,
    speed: f64,
    rows: f64,
}

const SKETCHES: [Sketch; 6] = [
    Sketch {
        features: "ALL",
        size: 768,
        loss: 0.003_134,
        by_nodes: 0.0,
        by_time: 0.0,
        puzzles: 0.8865,
        speed: 1_180e3,
        rows: 2.4,
    },
    Sketch {
        features: "ALL + PV",
        size: 1_920,
        loss: 0.002_946,
        by_nodes: 42.6,
        by_time: 11.0,
        puzzles: 0.8911,
        speed: 950e3,
        rows: 5.1,
    },
    Sketch {
        features: "ALL + PH + PV",
        size: 3_072,
        loss: 0.002_868,
        by_nodes: 40.7,
        by_time: -24.0,
        puzzles: 0.8878,
        speed: 750e3,
        rows: 8.2,
    },
    Sketch {
        features: "ALL + H + V",
        size: 960,
        loss: 0.003_082,
        by_nodes: 3.0,
        by_time: -27.1,
        puzzles: 0.8851,
        speed: 890e3,
        rows: 3.9,
    },
    Sketch {
        features: "ALL + MB",
        size: 1_536,
        loss: 0.002_824,
        by_nodes: 13.0,
        by_time: -118.0,
        puzzles: 0.8820,
        speed: 410e3,
        rows: 12.4,
    },
    Sketch {
        features: "H + V",
        size: 192,
        loss: 0.005_810,
        by_nodes: -371.0,
        by_time: -384.3,
        puzzles: 0.8218,
        speed: 1_010e3,
        rows: 4.4,
    },
];

/// A full report of six sets, four seeds, two limits.
pub(crate) fn report() -> Report {
    Report {
        name: "lines-and-pairs".to_owned(),
        question: "Do lines, pairs and mobility help on top of squares, and do they pay for their time?".to_owned(),
        config_toml: "name = \"lines-and-pairs\"\n\n[grid]\nfeatures = [\"ALL\", \"ALL + PV\", \"ALL + PH + PV\"]\nseed = [1, 2, 3, 4]\n\n[training]\nepochs = 64\nbatch = 16_384\n".to_owned(),
        provenance: provenance(),
        reference: "ALL".to_owned(),
        elo_spread: Some(SeedSpread { median: 7.0, low: 1.0, high: 18.0 }),
        loss_spread: SpreadSource::Pooled,
        puzzles: Some(PuzzleSuite { name: "datasets/puzzles.csv".to_owned(), puzzles: 10_000, nodes: 1_000 }),
        sets: SKETCHES.iter().map(set).collect(),
        games: games(),
        null: None,
        price: Some(around(71.0, 18.0)),
        price_games: Some(price_games()),
        paired_puzzles: paired(),
        learning: None,
        warnings: vec!["3 of 4,000 games at 1,000 nodes repeat another move by move; they count once.".to_owned()],
        notes: vec!["The quiet filter was on for training and validation.".to_owned()],
    }
}

/// Leads at equal time over 1,000 to 25,000 nodes, from two books, with games of the reference's
/// seeds: a set that gains late, one that loses, one that cannot be told.
pub(crate) fn time_controls() -> Report {
    const EQUAL: [u64; 3] = [1_000, 5_000, 25_000];
    let mut report = report();
    report.name = "time-controls".to_owned();
    report.question = "From how many nodes on do lines and pairs pay?".to_owned();
    let leads = [[-28.0, 2.0, 30.0], [-35.0, -31.0, -24.0], [4.0, -3.0, 2.0]];
    report.sets.truncate(1 + leads.len());
    report.games.clear();
    for (set, leads) in report.sets.iter_mut().skip(1).zip(leads) {
        let of = |(nodes, lead): (u64, f64)| EloResult {
            limit: Limit::EqualTime(nodes.try_into().expect("not zero")),
            estimate: around(lead, 13.0),
            games: 1_600,
            too_many_forfeits: None,
        };
        set.elo = EQUAL.into_iter().zip(leads).map(of).collect();
        set.runs.iter_mut().for_each(|run| run.elo.clear());
        set.pays = Some(match leads[2] {
            lead if lead > 13.0 => crate::Verdict::Pays,
            lead if lead < -13.0 => crate::Verdict::DoesNotPay,
            _ => crate::Verdict::Undecided(Remedy::MoreSeeds),
        });
        let measured: Vec<(f64, Estimate)> = EQUAL
            .into_iter()
            .zip(&set.elo)
            .map(|(nodes, elo)| (nodes as f64, elo.estimate))
            .collect();
        let place = |step: i32| {
            let share = f64::from(step) / 16.0;
            let lead = leads[0] + share * (leads[2] - leads[0]);
            (1_000.0 * 25f64.powf(share), around(lead, 8.0 + 10.0 * (share - 0.5).abs()))
        };
        set.lines = vec![NodesLine {
            odds: Odds::EqualTime,
            measured,
            line: (0..=16).map(place).collect(),
        }];
        let from = |(book, lead): (&str, f64)| BookLead {
            limit: set.elo[1].limit,
            book: book.to_owned(),
            elo: around(lead, 18.0),
            game_error: Some(9.0),
        };
        set.books = [("8moves_v3", leads[1] - 9.0), ("endgames", leads[1] + 9.0)].map(from).into();
    }
    let pairing = |(first, second): (u64, u64)| {
        let names = [first, second].map(|seed| format!("seed {seed}"));
        let counts = [20, 90 + first, 180, 90 + second, 20];
        SetPairing {
            pairs: Pentanomial { counts },
            ..SetPairing::empty(names, report.sets[1].elo[2].limit)
        }
    };
    let pairings = [(1, 2), (2, 3), (3, 4), (4, 1)].map(pairing).into();
    report.null = Some(NullGames { pairings });
    report
}

/// A grid of two feature sets in two widths, at equal time.
pub(crate) fn widths() -> Report {
    let mut report = time_controls();
    let in_width = |set: &SetRow, features: &str, neurons: usize, cost: f64| SetRow {
        features: features.to_owned(),
        variant: format!("{neurons} neurons"),
        settings: vec![("layers".to_owned(), format!("{neurons} screlu -> 1"))],
        cost: Some(Estimate::symmetric(cost, 0.01)),
        ..set.clone()
    };
    let (reference, other) = (&report.sets[0], &report.sets[1]);
    report.sets = vec![
        in_width(reference, "ALL", 64, 1.0),
        in_width(other, "ALL", 256, 1.2),
        in_width(other, "ALL + PV", 64, 1.5),
        in_width(other, "ALL + PV", 256, 1.9),
    ];
    report.reference = report.sets[0].label();
    report
}

/// Three sets over three numbers of positions: one that stays ahead, one that turns.
pub(crate) fn learning() -> LearningCurves {
    const SIZES: [f64; 3] = [0.98e6, 3.9e6, 15.4e6];
    let curve = |label: &str, values: [f64; 3], half: f64| {
        let last_step = values[2] - values[1];
        let beyond = |step: i32| {
            let (share, positions) =
                (f64::from(step) / 8.0, SIZES[2] * 2f64.powf(f64::from(step) / 4.0));
            (positions, around(values[2] + last_step * share, half * (1.0 + 2.0 * share)))
        };
        let between = SIZES.into_iter().zip(values).map(|(at, value)| (at, around(value, half)));
        CurveSeries {
            label: label.to_owned(),
            points: SIZES.into_iter().zip(values.map(|value| around(value, half))).collect(),
            band: between.chain((1..=8).map(beyond)).collect(),
            ..CurveSeries::default()
        }
    };
    let row = |label: &str, leads: [f64; 3], predicted, tone, verdict: &str| DataRow {
        label: label.to_owned(),
        unit: "Elo",
        leads: SIZES.into_iter().zip(leads.map(|lead| around(lead, 9.0))).collect(),
        predicted: Some(predicted),
        tone,
        verdict: verdict.to_owned(),
    };
    let panel = |title: &str, unit: &str, series| LearningPanel {
        remark: String::new(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        across: "distinct positions".to_owned(),
        series,
    };
    LearningCurves {
        reference: "ALL".to_owned(),
        panels: vec![
            panel(
                "validation loss",
                "",
                vec![
                    curve("ALL", [0.003_61, 0.003_29, 0.003_134], 0.000_02),
                    curve("ALL + PV", [0.003_70, 0.003_24, 0.002_946], 0.000_02),
                    curve("ALL + PH + PV", [0.003_82, 0.003_26, 0.002_868], 0.000_02),
                ],
            ),
            panel(
                "Elo over ALL with the same number of positions at 1,000 nodes",
                "Elo",
                vec![
                    curve("ALL + PV", [-8.0, 18.0, 42.6], 9.0),
                    curve("ALL + PH + PV", [-31.0, -2.0, 40.7], 9.0),
                ],
            ),
        ],
        rows: vec![
            row(
                "ALL + PV",
                [-8.0, 18.0, 42.6],
                around(36.0, 20.0),
                Separation::Better,
                "separated, and more data will not change this",
            ),
            row(
                "ALL + PH + PV",
                [-31.0, -2.0, 40.7],
                around(18.0, 20.0),
                Separation::Better,
                "separated; no verdict on more data: the curve of the smaller sizes misses the largest",
            ),
        ],
    }
}

fn provenance() -> Provenance {
    Provenance {
        program: "oplus 0.1.0".to_owned(),
        command: "oplus run experiments/lines-and-pairs.toml".to_owned(),
        machine: Machine { cpu: "Imaginary Chip 9000".to_owned(), cores: 16 },
        data: vec![DataFile {
            path: "datasets/bootstrap.games".to_owned(),
            hash: "5f0c1a7d".repeat(8),
            licence: String::new(),
            positions: Some(41_203_118),
            games: Some(612_004),
        }],
        date: "2026-03-14".to_owned(),
        seconds: 27_310.0,
        conditions: Vec::new(),
    }
}

fn around(value: f64, half: f64) -> Estimate {
    Estimate::new(value, value - half, value + half)
}

fn elo(nodes: f64, time: f64, half: f64, games: u32) -> Vec<EloResult> {
    vec![
        EloResult { limit: NODES, estimate: around(nodes, half), games, too_many_forfeits: None },
        EloResult { limit: MS, estimate: around(time, half * 1.1), games, too_many_forfeits: None },
    ]
}

fn set(sketch: &Sketch) -> SetRow {
    let is_reference = sketch.by_nodes == 0.0;
    SetRow {
        features: sketch.features.to_owned(),
        variant: String::new(),
        factors: Vec::new(),
        settings: Vec::new(),
        positions: None,
        held_out_split: 0,
        size: sketch.size,
        validation_loss: Some(around(sketch.loss, 0.000_012)),
        puzzle_accuracy: Some(around(sketch.puzzles, 0.0062)),
        one_ply: Some(around(sketch.puzzles - 0.33, 0.0094)),
        puzzle_buckets: buckets(sketch.puzzles),
        elo: if is_reference {
            Vec::new()
        } else {
            elo(sketch.by_nodes, sketch.by_time, 14.5, 1_600)
        },
        lines: Vec::new(),
        books: Vec::new(),
        over_peer: None,
        expected: (!is_reference).then(|| around(sketch.by_time + 4.0, 21.0)),
        pays: (!is_reference).then(|| match sketch.by_time {
            elo if elo > 16.0 => crate::Verdict::Pays,
            elo if elo < -16.0 => crate::Verdict::DoesNotPay,
            _ => crate::Verdict::Undecided(Remedy::MoreGames { games: 1_900, chance: 62 }),
        }),
        cost: (!is_reference).then(|| around(SKETCHES[0].speed / sketch.speed, 0.013)),
        nodes_per_second: Some(around(sketch.speed, 0.012 * sketch.speed)),
        figures: Pace::figures(Some(&pace(sketch.rows, 0.0))),
        runs: (1..=4).map(|seed| run(sketch, seed, is_reference)).collect(),
    }
}

/// Rounds apart.
pub(crate) fn pace(rows_per_node: f64, refreshed_rows_per_node: f64) -> Pace {
    let (ns_per_node, pesto_ns_per_node) = (Vec::new(), Vec::new());
    Pace { ns_per_node, pesto_ns_per_node, rows_per_node, refreshed_rows_per_node }
}

fn run(sketch: &Sketch, seed: u64, is_reference: bool) -> RunRow {
    let wobble = (seed as f64 * 2.4).sin();
    let losses = (1..=64).map(|epoch| {
        let shape =
            1.0 + 2.6 * (-f64::from(epoch) / 9.0).exp() + 0.35 * (-f64::from(epoch) / 40.0).exp();
        let noise = 1.0 + 0.006 * (f64::from(epoch) * 1.7 + wobble * 9.0).sin();
        let validation = sketch.loss * shape * noise * (1.0 + 0.006 * wobble);
        EpochLoss {
            epoch,
            train: Some(validation * (1.0 - 0.0007 * f64::from(epoch))),
            validation: Some(validation),
        }
    });
    RunRow {
        seed: Some(seed),
        quantised_loss: Some(1.004 * sketch.loss),
        kept: Some(64),
        validation_loss: Some(1.002 * sketch.loss),
        losses: losses.collect(),
        net: Some(format!("runs/lines-and-pairs/{seed}/net.oplus")),
        quantisation: Some(quantisation(1.2 + sketch.rows / 4.0 + 0.1 * wobble)),
        elo: match is_reference {
            true => Vec::new(),
            false => elo(sketch.by_nodes + 9.0 * wobble, sketch.by_time - 7.0 * wobble, 29.0, 400),
        },
        first_layer: Some(first_layer(sketch.rows as f32)),
        following: Vec::new(),
    }
}

/// Pieces worth more the nearer the own king is, in all columns but the first.
pub(crate) fn following(by: f64) -> Vec<KingColumn> {
    let column = |title: &str, by: f64| {
        let worth = |square: usize| (square != 4).then_some(100.0 - by * (square / 8) as f64);
        let board = || (0..64).map(worth).collect();
        KingColumn {
            title: title.to_owned(),
            centipawns: (0..KingColumn::ROLES).map(|_| board()).collect(),
        }
    };
    vec![column("mean", 0.0), column("king e1", by)]
}

/// Of differences that are exponentially distributed around zero.
fn quantisation(mean_cp: f64) -> QuantisationError {
    let positions = 1_000.0_f64;
    let beyond = |cp: usize| (-(cp as f64) / mean_cp).exp();
    let last = QuantisationError::BINS - 1;
    let share = |bin: usize| beyond(bin) - if bin == last { 0.0 } else { beyond(bin + 1) };
    QuantisationError {
        mean: mean_cp,
        percentile_99: mean_cp * 100f64.ln(),
        largest: mean_cp * positions.ln(),
        positions: positions as usize,
        clipped: 0.0,
        histogram: std::array::from_fn(|bin| (positions * share(bin)).round() as u32),
    }
}

fn buckets(accuracy: f64) -> Vec<PuzzleBucket> {
    (0..10u32)
        .map(|i| {
            let from = 800 + 200 * i;
            let share = (accuracy + 0.105 - 0.011 * f64::from(i * i) / 2.0).clamp(0.05, 0.995);
            PuzzleBucket {
                from,
                to: from + 200,
                puzzles: 1_000,
                accuracy: around(share, 1.96 * (share * (1.0 - share) / 1e3).sqrt()),
            }
        })
        .collect()
}

fn first_layer(scale: f32) -> FirstLayerPicture {
    let mut norms = [[0.0; 64]; 6];
    for (role, board) in norms.iter_mut().enumerate() {
        for (square, norm) in board.iter_mut().enumerate() {
            let (file, rank) = ((square % 8) as f32 - 3.5, (square / 8) as f32 - 3.5);
            let centre = 1.0 - (file * file + rank * rank) / 26.0;
            *norm = scale * (0.6 + 0.35 * role as f32) * (1.0 + 0.5 * centre)
                + 0.2 * rank * (role == 0) as u8 as f32;
        }
    }
    FirstLayerPicture { norms }
}

fn games() -> Vec<SetPairing> {
    let mut games = Vec::new();
    for (i, first) in SKETCHES.iter().enumerate() {
        for second in &SKETCHES[i + 1..] {
            games.push(pairing(first, second, NODES, first.by_nodes - second.by_nodes));
        }
    }
    for first in &SKETCHES[1..] {
        games.push(pairing(first, &SKETCHES[0], MS, first.by_time));
    }
    games
}

fn pairing(first: &Sketch, second: &Sketch, limit: Limit, elo: f64) -> SetPairing {
    let score = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
    let draws = 400;
    let wins = (score * 1_600.0 - 200.0).round().clamp(0.0, 1_200.0) as u64;
    SetPairing {
        first: first.features.to_owned(),
        second: second.features.to_owned(),
        limit,
        games: Trinomial { wins, draws, losses: 1_200 - wins },
        pairs: Pentanomial { counts: [61, 143, 330, 187, 79] },
        duplicates: 0,
        forfeits: 0,
    }
}

fn price_games() -> SetPairing {
    SetPairing {
        second: "ALL, half the time".to_owned(),
        ..pairing(&SKETCHES[0], &SKETCHES[0], MS, 71.0)
    }
}

fn paired() -> Vec<PairedPuzzles> {
    let pair = |first: &str, first_only, second_only, difference: f64, p_value| PairedPuzzles {
        first: first.to_owned(),
        second: "ALL".to_owned(),
        condition: "1,000 nodes".to_owned(),
        lead: Lead {
            counts: Paired {
                both: 34_048,
                first_only,
                second_only,
                neither: 39_996 - 34_048 - first_only - second_only,
            },
            seeds: 4,
            difference,
            interval: Interval { low: difference - 0.0061, high: difference + 0.0061 },
            p_value,
        },
    };
    vec![
        pair("ALL + PV", 1_596, 1_412, 0.0046, 0.131),
        pair("ALL + MB", 1_232, 1_412, -0.0045, 0.142),
        pair("H + V", 480, 3_068, -0.0647, 1e-9),
    ]
}
