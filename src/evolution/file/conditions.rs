//! Conditions of searches, in words.

use crate::Opponents;
use arena::{ByColour, RandomPlies};
use base::format::grouped;
use experiment::summary;
use plan::Results;
use report::Provenance;

use super::config::{FitnessConfig, GenomeConfig};
use super::{Config, EvolveError, SearchPlanning, TrialConfig};

/// `against material, 100 nodes a move`.
pub(super) fn trial_text(config: &Config, trial: &TrialConfig) -> String {
    let colours = if trial.colours == ByColour::White { ", White alone" } else { "" };
    let against = match (trial.against.as_str(), &config.genome) {
        ("start", GenomeConfig::Tables(genome)) => genome.tables.as_str(),
        ("start", GenomeConfig::Margins(_)) => "the usual margins",
        ("start", GenomeConfig::Weights(_)) => "the unchanged net",
        (other, _) => other,
    };
    format!("against {against}, {} nodes per move{colours}", grouped(trial.nodes.get()))
}

pub(super) fn provenance(
    config: &Config,
    planning: &SearchPlanning,
    results: &Results,
    command: &str,
) -> Result<Provenance, EvolveError> {
    let provenance = summary::provenance(&planning.plan, results, command)?;
    let mut conditions = vec![("searched".to_owned(), searched(config, planning))];
    conditions.push(("judged by".to_owned(), judged_by(&config.fitness)));
    for method in &config.methods {
        if let Some(own) = &method.fitness {
            conditions.push((format!("objective, {}", method.label()), judged_by(own)));
        }
    }
    for trial in &config.trials {
        let plies = RandomPlies::USUAL;
        let games =
            format!("{} games per answer, openings of {plies} random plies", grouped(trial.games));
        conditions.push((format!("Elo {}", trial_text(config, trial)), games));
    }
    Ok(Provenance { conditions, ..provenance })
}

fn searched(config: &Config, planning: &SearchPlanning) -> String {
    let genome_text = planning.genome.summary();
    match &config.genome {
        GenomeConfig::Tables(genome) => format!(
            "{genome_text}, from `{}`, within {} centipawns of the value of the piece",
            genome.tables, genome.range
        ),
        GenomeConfig::Margins(genome) => format!("{genome_text} with `{}`", genome.evaluation),
        GenomeConfig::Weights(genome) => format!(
            "{genome_text}, `{}`, each within {} centipawns of its value there",
            genome.net.display(),
            genome.range
        ),
    }
}

fn judged_by(fitness: &FitnessConfig) -> String {
    match fitness {
        FitnessConfig::Games(terms) => {
            let against = match terms.opponents {
                Opponents::Population => "each other",
                Opponents::Start => "the start of the search",
                Opponents::Champions => "former answers",
            };
            let colours = match terms.colours {
                ByColour::Both => "",
                ByColour::White => ", with White alone",
            };
            format!(
                "{} games per point and round at {} nodes per move against {against}{colours}, \
                 openings of {} random plies",
                terms.games,
                grouped(terms.nodes.get()),
                RandomPlies::USUAL
            )
        }
        FitnessConfig::Positions(positions) => format!(
            "the squared error of the expected score in {} positions of {}",
            grouped(positions.positions),
            positions.file.display()
        ),
    }
}
