//! A folder to work in, small data, and the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use oplus::chess::Color;
use oplus::data::{CandidatePosition, Game, GameReader, Sample, Score};
use tempfile::TempDir;

/// The program.
pub(crate) const OPLUS: &str = env!("CARGO_BIN_EXE_oplus");

/// Fixes the date in net files, so that those of equal runs are equal bytes.
pub(crate) const FIXED_DATE: (&str, &str) = ("SOURCE_DATE_EPOCH", "1000000000");

/// The program, run in a folder of its own.
pub(crate) struct Workdir {
    dir: TempDir,
}

impl Workdir {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file into it; its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The program with arguments, ready to run here.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(OPLUS);
        command.current_dir(self.path()).env(FIXED_DATE.0, FIXED_DATE.1).args(args);
        command
    }

    /// Runs the program; exit code, standard output, standard error.
    pub(crate) fn run(&self, args: &[&str]) -> Answer {
        Answer::from(self.command(args).output().unwrap())
    }

    /// The same with something on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Answer {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut pipe, input) = (child.stdin.take().unwrap(), input.as_ref().to_vec());
        // On a thread of its own: it may answer more than a pipe holds before all is read.
        let writer = std::thread::spawn(move || pipe.write_all(&input));
        let answer = Answer::from(child.wait_with_output().unwrap());
        // Who ends early does not read all.
        let _ = writer.join().unwrap();
        answer
    }

    /// An experiment of three small nets on the shared games.
    pub(crate) fn experiment(&self, name: &str) -> PathBuf {
        let text = EXPERIMENT.replace("GAMES", games().to_str().unwrap());
        self.file("puzzles.csv", PUZZLES);
        self.file(name, &text)
    }
}

/// The program's answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Answer {
    /// Whether the messages contain this text, wherever their lines are broken.
    pub(crate) fn shows(&self, part: &str) -> bool {
        let words: Vec<&str> = self.err.split_whitespace().filter(|&word| word != "│").collect();
        self.err.contains(part) || words.join(" ").contains(part)
    }

    /// Checks that the messages contain all of these.
    pub(crate) fn assert_shows(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.shows(part), "{part:?} is not in:\n{}", self.err);
        }
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

const EXPERIMENT: &str = r#"
name = "small"
question = "Does the main job run?"

[define]
CENTRE = "piece({d4, e4, d5, e5} * PIECES)"

[grid]
features = ["H + V", "ALL", "H + CENTRE"]
layers = ["16 -> 8 -> 1"]
seed = [1]

[data]
train = ["GAMES"]
validation = 0.2

[training]
epochs = 3
positions_per_epoch = 4_096
batch = 256
learning_rate = 2e-3

[evaluation]
reference = "ALL"
speed_rounds = 1
puzzles = { file = "puzzles.csv", nodes = 200 }
match = [{ nodes = 60, games = 6 }]
"#;

/// A mate in one and a hanging queen, in the Lichess columns.
pub(crate) const PUZZLES: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
a1,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8,600,80,90,100,mateIn1 oneMove,,
a2,3qk3/8/8/8/8/8/8/3RK3 b - - 0 1,e8f7 d1d8,,,,,hangingPiece,,
";

/// Four thousand positions of self-play, made once by the program itself.
pub(crate) fn games() -> &'static Path {
    static GAMES: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = GAMES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.viri.zst");
        let mut command = Command::new(OPLUS);
        command.args(["selfplay", "--positions", "4000", "--nodes", "100", "--out"]);
        assert!(command.arg(&path).status().unwrap().success());
        (dir, path)
    });
    path
}

/// The shared games as a list: each position in which a move was played.
pub(crate) fn listed(line: impl Fn(&CandidatePosition<'_>) -> String + Sync) -> String {
    let mut reader = GameReader::open(games()).unwrap();
    let mut text = String::new();
    let lines = |game: Game| {
        let mut lines = String::new();
        CandidatePosition::visit(&game, |candidate| lines.push_str(&line(candidate)));
        lines
    };
    while let Some(batch) = reader.next_batch(lines).unwrap() {
        text.extend(batch.into_iter().map(Result::unwrap));
    }
    text
}

/// `FEN | score | result`; mates, and that there is no score, as the format has them.
pub(crate) fn scored_line(candidate: &CandidatePosition<'_>) -> String {
    let score = candidate.white_score.map_or(Sample::NO_SCORE, Score::to_i16);
    let points = f64::from(candidate.result.unwrap().seen_by(Color::White)) / 2.0;
    format!("{} | {score} | {points:.1}\n", candidate.position)
}

/// EPD with the result in `c9`.
pub(crate) fn epd_line(candidate: &CandidatePosition<'_>) -> String {
    let fen = candidate.position.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let white_points = candidate.result.unwrap().seen_by(Color::White);
    let result = ["0-1", "1/2-1/2", "1-0"][usize::from(white_points)];
    format!("{} c9 \"{result}\";\n", fields.join(" "))
}
