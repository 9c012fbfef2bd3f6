//! The page's content, from the way and the verdict.

use crate::summary;
use base::Estimate;
use base::format::{fixed, grouped};
use discovery::Purpose;
use report::discovery::{
    DiscoveryReport, FoundSet, FrontPoint, PrunedRow, RivalRow, RoundReport, ScreenedRow, Standing,
    TestRow, TriedRow,
};

use crate::discover::DiscoverError;
use crate::discover::baseline::Baseline;
use crate::discover::driver::SearchDriver;
use crate::discover::history::{Challenger, History, Round};
use crate::discover::testing::{Outcome, Test, Trial};
use crate::discover::training::TrainedCandidate;
use crate::discover::verdict::Verdict;

/// What it shows.
pub(crate) fn of(
    shop: &SearchDriver<'_>,
    path: &History,
    verdict: Option<&Verdict>,
    standing: Standing,
) -> Result<DiscoveryReport, DiscoverError> {
    let of_verdict = verdict.into_iter().flat_map(|verdict| verdict.report.warnings.clone());
    let found = path.found().zip(path.baseline());
    let found = found.map(|(found, rival)| found_set(found, rival, verdict));
    Ok(DiscoveryReport {
        name: shop.experiment.name.clone(),
        question: shop.experiment.question.clone(),
        start: shop.experiment.reference().to_owned(),
        standing,
        found,
        warnings: path.warnings().chain(of_verdict).collect(),
        front: front(shop, path),
        rounds: path.rounds.iter().map(round).collect(),
        rivals: path.baselines.iter().map(|rival| rival_row(path, rival)).collect(),
        games: games(shop),
        provenance: summary::provenance(&shop.plan, &shop.results(), &shop.note.command)?,
    })
}

fn found_set(found: &str, rival: &Baseline, verdict: Option<&Verdict>) -> FoundSet {
    let row =
        verdict.and_then(|verdict| verdict.report.sets.iter().find(|row| row.features == found));
    let elo = row.map_or_else(Vec::new, |row| row.elo.clone());
    FoundSet {
        set: found.to_owned(),
        rival: rival.model.expression.clone(),
        elo,
        cost: row.and_then(|row| row.cost),
        gains: verdict.map_or_else(Vec::new, |verdict| verdict.gains.clone()),
        page: Verdict::PAGE.to_owned(),
    }
}

/// The start and all challengers, each as high as what it stands on and what it won over that.
fn front(shop: &SearchDriver<'_>, path: &History) -> Vec<FrontPoint> {
    let point = |set: &str, speed: Option<Estimate>, elo, is_taken| {
        speed.map(|speed| FrontPoint { set: set.to_owned(), speed, elo, is_taken })
    };
    let speed = path.start_pace.as_ref().map(measure::Pace::nodes_per_second);
    let mut points: Vec<FrontPoint> =
        point(shop.experiment.reference(), speed, None, true).into_iter().collect();
    let mut below = 0.0;
    for round in &path.rounds {
        let mut next = below;
        for challenger in &round.challengers {
            let Some(trial) = &challenger.trial else { continue };
            let Some(won) = trial.nodes.tested.elo() else { continue };
            let elo = Estimate::new(won.value + below, won.low + below, won.high + below);
            let is_taken = trial.is_passed();
            let speed = challenger.pace.as_ref().map(measure::Pace::nodes_per_second);
            points.extend(point(&challenger.model.expression, speed, Some(elo), is_taken));
            if is_taken {
                next = elo.value;
            }
        }
        below = next;
    }
    points
}

fn round(round: &Round) -> RoundReport {
    let trained: Vec<&str> =
        round.tried.iter().map(|tried| tried.finding.candidate.as_str()).collect();
    let screened = round.findings.all.iter().map(|finding| ScreenedRow {
        candidate: finding.candidate.clone(),
        features: finding.features,
        gain: finding.percent(),
        q: finding.q,
        ns: finding.ns_per_move,
        is_discovery: finding.is_discovery(),
        was_trained: trained.contains(&finding.candidate.as_str()),
    });
    RoundReport {
        base: round.base.expression.clone(),
        loss: round.findings.loss,
        own_gain: round.findings.own_gain,
        screened: screened.collect(),
        tried: round.tried.iter().map(|tried| tried_row(round, tried)).collect(),
        pruned: round.challengers.iter().flat_map(pruned).collect(),
        tests: round.challengers.iter().flat_map(tests).collect(),
        is_over: round.is_over,
        taken: round.taken().map(|challenger| challenger.model.expression.clone()),
    }
}

