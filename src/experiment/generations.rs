//! The `[selfplay]` table: an experiment that makes its own data, each generation of
//! games by the net of the one before, the first by PeSTO's tables.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use super::config::Experiment;
use super::misfit::Misfit;
use arena::{DrawRule, GameRules, RandomPlies, ResignRule, Switch};
use measure::Pairings;
use selfplay::{Recipe, Target, Temperature};

/// Generations of games and nets.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Generations {
    /// How many nets, each trained on games of the player before.
    pub generations: NonZeroU32,
    pub positions: NonZeroU64,
    /// Which games a net is trained on.
    pub train_on: TrainOn,
    /// Nodes a move after which no new iteration begins.
    pub nodes: NonZeroU64,
    /// Nodes after which a search ends at once; ten times as many if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hard_nodes: Option<NonZeroU64>,
    /// How many random moves open a game.
    pub random_plies: RandomPlies,
    /// Openings judged worse than this for either side are drawn again, in centipawns.
    pub balance: Switch<NonZeroU32>,
    /// Moves that are drawn by chance.
    pub temperature: Switch<Temperature>,
    /// Draws that both sides see.
    pub draw_rule: Switch<DrawRule>,
    /// Wins that both sides see.
    pub resign_rule: Switch<ResignRule>,
    /// Drawn after so many moves of each player in any case.
    pub max_moves: Switch<NonZeroU32>,
    /// Seed of the first generation's games; each next one has the next.
    pub seed: u64,
}

/// Which games a net is trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainOn {
    /// Those of all generations so far.
    #[default]
    All,
    /// Those of its own generation.
    Latest,
}

impl Default for Generations {
    fn default() -> Self {
        let Recipe { nodes, hard_nodes, random_plies, balance, temperature, rules, seed, .. } =
            Recipe::default();
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
    /// How the games of a generation, counted from 1, are made.
    pub fn production(&self, generation: u32) -> (Recipe, Target) {
        let Self { nodes, hard_nodes, random_plies, balance, temperature, .. } = *self;
        let Self { draw_rule, resign_rule, max_moves, .. } = *self;
        let rules = GameRules::adjudicated(draw_rule.0, resign_rule.0, max_moves.0);
        let seed = self.seed.wrapping_add(u64::from(generation) - 1);
        let players = Recipe { nodes, hard_nodes, temperature, ..Recipe::default() };
        let recipe = Recipe { random_plies, balance, rules, seed, ..players };
        (recipe, Target::Positions(self.positions.get()))
    }

    /// What a player is called: that of generation 0 is PeSTO.
    pub fn player(generation: u32) -> String {
        match generation {
            0 => "PeSTO".to_owned(),
            generation => format!("generation {generation}"),
        }
    }
}

/// The first thing in an experiment with a `[selfplay]` table that does not go with it.
pub fn misfit(experiment: &Experiment) -> Option<Misfit> {
    let Experiment { grid, data, evaluation, .. } = experiment;
    if !data.train.is_empty() {
        return Some(Misfit {
            key: "train",
            message: "the data are given twice, as `data.train` and by `[selfplay]`".to_owned(),
            help: "keep `data.train` to train on files, `[selfplay]` to train on games made here",
        });
    }
    let lists = [
        ("features", grid.features.len()),
        ("layers", grid.layers.len()),
        ("method", experiment.methods().len()),
        ("seed", grid.seed.len()),
    ];
    if let Ok(Some((key, _))) = grid.axes.lists().map(|axes| axes.into_iter().next()) {
        return Some(Misfit {
            key: "grid",
            message: format!("`{key}` is an axis of the grid, but a generation is one net"),
            help: "set it in its own table; another experiment file can have another value",
        });
    }
    if let Some((key, count)) = lists.into_iter().find(|(_, count)| *count > 1) {
        return Some(Misfit {
            key,
            message: format!("`grid.{key}` lists {count}, but a generation is one net"),
            help: "keep one of them; another experiment file can have the other",
        });
    }
    let rated =
        matches!(evaluation.matches.as_slice(), [only] if only.pairings == Pairings::RoundRobin);
    (!rated).then(|| Misfit {
        key: "match",
        message: "generations are rated by one round robin".to_owned(),
        help: "for example `match = [{ nodes = 1_000, games = 200 }]`",
    })
}
