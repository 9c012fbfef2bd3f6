//! Games of approximations against the original tables.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::Failure;
use crate::cli::games;
use crate::cli::match_flags::Output;
use crate::cli::signals::stop_flag;
use arena::{
    EnginePlayer, GameRules, Openings, Player, PlayerId, RandomPlies, TournamentConfig,
    TournamentIdentity, TournamentSchedule,
};
use base::format::grouped;
use engine::{Limits, PieceTables, Tapered};
use evolution::factorisation::{FactorGames, Record, tables_of_cells};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Games")]
pub(super) struct Flags {
    /// Games per approximation against the original tables
    #[arg(long, value_name = "GAMES", default_value_t = 0)]
    games: usize,
    /// Nodes per move
    #[arg(long, default_value = "5000")]
    nodes: NonZeroU64,
    /// Log of the games; a stopped match resumes from it
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl Flags {
    pub(super) fn are_wanted(&self) -> bool {
        self.games > 0
    }

    /// Plays the games and adds their results to the records.
    pub(super) fn play(
        &self,
        original: &PieceTables,
        records: &mut [Record],
    ) -> Result<(), Failure> {
        let approximations = records
            .iter()
            .filter_map(|record| Some(Arc::new(tables_of_cells(&record.factors()?.cells()))));
        let players: Vec<Arc<PieceTables>> =
            [Arc::new(original.clone())].into_iter().chain(approximations).collect();
        let seed = records.first().map_or(1, |record| record.seed);
        let pairs = self.games.div_ceil(2);
        let config = TournamentConfig {
            identity: self.identity(&players, seed),
            openings: Openings::usual(seed, pairs)?,
            threads: base::cores(),
            tables: None,
        };
        let stop = stop_flag();
        let limits = Limits::nodes(self.nodes.get());
        let make_player = |PlayerId(i): PlayerId| -> Box<dyn Player + '_> {
            let evaluator = Box::new(Tapered::new(players[i].clone()));
            Box::new(EnginePlayer::new(evaluator, 8, limits.clone(), stop))
        };
        let output = Output { log: self.log.as_deref(), json: false };
        let result = games::play("approximations", &config, &make_player, output, stop)?;
        for (record, pairing) in records.iter_mut().zip(&result.pairings) {
            // The original, which all others meet, comes second in each pairing.
            record.games = pairing.pentanomial.elo().map(|elo| FactorGames {
                elo: [elo.value, elo.low, elo.high],
                games: pairing.games.games(),
                terms: self.terms(seed),
            });
        }
        games::finished(&result, output.log)
    }

    fn identity(&self, players: &[Arc<PieceTables>], seed: u64) -> TournamentIdentity {
        let players = players.iter().enumerate().map(|(place, tables)| {
            let name = if place == 0 { "original".to_owned() } else { format!("{place}") };
            (name, format!("{}, {} nodes", tables.fingerprint(), self.nodes))
        });
        let openings = Openings::usual_summary(seed);
        TournamentIdentity::new(
            players,
            TournamentSchedule::Gauntlet(PlayerId(0)),
            GameRules::default(),
            openings,
        )
    }

    fn terms(&self, seed: u64) -> String {
        let nodes = grouped(self.nodes.get());
        let plies = RandomPlies::USUAL;
        format!("{nodes} nodes per move, openings of {plies} random plies (seed {seed})")
    }
}