fn tried_row(round: &Round, tried: &TrainedCandidate) -> TriedRow {
    TriedRow {
        candidate: tried.finding.candidate.clone(),
        share: tried.gain.map(|gain| gain.share),
        gain: tried.gain.map(|gain| gain.percent),
        cost: tried.cost,
        expected: tried.expected,
        fate: fate(round, tried).to_owned(),
    }
}

const UNDER_WAY: &str = "under way";

/// What became of a candidate that was trained.
fn fate(round: &Round, tried: &TrainedCandidate) -> &'static str {
    let is_it = |one: &&Challenger| one.tried.finding.candidate == tried.finding.candidate;
    if let Some(challenger) = round.challengers.iter().find(is_it) {
        return match &challenger.trial {
            Some(trial) if trial.is_passed() => "took the place of the set before it",
            Some(trial) if trial.is_refused() => "no stronger at fixed nodes",
            Some(Trial { time: Some(test), .. })
                if matches!(test.outcome(), Outcome::NoVerdict(_)) =>
            {
                "no verdict: games were lost otherwise than by chess"
            }
            Some(Trial { time: Some(_), .. }) => "no stronger in the same time",
            Some(Trial { time: None, .. }) | None => UNDER_WAY,
        };
    }
    let share = |one: &TrainedCandidate| one.gain.map_or(0.0, |gain| gain.share);
    let furthest = round.tried.iter().map(share).fold(0.0, f64::max);
    match tried.gain {
        Some(gain) if gain.share < furthest => "others promised more after as much training",
        _ if !round.is_over => UNDER_WAY,
        None => "came to no net",
        Some(_) if tried.expected <= 0.0 => "gains too little for its cost",
        Some(_) if round.taken().is_some() => "another one passed before",
        Some(_) => "others promised more",
    }
}

fn pruned(challenger: &Challenger) -> Vec<PrunedRow> {
    let row = |pruned: &crate::discover::pruning::Pruned| PrunedRow {
        candidate: challenger.tried.finding.candidate.clone(),
        of: challenger.tried.finding.features,
        rows: pruned.rows,
        gain: pruned.gain,
        is_borne: pruned.is_borne,
    };
    challenger.pruned.iter().map(row).collect()
}

fn tests(challenger: &Challenger) -> Vec<TestRow> {
    let row = |test: &Test| {
        let Test { limit, tested } = test;
        let decision = match test.outcome() {
            Outcome::Stronger => "stronger".to_owned(),
            Outcome::NoStronger => "no stronger".to_owned(),
            Outcome::Open => "open after all games".to_owned(),
            Outcome::NoVerdict(spoilt) => format!("no verdict: {spoilt}"),
        };
        TestRow {
            challenger: challenger.model.expression.clone(),
            limit: limit.to_string(),
            elo: tested.elo(),
            games: 2 * tested.played.result.pentanomial.pairs(),
            llr: tested.llr,
            is_refused: test.outcome() == Outcome::NoStronger,
            decision,
        }
    };
    challenger.trial.iter().flat_map(Trial::tests).map(row).collect()
}

fn rival_row(path: &History, rival: &Baseline) -> RivalRow {
    let is_chosen = path.baseline().is_some_and(|one| one.model.net == rival.model.net);
    let fate = match (is_chosen, rival.is_affordable) {
        (true, _) => "the strongest that costs no more: met what was found",
        (false, true) => "costs no more, and is weaker",
        (false, false) => "costs more for a node than what was found",
    };
    RivalRow {
        set: rival.model.expression.clone(),
        speed: rival.pace.nodes_per_second(),
        elo: rival.elo,
        fate: fate.to_owned(),
    }
}

/// Which games answered which question.
fn games(shop: &SearchDriver<'_>) -> Vec<(String, String)> {
    let validation = shop.experiment.data.validation;
    let share = |purpose: Purpose| {
        format!("{} % of all games", fixed(100.0 * validation * purpose.share(), 1))
    };
    let tests = format!(
        "up to {} games a test, openings of seeds from {} on",
        grouped(shop.search.games.get()),
        shop.search.seed
    );
    let seeds: Vec<String> = shop.experiment.grid.seed.iter().map(u64::to_string).collect();
    vec![
        (
            "nets are trained on".to_owned(),
            format!("{} % of all games", fixed(100.0 * (1.0 - validation), 1)),
        ),
        ("candidates are screened on".to_owned(), share(Purpose::Screening)),
        ("nets are compared, rows ranked on".to_owned(), share(Purpose::Comparing)),
        ("tested in".to_owned(), tests),
        ("the loss of the verdict is told by".to_owned(), share(Purpose::Verdict)),
        ("nets of the verdict have the seeds".to_owned(), seeds.join(", ")),
    ]
}
