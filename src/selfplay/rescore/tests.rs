//! Annotators that behave and annotators that do not, the latter as scripts of the shell.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;
use chess::{Move, Position};
use data::{Entry, EntryReader, Game, GameResult, Score, Share};

/// Games in which every move is a pawn's and the knights stay at home.
const GAMES: &str = "\
1. e4 { [%eval 0.31] } e5 { [%eval 0.25] } 2. d4 d5 1-0

1. d4 d5 2. c4 c5 3. a3 a6 1/2-1/2

1. c4 c5 2. a4 a5 0-1

1. a4 a5 2. c4 c5 3. e3 e6 1-0
";

/// A folder with the games and the rescored files.
struct Work {
    folder: tempfile::TempDir,
    from: Vec<PathBuf>,
}

impl Work {
    fn new() -> Self {
        Self::with("games.pgn", GAMES)
    }

    fn with(name: &str, content: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = vec![folder.path().join(name)];
        std::fs::write(&from[0], content).unwrap();
        Self { folder, from }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn make(
        &self,
        name: &str,
        annotator: &Annotator,
        request: &LabelRequest,
        threads: usize,
    ) -> Result<SessionOutcome<Rescored>, RescoreError> {
        self.make_until(name, annotator, request, threads, u64::MAX)
    }

    /// Stops after `enough` labelled entries.
    fn make_until(
        &self,
        name: &str,
        annotator: &Annotator,
        request: &LabelRequest,
        threads: usize,
        enough: u64,
    ) -> Result<SessionOutcome<Rescored>, RescoreError> {
        let stop = AtomicBool::new(false);
        let (path, layout) = (self.path(name), Layout::default());
        let file = RescoreFile {
            from: &self.from,
            path: &path,
            layout: &layout,
            request,
            annotator,
            tables: None,
            threads,
            start: Start::Resume,
        };
        file.make(&mut StopAfter { enough, stop: &stop }, &stop)
    }

    fn games(&self, name: &str) -> Vec<Game> {
        games(&self.path(name))
    }
}

/// Raises the stop flag after `enough` labelled games.
struct StopAfter<'s> {
    enough: u64,
    stop: &'s AtomicBool,
}

impl Observer for StopAfter<'_> {
    fn begin(&mut self, _: &str, _: u64, _: &'static str) {}
    fn advance(&mut self, _: u64, note: &str) {
        let games = note.split_once(" games").and_then(|(games, _)| games.parse().ok());
        if let Some(games) = games {
            self.stop.store(self.enough <= games, Ordering::Relaxed);
        }
    }
    fn end(&mut self, _: &str) {}
    fn warn(&mut self, _: &str) {}
}

fn games(path: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    let mut reader = EntryReader::open(path).unwrap();
    while let Some(batch) = reader.next_batch(|entry| entry).unwrap() {
        for entry in batch {
            let Entry::Game(game) = entry.unwrap() else { panic!("a game") };
            games.push(game);
        }
    }
    games
}

fn everything() -> LabelRequest {
    LabelRequest { filter: Filter::NONE, merge: Merge::Replace, shard: Shard::ALL }
}

fn own(effort: LabelEffort) -> Annotator {
    Annotator::Own { evaluation: arena::contender::Evaluation::Pesto, effort }
}

fn nodes(nodes: u64) -> LabelEffort {
    LabelEffort::Nodes(nodes.try_into().unwrap())
}

/// Part of a script that answers correctly: a score in centipawns as high as the text of the
/// position is long.
const ANSWERS: &str = r#"case "$position" in *" b "*) best=g8f6;; *) best=g1f3;; esac
    echo "info depth 1 score cp ${#position} nodes 7"; echo "bestmove $best""#;

/// An engine that is a script, which lies in a folder as long as it is needed.
struct Mock {
    annotator: Annotator,
    _folder: tempfile::TempDir,
}

impl std::ops::Deref for Mock {
    type Target = Annotator;

    fn deref(&self) -> &Annotator {
        &self.annotator
    }
}

/// An engine that does `go` for a `go`, tried out.
fn script(go: &str) -> Result<Mock, AnnotatorError> {
    let script = format!(
        r#"position=
        while read -r line; do case "$line" in
            uci) echo "id name mock"; echo uciok;;
            isready) echo readyok;;
            position*) position="$line";;
            go*) {go};;
            quit) exit 0;;
        esac; done"#
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("engine.sh");
    std::fs::write(&path, script).unwrap();
    let (command, stop) = (format!("uci:sh {}", path.display()), AtomicBool::new(false));
    Annotator::new(&command, nodes(50), Vec::new(), Duration::from_secs(2), &stop)
        .map(|annotator| Mock { annotator, _folder: folder })
}

