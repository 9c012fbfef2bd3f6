//! The append-only log of a tournament: a line of JSON that says which
//! tournament it is, then one line for each finished game, in the order in
//! which they ended.
//!
//! Every line ends with its checksum, and one that was changed is an error. A line is written in
//! one go. If power or disk fail in the middle of one,
//! the log ends in a line without its newline; that line is cut off when the
//! log is opened again, and its game is played again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Identity, Pairing, PlayerId, TournamentConfig};
use crate::openings::Opening;
use crate::record::{GameKey, GameRecord};
use base::sealed;

/// Version of the log's format.
const FORMAT: u32 = 3;

/// A log that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("tournament log {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("tournament log {} is in use by another process; wait for it or stop it", path.display())]
    InUse { path: PathBuf },
    #[error(
        "{} is not a tournament log (its first line should be one of JSON with `tournament_log`); \
         choose another file name",
        path.display()
    )]
    NotALog { path: PathBuf },
    #[error(
        "{} is the log of another tournament: {difference}; \
         use another log file or the settings the log was begun with",
        path.display()
    )]
    OtherTournament { path: PathBuf, difference: String },
    #[error(
        "tournament log {}, line 1: {reason}; choose another log file, and the games will be played again",
        path.display()
    )]
    BadHeader { path: PathBuf, reason: String },
    #[error(
        "tournament log {}, line {line}: {reason}; delete the line and the game will be played again",
        path.display()
    )]
    BadLine {
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        reason: String,
    },
}

/// The part of the first line that every version of the format has.
#[derive(Deserialize)]
struct Version {
    tournament_log: u32,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    tournament_log: u32,
    /// BLAKE3 of the identity's JSON, hexadecimal.
    config_hash: String,
    config: Identity,
}

impl Header {
    fn new(identity: &Identity) -> Self {
        Self {
            tournament_log: FORMAT,
            config_hash: blake3::hash(to_line(identity).as_bytes()).to_hex().to_string(),
            config: identity.clone(),
        }
    }
}

/// Start and moves of an opening, as records have them.
fn as_recorded(opening: &Opening) -> (String, String) {
    (opening.start().fen(), opening.moves_uci())
}

/// An open log, locked against other processes.
#[derive(Debug)]
pub(super) struct GameLog {
    path: PathBuf,
    file: File,
}

impl GameLog {
    /// Opens or creates the log of a tournament and returns the games it
    /// holds. Games of pairs beyond the configuration's openings are left out.
    pub(super) fn open(
        path: &Path,
        config: &TournamentConfig,
        pairings: &[Pairing],
    ) -> Result<(Self, BTreeMap<GameKey, GameRecord>), LogError> {
        let mut log = Self { file: open_locked(path)?, path: path.to_owned() };
        let bytes = log.read()?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let expected = Header::new(&config.identity);
        let games = if whole > 0 {
            // What is no text has no checksum that fits either.
            let text = String::from_utf8_lossy(&bytes[..whole]);
            let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
            log.check_header(header, &expected)?;
            log.cut_after(whole)?;
            LogReader::new(path, config, pairings).read(lines)?
        } else {
            // Empty, or torn in its header; anything else is not ours to cut.
            let header = to_sealed_line(&expected);
            if !header.as_bytes().starts_with(&bytes) {
                return Err(log.not_a_log());
            }
            log.cut_after(0)?;
            log.write(&header)?;
            BTreeMap::new()
        };
        Ok((log, games))
    }

    pub(super) fn append(&mut self, record: &GameRecord) -> Result<(), LogError> {
        self.write(&to_sealed_line(record))
    }

    fn read(&mut self) -> Result<Vec<u8>, LogError> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|e| self.io_error(e))?;
        Ok(bytes)
    }

    fn write(&mut self, line: &str) -> Result<(), LogError> {
        self.file.write_all(line.as_bytes()).map_err(|e| self.io_error(e))
    }

    /// Cuts off a torn last line and stands at the end.
    fn cut_after(&mut self, length: usize) -> Result<(), LogError> {
        let cut = self.file.set_len(length as u64);
        cut.and_then(|()| self.file.seek(SeekFrom::End(0))).map_err(|e| self.io_error(e))?;
        Ok(())
    }

    fn check_header(&self, line: &str, expected: &Header) -> Result<(), LogError> {
        let version: Version = serde_json::from_str(line).map_err(|_| self.not_a_log())?;
        let other = |difference| LogError::OtherTournament { path: self.path.clone(), difference };
        if version.tournament_log != FORMAT {
            let found = version.tournament_log;
            return Err(other(format!("its format is {found}, this program writes {FORMAT}")));
        }
        let found: Header =
            sealed::parse(line.as_bytes()).map_err(|reason| self.bad_header(reason))?;
        if found.config_hash != expected.config_hash {
            return Err(other(difference(&found.config, &expected.config)));
        }
        Ok(())
    }

    fn bad_header(&self, reason: String) -> LogError {
        LogError::BadHeader { path: self.path.clone(), reason }
    }

    fn not_a_log(&self) -> LogError {
        LogError::NotALog { path: self.path.clone() }
    }

    fn io_error(&self, source: io::Error) -> LogError {
        LogError::Io { path: self.path.clone(), source }
    }
}

