//! Expected seconds of a job, by kind.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::rates::Rates;
use arena::{Limit, NetId, TimeControl};
use base::Content;
use data::Ingredient;
use data::job::{PositionSource, Positions};
use features::TrainedSet;
use measure::bench::played::TIMED_POSITIONS;
use measure::puzzles::read_puzzles;
use measure::{Match, MatchPlayer, NodeTime, PriceOfTime, Puzzles, Speed, ValidationLoss};
use plan::{Job, Plan, Work};
use selfplay::Games;
use selfplay::GamesTarget;
use training::Train;

/// Plies of a game after the opening: the mean of games between nets of one grid.
const PLIES: f64 = 95.0;

/// Moves of the solver in a puzzle, until it is solved or failed.
const MOVES_OF_A_PUZZLE: f64 = 1.9;

/// Share of a move's nodes or time that is spent; forced moves and mates spend less.
const SPENT: f64 = 0.95;

/// Start-up of a job: loading positions, opening files.
pub(super) const STARTUP: f64 = 0.2;

/// Jobs of a plan on a machine with these rates.
pub(super) struct Jobs<'j> {
    plan: &'j Plan,
    /// Games at once where clocks run.
    timed: f64,
    rates: &'j mut Rates,
    /// Puzzles of each suite.
    suites: HashMap<(Content, usize), f64>,
}

impl<'j> Jobs<'j> {
    pub(super) fn new(plan: &'j Plan, timed_games: Option<usize>, rates: &'j mut Rates) -> Self {
        let timed = timed_games.unwrap_or(base::cores() / 2).max(1) as f64;
        Self { plan, timed, rates, suites: HashMap::new() }
    }

    /// `None` for kinds of unpredictable length.
    pub(super) fn seconds(&mut self, job: &Job) -> Option<f64> {
        // Some ten thousand positions, evaluated once.
        const VALIDATION: f64 = 0.1;
        let work = if let Some(train) = job.get::<Train>() {
            self.training(train)?
        } else if let Some(positions) = job.get::<Positions>() {
            self.positions(positions)
        } else if let Some(games) = job.get::<Games>() {
            self.selfplay(games)
        } else if let Some(game) = job.get::<Match>() {
            self.games(game)
        } else if let Some(price) = job.get::<PriceOfTime>() {
            self.games(price.game())
        } else if let Some(puzzles) = job.get::<Puzzles>() {
            self.puzzles(puzzles)
        } else if let Some(speed) = job.get::<Speed>() {
            self.speed(speed)
        } else if let Some(timing) = job.get::<NodeTime>() {
            self.node_time(timing)
        } else if job.stage() == ValidationLoss::STAGE {
            VALIDATION
        } else {
            return None;
        };
        Some(STARTUP + work)
    }

    fn training(&mut self, train: &Train) -> Option<f64> {
        let set = self.plan.inputs.get::<TrainedSet>(&train.features)?;
        let threads = self.plan.inputs.threads;
        Some(self.rates.training(&set, &train.layers, &train.training, threads))
    }

    fn positions(&mut self, positions: &Positions) -> f64 {
        let files = &self.plan.inputs.files;
        let path = |(source, _): &(PositionSource, data::Weight)| match source {
            PositionSource::File(content) => files.get(content).cloned(),
            PositionSource::Made(_) => None,
        };
        let paths: Vec<PathBuf> = positions.sources.iter().filter_map(path).collect();
        self.rates.reading(&paths.iter().map(Ingredient::new).collect::<Vec<_>>())
    }

    /// Every move of a game is a position.
    fn selfplay(&mut self, games: &Games) -> f64 {
        let moves = match games.target {
            GamesTarget::Games(games) => games as f64 * PLIES,
            GamesTarget::Positions(positions) => positions as f64,
        };
        let node = self.node(&games.player);
        moves * games.settings.nodes.get() as f64 * node / base::cores() as f64
    }

