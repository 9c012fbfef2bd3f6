//! What games tell their page: rated, tested and put into words.

use arena::{
    Bootstrap, Decision, Forfeit, Forfeits, PairingResult, Pentanomial, PlayerId, Ratings,
    RatingsError, Scale, Sprt, TournamentResult,
};
use base::estimate::per_cent;
use base::format::{ascii, fixed, likelihood};
use report::Provenance;
use report::Spoilt;
use report::games::{CoursePoint, GamesReport, Meeting, PlayerRow, TestCurve};

/// Points of a curve; more would not be seen.
const POINTS: u64 = 400;

/// The page of a tournament, or of a match of two, which `sprt` may have ended.
///
/// # Errors
///
/// Players whom no finished pair connects with the others.
pub fn of(
    title: &str,
    provenance: Provenance,
    result: &TournamentResult,
    scale: &Scale,
    sprt: Option<&Sprt>,
) -> Result<GamesReport, RatingsError> {
    let ratings = Ratings::of(result, scale, Bootstrap::default())?;
    let only = match result.pairings.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let test = only.zip(sprt).map(|(pairing, sprt)| test_curve(pairing, sprt));
    let mut findings = findings(result, &ratings);
    if let Some((pairing, sprt)) = only.zip(sprt) {
        let first = &result.players[pairing.pairing.first.0];
        findings.insert(0, verdict(first, pairing, sprt) + ".");
    }
    Ok(GamesReport {
        title: title.to_owned(),
        provenance,
        findings,
        warnings: warnings(result, &ratings),
        players: players(result, &ratings),
        meetings: result.pairings.iter().map(|pairing| meeting(result, pairing)).collect(),
        course: only.map(course).unwrap_or_default(),
        test,
        ..GamesReport::default()
    })
}

/// What a reader of the result must know: in words, the gravest first.
pub fn warnings(result: &TournamentResult, ratings: &Ratings) -> Vec<String> {
    let mut warnings: Vec<String> =
        result.pairings.iter().flat_map(|pairing| warnings_of(&result.players, pairing)).collect();
    if ratings.regularised && result.pairings.len() > 1 {
        warnings.push(
            "somebody won (or lost) everything: for the ratings a virtual draw was added to each \
             pairing"
                .to_owned(),
        );
    }
    if !result.is_complete() {
        warnings
            .push("not all games were played: what is shown is of the finished pairs".to_owned());
    }
    warnings
}

/// Why the result of a pairing should be read with care.
pub fn warnings_of(names: &[String], pairing: &PairingResult) -> Vec<String> {
    repetition(names, pairing).into_iter().chain(forfeited(names, pairing)).collect()
}

/// Games that are not so many as they seem.
pub(crate) fn repetition(names: &[String], pairing: &PairingResult) -> Option<String> {
    let [first, second] = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    if pairing.is_degenerate() {
        return Some(format!(
            "degenerate: all {} pairs of {first} and {second} are one game played twice, so they \
             play alike and the result says nothing; vary their nodes with --jitter, or let a clock \
             run",
            pairing.copies
        ));
    }
    (pairing.duplicates > 0).then(|| {
        format!(
            "{} of {} games of {first} and {second} repeat another one move by move; intervals are \
             too narrow",
            pairing.duplicates,
            pairing.games.games()
        )
    })
}

/// Players who lost many games otherwise than by chess.
pub(crate) fn forfeited(names: &[String], pairing: &PairingResult) -> Vec<String> {
    let games = pairing.games.games();
    let players = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    let spoilt = |forfeits: &Forfeits| Spoilt::of(forfeits.total(), games).is_some();
    let told = |name: &String, forfeits: &Forfeits| {
        let lost = forfeits.total();
        format!("{name} lost {lost} of {games} games by other means than chess: {forfeits}")
    };
    let all = players.into_iter().zip(&pairing.forfeits);
    all.filter(|(_, forfeits)| spoilt(forfeits)).map(|(name, of)| told(name, of)).collect()
}

/// Whether too many games of a pairing were forfeited for a verdict.
pub fn spoilt(pairing: &PairingResult) -> Option<Spoilt> {
    Spoilt::of(pairing.forfeits.iter().map(Forfeits::total).sum(), pairing.games.games())
}

/// What to do about forfeited games.
const REMEDY: &str = "mend what fails, or give it more time or a quieter machine, and play anew";

/// All that each player forfeited.
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

