//! Small files of our own, and large real ones.

mod cache;
mod lent;

use std::path::{Path, PathBuf};

use super::*;
use crate::formats::archive::Layout;
use crate::formats::source::Source;
use crate::formats::writer::DataWriter;
use crate::samples::filter::DropRule;
use chess::random_game::random_game;
use chess::{Color, PackedPosition, Position, Score};

pub(super) fn run(spec: &DataSpec) -> Result<Dataset, DataError> {
    load(spec, &mut |_| {}, &AtomicBool::new(false))
}

pub(super) fn spec(path: &Path) -> DataSpec {
    DataSpec { train: vec![Ingredient::new(path)], filter: Filter::NONE, ..DataSpec::default() }
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A file of random games.
pub(super) fn random_games(
    folder: &tempfile::TempDir,
    name: &str,
    games: std::ops::Range<u64>,
) -> PathBuf {
    let path = folder.path().join(name);
    let mut writer = DataWriter::create(&path, Layout::default()).unwrap();
    games.for_each(|seed| writer.write_game(&random_game(seed, 30)).unwrap());
    writer.finish().unwrap();
    path
}

#[test]
fn weights_follow_their_samples() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [0..20, 20..50, 50..60]
        .map(|seeds| random_games(&folder, &format!("{}.oarc", seeds.start), seeds));
    let alone = paths.each_ref().map(|path| run(&spec(path)).unwrap().train.len());
    let half = Weight::try_from(0.5).unwrap();
    let [a, b, c] = paths;
    let train = vec![
        Ingredient::new(a),
        Ingredient::new(b),
        Ingredient { weight: half, ..Ingredient::new(c) },
    ];
    let all = run(&DataSpec { train, ..spec(Path::new("")) }).unwrap();
    let even = Stretch { samples: alone[0] + alone[1], weight: Weight::ONE };
    assert_eq!(all.stretches, [even, Stretch { samples: alone[2], weight: half }]);
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
    assert_eq!((data.games.read, data.positions_read), (2, 7));
    assert_eq!(data.dropped.count(DropRule::NoScore), 2);
    assert_eq!(data.games.skipped.count(Defect::Variant), 1);
    let message = &data.games.skipped.first()[0];
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
        "2 without a score, 2 where a capture or promotion was played, 1 with a mate as their score"
    );
}

#[test]
fn a_game_stays_whole_and_finds_its_side_again() {
    let folder = tempfile::tempdir().unwrap();
    let once = random_games(&folder, "a.vf", 0..300);
    let again = random_games(&folder, "b.vf.zst", 0..300);
    let share = DataSpec { validation: 0.3, ..spec(&once) };
    let single = run(&share).unwrap();
    let double =
        run(&DataSpec { train: [once, again].map(Ingredient::new).into(), ..share }).unwrap();
    assert!(single.games.validating > 50 && single.games.validating < 130);
    assert_eq!(double.games.validating, 2 * single.games.validating);
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
fn a_peek_counts_samples_in_file_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..50);
    let all = run(&DataSpec { validation: 0.0, ..spec(&path) }).unwrap();
    // The limit of training samples has no effect.
    let spec = DataSpec { validation: 0.0, limit: Some(7), ..spec(&path) };
    let some = peek(&spec, 333, &AtomicBool::new(false)).unwrap();
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
    assert_eq!((last.positions, last.kept), (data.positions_read, data.kept()));
    let stopped = load(&spec(&path), &mut |_| {}, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(DataError::Stopped)));
}

#[test]
fn errors_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let message = |spec: &DataSpec| run(spec).unwrap_err().to_string();
    let good = file(&folder, "good.pgn", TWO_GAMES);

    let missing = DataSpec {
        train: [good.clone(), folder.path().join("no.pgn")].map(Ingredient::new).into(),
        ..spec(&good)
    };
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
    let lines = file(&folder, "lines.epd", "no position\n");
    let listed = DataSpec { filter: Filter { unscored: true, ..Filter::NONE }, ..spec(&lines) };
    assert!(message(&listed).contains("no positions in"), "{}", message(&listed));
    let unknown = file(&folder, "a.xyz", "hello");
    assert!(message(&spec(&unknown)).contains(".pgn (PGN)"));
}

/// Two hundred positions of random games as a list, scored by their number.
fn scored_list(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    let line = |seed: u64| {
        let game = random_game(seed, 40);
        let position = game.moves.iter().fold(game.start, |position, m| position.after(m.played));
        format!("{position} | {seed} | 0.5\n")
    };
    file(folder, name, &(0..200).map(line).collect::<String>())
}

