//! The journal of a tournament: every finished game, in the order in which games ended.
//!
//! A game whose record is torn by a crash is played again, and a tournament that differs from that
//! of the journal, except in the number of openings, is refused.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Pairing, PlayerId, TournamentConfig};
use crate::openings::Opening;
use crate::record::{GameKey, GameRecord};
use base::journal::{JournalError, JsonJournal};

/// Kind of the journal's records.
const KIND: &str = "tournament";

/// An open journal, locked against other processes.
#[derive(Debug)]
pub(super) struct GameLog(JsonJournal);

impl GameLog {
    /// Opens or creates the journal of a tournament and returns its games, without those of pairs
    /// beyond the configuration's openings.
    pub(super) fn open(
        path: &Path,
        config: &TournamentConfig,
        pairings: &[Pairing],
    ) -> Result<(Self, BTreeMap<GameKey, GameRecord>), JournalError> {
        let (journal, records) = JsonJournal::open(path, KIND, &config.identity)?;
        let openings: Vec<_> = config.openings.iter().map(as_recorded).collect();
        let mut games = BTreeMap::new();
        for (index, record) in records.into_iter().enumerate() {
            check_players(config, pairings, &record)
                .map_err(|reason| journal.bad_record(index, reason))?;
            let Some(opening) = openings.get(record.key.pair) else { continue };
            check_opening(opening, &record)
                .map_err(|difference| journal.other_settings(KIND, difference))?;
            if games.insert(record.key, record).is_some() {
                return Err(journal.bad_record(index, "duplicate entry of a game".to_owned()));
            }
        }
        Ok((Self(journal), games))
    }

    pub(super) fn append(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        self.0.append(record)
    }
}

/// Start and moves of an opening, as in records.
fn as_recorded(opening: &Opening) -> (String, String) {
    (opening.start().fen(), opening.moves_uci())
}

fn check_players(
    config: &TournamentConfig,
    pairings: &[Pairing],
    record: &GameRecord,
) -> Result<(), String> {
    let pairing = pairings.get(record.key.pairing);
    let Pairing { first, second } =
        *pairing.ok_or_else(|| format!("no pairing {}", record.key.pairing))?;
    let (white, black) = if record.key.swapped { (second, first) } else { (first, second) };
    let [white, black] = [white, black].map(|PlayerId(id)| config.identity.players[id].as_str());
    if (record.white.as_str(), record.black.as_str()) == (white, black) {
        return Ok(());
    }
    let GameRecord { white: found, black: other, .. } = record;
    Err(format!("found {found} - {other}, expected {white} - {black}"))
}

fn check_opening(
    (start, moves): &(String, String),
    GameRecord { start: old_start, book, key, .. }: &GameRecord,
) -> Result<(), String> {
    if (old_start, book) == (start, moves) {
        return Ok(());
    }
    Err(format!(
        "pair {} has the opening `{old_start} {book}`, expected `{start} {moves}` (another book or \
         seed?)",
        key.pair + 1
    ))
}
