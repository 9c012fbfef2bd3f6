//! Small files of our own, and a large real one.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::*;
use crate::chess::{PackedPosition, Position};
use crate::data::{DropRule, Score, VirifileWriter, random_game::random_game};

fn run(spec: &DataSpec) -> Result<Dataset, DataError> {
    load(spec, &mut |_| {}, &AtomicBool::new(false))
}

fn spec(path: &Path) -> DataSpec {
    DataSpec { train: vec![path.to_owned()], filter: Filter::NONE, ..DataSpec::default() }
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A file of random games.
fn random_games(folder: &tempfile::TempDir, name: &str, games: std::ops::Range<u64>) -> PathBuf {
    let path = folder.path().join(name);
    let mut writer = VirifileWriter::create(&path).unwrap();
    games.for_each(|seed| writer.write(&random_game(seed, 30)).unwrap());
    writer.finish().unwrap();
    path
}

const TWO_GAMES: &str = "\
[Result \"1-0\"]

1. e4 { [%eval 0.3] } d5 { [%eval 0.5] } 2. exd5 { [%eval 0.4] } Qxd5 { [%eval #4] } 3. Nc3 1-0

[Variant \"Atomic\"]

1. e4 *

[Result \"*\"]

1. d4 { [%eval 0.2] } d5 *
";

#[test]
fn samples_are_seen_by_the_side_to_move() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.pgn", TWO_GAMES);
    let data = run(&DataSpec { validation: 0.0, ..spec(&path) }).unwrap();
    let targets: Vec<_> = data.train.iter().map(|s| (s.score, s.result)).collect();
    // d5, exd5, Qxd5, Nc3 of the first game; d5 of the third.
    assert_eq!(targets, [(-30, 0), (50, 2), (-40, 0), (31_996, 2), (-20, Sample::UNKNOWN_RESULT)]);
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let first = Position::from_fen(fen).unwrap();
    assert_eq!(data.train[0].position, PackedPosition::pack(&first).unwrap());
    assert_eq!((data.games, data.positions_read), (2, 7));
    assert_eq!(data.dropped.count(DropRule::NoScore), 2);
    assert_eq!(data.skipped.count(GameDefect::Variant), 1);
    let message = &data.skipped.first()[0];
    assert!(
        message.ends_with(
            "a.pgn: game 2, line 5: the variant is `Atomic`; chess and Chess960 are read"
        ),
        "{message}"
    );
}

#[test]
fn quiet_drops_captures_and_mates() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.pgn", TWO_GAMES);
    let quiet = DataSpec { filter: Filter::QUIET, validation: 0.0, ..spec(&path) };
    let data = run(&quiet).unwrap();
    assert_eq!(data.train.iter().map(|s| s.score).collect::<Vec<_>>(), [-30, -20]);
    assert_eq!(
        data.dropped.to_string(),
        "2 without a score, 1 with a mate or large score, 2 where a capture or promotion was played"
    );
}

#[test]
fn a_game_stays_whole_and_finds_its_side_again() {
    let folder = tempfile::tempdir().unwrap();
    let once = random_games(&folder, "a.vf", 0..300);
    let again = random_games(&folder, "b.vf.zst", 0..300);
    let share = DataSpec { validation: 0.3, ..spec(&once) };
    let single = run(&share).unwrap();
    let double = run(&DataSpec { train: vec![once, again], ..share }).unwrap();
    assert!(single.validation_games > 50 && single.validation_games < 130);
    assert_eq!(double.validation_games, 2 * single.validation_games);
    assert_eq!(double.train, [&single.train[..], &single.train[..]].concat());
    assert_eq!(double.validation, [&single.validation[..], &single.validation[..]].concat());
    assert_ne!(single.hash(), double.hash());
}

#[test]
fn threads_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..300);
    let hash = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&spec(&path)).unwrap().hash())
    };
    assert_eq!(hash(1), hash(5));
}

#[test]
fn the_limit_counts_samples_in_file_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..50);
    let all = run(&DataSpec { validation: 0.0, ..spec(&path) }).unwrap();
    let some = run(&DataSpec { validation: 0.0, limit: Some(333), ..spec(&path) }).unwrap();
    assert_eq!(some.train[..], all.train[..333]);
    assert_eq!(some.sources, all.sources);
}

#[test]
fn progress_reaches_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..50);
    let mut last = LoadProgress::default();
    let data = load(&spec(&path), &mut |p| last = p, &AtomicBool::new(false)).unwrap();
    assert_eq!(last.bytes_read, last.bytes_total);
    assert_eq!((last.games, last.positions, last.kept), (50, data.positions_read, data.kept()));
    let stopped = load(&spec(&path), &mut |_| {}, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(DataError::Stopped)));
}

#[test]
fn errors_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let message = |spec: &DataSpec| run(spec).unwrap_err().to_string();
    let good = file(&folder, "good.pgn", TWO_GAMES);

    let missing =
        DataSpec { train: vec![good.clone(), folder.path().join("no.pgn")], ..spec(&good) };
    assert!(message(&missing).contains("no.pgn"));
    let share = DataSpec { validation: 1.0, ..spec(&good) };
    assert!(message(&share).contains("0.05"));
    assert!(message(&DataSpec::default()).contains("data.train"));

    let empty = file(&folder, "empty.pgn", "");
    assert!(message(&spec(&empty)).contains("no games in"));
    let atomic = file(&folder, "atomic.pgn", "[Variant \"Atomic\"]\n\n1. e4 *\n");
    assert!(message(&spec(&atomic)).contains("1 other variant"));
    let unscored = file(&folder, "unscored.pgn", "1. e4 e5 *");
    assert!(message(&spec(&unscored)).contains("2 without a score. The games carry no scores"));
    let unknown = file(&folder, "a.xyz", "hello");
    assert!(message(&spec(&unknown)).contains(".pgn (PGN)"));
}

/// A file lent for development; the tests that need one are ignored by default.
fn lent(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/open").join(name);
    assert!(path.exists(), "this test needs {}; provide it", path.display());
    path
}

/// The samples of real files against a list of the same games, in whatever
/// order, made by other tools.
fn compare(games: &[&str], list: &str, expected_games: u64) {
    let train = games.iter().map(|name| lent(name)).collect();
    let spec = DataSpec { train, validation: 0.0, filter: Filter::NONE, limit: None };
    let mut data = run(&spec).unwrap();
    assert_eq!((data.games, data.skipped.total()), (expected_games, 0));
    let lines = BufReader::new(Source::open(&lent(list)).unwrap()).lines().map(Result::unwrap);
    let mut expected: Vec<Sample> = lines.filter_map(|row| listed_sample(&row)).collect();
    assert_eq!(data.train.len(), expected.len());
    data.train.sort_unstable_by_key(|sample| *bytemuck::cast_ref::<_, [u8; 32]>(sample));
    expected.sort_unstable_by_key(|sample| *bytemuck::cast_ref::<_, [u8; 32]>(sample));
    for (ours, theirs) in data.train.iter().zip(&expected) {
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
        reserved: 0,
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
    let data = run(&DataSpec { train: vec![others, chess960.clone()], ..spec(&chess960) }).unwrap();
    assert_eq!(data.skipped.count(GameDefect::Variant), 123);
    assert_eq!((data.skipped.total(), data.games), (123, 358));
}
