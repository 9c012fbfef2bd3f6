//! A game, as it is coded: where it starts, and move by move whether
//! it ends here, the mover's score, and what was played.

use super::adaptive::{Bit, Learnt, Tree};
use super::channel::Channel;
use super::choices::At;
use super::ends::{Course, EndModel};
use super::moves::MoveCode;
use super::outlook::Recent;
use super::scores::{Judgement, ScoreModel, ScoreTrack};
use chess::{Color, Game, GameMove, GameResult, Move, PackedPosition, Position, Score};

/// Something that an archive cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsayable {
    /// A start position that cannot be packed.
    #[error("its start position has more than 32 pieces or too large counters, or is not legal")]
    Start,
    /// More moves than any game has.
    #[error("it has more than {} moves", MOST_PLIES)]
    Long,
    /// A move that is not legal where it is played.
    #[error("ply {ply} is not legal")]
    Illegal {
        /// Which one, from 1.
        ply: usize,
    },
}

/// Bytes that decode to no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes tell no game")]
pub struct NoGame;

/// No game is longer: the seventy-five-move rule ends every one before.
pub(crate) const MOST_PLIES: usize = 20_000;

/// All that is learnt while games pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameModel {
    start: StartModel,
    ends: EndModel,
    scores: ScoreModel,
}

impl Learnt for GameModel {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Bit)) {
        self.start.is_usual.each(visit);
        self.start.bytes.each(visit);
        self.ends.each(visit);
        self.scores.each(visit);
    }
}

/// Where games start.
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
pub(crate) struct Told {
    start: PackedPosition,
    plies: Vec<(Judgement, Move)>,
    result: usize,
}

impl Told {
    /// A game as it will be decoded.
    pub(crate) fn new(game: &Game) -> Result<Self, Unsayable> {
        let start = PackedPosition::pack(&game.start).ok_or(Unsayable::Start)?;
        if start.unpack().is_none_or(|position| position.fen() != game.start.fen()) {
            return Err(Unsayable::Start);
        }
        if game.moves.len() > MOST_PLIES {
            return Err(Unsayable::Long);
        }
        check_moves(game)?;
        let plies = game.moves.iter().map(|m| (judgement(m.white_score), m.played)).collect();
        Ok(Self { start, plies, result: result_number(game.result) })
    }
}

impl Told {
    /// How many moves it has.
    pub(crate) fn plies(&self) -> usize {
        self.plies.len()
    }
}

fn check_moves(game: &Game) -> Result<(), Unsayable> {
    let mut position = game.start.clone();
    for (m, ply) in game.moves.iter().zip(1..) {
        if !position.is_legal(m.played) {
            return Err(Unsayable::Illegal { ply });
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

/// What is kept of a score: centipawns and moves to the mate, each in 16 bits.
fn judgement(score: Option<Score>) -> Judgement {
    let bound = i32::from(i16::MAX);
    match score {
        None => Judgement::None,
        Some(Score::Centipawns(cp)) => Judgement::Centipawns(cp.clamp(-bound, bound) as i16),
        Some(Score::Mate(moves)) => {
            let distance = moves.unsigned_abs().clamp(1, bound as u32) as u16;
            if moves < 0 {
                Judgement::BlackMates(distance)
            } else {
                Judgement::WhiteMates(distance)
            }
        }
    }
}

/// Whether an archive holds that score as it is, or the nearest one.
pub fn says(score: Score) -> bool {
    self::score(judgement(Some(score))) == Some(score)
}

fn score(judgement: Judgement) -> Option<Score> {
    match judgement {
        Judgement::None => None,
        Judgement::Centipawns(cp) => Some(Score::Centipawns(cp.into())),
        Judgement::WhiteMates(moves) => Some(Score::Mate(moves.into())),
        Judgement::BlackMates(moves) => Some(Score::Mate(-i32::from(moves))),
    }
}

impl GameModel {
    pub(crate) fn pass<C: Channel>(
        &mut self,
        moves: &mut MoveCode,
        channel: &mut C,
        known: C::Known<&Told>,
    ) -> Result<Game, NoGame> {
        let start = C::known(known, |told| &told.start);
        let start = self.start.pass(channel, start).ok_or(NoGame)?;
        let mut position = start.clone();
        let mut played = Vec::new();
        let mut recent = Recent::default();
        let (mut scores, mut course) = (ScoreTrack::default(), Course::default());
        loop {
            let legal = position.legal_moves();
            let ply = played.len();
            if legal.is_empty() {
                break;
            }
            let is_last = C::known(known, |told| told.plies.len() == ply);
            if course.ends(&mut self.ends, &position, channel, is_last) {
                break;
            }
            if ply == MOST_PLIES {
                return Err(NoGame);
            }
            let judgement = C::known(known, |told| told.plies[ply].0);
            let judgement = scores.pass(&mut self.scores, channel, judgement);
            let chosen = C::known(known, |told| told.plies[ply].1);
            let at = At { position: &position, recent };
            let chosen = moves.pass(at, legal, channel, chosen).ok_or(NoGame)?;
            course.follow(judgement, chosen);
            played.push(GameMove { played: chosen, white_score: score(judgement) });
            position.play(chosen);
            recent = recent.then(chosen);
        }
        let result = C::known(known, |told| told.result);
        let result = course.result(&mut self.ends, &position, channel, result);
        Ok(Game { start, moves: played, result: result_of(result) })
    }
}
