//! The games of a comparison: each net of each contestant against the
//! reference's net of the same seed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::config::Config;
use super::contestant::Contestant;
use super::error::CompareError;
use arena::{
    EnginePlayer, GameRules, Identity, Pairing, Player, PlayerId, Schedule, TimeControl,
    TournamentConfig,
};
use engine::{Limits, NetEvaluator};
use nnue::Net;

/// Table of each player, in MiB.
const HASH_MB: usize = 8;

/// What a move may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// Nodes.
    Nodes(u64),
    /// Time.
    Time(Duration),
}

/// A net at a table.
#[derive(Clone, Debug)]
struct Seat {
    name: String,
    net: Arc<Net>,
    spending: Spending,
}

/// The games under one limit.
pub struct Contest {
    /// To be played.
    pub config: TournamentConfig,
    seats: Vec<Seat>,
    /// The pairings of each contestant but the reference, in their order.
    pairings: Vec<Vec<usize>>,
}

impl Contest {
    /// All contestants against the first at fixed nodes.
    pub fn at_nodes(contestants: &[Contestant], config: &Config) -> Result<Self, CompareError> {
        let spending = Spending::Nodes(config.nodes);
        Self::new(contestants, config, spending, config.node_games, config.node_concurrency)
    }

    /// All contestants against the first at fixed time.
    pub fn at_time(contestants: &[Contestant], config: &Config) -> Result<Self, CompareError> {
        let spending = Spending::Time(config.movetime);
        Self::new(contestants, config, spending, config.time_games, config.time_concurrency)
    }

    /// The reference against itself with half the time, in one pairing: a set
    /// whose nodes take twice as long gets half of them.
    pub fn price(reference: &Contestant, config: &Config) -> Result<Self, CompareError> {
        let of = |time: Duration, name: &str| Seat {
            name: name.to_owned(),
            net: reference.nets[0].net.clone(),
            spending: Spending::Time(time),
        };
        let seats =
            vec![of(config.movetime, "all the time"), of(config.movetime / 2, "half the time")];
        let pairing = Pairing { first: PlayerId(0), second: PlayerId(1) };
        let tournament =
            tournament(&seats, vec![pairing], config, config.price_games, config.time_concurrency)?;
        Ok(Self { config: tournament, seats, pairings: Vec::new() })
    }

    fn new(
        contestants: &[Contestant],
        config: &Config,
        spending: Spending,
        games: usize,
        concurrency: usize,
    ) -> Result<Self, CompareError> {
        let mut seats = Vec::new();
        let mut first_seat = Vec::new();
        for contestant in contestants {
            first_seat.push(seats.len());
            for (i, seeded) in contestant.nets.iter().enumerate() {
                let name = match contestant.nets.len() {
                    1 => contestant.label.clone(),
                    _ => format!("{} #{}", contestant.label, i + 1),
                };
                seats.push(Seat { name, net: seeded.net.clone(), spending });
            }
        }
        let (mut all, mut pairings): (Vec<Pairing>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (contestant, &first) in contestants.iter().zip(&first_seat).skip(1) {
            let meetings = contestant.meetings(&contestants[0]);
            pairings.push((all.len()..all.len() + meetings.len()).collect());
            all.extend(meetings.into_iter().map(|(net, opponent)| Pairing {
                first: PlayerId(first + net),
                second: PlayerId(opponent),
            }));
        }
        // Nobody plays fewer games than were asked for.
        let fewest = pairings.iter().map(Vec::len).min().unwrap_or(1);
        let games = games.div_ceil(fewest.max(1));
        let tournament = tournament(&seats, all, config, games, concurrency)?;
        Ok(Self { config: tournament, seats, pairings })
    }

    /// A player, as the tournament asks for it.
    pub fn player<'s>(&self, PlayerId(id): PlayerId, stop: &'s AtomicBool) -> Box<dyn Player + 's> {
        let seat = &self.seats[id];
        let evaluator = Box::new(NetEvaluator::new(seat.net.clone()));
        match seat.spending {
            Spending::Nodes(nodes) => {
                Box::new(EnginePlayer::new(evaluator, HASH_MB, Limits::nodes(nodes), stop))
            }
            Spending::Time(time) => {
                let player = EnginePlayer::new(evaluator, HASH_MB, Limits::default(), stop);
                Box::new(player.timed(TimeControl::PerMove(time)))
            }
        }
    }

    /// Whether clocks run.
    pub fn is_timed(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat.spending, Spending::Time(_)))
    }

    /// Indices of the pairings of a contestant, counted without the reference.
    pub fn pairings_of(&self, contestant: usize) -> &[usize] {
        self.pairings.get(contestant).map_or(&[], Vec::as_slice)
    }
}

fn tournament(
    seats: &[Seat],
    pairings: Vec<Pairing>,
    config: &Config,
    games: usize,
    threads: usize,
) -> Result<TournamentConfig, CompareError> {
    let pairs = games.div_ceil(2).max(1);
    let openings = config.openings.open(pairs, config.seed, &mut |_| {})?.take(pairs)?;
    let fingerprints = seats.iter().map(|seat| {
        let net = seat.net.fingerprint().to_string();
        (Identity::key_of(&seat.name), format!("{net}, {:?}, {HASH_MB} MiB", seat.spending))
    });
    let mut settings: BTreeMap<String, String> = fingerprints.collect();
    settings.insert("openings".to_owned(), format!("{:?}", config.openings));
    settings.insert("opening seed".to_owned(), config.seed.to_string());
    settings.insert("program".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let identity = Identity {
        players: seats.iter().map(|seat| seat.name.clone()).collect(),
        schedule: Schedule::Chosen(pairings),
        rules: GameRules::default(),
        settings,
    };
    Ok(TournamentConfig { identity, openings, threads, tables: None })
}
