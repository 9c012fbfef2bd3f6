//! What was found, judged: by nets of other seeds, in other games, played once.

use std::path;

use crate::planning::Planning;
use crate::publish::{self, Earlier};
use crate::{Experiment, Note, Runs};
use base::Estimate;
use discovery::Purpose;
use measure::Entrant;

use crate::discover::DiscoverError;
use crate::discover::path::Path;
use crate::discover::workshop::Workshop;

/// How the grid's judge sees it.
#[derive(Debug)]
pub(crate) struct Verdict {
    experiment: Experiment,
    note: Note,
    /// The page's content.
    pub(crate) report: measure::Report,
    /// The fall of the loss beside the rival, in per cent, by seed.
    pub(crate) gains: Vec<Estimate>,
}

/// Folder of the verdict's page within that of the search.
const FOLDER: &str = "verdict";

impl Verdict {
    /// Where its page is, seen from that of the search.
    pub(crate) const PAGE: &str = "verdict/index.html";

    /// Writes its page into the folder of the search's; its table, for a terminal.
    pub(crate) fn write(&self, runs: &Runs, folder: &path::Path) -> Result<String, DiscoverError> {
        let (Self { experiment, note, .. }, folder) = (self, folder.join(FOLDER));
        Ok(publish::page_in(runs, experiment, note, &folder, Earlier::IsReplaced)?.in_short())
    }
}

/// The found set and its rival as an experiment; `None` if nothing was found.
pub(crate) fn of(
    shop: &mut Workshop<'_>,
    path: &Path,
    runs: &Runs,
) -> Result<Option<Verdict>, DiscoverError> {
    let (Some(found), Some(rival)) = (path.found(), path.rival()) else { return Ok(None) };
    let experiment = judged(shop.experiment, found, &rival.model.expression);
    let planning = shop.planning(&experiment)?;
    shop.carry_out()?;
    let gains = gains(shop, &planning)?;
    let note = Note::of(&experiment, &shop.note.command, &planning.contents)?;
    let report = publish::report(runs, &experiment, &note)?;
    Ok(Some(Verdict { experiment, note, report, gains }))
}

/// What the found set's nets are wrong less than the rival's of the same seeds.
fn gains(shop: &mut Workshop<'_>, planning: &Planning) -> Result<Vec<Estimate>, DiscoverError> {
    let [rival, found] = planning.inquiry.contestants.as_slice() else { return Ok(Vec::new()) };
    let pair = |(rival, found): (&Entrant, &Entrant)| {
        ([rival.net.clone(), found.net.clone()], "loss of the verdict".to_owned())
    };
    let pairs = rival.nets.iter().zip(&found.nets).map(pair).collect();
    Ok(shop.compared(Purpose::Telling, pairs)?.into_iter().flatten().collect())
}

/// The experiment of the file with two sets in its grid.
fn judged(experiment: &Experiment, found: &str, rival: &str) -> Experiment {
    let mut judged = experiment.clone();
    judged.grid.features = [rival, found].map(str::to_owned).to_vec();
    judged.evaluation.reference = rival.to_owned();
    judged.discover = None;
    judged
}