fn engine(annotator: &Annotator) -> &annotator::EngineAnnotator {
    match annotator {
        Annotator::Engine(engine) => engine,
        Annotator::Own { .. } => panic!("an engine"),
    }
}

/// The score that [`ANSWERS`] gives to a position of [`GAMES`], from White's side.
fn as_answered(position: &Position) -> Score {
    let line = match position.fen() == Position::default().fen() {
        true => "position startpos".to_owned(),
        false => format!("position fen {position}"),
    };
    Score::Centipawns(line.len() as i32).seen_by(position.turn())
}

fn check_as_answered(game: &Game) {
    let mut position = game.start.clone();
    for m in &game.moves {
        assert_eq!(m.white_score, Some(as_answered(&position)), "{position}");
        position.play(m.played);
    }
}

fn moves(game: &Game) -> Vec<Move> {
    game.moves.iter().map(|m| m.played).collect()
}

#[test]
fn scores_are_the_engines_and_games_stay_games() {
    let work = Work::new();
    let annotator = script(ANSWERS).unwrap();
    assert!(engine(&annotator).takes_ahead);
    let made = match work.make("out.oarc", &annotator, &everything(), 2).unwrap() {
        SessionOutcome::Finished(made, throughput) => {
            assert_eq!(throughput.positions, 20);
            made
        }
        other => panic!("{other:?}"),
    };
    let expected = Rescored { entries: 4, positions: 20, judged: 20, ..Rescored::default() };
    assert_eq!(made, expected);
    let (before, after) = (games(&work.from[0]), work.games("out.oarc"));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((moves(before), before.result), (moves(after), after.result));
        check_as_answered(after);
    }
    // The file is complete, and its record has the same settings.
    let again = work.make("out.oarc", &annotator, &everything(), 1).unwrap();
    assert_eq!(again, SessionOutcome::Complete(made));
    let others = LabelRequest { merge: Merge::KeepPlayed, ..everything() };
    let error = work.make("out.oarc", &annotator, &others, 1).unwrap_err().to_string();
    assert!(error.contains("played was replaced, now it is kept"), "{error}");
}

#[test]
fn the_file_is_the_same_with_any_threads_stops_and_shards() {
    let work = Work::new();
    let mock = script(ANSWERS).unwrap();
    for annotator in [&own(nodes(300)), &*mock] {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, shard: &str, threads| {
            let request = LabelRequest { shard: shard.parse().unwrap(), ..everything() };
            work.make(name, annotator, &request, threads).unwrap();
            std::fs::rename(work.path(name), folder.path().join(name)).unwrap();
            games(&folder.path().join(name))
        };
        let text = |games: &[Game]| -> Vec<String> {
            games.iter().map(|game| format!("{:?} {:?}", game.moves, game.result)).collect()
        };
        let whole = text(&make("whole.viri", "1/1", 1));
        assert_eq!(whole, text(&make("threads.viri", "1/1", 3)));
        let parts = ["1/3", "2/3", "3/3"]
            .map(|shard| text(&make(&format!("{}.viri", shard.replace('/', "-")), shard, 2)));
        assert_eq!(whole, parts.concat());
        let mut sessions = 0;
        while let SessionOutcome::Stopped(made) =
            work.make_until("stopped.viri", annotator, &everything(), 1, sessions + 1).unwrap()
        {
            sessions += 1;
            assert!(made.entries >= sessions && sessions < 9, "{made:?}");
        }
        assert!(sessions > 1);
        let bytes = |path: &Path| std::fs::read(path).unwrap();
        let made = bytes(&work.path("stopped.viri"));
        assert_eq!(made, bytes(&folder.path().join("whole.viri")));
        for name in ["stopped.viri", "stopped.viri.rescore.json"] {
            std::fs::remove_file(work.path(name)).unwrap();
        }
    }
}