/// Every filter that lists can serve.
fn listed() -> Filter {
    Filter { quiet_lists: true, ..Filter::QUIET }
}

#[test]
fn listed_positions_become_samples() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
4k3/8/8/8/8/8/4r3/4K3 w - - 0 20 | -900 | 0.0
4k3/8/8/8/8/8/P7/4K3 b - - 0 20 | 150 | 1.0
4k3/8/8/8/8/8/P7/4K3 w - - 0 20 | 5001 | 1.0
nonsense
";
    let path = file(&folder, "a.txt", text);
    let data = run(&DataSpec { filter: listed(), validation: 0.0, ..spec(&path) }).unwrap();
    assert_eq!(data.train.iter().map(|s| (s.score, s.result)).collect::<Vec<_>>(), [(-150, 0)]);
    assert_eq!(data.dropped.to_string(), "1 with a large score, 1 in check");
    assert_eq!((data.listed.read, data.games.read, data.positions_read), (3, 0, 3));
    assert_eq!(
        data.to_string(),
        "3 listed positions, 1 kept (1 to train, 0 to validate); dropped: 1 with a large score, \
         1 in check"
    );
    let warnings = data.warnings();
    assert!(warnings[0].starts_with("1 line skipped; the first:\n  "), "{warnings:?}");
    assert!(warnings[0].contains("a.txt: line 4: expected `FEN | score | result`"), "{warnings:?}");
}

#[test]
fn listed_positions_are_split_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let once = scored_list(&folder, "a.txt");
    let share = DataSpec { validation: 0.3, filter: listed(), ..spec(&once) };
    let single = run(&share).unwrap();
    assert!((30..90).contains(&single.listed.validating), "{}", single.listed.validating);
    assert!(single.warnings().iter().any(|w| w.contains("the validation loss is too low")));
    // Counters, castling rights and the file's name do not matter.
    let text = std::fs::read_to_string(&once).unwrap();
    let bare = text.lines().map(|line| {
        let mut fields = line.split(' ');
        let (board, turn) = (fields.next().unwrap(), fields.next().unwrap());
        format!("{board} {turn} - - |{}\n", line.split_once('|').unwrap().1)
    });
    let bare = file(&folder, "b.txt", &bare.collect::<String>());
    let other = run(&DataSpec { train: vec![Ingredient::new(bare)], ..share.clone() }).unwrap();
    let scores = |data: &Dataset| -> Vec<i16> { data.validation.iter().map(|s| s.score).collect() };
    assert_eq!(scores(&single), scores(&other));
    // Games alone are split as ever, without a warning.
    let games = random_games(&folder, "a.vf", 0..60);
    assert_eq!(
        run(&DataSpec { train: vec![Ingredient::new(games)], ..share }).unwrap().warnings(),
        [""; 0]
    );
}

/// Games, scored text and EPD together.
pub(super) fn mixed(folder: &tempfile::TempDir) -> DataSpec {
    let (games, list) = (random_games(folder, "a.vf", 0..40), scored_list(folder, "b.txt"));
    let epd = "4k3/8/8/8/8/8/P7/4K3 b - - c9 \"1-0\";\n".repeat(10);
    let train = [list, games.clone(), file(folder, "c.epd", &epd)].map(Ingredient::new).into();
    let filter = Filter { unscored: true, ..listed() };
    DataSpec { train, filter, validation: 0.3, ..spec(&games) }
}

#[test]
fn games_and_lists_mix_in_file_order() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = mixed(&folder);
    let all = run(&mixed).unwrap();
    let parts: Vec<Dataset> = (mixed.train.iter())
        .map(|path| run(&DataSpec { train: vec![path.clone()], ..mixed.clone() }).unwrap())
        .collect();
    let joined = |side: fn(&Dataset) -> &Samples| -> Vec<Sample> {
        parts.iter().flat_map(side).copied().collect()
    };
    assert_eq!(all.train, joined(|d| &d.train));
    assert_eq!(all.validation, joined(|d| &d.validation));
    assert_eq!((all.games.read, all.listed.read), (40, 210));
    assert_eq!(all.train.iter().chain(&all.validation).last().unwrap().score, Sample::NO_SCORE);

    let some = peek(&mixed, 150, &AtomicBool::new(false)).unwrap();
    assert_eq!(some.kept(), 150);
    assert!(all.train.starts_with(&some.train) && all.validation.starts_with(&some.validation));
}