fn open_locked(path: &Path) -> Result<File, LogError> {
    let io_error = |source| LogError::Io { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(io_error)?;
    if !file.metadata().map_err(io_error)?.is_file() {
        return Err(io_error(io::Error::other("not a regular file")));
    }
    match base::hold(&file).map_err(io_error)? {
        true => Ok(file),
        false => Err(LogError::InUse { path: path.to_owned() }),
    }
}

fn to_line(value: &impl Serialize) -> String {
    // Only maps with keys that are no text and failing `Serialize`
    // implementations make this fail; the log's types have neither.
    let mut line = serde_json::to_string(value).expect("plain data is valid JSON");
    line.push('\n');
    line
}

fn to_sealed_line(value: &impl Serialize) -> String {
    format!("{}\n", sealed::seal(to_line(value).trim_end()))
}

/// The first thing in which two identities differ.
fn difference(log: &Identity, now: &Identity) -> String {
    if log.players != now.players {
        return format!("its players are {:?}, not {:?}", log.players, now.players);
    }
    if log.schedule != now.schedule {
        return format!("its schedule is {:?}, not {:?}", log.schedule, now.schedule);
    }
    if log.rules != now.rules {
        return format!("its rules are {:?}, not {:?}", log.rules, now.rules);
    }
    let keys = log.settings.keys().chain(now.settings.keys());
    let changed = keys.into_iter().find(|&key| log.settings.get(key) != now.settings.get(key));
    let show = |settings: &BTreeMap<String, String>, key| match settings.get(key) {
        Some(value) => format!("`{value}`"),
        None => "not set".to_owned(),
    };
    match changed {
        Some(key) => {
            let (log, now) = (show(&log.settings, key), show(&now.settings, key));
            format!("its `{key}` is {log}, now it is {now}")
        }
        None => "its header has been edited".to_owned(),
    }
}

/// Reads the lines behind the header and checks each against the tournament.
struct LogReader<'c> {
    path: &'c Path,
    config: &'c TournamentConfig,
    pairings: &'c [Pairing],
    /// Start and moves of each opening, as records have them.
    openings: Vec<(String, String)>,
}

impl<'c> LogReader<'c> {
    fn new(path: &'c Path, config: &'c TournamentConfig, pairings: &'c [Pairing]) -> Self {
        let openings = config.openings.iter().map(as_recorded).collect();
        Self { path, config, pairings, openings }
    }

    fn read(&self, lines: &str) -> Result<BTreeMap<GameKey, GameRecord>, LogError> {
        let mut games = BTreeMap::new();
        for (index, line) in lines.lines().enumerate() {
            // The header was line 1.
            let number = index + 2;
            let record: GameRecord =
                sealed::parse(line.as_bytes()).map_err(|reason| self.bad_line(number, reason))?;
            self.check_players(&record).map_err(|reason| self.bad_line(number, reason))?;
            if record.key.pair >= self.openings.len() {
                continue;
            }
            self.check_opening(&record)?;
            if games.insert(record.key, record).is_some() {
                return Err(self.bad_line(number, "this game stands in the log twice".to_owned()));
            }
        }
        Ok(games)
    }

    fn bad_line(&self, line: usize, reason: String) -> LogError {
        LogError::BadLine { path: self.path.to_owned(), line, reason }
    }

    fn check_players(&self, record: &GameRecord) -> Result<(), String> {
        let pairing = self.pairings.get(record.key.pairing);
        let Pairing { first, second } =
            pairing.ok_or_else(|| format!("there is no pairing {}", record.key.pairing))?;
        let name = |id: &PlayerId| self.config.identity.players[id.0].as_str();
        let (white, black) = if record.key.swapped { (second, first) } else { (first, second) };
        if (record.white.as_str(), record.black.as_str()) == (name(white), name(black)) {
            Ok(())
        } else {
            Err(format!(
                "{} - {} is not the game {} - {} of this place",
                record.white,
                record.black,
                name(white),
                name(black)
            ))
        }
    }

    fn check_opening(&self, record: &GameRecord) -> Result<(), LogError> {
        let (start, moves) = &self.openings[record.key.pair];
        if (&record.start, &record.book) == (start, moves) {
            return Ok(());
        }
        let difference = format!(
            "its pair {} began with `{} {}`, now it is `{start} {moves}` (another book or seed?)",
            record.key.pair + 1,
            record.start,
            record.book
        );
        Err(LogError::OtherTournament { path: self.path.to_owned(), difference })
    }
}
