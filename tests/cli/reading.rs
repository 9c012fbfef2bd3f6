//! Files as other programs write them, with their habits and their faults.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Answer, OPLUS, PUZZLES, Workdir, epd_line, games, listed};

/// A file as `pzstd` writes it: a frame to skip, which says how long the next one is, then
/// that one.
fn pzstd(content: &[u8]) -> Vec<u8> {
    let halves = content.split_at(content.len() / 2);
    let frames = [halves.0, halves.1].map(|half| zstd::encode_all(half, 3).unwrap());
    let skippable = |frame: &Vec<u8>| {
        let length = frame.len() as u32;
        [&b"\x50\x2a\x4d\x18\x04\x00\x00\x00"[..], &length.to_le_bytes()].concat()
    };
    frames.iter().flat_map(|frame| [skippable(frame), frame.clone()].concat()).collect()
}

/// A file, and the same with `.zst` behind its name.
fn with_packed(work: &Workdir, name: &str) -> Vec<u8> {
    let packed = pzstd(&std::fs::read(work.path().join(name)).unwrap());
    std::fs::write(work.path().join(format!("{name}.zst")), &packed).unwrap();
    packed
}

fn done(work: &Workdir, args: &[&str]) -> Answer {
    let answer = work.run(args);
    assert_eq!(answer.code, 0, "{args:?}: {}{}", answer.out, answer.err);
    answer
}

/// What `data inspect --json` says of a file, its size aside.
fn inspected(answer: &Answer) -> Value {
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let mut found: Value = serde_json::from_str(&answer.out).unwrap();
    found.as_object_mut().unwrap().remove("bytes");
    found
}

#[test]
fn games_and_lists_are_read_behind_a_frame_to_skip() {
    let work = Workdir::new();
    let viri = zstd::decode_all(&std::fs::read(games()).unwrap()[..]).unwrap();
    std::fs::write(work.path().join("a.vf"), viri).unwrap();
    for name in ["a.pgn", "a.oarc", "a.txt", "a.data"] {
        done(&work, &["data", "convert", games().to_str().unwrap(), name]);
    }
    work.file("a.epd", &listed(epd_line));
    for name in ["a.vf", "a.pgn", "a.oarc", "a.txt", "a.data", "a.epd"] {
        let packed = with_packed(&work, name);
        let zst = &format!("{name}.zst");
        let inspect = |file: &str| inspected(&done(&work, &["data", "inspect", file, "--json"]));
        let plain = inspect(name);
        assert!(plain["positions"].as_u64() > Some(2_000), "{plain}");
        assert_eq!(inspect(zst), plain);
        done(&work, &["data", "check", zst]);
        let input = format!("stdin.{}", name.trim_start_matches("a."));
        let input = if matches!(name, "a.vf" | "a.data" | "a.epd") { &input } else { "-" };
        let read = work.run_with(&["data", "inspect", input, "--json"], packed);
        assert_eq!(inspected(&read), plain, "{name} on standard input");
    }
}

#[test]
fn books_and_puzzles_are_read_behind_a_frame_to_skip() {
    let work = Workdir::new();
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    work.file("book.epd", &format!("{board} id \"x\";\n"));
    with_packed(&work, "book.epd");
    let opening = ["--openings", "book.epd.zst", "--games", "2", "--nodes", "20", "--pgn", "g.pgn"];
    done(&work, &[&["match", "pesto", "material"][..], &opening].concat());
    let pgn = std::fs::read_to_string(work.path().join("g.pgn")).unwrap();
    assert_eq!(pgn.matches(&format!("[FEN \"{board} 0 1\"]")).count(), 2, "{pgn}");

    work.file("puzzles.csv", PUZZLES);
    with_packed(&work, "puzzles.csv");
    let solve = |file| done(&work, &["puzzles", "solve", file, "--player", "material", "--json"]);
    let solved = |file| {
        let answer: Value = serde_json::from_str(&solve(file).out).unwrap();
        answer["puzzles"].clone()
    };
    assert_eq!(solved("puzzles.csv.zst"), solved("puzzles.csv"));

    work.file("suite.epd", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8; id \"a.1\";\n");
    with_packed(&work, "suite.epd");
    // A suite without a question that can be read is an error.
    done(&work, &["puzzles", "epd", "suite.epd.zst", "--player", "material"]);
}