#[test]
fn only_selected_positions_get_labels() {
    let work = Work::new();
    let annotator = own(LabelEffort::Static);
    let late = LabelRequest {
        filter: "{ base = \"none\", min_ply = 2 }".parse().unwrap(),
        ..everything()
    };
    work.make("late.oarc", &annotator, &late, 1).unwrap();
    for game in work.games("late.oarc") {
        assert!(game.moves.iter().zip(0..).all(|(m, ply)| m.white_score.is_some() == (ply >= 2)));
    }
    let missing = LabelRequest { merge: Merge::KeepPlayed, ..everything() };
    let outcome = work.make("missing.oarc", &annotator, &missing, 1).unwrap();
    assert!(
        matches!(
            outcome,
            SessionOutcome::Finished(Rescored { judged: 18, .. }, Throughput { positions: 18, .. })
        ),
        "{outcome:?}"
    );
    let game = &work.games("missing.oarc")[0];
    // In PGN a score stands behind the move that led to its position.
    assert_eq!(game.moves[1].white_score, Some(Score::Centipawns(31)));
    assert!(game.moves.iter().all(|m| m.white_score.is_some()));
    let none = LabelRequest { filter: "{ min_ply = 90 }".parse().unwrap(), ..everything() };
    let error = work.make("none.oarc", &annotator, &none, 1).unwrap_err().to_string();
    assert!(error.contains("4 games") && error.contains("--filter"), "{error}");
    // Another filter may be given then, without more ado.
    assert!(!work.path("none.oarc.journal").exists());
}

#[test]
fn scores_can_be_mixed() {
    let work = Work::new();
    let merge = Merge::Blend(Share::try_from(0.5).unwrap());
    let annotator = script(ANSWERS).unwrap();
    work.make("mixed.oarc", &annotator, &LabelRequest { merge, ..everything() }, 1).unwrap();
    let game = &work.games("mixed.oarc")[0];
    let after_e4 = game.start.after(game.moves[0].played);
    let Score::Centipawns(answered) = as_answered(&after_e4) else { panic!("centipawns") };
    let mixed = (f64::from(31 + answered) / 2.0).round() as i32;
    assert_eq!(game.moves[1].white_score, Some(Score::Centipawns(mixed)));
}

#[test]
fn lists_of_positions_are_judged_too() {
    let fens = [
        "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KQ2 b - - 0 1",
        // No move is left to judge by.
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ];
    let lines: String = fens.iter().map(|fen| format!("{fen} | 7 | 1.0\n")).collect();
    let work = Work::with("list.txt", &lines);
    let outcome = work.make("out.txt", &own(nodes(200)), &everything(), 1).unwrap();
    assert!(
        matches!(outcome, SessionOutcome::Finished(Rescored { judged: 2, .. }, ..)),
        "{outcome:?}"
    );
    let text = std::fs::read_to_string(work.path("out.txt")).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    for line in text.lines() {
        let score: i32 = line.split(" | ").nth(1).unwrap().parse().unwrap();
        assert!(score > 500, "{line}");
    }
    // A shard may have no position with a score.
    let last = LabelRequest { shard: "3/3".parse().unwrap(), ..everything() };
    let outcome = work.make("last.txt", &own(nodes(200)), &last, 1).unwrap();
    assert!(
        matches!(outcome, SessionOutcome::Finished(Rescored { entries: 1, judged: 0, .. }, ..)),
        "{outcome:?}"
    );
}

#[test]
fn labels_that_a_format_cannot_hold_are_not_lost() {
    let work = Work::with("list.txt", "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1 | 7 | 1.0\n");
    let annotator = own(LabelEffort::Static);
    let error = work.make("out.viri", &annotator, &everything(), 1).unwrap_err();
    assert!(matches!(error, RescoreError::ListIntoGames { .. }), "{error}");
    // A record of Stockfish needs the move played, which the list has not.
    let error = work.make("out.plain", &annotator, &everything(), 1).unwrap_err();
    assert!(matches!(error, RescoreError::NothingToWrite { .. }), "{error}");
    assert!(work.path("out.plain.journal").exists() && !work.path("out.plain").exists());
}

#[test]
fn an_engine_that_drops_questions_gets_them_one_by_one() {
    let forgetful = format!("timeout 0.02 cat > /dev/null; {ANSWERS}");
    let annotator = script(&forgetful).unwrap();
    assert!(!engine(&annotator).takes_ahead);
    assert!(
        annotator.warnings()[0].contains("one position at a time"),
        "{:?}",
        annotator.warnings()
    );
    let work = Work::new();
    work.make("out.oarc", &annotator, &everything(), 1).unwrap();
    work.games("out.oarc").iter().for_each(check_as_answered);
}

/// The second game has the only position like this.
const IN_THE_SECOND: &str = "*2PP4*";

