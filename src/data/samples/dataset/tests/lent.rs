//! Real files, against lists that other tools made of them.

use std::io::{BufRead, BufReader};

use super::*;

/// A file lent for development; the tests that need one are ignored by default.
fn lent(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/open").join(name);
    assert!(path.exists(), "this test needs {}; provide it", path.display());
    path
}

/// The samples of real files against a list of the same games, in any order, made by other tools.
fn compare(games: &[&str], list: &str, expected_games: u64) {
    let train = games.iter().map(|name| Ingredient::new(lent(name))).collect();
    let spec = DataSpec { train, validation: 0.0, filter: Filter::NONE, ..DataSpec::default() };
    let data = run(&spec).unwrap();
    assert_eq!((data.games.read, data.games.skipped.total()), (expected_games, 0));
    let lines = BufReader::new(Source::open(&lent(list)).unwrap()).lines().map(Result::unwrap);
    let mut expected: Vec<Sample> = lines.filter_map(|row| listed_sample(&row)).collect();
    assert_eq!(data.train.len(), expected.len());
    let mut ours = data.train.to_vec();
    ours.sort_unstable_by_key(|sample| *bytemuck::cast_ref::<_, [u8; 32]>(sample));
    expected.sort_unstable_by_key(|sample| *bytemuck::cast_ref::<_, [u8; 32]>(sample));
    for (ours, theirs) in ours.iter().zip(&expected) {
        assert_eq!(ours, theirs, "ours {:?}", ours.position.unpack().map(|p| p.fen()));
    }
}

/// Row of FEN, move, White's score, White's result. The lists also have final
/// positions, in which no move (`-`) was played.
fn listed_sample(row: &str) -> Option<Sample> {
    let fields: Vec<&str> = row.split('\t').collect();
    if fields[1] == "-" {
        return None;
    }
    let position = Position::from_fen(fields[0]).unwrap();
    // Some engines have written scores beyond 32 bits.
    let saturated = |text: &str| {
        text.parse().unwrap_or(if text.starts_with('-') { i32::MIN } else { i32::MAX })
    };
    let white_score = match fields[2].strip_prefix('#') {
        Some(mate) => Score::Mate(saturated(mate)),
        None => Score::Centipawns(saturated(fields[2])),
    };
    let white_result: f64 = fields[3].parse().unwrap();
    let white = position.turn().is_white();
    Some(Sample {
        position: PackedPosition::pack(&position).unwrap(),
        score: white_score.seen_by(position.turn()).to_i16(),
        result: (2.0 * if white { white_result } else { 1.0 - white_result }) as u8,
        played: 0,
    })
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn lichess_games_agree_with_an_outside_list() {
    compare(&["games/lichess_gm_evals.pgn.zst"], "samples/lichess_gm_scored.tsv.zst", 7_854);
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn tcec_games_agree_with_an_outside_list() {
    let games = ["games/tcec_std.pgn.zst", "games/tcec_frc.pgn.zst"];
    compare(&games, "samples/tcec_scored.tsv.zst", 23_820);
}

#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn other_variants_are_refused() {
    let others = lent("games/lichess_other_variants.pgn.zst");
    let chess960 = lent("games/lichess_chess960.pgn.zst");
    let data = run(&DataSpec {
        train: [others, chess960.clone()].map(Ingredient::new).into(),
        ..spec(&chess960)
    })
    .unwrap();
    assert_eq!(data.games.skipped.count(Defect::Variant), 123);
    assert_eq!((data.games.skipped.total(), data.games.read), (123, 358));
}

/// The scored list is the same, in the same order, as an EPD list of its first
/// positions made by other tools.
#[test]
#[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
fn a_list_of_real_positions_is_read_whole() {
    let scored = lent("samples/quiet_scored.txt.zst");
    let all = DataSpec { filter: listed(), validation: 0.0, ..spec(&scored) };
    let data = run(&all).unwrap();
    assert_eq!((data.listed.read, data.listed.skipped.total()), (700_000, 0));
    assert_eq!((data.kept(), data.dropped.total()), (700_000, 0), "it was made of quiet positions");
    // Counted with awk: 0.0, 0.5 and 1.0 for White; Black to move in 349,912 lines.
    let white_points = |sample: &Sample| match sample.position.turn() {
        Color::White => sample.result,
        Color::Black => 2 - sample.result,
    };
    let results = [0, 1, 2].map(|r| data.train.iter().filter(|s| white_points(s) == r).count());
    assert_eq!(results, [161_902, 298_312, 239_786]);
    assert_eq!(data.train.iter().filter(|s| s.position.turn().is_black()).count(), 349_912);
    // Lines 1, 350,000 and 700,000: the first two with Black to move.
    for (line, fen, score, result) in [
        (1, "1r5k/5pqn/1p1R4/1Pp2P2/8/6N1/1bQ2PP1/4B1K1 b - - 0 38", -237, 0),
        (350_000, "2r2rk1/1p2n1pp/p2p4/4pq2/8/1P3P2/PBPQ2PP/1K1R3R b - - 1 19", -112, 0),
        (700_000, "r4r2/2p1k3/3p1p2/p1pPp3/P1P1P1b1/1PB3Pp/5R1P/4R1K1 w - - 10 46", -59, 1),
    ] {
        let sample = &data.train[line - 1];
        assert_eq!(sample.position.unpack().unwrap().fen(), fen);
        assert_eq!((sample.score, sample.result), (score, result), "line {line}");
    }

    let epd = lent("samples/quiet_c9_100k.epd.zst");
    let unscored = Filter { unscored: true, ..listed() };
    let epd = run(&DataSpec {
        filter: unscored,
        ..DataSpec { train: vec![Ingredient::new(epd)], ..all }
    })
    .unwrap();
    assert_eq!((epd.listed.read, epd.kept(), epd.listed.skipped.total()), (100_000, 100_000, 0));
    for (line, (listed, scored)) in epd.train.iter().zip(&data.train).enumerate() {
        assert_eq!(listed.position.board(), scored.position.board(), "line {}", line + 1);
        assert_eq!((listed.score, listed.result), (Sample::NO_SCORE, scored.result));
    }
}
