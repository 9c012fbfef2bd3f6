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
    assert!(message.ends_with("a.pgn: game 2, line 5: the variant is `Atomic`; chess and Chess960 are read"), "{message}");
}

#[test]
fn quiet_drops_captures_and_mates() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a.pgn", TWO_GAMES);
    let quiet = DataSpec { filter: Filter::QUIET, validation: 0.0, ..spec(&path) };
    let data = run(&quiet).unwrap();
    assert_eq!(data.train.iter().map(|s| s.score).collect::<Vec<_>>(), [-30, -20]);
    assert_eq!(data.dropped.to_string(), "2 without a score, 1 with a mate or large score, 2 where a capture or promotion was played");
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

    let missing = DataSpec { train: vec![good.clone(), folder.path().join("no.pgn")], ..spec(&good) };
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

/// Every score the loader gives to a real file, against a list made by other tools.
#[test]
#[ignore = "needs ../shared/data; run with --ignored"]
fn real_games_agree_with_an_outside_list() {
    let open = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/open");
    let games = open.join("games/lichess_gm_evals.pgn.zst");
    let list = open.join("samples/lichess_gm_scored.tsv.zst");
    assert!(games.exists() && list.exists(), "provide {} and {}", games.display(), list.display());

    let data = run(&DataSpec { validation: 0.0, ..spec(&games) }).unwrap();
    assert_eq!((data.games, data.skipped.total()), (7_854, 0));
    let lines = BufReader::new(Source::open(&list).unwrap()).lines().map(Result::unwrap);
    // The list also has final positions, in which no move was played.
    let mut rows = lines.filter(|line| line.split('\t').nth(1) != Some("-"));
    for (i, sample) in data.train.iter().enumerate() {
        let row = rows.next().unwrap();
        let fields: Vec<&str> = row.split('\t').collect();
        let position = Position::from_fen(fields[0]).unwrap();
        let white_score = match fields[2].strip_prefix('#') {
            Some(mate) => Score::Mate(mate.parse().unwrap()),
            None => Score::Centipawns(fields[2].parse().unwrap()),
        };
        let white_result: f64 = fields[3].parse().unwrap();
        let turn = position.turn();
        let result = if turn.is_white() { white_result } else { 1.0 - white_result };
        assert_eq!(sample.position, PackedPosition::pack(&position).unwrap(), "row {i}: {row}");
        assert_eq!(sample.score, white_score.seen_by(turn).to_i16(), "row {i}: {row}");
        assert_eq!(f64::from(sample.result) / 2.0, result, "row {i}: {row}");
    }
    assert_eq!(rows.next(), None);
}