#[test]
fn zero_bytes_behind_the_last_frame_cost_nothing() {
    let work = Workdir::new();
    let mut packed = zstd::encode_all(&b"[Event \"?\"]\n\n1. e4 e5 *\n"[..], 1).unwrap();
    packed.extend([0; 16]);
    std::fs::write(work.path().join("a.pgn.zst"), packed).unwrap();
    let reply = done(&work, &["data", "convert", "a.pgn.zst", "b.pgn"]);
    assert!(reply.out.contains("read: 1 games, 2 positions"), "{}", reply.out);
}

/// A PGN after a conversion: its games again, and the messages.
fn converted(text: &[u8]) -> (String, Answer) {
    let work = Workdir::new();
    std::fs::write(work.path().join("a.pgn"), text).unwrap();
    let answer = work.run(&["data", "convert", "a.pgn", "b.pgn"]);
    (std::fs::read_to_string(work.path().join("b.pgn")).unwrap_or_default(), answer)
}

/// Whether a line says how far a conversion is, and finds no fault.
fn is_progress(line: &str) -> bool {
    line.starts_with("converting ")
}

#[test]
fn a_blank_line_inside_a_game_does_not_part_it() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let tags = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Result \"0-1\"]\n\n");
    for moves in [
        "{From the third move on.}\n\n3. d4 d6 4. Nc3 Nf6 0-1",
        "3. d4 d6\n\n4. Nc3 Nf6 0-1",
        "3. d4 d6 4. Nc3 Nf6\n\n0-1",
    ] {
        let (pgn, answer) = converted(format!("{tags}{moves}\n\n{tags}3. a3 0-1\n").as_bytes());
        assert!(answer.out.contains("read: 2 games, 5 positions"), "{}", answer.out);
        assert!(answer.err.lines().all(is_progress), "{moves}: {}", answer.err);
        assert!(pgn.contains(&format!("[FEN \"{fen}\"]\n\n3. d4 d6 4. Nc3 Nf6 0-1")), "{pgn}");
    }
}

#[test]
fn moves_that_are_not_the_next_are_no_game() {
    let tagged = |moves: &str| format!("[Event \"?\"]\n\n{moves} *\n");
    let first = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6";
    for moves in [
        first.replace(" 2. Nf3 Nc6", ""),
        first.replace("1. e4 e5 ", ""),
        first.replace("Nf3 Nc6 3. ", ""),
        first.replace(" 4. Ba4", " 4. Ba4 5. d6"),
    ] {
        for text in [tagged(&moves), format!("{moves} *\n")] {
            let (pgn, answer) = converted(text.as_bytes());
            assert_eq!((answer.code, &*pgn), (1, ""), "{moves}: {}", answer.out);
            answer.assert_shows(&["1 contradicting itself", "moves are missing before it"]);
        }
    }
    let (_, answer) = converted(b"[Event \"?\"]\n\n1. e4 0-1\n\n*\n[Event \"?\"]\n\n1. d4 1-0\n");
    assert!(answer.out.contains("read: 2 games"), "{}", answer.out);
    answer.assert_shows(&["line 5: neither tags nor moves"]);
    let (_, answer) = converted(tagged("1. e4 e5 2. 0000").as_bytes());
    answer.assert_shows(&["1 illegal move", "0000"]);
}

#[test]
fn games_from_a_position_count_from_any_number_on() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let game = |moves: &str| format!("[FEN \"{fen}\"]\n\n{moves} *\n");
    for (moves, games) in [("1. d4 d6 2. Nc3", 1), ("3. d4 d6 4. Nc3", 1), ("1. d4 d6 4. Nc3", 0)] {
        let (_, answer) = converted(game(moves).as_bytes());
        let reply = format!("read: {games} games");
        assert_eq!(answer.out.contains(&reply), games > 0, "{moves}: {}", answer.out);
    }
}