    /// Games of two players with limits of their own.
    fn games(&mut self, game: &Match) -> f64 {
        // At equal time a player takes as long as the reference.
        let paced = |seat: &MatchPlayer| {
            seat.node_time.as_ref().map_or(&seat.net, |timing| &timing.reference).clone()
        };
        let of_both: f64 =
            game.seats.iter().map(|seat| self.game_of(&paced(seat), seat.limit)).sum();
        let is_timed = game.seats.iter().any(|seat| seat.limit.is_timed());
        let at_once = if is_timed { self.timed } else { base::cores() as f64 };
        game.games as f64 * of_both / at_once
    }

    /// Seconds of one player in a game.
    fn game_of(&mut self, net: &NetId, limit: Limit) -> f64 {
        let moves = PLIES / 2.0;
        let by_nodes = |nodes: f64, rates: f64| moves * SPENT * nodes * rates;
        match limit {
            Limit::Nodes(nodes) | Limit::EqualTime(nodes) => {
                by_nodes(nodes.get() as f64, self.node(net))
            }
            Limit::Depth(plies) => by_nodes(nodes_to(plies.get()), self.node(net)),
            Limit::MovetimeMs(ms) => moves * SPENT * f64::from(ms.get()) / 1e3,
            Limit::Tc(TimeControl::PerMove(time)) => moves * SPENT * time.as_secs_f64(),
            Limit::Tc(TimeControl::Untimed) => 0.0,
            Limit::Tc(TimeControl::Clock { moves: per, base, increment }) => {
                let again = per.map_or(1.0, |per| (moves / f64::from(per.get())).max(1.0));
                // Players do not use up the base time.
                let base: Duration = base;
                0.8 * again * base.as_secs_f64() + moves * SPENT * increment.as_secs_f64()
            }
        }
    }

    fn puzzles(&mut self, puzzles: &Puzzles) -> f64 {
        let suite = self.suite(puzzles.suite, puzzles.limit);
        // With 0 nodes each move is evaluated once.
        let nodes = if puzzles.nodes == 0 { 40.0 } else { SPENT * puzzles.nodes as f64 };
        suite * MOVES_OF_A_PUZZLE * nodes * self.node(&puzzles.net) / base::cores() as f64
    }

    fn suite(&mut self, suite: Content, limit: usize) -> f64 {
        let path = self.plan.inputs.files.get(&suite);
        let count = || {
            let set = read_puzzles(path?, (limit > 0).then_some(limit)).ok()?;
            Some(set.puzzles.len() as f64)
        };
        *self.suites.entry((suite, limit)).or_insert_with(|| count().unwrap_or(0.0))
    }

    /// Rounds of the net and of PeSTO on one tree, which PeSTO's search records first.
    fn speed(&mut self, speed: &Speed) -> f64 {
        let pesto = self.rates.node_alone(None);
        let net = self.shape(&speed.net).map_or(pesto, |shape| self.rates.node_alone(Some(shape)));
        let rounds = f64::from(speed.question.rounds);
        let nodes = self.rates.nodes_of_course(speed.question.depth);
        nodes * (rounds * (net + pesto) + pesto)
    }

    /// A game of both nets in every round.
    fn node_time(&mut self, timing: &NodeTime) -> f64 {
        let nodes = (TIMED_POSITIONS * timing.nodes) as f64;
        let of_both = self.node(&timing.net) + self.node(&timing.reference);
        nodes * f64::from(timing.rounds) * of_both
    }

    /// Seconds of a node while all cores search.
    fn node(&mut self, net: &NetId) -> f64 {
        match self.shape(net) {
            Some(shape) => self.rates.node(Some(shape)),
            None => self.rates.node(None),
        }
    }

    /// Features and layers of a net that the plan trains.
    fn shape(&self, net: &NetId) -> Option<super::rates::Shape> {
        let train = self.plan.find(net.job()?)?.job.get::<Train>()?;
        let features = self.plan.inputs.get::<TrainedSet>(&train.features)?.set().clone();
        Some((features, train.layers.clone()))
    }
}

/// Approximate nodes of a search to a depth.
fn nodes_to(plies: u32) -> f64 {
    40.0 * 1.9f64.powi(plies.min(40) as i32)
}
