//! What decides the content of a file, as text that is kept with it.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::recipe::Recipe;
use arena::Switch;
use arena::contender::Evaluation;
use base::Shard;
use engine::bench::SIGNATURE;

/// Settings and their values, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings(BTreeMap<String, String>);

/// The numbers of the games of a part.
const GAMES: &str = "games";

impl Settings {
    /// Player and recipe. The target is not part of it: fewer games are the first ones of
    /// more.
    pub(crate) fn of_selfplay(player: &Evaluation, recipe: &Recipe) -> Self {
        let Recipe { nodes, hard_nodes, book, random_plies, balance, .. } = recipe;
        let Recipe { temperature, rules, seed, hash_mb, .. } = recipe;
        let draw_rule = Switch(rules.draw);
        let resign_rule = Switch(rules.resign);
        let max_moves = Switch(rules.max_moves());
        let named = [
            ("search", SIGNATURE.to_string()),
            ("player", player.fingerprint()),
            ("nodes", nodes.to_string()),
            ("random-plies", random_plies.to_string()),
            ("balance", balance.to_string()),
            ("draw-rule", draw_rule.to_string()),
            ("resign-rule", resign_rule.to_string()),
            ("max-moves", max_moves.to_string()),
            ("seed", seed.to_string()),
            ("hash-mb", hash_mb.to_string()),
        ];
        // What recipes did not have once is named where it is used.
        let later = [
            hard_nodes.map(|nodes| ("hard-nodes", nodes.to_string())),
            book.map(|book| ("book", book.to_string())),
            temperature.0.map(|temperature| ("temperature", temperature.to_string())),
        ];
        Self::new(named.into_iter().chain(later.into_iter().flatten()))
    }

    /// Those of a part of the games, which are some numbers.
    pub(crate) fn of_shard(mut self, shard: Shard, numbers: &Range<u64>) -> Self {
        if shard != Shard::ALL {
            let Range { start, end } = numbers;
            self.0.insert(GAMES.to_owned(), format!("{start} to {end}"));
        }
        self
    }

    /// Whether they are those of a part of a whole, which begins behind so many games.
    pub(crate) fn is_part_of(&self, whole: &Self, games: u64) -> bool {
        let mut others = self.0.clone();
        let numbers = others.remove(GAMES);
        let begins = numbers.is_some_and(|text| text.starts_with(&format!("{games} to ")));
        begins && others == whole.0
    }

    pub(crate) fn new(named: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// As the head of a journal.
    pub(crate) fn to_line(&self) -> String {
        // A map of texts is always valid JSON.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// From the head of a journal; `None` if it is another text.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().map(Self)
    }

    /// The differences to `now`, in words; `None` if there are none.
    pub(crate) fn difference(&self, now: &Self) -> Option<String> {
        let keys = self.0.keys().chain(now.0.keys().filter(|key| !self.0.contains_key(*key)));
        let told = |settings: &Self, key| match settings.0.get(key) {
            Some(value) => value.clone(),
            None => "not set".to_owned(),
        };
        let differences: Vec<String> = keys
            .filter(|key| self.0.get(*key) != now.0.get(*key))
            .map(|key| format!("{key} was {}, now it is {}", told(self, key), told(now, key)))
            .collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_is_named() {
        let usual = Settings::of_selfplay(&Evaluation::Pesto, &Recipe::default());
        assert_eq!(Settings::from_line(&usual.to_line()), Some(usual.clone()));
        assert_eq!(usual.difference(&usual), None);
        let recipe = Recipe { seed: 2, balance: "off".parse().unwrap(), ..Recipe::default() };
        let others = Settings::of_selfplay(&Evaluation::Material, &recipe);
        let temperature = "25/20".parse().unwrap();
        let warm =
            Settings::of_selfplay(&Evaluation::Pesto, &Recipe { temperature, ..Recipe::default() });
        let told = "temperature was not set, now it is 25/20";
        assert_eq!(usual.difference(&warm).as_deref(), Some(told));
        assert_eq!(
            usual.difference(&others).unwrap(),
            "balance was 150, now it is off; player was pesto, now it is material; \
             seed was 1, now it is 2"
        );
    }
}