#[test]
fn spellings_of_other_programs_are_read() {
    for (text, moves) in [
        (&b"1. e4 D e5 TN 2. Nf3 N"[..], "1. e4 e5 2. Nf3"),
        (b"1. e2-e4 e7-e5 2. g1f3 Nb8-c6 3. Bf1-b5", "2. Nf3 Nc6 3. Bb5"),
        (b"1. e2e4 e7e5 2. g1f3 g8f6 3. f1c4 f8c5 4. o-o e8g8", "Bc4 Bc5 4. O-O O-O"),
        ("1. e4 e5 2. ♘f3".as_bytes(), "1. e4 e5 2. Nf3"),
        (b"1. f3 e5 2. g4 Qh4 mate", "2. g4 Qh4#"),
        (b"1. e4 {M\xfcnchen \x96} e5 \xb1 2. Nf3", "1. e4 e5 2. Nf3"),
    ] {
        let game = [b"[Event \"M\xfcnchen\"]\n\n", text, b" *\n"].concat();
        let (pgn, answer) = converted(&game);
        assert!(answer.err.lines().all(is_progress), "{}", answer.err);
        assert!(pgn.contains(moves), "{moves}: {pgn}");
    }
    let fen = "[FEN \"7k/P7/8/8/8/8/p7/7K w - - 0 1\"]\n\n";
    for promotion in ["a8Q+", "a8(Q)+", "a8/Q+", "a8=q+", "a7a8q"] {
        let (pgn, _) = converted(format!("{fen}1. {promotion} Kg7 *\n").as_bytes());
        assert!(pgn.contains("1. a8=Q+ Kg7"), "{promotion}: {pgn}");
    }
    for (end, result) in
        [(&b"1:0"[..], "1-0"), (b"\xbd-\xbd", "1/2-1/2"), (b"1/2\x961/2", "1/2-1/2")]
    {
        let (pgn, _) = converted(&[b"1. e4 e5 ", end, b"\n"].concat());
        assert!(pgn.contains(&format!("1. e4 e5 {result}")), "{pgn}");
    }
}

/// The scores of a game, as lines of text have them.
fn scores(game: &str) -> Vec<String> {
    let work = Workdir::new();
    work.file("a.pgn", game);
    done(&work, &["data", "convert", "a.pgn", "a.txt"]);
    let text = std::fs::read_to_string(work.path().join("a.txt")).unwrap();
    text.lines().map(|line| line.split(" | ").nth(1).unwrap().to_owned()).collect()
}

#[test]
fn mates_in_comments_of_movers_are_plies_where_that_can_be() {
    let game = |mates: [&str; 3]| {
        let [a, b, c] = mates.map(|mate| format!("{{{mate}/12 0.050s}}"));
        let fen = "7k/8/5K2/8/8/8/1R6/8 w - - 0 1";
        format!("[FEN \"{fen}\"]\n[Result \"1-0\"]\n\n1. Kf7 {a} Kh7 {b} 2. Rh2# {c} 1-0\n")
    };
    assert_eq!(scores(&game(["+M3", "-M2", "+M1"])), ["31998", "31999", "31999"]);
    assert_eq!(scores(&game(["+M2", "-M1", "+M1"])), ["31998", "31999", "31999"]);
}

#[test]
fn comments_of_openbench_are_scores() {
    let game = "[Result \"1-0\"]\n\n1. e4 {+0.31} e5 {-0.25} 2. Nf3 {+0.30 96/4 16 35602} \
                Nc6 {-0.22 12/9 20 40000} 3. Bb5 {+M3} a6 {unknown} 1-0\n";
    assert_eq!(scores(game), ["31", "25", "30", "22", "31998"]);
}

#[test]
fn marks_in_the_place_of_scores_are_no_scores() {
    let work = Workdir::new();
    let line = |score: &str| format!("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1 | {score} | 1.0\n");
    let marks = ["32002", "-32002", "-32768", "32767", "-32001"];
    work.file("a.txt", &marks.map(line).concat());
    let found = inspected(&done(&work, &["data", "inspect", "a.txt", "--json"]));
    assert_eq!((found["unscored"].as_u64(), found["mates"].as_u64()), (Some(5), Some(0)));
}

