//! What a comparison tells its page.

use super::config::Config;
use super::findings::{Comparison, Finding, Score};
use arena::OpeningSource;
use report::balance::{BalanceReport, BalanceRow};

impl Comparison {
    /// The page. `machine` names what it was measured on.
    pub fn page(&self, machine: &str) -> BalanceReport {
        let Config { nodes, movetime, .. } = self.config;
        BalanceReport {
            title: format!("{} and what more features bring", self.reference.label),
            conditions: self.conditions(machine),
            node_limit: format!("{nodes} nodes a move"),
            time_limit: format!("{} ms a move", movetime.as_millis()),
            reference: row(&self.reference),
            rows: self.findings.iter().map(row).collect(),
            price: self.price.map(|price| report::Estimate::from(price.elo)),
            warnings: self.warnings.clone(),
        }
    }

    fn conditions(&self, machine: &str) -> Vec<(String, String)> {
        let config = &self.config;
        let openings = match &config.openings {
            OpeningSource::Random { plies, .. } => format!("{plies} random plies"),
            OpeningSource::Book { path, .. } => {
                path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            }
        };
        let mut named = vec![
            ("machine", machine.to_owned()),
            ("openings", format!("{openings}, seed {}", config.seed)),
            (
                "games at once",
                format!(
                    "{} at fixed nodes, {} at fixed time",
                    config.node_concurrency, config.time_concurrency
                ),
            ),
            (
                "speed",
                format!(
                    "{} rounds to depth {}, one thread, all nets on the tree of PeSTO",
                    config.rounds, config.depth
                ),
            ),
            ("program", format!("oplus {}", env!("CARGO_PKG_VERSION"))),
        ];
        if let Some(puzzles) = &config.puzzles {
            let file = puzzles.file.file_name().unwrap_or_default().to_string_lossy();
            named.push(("puzzles", format!("{file}, {} nodes a move", puzzles.nodes)));
        }
        if let Some(price) = &self.price {
            named.push((
                "price of time",
                format!(
                    "{} games of {} against itself with half the time",
                    price.games(),
                    self.reference.label
                ),
            ));
        }
        named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn row(finding: &Finding) -> BalanceRow {
    let played = |score: &Option<Score>| {
        score.map(|score| (report::Estimate::from(score.elo), score.games()))
    };
    let speed = finding.speed.as_ref();
    BalanceRow {
        label: finding.label.clone(),
        nets: finding.nets,
        at_nodes: played(&finding.at_nodes),
        at_time: played(&finding.at_time),
        expected: finding.expected_at_time.map(report::Estimate::from),
        cost: speed.map(|speed| report::Estimate::from(speed.cost)),
        nodes_per_second: speed.map(|speed| report::Estimate::from(speed.nodes_per_second)),
        rows_per_node: speed.map(|speed| speed.rows_per_node),
        refreshed_rows_per_node: speed.map(|speed| speed.refreshed_rows_per_node),
        puzzles: finding
            .puzzles
            .as_ref()
            .and_then(|solved| solved.share.map(report::Estimate::from)),
        puzzle_lead: finding
            .puzzles
            .as_ref()
            .and_then(|solved| solved.lead.map(report::Estimate::from)),
        validation_loss: finding.validation_loss.map(report::Estimate::from),
        verdict: finding.verdict().to_string(),
        tone: finding.verdict().tone(),
    }
}
