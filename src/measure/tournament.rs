//! The page of a match, a test or a tournament, from its games.

mod course;
mod tables;
#[cfg(test)]
mod tests;

use arena::{
    Decision, Forfeit, Forfeits, PairingResult, PlayerId, Ratings, Sprt, TooManyForfeits,
    TournamentResult,
};
use base::estimate::per_cent;
use base::format::{ascii, fixed, likelihood};
use report::plot::games as plots;
use report::{Finding, Mark, Page, Provenance, ReportError, Section};

pub use tables::{meetings, players};

/// The page of a tournament, or of a match of two, which `sprt` may have ended.
///
/// # Errors
/// A plot that cannot be drawn.
pub fn page(
    title: &str,
    provenance: Provenance,
    result: &TournamentResult,
    ratings: &Ratings,
    sprt: Option<&Sprt>,
) -> Result<Page, ReportError> {
    let only = match result.pairings.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let players = tables::players(result, ratings);
    let (mut sections, mut sheets) = (Vec::new(), Vec::new());
    if result.players.len() > 2 {
        sections.push(players.into());
        sections.push(tables::scores(result, ratings).into());
    } else {
        sheets.push(players);
    }
    let draw = |source| ReportError::Draw { experiment: title.to_owned(), source };
    if let Some(pairing) = only {
        let test = sprt.map(|sprt| course::test(pairing, sprt));
        let course = course::elo(pairing);
        let plot = test.as_ref().map(plots::test).transpose().map_err(draw)?;
        sections.extend(plot.flatten().map(Section::from));
        sections.extend(plots::course(&course).map_err(draw)?.map(Section::from));
        sheets.push(tables::course(&course));
        sheets.extend(test.map(|test| tables::llr(&test)));
    }
    let (standings, games) = tables::standings(result, ratings);
    sections.extend(plots::ratings(&standings, games).map_err(draw)?.map(Section::from));
    sections.push(tables::meetings(result).into());
    Ok(Page {
        title: title.to_owned(),
        findings: findings(result, ratings, only.zip(sprt)),
        warnings: warnings(result, ratings),
        sections,
        sheets,
        provenance,
        ..Page::default()
    })
}

/// Warnings about the result, the gravest first.
pub fn warnings(result: &TournamentResult, ratings: &Ratings) -> Vec<String> {
    let mut warnings: Vec<String> =
        result.pairings.iter().flat_map(|pairing| warnings_of(&result.players, pairing)).collect();
    if ratings.regularised && result.pairings.len() > 1 {
        warnings.push(
            "a player won (or lost) all games: the ratings include a virtual draw in each \
             pairing"
                .to_owned(),
        );
    }
    if !result.is_complete() {
        warnings.push("unfinished: results of the finished pairs".to_owned());
    }
    warnings
}

/// Warnings about the result of a pairing.
pub fn warnings_of(names: &[String], pairing: &PairingResult) -> Vec<String> {
    repetition(names, pairing).into_iter().chain(forfeited(names, pairing)).collect()
}

/// Warning about repeated games.
pub(crate) fn repetition(names: &[String], pairing: &PairingResult) -> Option<String> {
    let [first, second] = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    if pairing.is_degenerate() {
        return Some(format!(
            "degenerate: all {} pairs of {first} and {second} are one game played twice: identical \
             players, no information; vary their nodes with --jitter, or play on the \
             clock",
            pairing.copies
        ));
    }
    (pairing.duplicates > 0).then(|| {
        format!(
            "{} of {} games of {first} and {second} are duplicates; intervals are \
             too narrow",
            pairing.duplicates,
            pairing.games.games()
        )
    })
}

/// Warnings about players with too many forfeits.
pub(crate) fn forfeited(names: &[String], pairing: &PairingResult) -> Vec<String> {
    let games = pairing.games.games();
    let players = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    let is_too_many = |forfeits: &Forfeits| TooManyForfeits::of(forfeits.total(), games).is_some();
    let text = |name: &String, forfeits: &Forfeits| {
        let lost = forfeits.total();
        format!("{name} forfeited {lost} of {games} games: {forfeits}")
    };
    let all = players.into_iter().zip(&pairing.forfeits);
    all.filter(|(_, forfeits)| is_too_many(forfeits)).map(|(name, of)| text(name, of)).collect()
}

/// Forfeits of a pairing, if they are too many for a verdict.
pub fn too_many_forfeits(pairing: &PairingResult) -> Option<TooManyForfeits> {
    TooManyForfeits::of(pairing.forfeits.iter().map(Forfeits::total).sum(), pairing.games.games())
}

