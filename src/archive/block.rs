//! Games together: a block is read without any other, and if wanted each of its
//! games without those before it.

use super::adaptive::Number;
use super::game::{GameModel, NoGame, Told};
use super::moves::MoveCode;
use super::range_coder::{Decoder, Encoder};
use crate::chess::Game;

/// What can be read alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Access {
    /// A block: what its games have in common is learnt once.
    #[default]
    Block,
    /// Every game.
    Game,
}

/// Packs and unpacks blocks.
#[derive(Clone, Debug)]
pub struct Codec {
    moves: MoveCode,
    model: GameModel,
    access: Access,
}

/// Bytes that say how long the list of lengths is.
const LIST_BYTES: usize = 2;

impl Codec {
    /// With a way to tell moves and what is known of games.
    pub fn new(moves: MoveCode, model: GameModel, access: Access) -> Self {
        Self { moves, model, access }
    }

    /// The content of a block. Nothing is left out: a game that cannot be told
    /// has been refused by [`Told::new`].
    pub fn pack(&self, games: &[Told]) -> Vec<u8> {
        match self.access {
            Access::Block => self.clone().stream(games),
            Access::Game => self.pack_singly(games),
        }
    }

    fn stream(mut self, games: &[Told]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        for told in games {
            // Only who reads can fail.
            let _ = self.model.pass(&mut self.moves, &mut encoder, told);
        }
        encoder.finish()
    }

    /// The lengths of the games, then the games.
    fn pack_singly(&self, games: &[Told]) -> Vec<u8> {
        let alone = |told: &Told| self.clone().stream(std::slice::from_ref(told));
        let streams: Vec<Vec<u8>> = games.iter().map(alone).collect();
        let (mut encoder, mut length) = (Encoder::default(), Number::default());
        for stream in &streams {
            length.pass(&mut encoder, stream.len() as u32);
        }
        let list = encoder.finish();
        let list_bytes = (list.len() as u16).to_le_bytes();
        [&list_bytes[..], &list, &streams.concat()].concat()
    }

    /// All games of a block.
    pub fn unpack(&self, content: &[u8], games: usize) -> Result<Vec<Game>, NoGame> {
        match self.access {
            Access::Block => self.clone().read(&mut Decoder::new(content), games),
            Access::Game => {
                let streams = streams(content, games)?;
                let read = |stream| self.clone().read(&mut Decoder::new(stream), 1);
                Ok(streams.into_iter().map(read).collect::<Result<Vec<_>, _>>()?.concat())
            }
        }
    }

    /// One game of a block, from 0.
    pub fn unpack_one(&self, content: &[u8], games: usize, index: usize) -> Result<Game, NoGame> {
        let (stream, before) = match self.access {
            Access::Block => (content, index),
            Access::Game => (*streams(content, games)?.get(index).ok_or(NoGame)?, 0),
        };
        let read = self.clone().read(&mut Decoder::new(stream), before + 1)?;
        read.into_iter().last().ok_or(NoGame)
    }

    fn read(mut self, decoder: &mut Decoder<'_>, games: usize) -> Result<Vec<Game>, NoGame> {
        (0..games).map(|_| self.model.pass(&mut self.moves, decoder, ())).collect()
    }
}

/// The bytes of each game of a block whose games stand alone.
fn streams(content: &[u8], games: usize) -> Result<Vec<&[u8]>, NoGame> {
    let (list_bytes, rest) = content.split_first_chunk::<LIST_BYTES>().ok_or(NoGame)?;
    let list_bytes = usize::from(u16::from_le_bytes(*list_bytes));
    let (list, mut rest) = rest.split_at_checked(list_bytes).ok_or(NoGame)?;
    let (mut decoder, mut length) = (Decoder::new(list), Number::default());
    let mut next = || {
        let bytes = length.pass(&mut decoder, ()) as usize;
        let (stream, others) = rest.split_at_checked(bytes).ok_or(NoGame)?;
        rest = others;
        Ok(stream)
    };
    (0..games).map(|_| next()).collect()
}