#[test]
fn a_share_is_chosen_by_the_positions_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = mixed(&folder);
    let keep = |keep: f64, skip_seed| {
        let filter = Filter { keep: keep.try_into().unwrap(), skip_seed, ..mixed.filter.clone() };
        run(&DataSpec { filter, ..mixed.clone() }).unwrap()
    };
    let (all, half, less) = (keep(1.0, 0), keep(0.5, 0), keep(0.2, 0));
    let share = half.kept() as f64 / all.kept() as f64;
    assert!((0.35..0.65).contains(&share), "{share}");
    assert_eq!(half.kept() + half.dropped.count(DropRule::NotChosen), all.kept());
    assert!(
        less.train.iter().all(|sample| half.train.contains(sample)),
        "a smaller share is a part"
    );
    assert_ne!(half.hash(), keep(0.5, 1).hash());
    // The choice of kept positions is independent of the split.
    let validating = half.validation.len() as f64 / half.kept() as f64;
    assert!((0.1..0.5).contains(&validating), "{validating}");
    let of_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| keep(0.5, 0).hash())
    };
    assert_eq!(of_threads(1), of_threads(5));
}

#[test]
fn choices_are_kept_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = random_games(&folder, "a.vf", 0..600);
    let without = run(&spec(&path)).unwrap();
    let with = run(&DataSpec { choices: true, ..spec(&path) }).unwrap();
    let forced = with.dropped.count(DropRule::NoChoice);
    assert!(forced > 0 && with.kept() + forced == without.kept(), "{}", with.dropped);
    assert!(with.train.iter().chain(&with.validation).all(Sample::has_choice));
    // Other positions are the same as without.
    let bare = |sample: &Sample| Sample { played: 0, ..*sample };
    let is_forced = |s: &Sample| s.position.unpack().unwrap().legal_moves().len() == 1;
    let expected: Vec<Sample> = without.train.iter().copied().filter(|s| !is_forced(s)).collect();
    assert_eq!(with.train.iter().map(bare).collect::<Vec<_>>(), expected);
}

#[test]
fn lists_have_no_choices() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = DataSpec { choices: true, ..mixed(&folder) };
    let error = run(&mixed).unwrap_err().to_string();
    for part in ["is a list of positions", "training.method = \"pqr\"", "PGN or viriformat"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_format_without_half_move_clocks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(&folder, "a.vf", 0..5);
    let ingredients = |paths: &[&Path]| -> Vec<Ingredient> {
        paths.iter().map(|path| Ingredient::new(*path)).collect()
    };
    check_halfmoves(&ingredients(&[&games])).unwrap();
    let list = folder.path().join("b.data");
    std::fs::write(&list, [0; 32]).unwrap();
    let error = check_halfmoves(&ingredients(&[&games, &list])).unwrap_err().to_string();
    for part in ["b.data", "bulletformat", "has no half-move clocks", "`halfmoves`", "PGN"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_format_that_cannot_serve_the_filter_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(&folder, "a.vf", 0..5);
    let mixed = mixed(&folder);
    let message = |filter: Filter| {
        // Found before anything is read, though the games come first.
        let train = vec![Ingredient::new(&games), mixed.train[2].clone()];
        run(&DataSpec { train, filter, ..mixed.clone() }).unwrap_err().to_string()
    };
    let error = message(Filter::QUIET);
    for part in [
        "the filter \"quiet\" cannot be applied to",
        "c.epd` (EPD):",
        "no moves",
        "no scores",
        "filter = { base = \"quiet\", quiet_lists = true, unscored = true }",
        "filter = { base = \"quiet\", tactical = true, unscored = true }",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let late = Filter { min_ply: 8, ..mixed.filter.clone() };
    let error = message(late.clone());
    assert!(error.contains("no move numbers"), "{error}");
    let list = file(&folder, "d.txt", "4k3/8/8/8/8/8/P7/4K3 b - - | 1 | 0.5\n");
    let late = run(&DataSpec { train: vec![Ingredient::new(list)], filter: late, ..mixed.clone() })
        .unwrap_err();
    assert!(late.to_string().contains("1 of unknown ply. The positions have no move counters"));

    let silent = file(&folder, "e.epd", "4k3/8/8/8/8/8/P7/4K3 b - - bm Kd7;\n");
    let silent =
        run(&DataSpec { train: vec![Ingredient::new(silent)], ..mixed }).unwrap_err().to_string();
    assert!(silent.contains("1 with neither score nor result. Give results too"), "{silent}");
}
