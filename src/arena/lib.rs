//! Matches and ratings: Elo differences with their intervals.
//!
//! The arena measures feature sets by play. Openings are played in pairs with colours swapped, no
//! pairing meets one twice, and all pairings play the same ones, so that luck with openings cancels
//! between players. Games are a function of configuration and seed alone, on any number of threads;
//! an append-only log holds each finished game, and an interrupted tournament resumes from it.
//! Statistics count *pairs* (pentanomial), and each figure has its interval ([`Estimate`]).

mod clock;
pub mod contender;
mod engine_player;
mod elo;
mod forfeit;
mod game;
mod jitter;
mod limit;
mod mean_losses;
#[cfg(test)]
mod mock;
mod net_id;
mod openings;
mod pentanomial;
mod pgn;
mod ratings;
mod record;
mod rules;
pub mod seeds;
mod sprt;
mod sprt_match;
mod student;
mod switch;
#[cfg(test)]
mod tests;
mod time_control;
mod too_many_forfeits;
mod tournament;
mod trinomial;
pub mod uci;
mod uci_player;
mod watchdog;

pub use base::Estimate;
pub use clock::GameClock;
pub use contender::{Contender, ContenderError};
pub use elo::{elo_of_score, score_of_elo};
pub use engine_player::EnginePlayer;
pub use forfeit::{Forfeit, Forfeits};
pub use game::{MoveChoice, PlayedGame, Player, SearchEffort, Turn, play_game};
pub use jitter::Jitter;
pub use limit::Limit;
pub use mean_losses::{SpreadSource, loss_scatter, mean_losses};
pub use net_id::NetId;
pub use openings::{
    Balance, BookOrder, Opening, OpeningSource, Openings, OpeningsError, RandomPlies,
};
pub use pentanomial::{HalfPoints, PairResult, PairScore, Pentanomial};
pub use pgn::{PgnError, holds_other_games, write_pgn};
pub use ratings::{
    Bootstrap, Fit, OpenEnds, PlayerRating, RatingModel, RatingScale, Ratings, RatingsError,
    ResultTable, WhiteResults,
};
pub use record::{GameKey, GameRecord, ReplayError};
pub use rules::{DrawRule, EndReason, GameRules, Referee, ResignRule, RuleError};
pub use seeds::{NullEstimate, Opponent, PooledEstimate, SeedEstimate, SeedSpread, pool};
pub use sprt::{Decision, EloModel, Sprt, SprtError, bayes_elo_llr};
pub use sprt_match::{SprtMatch, SprtStatus, play_sprt};
pub use student::{student_mean, student_t95};
pub use switch::Switch;
pub use time_control::{TimeControl, TimeControlError};
pub use too_many_forfeits::TooManyForfeits;
pub use tournament::{
    ArenaError, ByColour, GameProgress, Pairing, PairingResult, PlayerFactory, PlayerId,
    TournamentConfig, TournamentIdentity, TournamentResult, TournamentSchedule, gather,
    logged_games, play_shard, play_tournament,
};
pub use trinomial::Trinomial;
pub use uci::EngineError;
pub use uci_player::{EngineSpec, UciPlayer};
pub use watchdog::{Standstills, Watchdog};
