//! The `[selfplay]` table: an experiment that makes its own data, each generation of
//! games by the net of the one before, the first by PeSTO's tables.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use super::config::{Experiment, Scale};
use super::validate::ValidationError;
use arena::{DrawRule, GameRules, RandomPlies, ResignRule, Switch};
use measure::Pairings;
use selfplay::{GamesTarget, SelfplaySettings, Temperature};

/// Generations of games and nets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Generations {
    /// Number of nets, each trained on games of the player before.
    pub generations: NonZeroU32,
    pub positions: NonZeroU64,
    /// Games that a net is trained on.
    pub train_on: TrainOn,
    /// Nodes a move after which no new iteration begins.
    pub nodes: NonZeroU64,
    /// Nodes after which a search ends at once; by default ten times `nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hard_nodes: Option<NonZeroU64>,
    /// Random moves that open a game.
    pub random_plies: RandomPlies,
    /// Openings judged worse than this for either side are drawn again, in centipawns.
    pub balance: Switch<NonZeroU32>,
    /// Random choice among good moves.
    pub temperature: Switch<Temperature>,
    /// Draw adjudication.
    pub draw_rule: Switch<DrawRule>,
    /// Win adjudication.
    pub resign_rule: Switch<ResignRule>,
    /// Draw after this number of moves of each player.
    pub max_moves: Switch<NonZeroU32>,
    /// Seed of the first generation's games; later ones count up.
    pub seed: u64,
}

/// Games that a net is trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainOn {
    /// Games of all generations so far.
    #[default]
    All,
    /// Games of its own generation.
    Latest,
}

impl Default for Generations {
    fn default() -> Self {
        let SelfplaySettings {
            nodes,
            hard_nodes,
            random_plies,
            balance,
            temperature,
            rules,
            seed,
            ..
        } = SelfplaySettings::default();
        Self {
            generations: const { NonZeroU32::new(2).unwrap() },
            positions: const { NonZeroU64::new(100_000).unwrap() },
            train_on: TrainOn::default(),
            nodes,
            hard_nodes,
            random_plies,
            balance,
            temperature,
            draw_rule: Switch(rules.draw),
            resign_rule: Switch(rules.resign),
            max_moves: Switch(rules.max_moves()),
            seed,
        }
    }
}

impl Generations {
    /// Self-play settings and target of a generation, from 1.
    pub fn production(&self, generation: u32) -> (SelfplaySettings, GamesTarget) {
        let Self { nodes, hard_nodes, random_plies, balance, temperature, .. } = *self;
        let Self { draw_rule, resign_rule, max_moves, .. } = *self;
        let rules = GameRules::adjudicated(draw_rule.0, resign_rule.0, max_moves.0);
        let seed = self.seed.wrapping_add(u64::from(generation) - 1);
        let players =
            SelfplaySettings { nodes, hard_nodes, temperature, ..SelfplaySettings::default() };
        let settings = SelfplaySettings { random_plies, balance, rules, seed, ..players };
        (settings, GamesTarget::Positions(self.positions.get()))
    }

    /// Multiplies positions.
    pub(super) fn scale(&mut self, scale: Scale) {
        self.positions = scale.of_some(self.positions, 1);
    }

    /// Name of a player: that of generation 0 is PeSTO.
    pub fn player(generation: u32) -> String {
        match generation {
            0 => "PeSTO".to_owned(),
            generation => format!("generation {generation}"),
        }
    }
}

/// Checks that the other tables agree with `[selfplay]`.
///
/// # Errors
/// The first key that does not.
pub(super) fn check(experiment: &Experiment) -> Result<(), ValidationError> {
    let Experiment { grid, data, evaluation, .. } = experiment;
    let wrong =
        |path: &str, message: String, help: &str| Err(ValidationError::new(path, message, help));
    if !data.train.is_empty() {
        let message = "two sources of data, `data.train` and `[selfplay]`";
        let help = "keep `data.train` to train on files, `[selfplay]` to train on generated games";
        return wrong("data.train", message.to_owned(), help);
    }
    if let Ok(Some((key, _))) = grid.axes.lists().map(|axes| axes.into_iter().next()) {
        let message = format!("`{key}` is an axis of the grid, but a generation is one net");
        let help = "set it in its own table, and other values in other experiment files";
        return wrong(&format!("grid.{key}"), message, help);
    }
    for (key, count) in [
        ("grid.features", grid.features.len()),
        ("grid.layers", grid.layers.len()),
        ("grid.method", experiment.methods().len()),
        ("grid.seed", grid.seed.len()),
    ] {
        if count > 1 {
            let message = format!("`{key}` lists {count}, but a generation is one net");
            let help = "keep one of them, and the others in other experiment files";
            return wrong(key, message, help);
        }
    }
    match evaluation.matches.as_slice() {
        [only] if only.pairings == Pairings::RoundRobin => Ok(()),
        _ => {
            let help = "for example `match = [{ nodes = 1_000, games = 200 }]`";
            let message = "generations are rated by one round robin";
            wrong("evaluation.match", message.to_owned(), help)
        }
    }
}