#[test]
fn failed_questions_are_sent_again() {
    let marker = tempfile::tempdir().unwrap();
    let marker = marker.path().join("failed");
    let go = format!(
        r#"case "$position" in {IN_THE_SECOND}) if [ ! -e {m} ]; then touch {m}; exit 1; fi;; esac
        {ANSWERS}"#,
        m = marker.display()
    );
    let (work, annotator) = (Work::new(), script(&go).unwrap());
    let outcome = work.make("out.oarc", &annotator, &everything(), 1).unwrap();
    assert!(marker.exists());
    assert!(
        matches!(outcome, SessionOutcome::Finished(Rescored { judged: 20, .. }, ..)),
        "{outcome:?}"
    );
    work.games("out.oarc").iter().for_each(check_as_answered);
}

#[test]
fn a_game_that_kills_an_engine_stays_without_scores() {
    for failure in ["exit 1", "position=; sleep 9"] {
        let go = format!(r#"case "$position" in {IN_THE_SECOND}) {failure};; esac; {ANSWERS}"#);
        let (work, annotator) = (Work::new(), script(&go).unwrap());
        let outcome = work.make("out.oarc", &annotator, &everything(), 1).unwrap();
        let SessionOutcome::Finished(made, ..) = outcome else { panic!("{outcome:?}") };
        assert_eq!((made.judged, made.unanswered), (14, 6), "{failure}");
        let games = work.games("out.oarc");
        assert!(games[1].moves.iter().all(|m| m.white_score.is_none()));
        [0, 2, 3].iter().for_each(|&other| check_as_answered(&games[other]));
    }
}

#[test]
fn answers_that_make_no_sense_are_no_scores() {
    let illegal = r#"echo "info score cp 5"; echo "bestmove e7e8q""#;
    let mated = ANSWERS.replace("cp ${#position}", "mate 0");
    for lies in [illegal, &mated] {
        let go = format!(r#"case "$position" in {IN_THE_SECOND}) {lies};; *) {ANSWERS};; esac"#);
        let (work, annotator) = (Work::new(), script(&go).unwrap());
        let outcome = work.make("out.oarc", &annotator, &everything(), 1).unwrap();
        let SessionOutcome::Finished(made, ..) = outcome else { panic!("{outcome:?}") };
        assert_eq!(made.unanswered, made.positions - made.judged);
        assert!((1..6).contains(&made.unanswered), "{made:?}");
        assert_eq!(work.games("out.oarc")[1].moves[3].white_score, None);
    }
}

#[test]
fn an_engine_that_fails_again_and_again_ends_the_work_and_nothing_is_lost() {
    let go = format!(r#"case "$position" in *startpos*) {ANSWERS};; *) exit 1;; esac"#);
    let (work, annotator) = (Work::new(), script(&go).unwrap());
    let error = work.make("out.oarc", &annotator, &everything(), 1).unwrap_err().to_string();
    assert!(error.contains("failed on 3 games"), "{error}");
    assert!(work.path("out.oarc.journal").exists() && !work.path("out.oarc").exists());
}

#[test]
fn games_that_an_engine_fails_on_are_many_only_if_they_are_in_a_row() {
    let bad = "1. d4 d5 2. c4 c5 *";
    let good = "1. e4 e5 *";
    let games = [bad, bad, good, bad, bad, good, bad].join("\n\n");
    let work = Work::with("games.pgn", &games);
    let annotator =
        script(&format!(r#"case "$position" in {IN_THE_SECOND}) exit 1;; esac; {ANSWERS}"#));
    let outcome = work.make("out.pgn", &annotator.unwrap(), &everything(), 1).unwrap();
    let SessionOutcome::Finished(made, ..) = outcome else { panic!("{outcome:?}") };
    assert_eq!((made.judged, made.unanswered), (4, 20));
}

#[test]
fn annotators_that_fail_are_named() {
    let failed = |mock: Result<Mock, AnnotatorError>| mock.err().unwrap().to_string();
    let error = |annotator: Result<Annotator, AnnotatorError>| annotator.err().unwrap().to_string();
    let silent = failed(script("true"));
    assert!(silent.contains("did not finish `go nodes 50` within 2 s"), "{silent}");
    let scoreless = failed(script("echo bestmove e2e4"));
    assert!(scoreless.contains("returns no score"), "{scoreless}");
    let new = |text: &str, effort, options| {
        Annotator::new(text, effort, options, Duration::from_secs(2), &AtomicBool::new(false))
    };
    assert!(error(new("sh", LabelEffort::Static, Vec::new())).contains("--nodes or --depth"));
    let option = vec![("Hash".to_owned(), "1".to_owned())];
    assert!(error(new("pesto", nodes(5), option)).contains("the bundled search"));
    assert!(error(new("no-such-engine", nodes(5), Vec::new())).contains("start failed"));
}

/// The side with a queen wins.
#[derive(Debug)]
struct Queens;

impl EndgameTable for Queens {
    fn most_pieces(&self) -> usize {
        3
    }

    fn probe(&self, position: &Position) -> Option<chess::TablebaseOutcome> {
        let queens = position.board().queens() & position.board().by_color(position.turn());
        Some(if queens.any() {
            chess::TablebaseOutcome::Win
        } else {
            chess::TablebaseOutcome::Loss
        })
    }

    fn best_moves(&self, _: &Position) -> Option<Vec<Move>> {
        None
    }
}

#[test]
fn tables_correct_results() {
    let start = Position::from_fen("4k3/8/8/8/8/8/4r3/3Q1K2 b - - 3 40").unwrap();
    let mut game = Game { start: start.clone(), moves: Vec::new(), result: Some(GameResult::Draw) };
    let mut position = start;
    for text in ["e8f8", "d1e2"] {
        let played = position.parse_uci(text).unwrap();
        game.moves.push(data::GameMove { played, white_score: None });
        position.play(played);
    }
    let request = everything();
    let task = |game: &Game| LabelTask::new(Entry::Game(game.clone()), &request);
    let result = |task: &LabelTask| match &task.entry {
        Entry::Game(game) => game.result,
        Entry::Position(listed) => listed.result,
    };
    let mut won = task(&game);
    assert!(won.correct(Some(&Queens)));
    assert_eq!(result(&won), Some(GameResult::Win(chess::Color::White)));
    // A second time there is nothing to correct.
    assert!(!won.correct(Some(&Queens)));
    // Before the capture the tables know nothing.
    game.moves.pop();
    let mut open = task(&game);
    assert!(!open.correct(Some(&Queens)) && !open.correct(None));
    assert_eq!(result(&open), Some(GameResult::Draw));
}

#[test]
fn commands_can_be_written_down() {
    let work = Work::new();
    let program = arena::contender::program("stockfish", Vec::new(), Duration::from_secs(1));
    let request = LabelRequest { shard: "1/2".parse().unwrap(), ..everything() };
    let (mut text, stop) = (Vec::new(), AtomicBool::new(false));
    let questions =
        write_commands(&work.from, &request, &program.unwrap(), nodes(9), &mut text, &stop)
            .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(questions, 10);
    assert_eq!(text.matches("go nodes 9\n").count(), 10);
    assert_eq!(text.matches("ucinewgame\n").count(), 2);
    assert!(text.contains("position startpos\n") && text.ends_with("quit\n"), "{text}");
}

/// A run folder with a job that labels the games by PeSTO's tables.
fn job(work: &Work, extension: &str) -> (plan::Plan, plan::RunDir, base::Key) {
    let mut plan = plan::Plan::default();
    let content = content_of(&work.from[0], &mut |_| {}).unwrap();
    plan.inputs.files.insert(content, work.from[0].clone());
    let rescore = Rescore {
        files: vec![content],
        player: Labeller::Own(arena::NetId::Pesto),
        effort: LabelEffort::Static,
        filter: Filter::NONE,
        merge: Merge::Replace,
        syzygy: None,
        extension: extension.to_owned(),
    };
    let key = plan.add(rescore, "scores").unwrap();
    (plan, plan::RunDir::new(work.path("runs"), None), key)
}

#[test]
fn a_job_in_shards_makes_the_file_of_one_process() {
    let work = Work::new();
    let whole = work.make("whole.pgn", &own(LabelEffort::Static), &everything(), 1).unwrap();
    let (plan, dir, key) = job(&work, "pgn");
    let planned = plan.find(key).unwrap();
    let stop = AtomicBool::new(false);
    let mut silent = base::Silent;
    let mut control = plan::Control { observer: &mut silent, stop: &stop };
    // The job itself labels the shards that no process has.
    for shard in ["1/6", "4/6"] {
        plan::run_shard(&plan, planned, shard.parse().unwrap(), &dir, &mut control).unwrap();
    }
    plan::run_all(&plan, &dir, &mut control).unwrap();
    let made = dir.results().output::<Rescored>(key).unwrap().unwrap();
    assert!(matches!(whole, SessionOutcome::Finished(whole, _) if whole == made), "{made:?}");
    let file = std::fs::read(crate::job_file(&dir, key, "pgn")).unwrap();
    assert_eq!(file, std::fs::read(work.path("whole.pgn")).unwrap());
    let names = std::fs::read_dir(&dir.folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().contains("shard")));
}
