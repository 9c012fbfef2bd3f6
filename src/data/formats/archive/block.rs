//! Blocks of games: a block is decoded without any other, and optionally each of its
//! games without those before it.

use super::adaptive::Number;
use super::format::{Access, BlockHead, MOST_GAMES, MOST_PLIES};
use super::game::{Encodable, GameModel, InvalidGame};
use super::moves::MoveCode;
use super::range_coder::{Decoder, Encoder};
use chess::Game;

/// Packs and unpacks blocks.
#[derive(Clone, Debug)]
pub struct Codec {
    moves: MoveCode,
    model: GameModel,
    access: Access,
}

/// Bytes of the length of the list of lengths.
const LIST_BYTES: usize = 2;

impl Codec {
    /// With a coder of moves and a model of the rest of a game.
    pub(crate) fn new(moves: MoveCode, model: GameModel, access: Access) -> Self {
        Self { moves, model, access }
    }

    /// A block, head and content. Nothing is left out: a game that cannot be encoded
    /// has been refused by [`Encodable::new`].
    pub(crate) fn pack(&self, games: &[Encodable]) -> (BlockHead, Vec<u8>) {
        let content = match self.access {
            Access::Block => self.clone().stream(games),
            Access::Game => self.pack_singly(games),
        };
        let plies = games.iter().map(Encodable::plies).sum::<usize>();
        (BlockHead::new(&content, games.len() as u32, plies as u32), content)
    }

    fn stream(mut self, games: &[Encodable]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        for game in games {
            // Only reading can fail.
            let _ = self.model.pass(&mut self.moves, &mut encoder, game);
        }
        encoder.finish()
    }

    /// The lengths of the games, then the games.
    fn pack_singly(&self, games: &[Encodable]) -> Vec<u8> {
        let alone = |game: &Encodable| self.clone().stream(std::slice::from_ref(game));
        let streams: Vec<Vec<u8>> = games.iter().map(alone).collect();
        let (mut encoder, mut length) = (Encoder::default(), Number::default());
        for stream in &streams {
            length.pass(&mut encoder, stream.len() as u32);
        }
        let list = encoder.finish();
        let list_bytes = (list.len() as u16).to_le_bytes();
        [&list_bytes[..], &list, &streams.concat()].concat()
    }

    /// All games of a block. Bytes that give other games than the head claims, or more than
    /// any block holds, give none.
    pub fn unpack(&self, head: &BlockHead, content: &[u8]) -> Result<Vec<Game>, InvalidGame> {
        if head.games > MOST_GAMES || head.plies > MOST_PLIES {
            return Err(InvalidGame);
        }
        let (games, mut plies) = (head.games as usize, head.plies as usize);
        let unpacked = match self.access {
            Access::Block => self.clone().read(&mut Decoder::new(content), games, &mut plies)?,
            Access::Game => {
                let mut unpacked = Vec::new();
                for stream in streams(content, games)? {
                    let decoder = &mut Decoder::new(stream);
                    unpacked.append(&mut self.clone().read(decoder, 1, &mut plies)?);
                }
                unpacked
            }
        };
        if plies == 0 { Ok(unpacked) } else { Err(InvalidGame) }
    }

    /// One game of a block, from 0.
    pub(crate) fn unpack_one(
        &self,
        head: &BlockHead,
        content: &[u8],
        index: usize,
    ) -> Result<Game, InvalidGame> {
        if head.games > MOST_GAMES || head.plies > MOST_PLIES {
            return Err(InvalidGame);
        }
        let (games, mut plies) = (head.games as usize, head.plies as usize);
        let (stream, before) = match self.access {
            Access::Block => (content, index),
            Access::Game => (*streams(content, games)?.get(index).ok_or(InvalidGame)?, 0),
        };
        let read = self.clone().read(&mut Decoder::new(stream), before + 1, &mut plies)?;
        read.into_iter().last().ok_or(InvalidGame)
    }

    /// Reads games with at most `plies` plies together, and leaves the rest of them in `plies`.
    fn read(
        mut self,
        decoder: &mut Decoder<'_>,
        games: usize,
        plies: &mut usize,
    ) -> Result<Vec<Game>, InvalidGame> {
        let mut next = || {
            let game = self.model.pass(&mut self.moves, decoder, ())?;
            *plies = plies.checked_sub(game.moves.len()).ok_or(InvalidGame)?;
            Ok(game)
        };
        (0..games).map(|_| next()).collect()
    }
}

/// The bytes of each game of a block whose games stand alone.
fn streams(content: &[u8], games: usize) -> Result<Vec<&[u8]>, InvalidGame> {
    let (list_bytes, rest) = content.split_first_chunk::<LIST_BYTES>().ok_or(InvalidGame)?;
    let list_bytes = usize::from(u16::from_le_bytes(*list_bytes));
    let (list, mut rest) = rest.split_at_checked(list_bytes).ok_or(InvalidGame)?;
    let (mut decoder, mut length) = (Decoder::new(list), Number::default());
    let mut next = || {
        let bytes = length.pass(&mut decoder, ()) as usize;
        let (stream, others) = rest.split_at_checked(bytes).ok_or(InvalidGame)?;
        rest = others;
        Ok(stream)
    };
    (0..games).map(|_| next()).collect()
}
