//! The model that an archive starts with, fitted to games beforehand.
//!
//! Archives name their model by its hash. The one that comes with the program
//! never changes; a better one would be another one beside it.

use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

use super::adaptive::{Adaptive, Bit};
use super::block::Codec;
use super::channel::Odds;
use super::context::Recent;
use super::format::{Access, ModelHash};
use super::game::GameModel;
use super::moves::{Mode, MoveCode};
use super::policy::{LANES, Policy, Row};
use chess::{MoveList, Position};

/// Probabilities of moves, scores, lengths and results.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) best: Policy,
    pub(crate) fast: Policy,
    /// Lists that no mode reads. The bundled model has some; they count for its hash, which
    /// archives name.
    pub(crate) unread: Vec<Vec<u16>>,
    /// Scores, lengths, results.
    pub(crate) games: GameModel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no model of an archive, or one of another version")]
pub struct InvalidModel;

const MAGIC: [u8; 8] = *b"OPLUSAM1";

/// No model has more, unpacked.
const MOST_BYTES: u64 = 1 << 24;

impl Model {
    /// The model that comes with the program.
    pub fn bundled() -> Arc<Self> {
        static BUNDLED: OnceLock<Arc<Model>> = OnceLock::new();
        const BYTES: &[u8] = include_bytes!("archive.model");
        BUNDLED
            .get_or_init(|| match Model::from_bytes(BYTES) {
                Ok(model) => Arc::new(model),
                // A test reads it.
                Err(error) => unreachable!("the bundled model: {error}"),
            })
            .clone()
    }

    /// Rank of a legal move in the order of a mode, by its index: from the likeliest, of equals
    /// the first.
    pub fn rank(
        &self,
        mode: Mode,
        position: &Position,
        recent: Recent,
        legal: &MoveList,
        index: usize,
    ) -> usize {
        let mut odds = Odds::default();
        self.policy(mode).odds(position, recent, legal, &mut odds);
        let share = |index: usize| odds.share(index).own;
        let is_before = |&other: &usize| {
            share(other) > share(index) || share(other) == share(index) && other < index
        };
        (0..legal.len()).filter(is_before).count()
    }

    /// Packs and unpacks blocks with this model.
    pub fn codec(&self, mode: Mode, access: Access) -> Codec {
        Codec::new(MoveCode::new(self.policy(mode).clone()), self.games.clone(), access)
    }

    fn policy(&self, mode: Mode) -> &Policy {
        match mode {
            Mode::Best => &self.best,
            Mode::Fast => &self.fast,
        }
    }

    /// The hash by which archives name it.
    pub fn hash(&self) -> ModelHash {
        let hash = blake3::hash(&self.plain_bytes());
        ModelHash(std::array::from_fn(|i| hash.as_bytes()[i]))
    }

    /// The model as a file.
    ///
    /// # Errors
    /// Too little memory.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 19)?;
        encoder.include_checksum(true)?;
        encoder.write_all(&self.plain_bytes())?;
        encoder.finish()
    }

    fn plain_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut section = |numbers: &[u16]| {
            bytes.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        };
        for policy in [&self.best, &self.fast] {
            let rows = policy.rows().iter().chain([policy.weights()]);
            section(&rows.flatten().map(|&number| number as u16).collect::<Vec<u16>>());
        }
        self.unread.iter().for_each(|list| section(list));
        let mut odds = Vec::new();
        self.games.clone().each(&mut |bit| odds.push(bit.odds()));
        section(&odds);
        bytes
    }

    /// Reads what [`Self::to_bytes`] gave.
    ///
    /// # Errors
    /// Bytes of something else, or damaged ones.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidModel> {
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::with_buffer(bytes).map_err(|_| InvalidModel)?;
        decoder.take(MOST_BYTES).read_to_end(&mut plain).map_err(|_| InvalidModel)?;
        let mut sections = Sections { rest: plain.strip_prefix(&MAGIC).ok_or(InvalidModel)? };
        let best = policy(Mode::Best, &sections.next()?)?;
        let fast = policy(Mode::Fast, &sections.next()?)?;
        let mut unread = Vec::new();
        while !sections.rest.is_empty() {
            unread.push(sections.next()?);
        }
        let games = games(&unread.pop().ok_or(InvalidModel)?)?;
        Ok(Self { best, fast, unread, games })
    }
}

/// Lists of numbers, one behind the other.
struct Sections<'b> {
    rest: &'b [u8],
}

impl Sections<'_> {
    fn next(&mut self) -> Result<Vec<u16>, InvalidModel> {
        let (count, rest) = self.rest.split_first_chunk().ok_or(InvalidModel)?;
        let bytes = 2 * u32::from_le_bytes(*count) as usize;
        let (numbers, rest) = rest.split_at_checked(bytes).ok_or(InvalidModel)?;
        self.rest = rest;
        let (numbers, _) = numbers.as_chunks();
        Ok(numbers.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect())
    }
}

fn policy(mode: Mode, numbers: &[u16]) -> Result<Policy, InvalidModel> {
    let (rows, []) = numbers.as_chunks::<LANES>() else { return Err(InvalidModel) };
    let mut rows: Vec<Row> = rows.iter().map(|row| row.map(|number| number as i16)).collect();
    let weights = rows.pop().ok_or(InvalidModel)?;
    if rows.len() != mode.rows() {
        return Err(InvalidModel);
    }
    Ok(Policy::new(mode, rows, weights))
}

fn games(odds: &[u16]) -> Result<GameModel, InvalidModel> {
    let (mut model, mut odds) = (GameModel::default(), odds.iter());
    let mut is_short = false;
    model.each(&mut |bit| match odds.next() {
        Some(&odds) => *bit = Bit::expecting(odds),
        None => is_short = true,
    });
    if is_short || odds.next().is_some() { Err(InvalidModel) } else { Ok(model) }
}
