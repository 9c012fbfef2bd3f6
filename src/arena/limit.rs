//! A limit of the search for a move, as a single value.

use std::cmp::Reverse;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::contender::Spending;
use super::time_control::TimeControl;
use base::format::grouped;

/// Limit of a player's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Nodes: compares evaluations alone.
    Nodes(NonZeroU64),
    /// Nodes of the reference; others search as many as take the same time. Compares evaluations at
    /// their cost, without a clock.
    EqualTime(NonZeroU64),
    /// Plies.
    Depth(NonZeroU32),
    /// Milliseconds per move: compares evaluations at their cost.
    MovetimeMs(NonZeroU32),
    Tc(TimeControl),
}

impl Limit {
    /// Whether clocks run.
    pub fn is_timed(self) -> bool {
        matches!(self, Limit::MovetimeMs(_) | Limit::Tc(_))
    }

    /// Whether nodes are given out by the time of a node.
    pub fn is_equal_time(self) -> bool {
        matches!(self, Limit::EqualTime(_))
    }

    /// Whether the time of a node counts, by a clock or at equal time.
    pub fn counts_speed(self) -> bool {
        self.is_timed() || self.is_equal_time()
    }

    /// The limit whose games decide whether a set pays: equal time, with most nodes, before clocks.
    pub fn deciding(limits: impl IntoIterator<Item = Self>) -> Option<Self> {
        let at_cost = limits.into_iter().filter(|limit| limit.counts_speed());
        let nodes = |limit| match limit {
            Limit::EqualTime(nodes) => nodes.get(),
            _ => 0,
        };
        at_cost.min_by_key(|&limit| (limit.is_timed(), Reverse(nodes(limit))))
    }

    /// A name for a CSV column: `nodes_1000`, `equal_1000`, `ms_20`, `tc_1+0.01`.
    pub fn slug(self) -> String {
        match self {
            Limit::Nodes(nodes) => format!("nodes_{nodes}"),
            Limit::EqualTime(nodes) => format!("equal_{nodes}"),
            Limit::Depth(plies) => format!("depth_{plies}"),
            Limit::MovetimeMs(ms) => format!("ms_{ms}"),
            Limit::Tc(control) => format!("tc_{control}"),
        }
    }

    /// The limit of a column's name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        let (kind, value) = slug.split_once('_')?;
        match kind {
            "nodes" => value.parse().ok().map(Limit::Nodes),
            "equal" => value.parse().ok().map(Limit::EqualTime),
            "depth" => value.parse().ok().map(Limit::Depth),
            "ms" => value.parse().ok().map(Limit::MovetimeMs),
            "tc" => value.parse().ok().map(Limit::Tc),
            _ => None,
        }
    }

    /// A short form for the heads of plots: `equal time (1,000)`.
    pub fn heading(self) -> String {
        match self {
            Limit::EqualTime(nodes) => format!("equal time ({})", grouped(nodes.get())),
            other => other.to_string(),
        }
    }

    /// The limit of the reference itself: at equal time a fixed number of nodes.
    pub fn of_reference(self) -> Limit {
        match self {
            Limit::EqualTime(nodes) => Limit::Nodes(nodes),
            own => own,
        }
    }

    /// The limit with half the time; `None` where speed does not count.
    pub fn halved(self) -> Option<Limit> {
        match self {
            Limit::EqualTime(nodes) => NonZeroU64::new(nodes.get() / 2).map(Limit::EqualTime),
            Limit::MovetimeMs(ms) => NonZeroU32::new(ms.get() / 2).map(Limit::MovetimeMs),
            Limit::Tc(TimeControl::Clock { moves, base, increment }) => {
                let (base, increment) = (base / 2, increment / 2);
                Some(Limit::Tc(TimeControl::Clock { moves, base, increment }))
            }
            _ => None,
        }
    }
}

impl From<Limit> for Spending {
    fn from(limit: Limit) -> Self {
        let none = Spending::default();
        match limit {
            Limit::Nodes(nodes) | Limit::EqualTime(nodes) => {
                Spending { nodes: Some(nodes.get()), ..none }
            }
            Limit::Depth(plies) => Spending { depth: Some(plies.get()), ..none },
            Limit::MovetimeMs(ms) => {
                let time = Duration::from_millis(ms.get().into());
                Spending { time_control: Some(TimeControl::PerMove(time)), ..none }
            }
            Limit::Tc(control) => Spending { time_control: Some(control), ..none },
        }
    }
}

impl fmt::Display for Limit {
    /// `1,000 nodes`, `equal time (1,000 reference nodes)`, `20 ms per move`, `1+0.01 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Limit::Nodes(nodes) => write!(f, "{} nodes", grouped(nodes.get())),
            Limit::EqualTime(nodes) => {
                write!(f, "equal time ({} reference nodes)", grouped(nodes.get()))
            }
            Limit::Depth(plies) => write!(f, "depth {plies}"),
            Limit::MovetimeMs(ms) => write!(f, "{} ms per move", grouped(ms.get().into())),
            Limit::Tc(control) => write!(f, "{control} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_time_decides_before_a_clock() {
        let of = |text: &str| serde_json::from_str::<Limit>(text).unwrap();
        let (nodes, clock) = (of(r#"{"nodes":1000}"#), of(r#"{"movetime_ms":20}"#));
        let equal = of(r#"{"equal_time":1000}"#);
        assert_eq!(Limit::deciding([nodes, clock, equal]), Some(equal));
        let more = of(r#"{"equal_time":5000}"#);
        assert_eq!(Limit::deciding([equal, more, clock]), Some(more), "nearest to play");
        assert_eq!(Limit::deciding([nodes, clock]), Some(clock));
        assert_eq!(Limit::deciding([nodes]), None);
    }

    #[test]
    fn names_of_columns_read_back() {
        for text in [
            r#"{"nodes":1000}"#,
            r#"{"equal_time":28000}"#,
            r#"{"depth":9}"#,
            r#"{"movetime_ms":20}"#,
            r#"{"tc":"1+0.01"}"#,
        ] {
            let limit: Limit = serde_json::from_str(text).unwrap();
            assert_eq!(Limit::from_slug(&limit.slug()), Some(limit));
        }
        assert_eq!(Limit::from_slug("nodes_1000_low"), None);
        assert_eq!(Limit::from_slug("nodes"), None);
    }

    #[test]
    fn half_of_a_limit_is_half_of_its_time() {
        let of = |text: &str| serde_json::from_str::<Limit>(text).unwrap();
        assert_eq!(of(r#"{"movetime_ms":20}"#).halved(), Some(of(r#"{"movetime_ms":10}"#)));
        assert_eq!(of(r#"{"tc":"1+0.02"}"#).halved(), Some(of(r#"{"tc":"0.5+0.01"}"#)));
        assert_eq!(of(r#"{"equal_time":100}"#).halved(), Some(of(r#"{"equal_time":50}"#)));
        assert_eq!(of(r#"{"nodes":1000}"#).halved(), None);
        assert_eq!(of(r#"{"nodes":1000}"#).to_string(), "1,000 nodes");
    }
}