/// Whether the first player is better; no verdict where too many games were forfeited.
pub(crate) fn mark(pairing: &PairingResult) -> Mark {
    match (too_many_forfeits(pairing), pairing.pentanomial.elo()) {
        (Some(_), _) => Mark::NoVerdict,
        (None, Some(elo)) => elo.verdict().into(),
        (None, None) => Mark::Remark,
    }
}

/// Remedy for forfeited games.
const REMEDY: &str = "fix the failures, or give more time or an idle machine, and play again";

/// Forfeits of each player over all pairings.
pub fn forfeits(result: &TournamentResult) -> Vec<Forfeits> {
    let mut all = vec![Forfeits::default(); result.players.len()];
    for pairing in &result.pairings {
        let players = [pairing.pairing.first, pairing.pairing.second];
        for (player, forfeits) in players.iter().zip(&pairing.forfeits) {
            Forfeit::ALL.iter().for_each(|&kind| all[player.0].add_many(kind, forfeits.of(kind)));
        }
    }
    all
}

fn findings(
    result: &TournamentResult,
    ratings: &Ratings,
    test: Option<(&PairingResult, &Sprt)>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some((pairing, sprt)) = test {
        let first = &result.players[pairing.pairing.first.0];
        findings.push(Finding::remark(verdict(first, pairing, sprt) + "."));
    }
    if let [pairing] = result.pairings.as_slice()
        && let Some(elo) = pairing.pentanomial.elo()
    {
        let [first, second] =
            [pairing.pairing.first, pairing.pairing.second].map(|id| &result.players[id.0]);
        let verdict = match too_many_forfeits(pairing) {
            Some(forfeits) => format!("No verdict, since {forfeits}: {REMEDY}"),
            None => format!(
                "The likelihood of superiority of {first} is {}",
                likelihood(pairing.pentanomial.superiority(), 1)
            ),
        };
        findings.push(Finding {
            mark: mark(pairing),
            subject: first.clone(),
            text: format!("against {second}: {} Elo. {verdict}.", elo.signed()),
        });
    } else if let Some(&PlayerId(best)) = ratings.ranking().first() {
        let standing = &ratings.standings[best];
        // The anchor of the ratings has no interval.
        let elo = match standing.rating.margin() {
            0.0 => format!("{} Elo by definition", fixed(standing.rating.value, 0)),
            _ => format!("{} Elo", standing.rating.signed()),
        };
        let verdict = match too_many_forfeits_of_all(result) {
            Some(forfeits) => format!(", without a verdict: {forfeits}: {REMEDY}"),
            None => String::new(),
        };
        findings.push(Finding {
            mark: Mark::Remark,
            subject: standing.name.clone(),
            text: format!("leads with {elo}{verdict}."),
        });
    }
    for (player, forfeits) in result.players.iter().zip(forfeits(result)) {
        if forfeits.total() > 0 {
            let text = format!("forfeited games: {forfeits}.");
            findings.push(Finding { mark: Mark::Remark, subject: player.clone(), text });
        }
    }
    findings.push(Finding::remark(format!(
        "In these openings White's advantage is {} Elo, and the draw rate of equal players {}.",
        ratings.white_advantage.signed(),
        per_cent(ratings.draw_rate),
    )));
    findings
}

/// Forfeits of a tournament, if they are too many for a verdict.
fn too_many_forfeits_of_all(result: &TournamentResult) -> Option<TooManyForfeits> {
    let games = result.pairings.iter().map(|pairing| pairing.games.games()).sum();
    TooManyForfeits::of(forfeits(result).iter().map(Forfeits::total).sum(), games)
}

/// Text of a test's decision on the first player.
pub fn verdict(first: &str, pairing: &PairingResult, sprt: &Sprt) -> String {
    let pairs = &pairing.pentanomial;
    let llr = sprt.llr(pairs);
    let Sprt { elo0, elo1, model, .. } = sprt;
    let (low, high) = sprt.bounds();
    let outcome = match (sprt.decision(llr), too_many_forfeits(pairing)) {
        (Decision::AcceptH1, None) => {
            format!("H1 accepted: {first} is stronger by more than {elo0} ({model} Elo)")
        }
        (Decision::AcceptH0, None) => {
            format!("H0 accepted: {first} is not stronger by {elo1} ({model} Elo)")
        }
        (Decision::Continue, _) => format!("The test did not decide ({model} Elo)"),
        (_, Some(forfeits)) => format!("The test ended without a verdict: {forfeits}"),
    };
    let [llr, low, high] = [llr, low, high].map(|number| ascii(number, 2));
    format!("{outcome}; LLR {llr} ({low}, {high}) after {} pairs", pairs.pairs())
}
