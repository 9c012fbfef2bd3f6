//! The model that an archive starts with, fitted to games beforehand.
//!
//! Archives name their model by its hash. The one that comes with the program
//! never changes; a better one would be another one beside it.

use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

use super::adaptive::{Bit, Learnt};
use super::block::Codec;
use super::channel::Odds;
use super::format::{Access, ModelHash};
use super::game::GameModel;
use super::lichess::Order;
use super::moves::{Mode, MoveCode, PolicyCode};
use super::outlook::Recent;
use super::policy::{LANES, Policy, Row, Style};
use super::ranks::RankCode;
use chess::{MoveList, Position};

/// Probabilities of moves, scores, lengths and results.
#[derive(Clone, Debug)]
pub struct Model {
    /// All clues.
    pub(crate) best: Policy,
    /// A few clues.
    pub(crate) fast: Policy,
    /// How often each answer is given that gives a rank: `[situation][answer]`.
    pub(crate) ranks: Vec<Vec<u16>>,
    /// Scores, lengths, results.
    pub(crate) games: GameModel,
}

/// Bytes that are no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no model of an archive, or one of another version")]
pub struct NoModel;

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

    /// Place of a legal move in the order of a mode, by its index: Lichess's order, or from the
    /// likeliest, of equals the first.
    pub fn place(
        &self,
        mode: Mode,
        position: &Position,
        recent: Recent,
        legal: &MoveList,
        index: usize,
    ) -> usize {
        let policy = match mode {
            Mode::Best => &self.best,
            Mode::Fast => &self.fast,
            Mode::Rank => return Order::of(position, legal).rank(index),
        };
        let mut odds = Odds::default();
        policy.odds(position, recent, legal, &mut odds);
        let share = |index: usize| odds.share(index).own;
        let is_before = |&other: &usize| {
            share(other) > share(index) || share(other) == share(index) && other < index
        };
        (0..legal.len()).filter(is_before).count()
    }

    /// Packs and unpacks blocks with this model.
    pub fn codec(&self, mode: Mode, access: Access) -> Codec {
        let moves = match mode {
            Mode::Best => MoveCode::Policy(PolicyCode::new(self.best.clone())),
            Mode::Fast => MoveCode::Policy(PolicyCode::new(self.fast.clone())),
            Mode::Rank => MoveCode::Rank(RankCode::new(&self.ranks)),
        };
        Codec::new(moves, self.games.clone(), access)
    }

    /// Its name in archives.
    pub fn hash(&self) -> ModelHash {
        let hash = blake3::hash(&self.plain_bytes());
        ModelHash(std::array::from_fn(|i| hash.as_bytes()[i]))
    }

    /// The model as a file.
    ///
    /// # Errors
    /// Memory that cannot be had.
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
            let rows = policy.rows().iter().chain([policy.worth()]);
            section(&rows.flatten().map(|&number| number as u16).collect::<Vec<u16>>());
        }
        for ranks in &self.ranks {
            section(ranks);
        }
        let mut odds = Vec::new();
        self.games.clone().each(&mut |bit| odds.push(bit.odds()));
        section(&odds);
        bytes
    }

    /// Reads what [`Self::to_bytes`] gave.
    ///
    /// # Errors
    /// Bytes that are no model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NoModel> {
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::with_buffer(bytes).map_err(|_| NoModel)?;
        decoder.take(MOST_BYTES).read_to_end(&mut plain).map_err(|_| NoModel)?;
        let mut sections = Sections { rest: plain.strip_prefix(&MAGIC).ok_or(NoModel)? };
        let best = policy(Style::Thorough, &sections.next()?)?;
        let fast = policy(Style::Brisk, &sections.next()?)?;
        let ranks =
            (0..RankCode::SITUATIONS).map(|_| sections.next()).collect::<Result<Vec<_>, _>>()?;
        let games = games(&sections.next()?)?;
        if !sections.rest.is_empty() {
            return Err(NoModel);
        }
        Ok(Self { best, fast, ranks, games })
    }
}

/// Lists of numbers, one behind the other.
struct Sections<'b> {
    rest: &'b [u8],
}

impl Sections<'_> {
    fn next(&mut self) -> Result<Vec<u16>, NoModel> {
        let (count, rest) = self.rest.split_first_chunk().ok_or(NoModel)?;
        let bytes = 2 * u32::from_le_bytes(*count) as usize;
        let (numbers, rest) = rest.split_at_checked(bytes).ok_or(NoModel)?;
        self.rest = rest;
        let (numbers, _) = numbers.as_chunks();
        Ok(numbers.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect())
    }
}

fn policy(style: Style, numbers: &[u16]) -> Result<Policy, NoModel> {
    let (rows, []) = numbers.as_chunks::<LANES>() else { return Err(NoModel) };
    let mut rows: Vec<Row> = rows.iter().map(|row| row.map(|number| number as i16)).collect();
    let worth = rows.pop().ok_or(NoModel)?;
    if rows.len() != style.rows() {
        return Err(NoModel);
    }
    Ok(Policy::new(style, rows, worth))
}

fn games(odds: &[u16]) -> Result<GameModel, NoModel> {
    let (mut model, mut odds) = (GameModel::default(), odds.iter());
    let mut is_short = false;
    model.each(&mut |bit| match odds.next() {
        Some(&odds) => *bit = Bit::expecting(odds),
        None => is_short = true,
    });
    if is_short || odds.next().is_some() { Err(NoModel) } else { Ok(model) }
}