#[test]
fn counters_of_an_epd_may_be_operations() {
    let work = Workdir::new();
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let lines =
        ["hmvc 3; fmvn 20; c9 \"1-0\";", "c9 \"1-0\"; fmvn 20; hmvc 3;", "3 20 c9 \"1-0\";"];
    for line in lines {
        work.file("a.epd", &format!("{board} {line}\n"));
        let head = done(&work, &["data", "head", "a.epd"]);
        assert!(head.out.contains(&format!("{board} 3 20")), "{line}: {}", head.out);
    }
    work.file("bad.epd", &format!("{board} hmvc many;\n"));
    let bad = work.run(&["data", "check", "bad.epd"]);
    assert!(bad.code == 1 && bad.out.contains("many 1"), "{}", bad.out);

    work.file("book.epd", &format!("{board} hmvc 96; fmvn 60;\n"));
    let match_ = ["match", "material", "pesto", "--openings", "book.epd", "--games", "2"];
    done(&work, &[&match_[..], &["--nodes", "20", "--pgn", "g.pgn"]].concat());
    let pgn = std::fs::read_to_string(work.path().join("g.pgn")).unwrap();
    assert!(pgn.contains(&format!("[FEN \"{board} 96 60\"]")), "{pgn}");
}

#[cfg(unix)]
#[test]
fn pipes_are_read_wherever_a_file_is_read_once() {
    let work = Workdir::new();
    work.file("a.pgn", "[Event \"?\"]\n\n1. e4 e5 *\n");
    let piped = |args: &str| {
        let mut cat = Command::new("cat");
        let cat = cat.arg(work.path().join("a.pgn")).stdout(Stdio::piped());
        let mut cat = cat.spawn().unwrap();
        let mut command = work.command(&args.split(' ').collect::<Vec<_>>());
        let output = command.stdin(cat.stdout.take().unwrap()).output().unwrap();
        cat.wait().unwrap();
        Answer::from(output)
    };
    for command in ["inspect", "check", "head", "stats"] {
        let answer = piped(&format!("data {command} /dev/stdin"));
        assert_eq!(answer.code, 0, "{command}: {}{}", answer.out, answer.err);
    }
    for command in ["data dedup /dev/stdin b.pgn", "train H --data /dev/stdin --out net"] {
        let answer = piped(command);
        assert_ne!(answer.code, 0, "{}", answer.out);
        answer.assert_shows(&["can be read once"]);
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_written_as_they_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let work = Workdir::new();
    work.file("a.pgn", "[Event \"?\"]\n\n1. e4 e5 *\n");
    let name = std::ffi::OsStr::from_bytes(b"o\xff.oarc");
    let mut command = Command::new(OPLUS);
    command.current_dir(work.path()).args(["data", "convert", "a.pgn"]).arg(name);
    let answer = Answer::from(command.output().unwrap());
    assert_eq!(answer.code, 0, "{}", answer.err);
    let mut command = Command::new(OPLUS);
    let read = command.current_dir(work.path()).args(["data", "check"]).arg(name).output().unwrap();
    assert!(Answer::from(read).out.contains(": 1 sound, 0 defects"));
}

#[test]
fn counts_that_no_match_has_are_refused() {
    let work = Workdir::new();
    let most = u64::MAX.to_string();
    for counts in [
        ["elo", "--pairs", &most, "1", "1", "1", "1"],
        ["elo", "--pairs", "0", "0", "9223372036854775807", "0", "9223372036854775807"],
    ] {
        let answer = work.run(&counts);
        assert_eq!(answer.code, 2, "{}", answer.out);
        answer.assert_shows(&["is not in 0..=1000000000000"]);
    }
    let answer = work.run(&["elo", "--games", &most, "1", "0"]);
    assert_eq!(answer.code, 2, "{}", answer.out);
    let largest = "1000000000000";
    let answer = done(&work, &["elo", "--pairs", largest, "0", "0", "0", largest]);
    assert!(answer.out.contains("50.00 %"), "{}", answer.out);
}