fn findings(result: &TournamentResult, ratings: &Ratings) -> Vec<String> {
    let mut findings = Vec::new();
    if let [pairing] = result.pairings.as_slice()
        && let Some(elo) = pairing.pentanomial.elo()
    {
        let [first, second] =
            [pairing.pairing.first, pairing.pairing.second].map(|id| &result.players[id.0]);
        let told = match spoilt(pairing) {
            Some(spoilt) => format!("No verdict, since {spoilt}: {REMEDY}"),
            None => format!(
                "The likelihood that {first} is the stronger is {}",
                likelihood(pairing.pentanomial.superiority(), 1)
            ),
        };
        let elo = elo.signed();
        findings.push(format!("{first} against {second}: {elo} Elo. {told}."));
    } else if let Some(&PlayerId(best)) = ratings.ranking().first() {
        let standing = &ratings.standings[best];
        // A player by whom the others are measured has no interval of its own.
        let elo = match standing.rating.margin() {
            0.0 => format!("{} Elo by definition", fixed(standing.rating.value, 0)),
            _ => format!("{} Elo", standing.rating.signed()),
        };
        let told = match spoilt_by_all(result) {
            Some(spoilt) => format!(", which is no verdict, since {spoilt}: {REMEDY}"),
            None => String::new(),
        };
        findings.push(format!("{} leads with {elo}{told}.", standing.name));
    }
    for (player, forfeits) in result.players.iter().zip(forfeits(result)) {
        if forfeits.total() > 0 {
            findings.push(format!("{player} lost games by other means than chess: {forfeits}."));
        }
    }
    findings.push(format!(
        "In these openings White has {} Elo, and equals draw {} of their games.",
        ratings.white_advantage.signed(),
        per_cent(ratings.draw_rate),
    ));
    findings
}

/// Whether too many games of a tournament were forfeited for a verdict.
fn spoilt_by_all(result: &TournamentResult) -> Option<Spoilt> {
    let games = result.pairings.iter().map(|pairing| pairing.games.games()).sum();
    Spoilt::of(forfeits(result).iter().map(Forfeits::total).sum(), games)
}

/// What a test says of the first player, by its pairs.
pub fn verdict(first: &str, pairing: &PairingResult, sprt: &Sprt) -> String {
    let pairs = &pairing.pentanomial;
    let llr = sprt.llr(pairs);
    let Sprt { elo0, elo1, model, .. } = sprt;
    let (low, high) = sprt.bounds();
    let said = match (sprt.decision(llr), spoilt(pairing)) {
        (Decision::AcceptH1, None) => {
            format!("H1 accepted: {first} is stronger by more than {elo0} ({model} Elo)")
        }
        (Decision::AcceptH0, None) => {
            format!("H0 accepted: {first} is not stronger by {elo1} ({model} Elo)")
        }
        (Decision::Continue, _) => format!("The test came to no decision ({model} Elo)"),
        (_, Some(spoilt)) => format!("The test ended, but not in a verdict, since {spoilt}"),
    };
    let [llr, low, high] = [llr, low, high].map(|number| ascii(number, 2));
    format!("{said}; LLR {llr} ({low}, {high}) after {} pairs", pairs.pairs())
}

fn players(result: &TournamentResult, ratings: &Ratings) -> Vec<PlayerRow> {
    let forfeits = forfeits(result);
    let row = |PlayerId(id): PlayerId| {
        let standing = &ratings.standings[id];
        let forfeited = Some(&forfeits[id]).filter(|forfeits| forfeits.total() > 0);
        PlayerRow {
            name: standing.name.clone(),
            elo: standing.rating,
            direct: standing.direct,
            score: standing.overall.score().unwrap_or(0.5),
            games: 2 * standing.overall.pairs(),
            forfeits: forfeited.map_or(String::new(), ToString::to_string),
        }
    };
    ratings.ranking().into_iter().map(row).collect()
}

fn meeting(result: &TournamentResult, pairing: &PairingResult) -> Meeting {
    let [first, second] =
        [pairing.pairing.first, pairing.pairing.second].map(|id| result.players[id.0].clone());
    let games = &pairing.games;
    Meeting {
        first,
        second,
        games: [games.wins, games.draws, games.losses],
        pairs: pairing.pentanomial.counts,
        elo: pairing.pentanomial.elo(),
        normalised_elo: pairing.pentanomial.normalised_elo(),
        white_score: pairing.white.score().unwrap_or(0.5),
        duplicates: pairing.duplicates,
        is_spoilt: spoilt(pairing).is_some(),
    }
}

/// What the first pairs said, at up to [`POINTS`] places.
fn prefixes(pairing: &PairingResult) -> impl Iterator<Item = Pentanomial> {
    let total = pairing.pentanomial.pairs();
    let step = total.div_ceil(POINTS).max(1);
    let mut pairs = Pentanomial::default();
    pairing.pairs.iter().flatten().filter_map(move |pair| {
        pairs.add(pair.score());
        (pairs.pairs() % step == 0 || pairs.pairs() == total).then_some(pairs)
    })
}

fn course(pairing: &PairingResult) -> Vec<CoursePoint> {
    let point = |pairs: Pentanomial| Some(CoursePoint { pairs: pairs.pairs(), elo: pairs.elo()? });
    prefixes(pairing).filter_map(point).collect()
}

fn test_curve(pairing: &PairingResult, sprt: &Sprt) -> TestCurve {
    let llr = |pairs: Pentanomial| (pairs.pairs(), sprt.llr(&pairs));
    let Sprt { elo0, elo1, alpha, beta, model } = sprt;
    TestCurve {
        question: format!(
            "H0: {elo0} Elo, H1: {elo1} Elo ({model}), error rates {} and {} %",
            rounded(100.0 * alpha),
            rounded(100.0 * beta)
        ),
        bounds: sprt.bounds(),
        points: std::iter::once((0, 0.0)).chain(prefixes(pairing).map(llr)).collect(),
    }
}

/// To a hundredth, without what binary fractions leave.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
