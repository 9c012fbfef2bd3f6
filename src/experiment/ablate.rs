//! Ablations of the search as a study: each part switched off against the whole.

use std::cmp::Reverse;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::preflight;
use super::study::{Chapter, Files, Note, Study, StudyKind, StudyPlan};
use super::summary;
use super::workspace::Workspace;
use arena::{Limit, NetId};
use base::{Key, Observer};
use engine::Technique;
use measure::{Ablated, Ablation};
use nnue::Net;
use plan::{JobError, Plan, RunDir};
use report::Format::{Count, Factor, Signed, Text};
use report::{Column, Page, Provenance, Table};

/// Parts of the search to measure, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ablations {
    pub name: String,
    /// The net of both players; PeSTO's tables by default.
    pub net: Option<PathBuf>,
    /// All parts if empty.
    pub parts: Vec<Technique>,
    pub limit: Limit,
    /// Games for each part.
    pub games: NonZeroU64,
    /// Plies to which nodes are counted.
    pub depth: NonZeroU32,
    /// Seed of the openings.
    pub seed: u64,
}

/// `oplus ablate`.
pub static ABLATION: StudyKind = StudyKind {
    name: "ablation",
    read: |note| Ok(Box::new(serde_json::from_str::<Ablations>(&note.config)?)),
};

impl Ablations {
    fn planned(&self) -> Result<(Plan, Vec<(Technique, Key)>), JobError> {
        let mut plan = Plan::default();
        let net = match &self.net {
            None => NetId::Pesto,
            Some(path) => {
                let id = Net::load(path)?.fingerprint().to_string();
                plan.inputs.nets.insert(id.clone(), path.clone());
                NetId::File(id)
            }
        };
        let like = Ablation {
            net,
            part: Technique::AlphaBeta,
            limit: self.limit,
            games: self.games.get(),
            seed: self.seed,
            depth: self.depth,
        };
        let parts = like.add_each(&self.parts, &mut plan)?;
        Ok((plan, parts))
    }

    /// Finished ablations, the part with the largest lead first.
    fn table(&self, mut done: Vec<(Technique, Ablated)>) -> Table {
        let games = |ablated: &Ablated| ablated.result.games;
        done.sort_by_key(|(_, it)| Reverse(games(it).wins as i64 - games(it).losses as i64));
        let nodes = format!("nodes without, depth {}", self.depth);
        Table::of("parts", "Parts of the search", &done)
            .column(Column::new("part", "part", Text), |(part, _)| part.to_string())
            .column(Column::new("wins", "won", Count), |(_, it)| games(it).wins)
            .column(Column::new("draws", "drawn", Count), |(_, it)| games(it).draws)
            .column(Column::new("losses", "lost", Count), |(_, it)| games(it).losses)
            .column(Column::estimate("elo", "Elo of the part", Signed(0)), |(_, it)| {
                it.result.pentanomial.elo()
            })
            .column(Column::new("nodes_without", nodes, Factor(2)), |(_, it)| it.nodes.ratio())
            .summary()
            .table()
    }
}

impl Study for Ablations {
    fn kind(&self) -> &'static StudyKind {
        &ABLATION
    }

    fn command(&self) -> &'static str {
        "ablate"
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn definition(&self) -> Result<String, JobError> {
        Ok(serde_json::to_string(self)?)
    }

    fn plan(&self, _: Files, _: &RunDir, _: &mut dyn Observer) -> Result<StudyPlan, JobError> {
        Ok(StudyPlan::fixed(self.planned()?.0, Default::default()))
    }

    fn pages(&self, note: &Note, dir: &RunDir) -> Result<Vec<Chapter>, JobError> {
        let ((plan, parts), results) = (self.planned()?, dir.results());
        let mut done = Vec::new();
        for (part, key) in parts {
            done.extend(results.output(key)?.map(|ablated| (part, ablated)));
        }
        let net = self.net.as_ref().map_or("PeSTO".to_owned(), |net| net.display().to_string());
        let games = format!("{} per part, {}, seed {}", self.games, self.limit, self.seed);
        let conditions = [("evaluation", net), ("games", games)];
        let conditions = conditions.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let provenance = summary::provenance(&plan, &results, &note.command)?;
        Ok(vec![
            Page {
                title: self.name.clone(),
                question: "Elo and nodes of each part of the search".to_owned(),
                sections: vec![self.table(done).into()],
                provenance: Provenance { conditions, ..provenance },
                ..Page::default()
            }
            .into(),
        ])
    }

    fn check(&self, workspace: &Workspace) -> Result<(), JobError> {
        Ok(preflight::folders(self, workspace)?)
    }
}
