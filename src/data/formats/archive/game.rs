//! Coding of a game: its start position, and for each ply whether it ends there, the mover's
//! score and the move.

use super::adaptive::{Adaptive, Bit, Tree};
use super::channel::Channel;
use super::context::Recent;
use super::ends::{EndContext, EndModel};
use super::moves::MoveCode;
use super::scores::{CodedScore, ScoreModel, ScoreTrack};
use chess::{Color, Game, GameMove, GameResult, Move, PackedPosition, Position, Score};

/// A game that an archive cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unencodable {
    /// A start position that cannot be packed.
    #[error("its start position has more than 32 pieces or too large counters, or is not legal")]
    Start,
    /// More moves than any game has.
    #[error("it has more than {} moves", MOST_PLIES)]
    Long,
    /// A move that is not legal where it is played.
    #[error("ply {ply} is not legal")]
    Illegal { ply: usize },
}

/// Bytes that decode to no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are no game")]
pub struct InvalidGame;

/// No game is longer: the seventy-five-move rule ends every one before.
pub(crate) const MOST_PLIES: usize = 20_000;

/// Probabilities that adapt while games are coded.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameModel {
    start: StartModel,
    ends: EndModel,
    scores: ScoreModel,
}

impl Adaptive for GameModel {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.start.is_usual.each(visit);
        self.start.bytes.each(visit);
        self.ends.each(visit);
        self.scores.each(visit);
    }
}

#[derive(Clone, Debug)]
struct StartModel {
    is_usual: Bit,
    bytes: Vec<Tree<256>>,
}

impl Default for StartModel {
    fn default() -> Self {
        let bytes = vec![Tree::default(); size_of::<PackedPosition>()];
        Self { is_usual: Bit::default(), bytes }
    }
}

impl StartModel {
    fn pass<C: Channel>(
        &mut self,
        channel: &mut C,
        known: C::Known<&PackedPosition>,
    ) -> Option<Position> {
        let usual = Position::default();
        let packed_usual = PackedPosition::pack(&usual);
        let is_usual = C::known(known, |start| packed_usual.as_ref() == Some(start));
        if self.is_usual.pass(channel, is_usual) {
            return Some(usual);
        }
        let mut bytes = [0; size_of::<PackedPosition>()];
        for (i, (byte, model)) in bytes.iter_mut().zip(&mut self.bytes).enumerate() {
            let known = C::known(known, |start| usize::from(bytemuck::bytes_of(start)[i]));
            *byte = model.pass(channel, known) as u8;
        }
        bytemuck::pod_read_unaligned::<PackedPosition>(&bytes).unpack()
    }
}

/// A game ready to be encoded.
#[derive(Clone, Debug)]
pub(crate) struct Encodable {
    start: PackedPosition,
    plies: Vec<(CodedScore, Move)>,
    result: usize,
}

impl Encodable {
    /// A game as it will be decoded.
    pub(crate) fn new(game: &Game) -> Result<Self, Unencodable> {
        let start = PackedPosition::pack(&game.start).ok_or(Unencodable::Start)?;
        if start.unpack().is_none_or(|position| position.fen() != game.start.fen()) {
            return Err(Unencodable::Start);
        }
        if game.moves.len() > MOST_PLIES {
            return Err(Unencodable::Long);
        }
        check_moves(game)?;
        let plies = game.moves.iter().map(|m| (coded(m.white_score), m.played)).collect();
        Ok(Self { start, plies, result: result_number(game.result) })
    }

    pub(crate) fn plies(&self) -> usize {
        self.plies.len()
    }
}

fn check_moves(game: &Game) -> Result<(), Unencodable> {
    let mut position = game.start.clone();
    for (m, ply) in game.moves.iter().zip(1..) {
        if !position.is_legal(m.played) {
            return Err(Unencodable::Illegal { ply });
        }
        position.play(m.played);
    }
    Ok(())
}

fn result_number(result: Option<GameResult>) -> usize {
    match result {
        None => 0,
        Some(GameResult::Draw) => 1,
        Some(GameResult::Win(Color::White)) => 2,
        Some(GameResult::Win(Color::Black)) => 3,
    }
}

fn result_of(number: usize) -> Option<GameResult> {
    match number {
        0 => None,
        1 => Some(GameResult::Draw),
        2 => Some(GameResult::Win(Color::White)),
        _ => Some(GameResult::Win(Color::Black)),
    }
}

/// A score in 16 bits: centipawns, or moves to the mate.
fn coded(score: Option<Score>) -> CodedScore {
    let bound = i32::from(i16::MAX);
    match score {
        None => CodedScore::None,
        Some(Score::Centipawns(cp)) => CodedScore::Centipawns(cp.clamp(-bound, bound) as i16),
        Some(Score::Mate(moves)) => {
            let distance = moves.unsigned_abs().clamp(1, bound as u32) as u16;
            if moves < 0 {
                CodedScore::BlackMates(distance)
            } else {
                CodedScore::WhiteMates(distance)
            }
        }
    }
}

/// Whether an archive holds that score as it is, or the nearest one.
pub fn holds_exactly(score: Score) -> bool {
    self::score(coded(Some(score))) == Some(score)
}

fn score(coded: CodedScore) -> Option<Score> {
    match coded {
        CodedScore::None => None,
        CodedScore::Centipawns(cp) => Some(Score::Centipawns(cp.into())),
        CodedScore::WhiteMates(moves) => Some(Score::Mate(moves.into())),
        CodedScore::BlackMates(moves) => Some(Score::Mate(-i32::from(moves))),
    }
}

impl GameModel {
    pub(crate) fn pass<C: Channel>(
        &mut self,
        moves: &mut MoveCode,
        channel: &mut C,
        known: C::Known<&Encodable>,
    ) -> Result<Game, InvalidGame> {
        let start = C::known(known, |game| &game.start);
        let start = self.start.pass(channel, start).ok_or(InvalidGame)?;
        let mut position = start.clone();
        let mut played = Vec::new();
        let mut recent = Recent::default();
        let (mut scores, mut course) = (ScoreTrack::default(), EndContext::default());
        loop {
            let legal = position.legal_moves();
            let ply = played.len();
            if legal.is_empty() {
                break;
            }
            let is_last = C::known(known, |game| game.plies.len() == ply);
            if course.ends(&mut self.ends, &position, channel, is_last) {
                break;
            }
            if ply == MOST_PLIES {
                return Err(InvalidGame);
            }
            let coded = C::known(known, |game| game.plies[ply].0);
            let coded = scores.pass(&mut self.scores, channel, coded);
            let chosen = C::known(known, |game| game.plies[ply].1);
            let chosen =
                moves.pass(&position, recent, &legal, channel, chosen).ok_or(InvalidGame)?;
            course.follow(coded, chosen);
            played.push(GameMove { played: chosen, white_score: score(coded) });
            position.play(chosen);
            recent = recent.then(chosen);
        }
        let result = C::known(known, |game| game.result);
        let result = course.result(&mut self.ends, &position, channel, result);
        Ok(Game { start, moves: played, result: result_of(result) })
    }
}
