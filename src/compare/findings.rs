//! All that was measured, set beside each other.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::config::Config;
use super::contestant::Contestant;
use super::contests::Contest;
use super::error::CompareError;
use super::solved::{self, Solved, Suite};
use super::speed::{self, Speed};
use super::verdict::Verdict;
use arena::{
    Estimate, Forfeits, PairingLogs, PairingResult, Pentanomial, PooledEstimate, Progress,
    SeedEstimate, TournamentResult, Watchdog, mean_losses, page, play_pairings, pool,
};
use base::Observer;
use base::format::{ascii, ascii_signed};
use report::Spoilt;

/// What contestants are worth.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// How it was measured.
    pub config: Config,
    /// The first contestant, whom the others are compared with.
    pub reference: Finding,
    /// The others.
    pub findings: Vec<Finding>,
    /// Elo that twice the time is worth to the reference, and the games that
    /// say so.
    pub price: Option<Score>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

/// What one contestant is worth against the reference.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Its name.
    pub label: String,
    /// Nets, each of another seed.
    pub nets: usize,
    /// At fixed nodes.
    pub at_nodes: Option<Score>,
    /// At fixed time.
    pub at_time: Option<Score>,
    /// What it costs.
    pub speed: Option<Speed>,
    /// What fixed nodes, price and cost let one expect at fixed time.
    pub expected_at_time: Option<Estimate>,
    /// Puzzles.
    pub puzzles: Option<Solved>,
    /// Mean validation loss of its nets.
    pub validation_loss: Option<Estimate>,
}

/// Elo over the reference under one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Over all seeds.
    pub elo: Estimate,
    /// Finished pairs of all seeds.
    pub pairs: Pentanomial,
    /// Half width that would remain however many games were played.
    pub seed_margin: f64,
    /// Why the games leave no verdict, if too many were forfeited.
    pub spoilt: Option<Spoilt>,
}

impl Score {
    /// Games.
    pub fn games(&self) -> u64 {
        2 * self.pairs.pairs()
    }
}

impl Finding {
    /// Does it pay?
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.at_time.as_ref())
    }
}

/// Plays and measures all; the games stand in logs in `folder`, from which a
/// comparison that was stopped goes on.
///
/// # Errors
/// Whatever keeps it from being made; [`CompareError::Stopped`] if it was stopped.
pub fn compare(
    contestants: &[Contestant],
    config: &Config,
    folder: &Path,
    observer: &mut (dyn Observer + Send),
    stop: &AtomicBool,
) -> Result<Comparison, CompareError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| CompareError::Folder { path: folder.to_owned(), source })?;
    // Whatever cannot be had is told before anything is measured.
    let plan = Plan::new(contestants, config)?;
    let mut desk = Desk { folder, observer, stop, warnings: Vec::new() };
    desk.warnings.extend(plan.suite.iter().map(|suite| suite.skipped.clone()));
    desk.warnings.retain(|warning| !warning.is_empty());
    desk.warnings.extend(contestants.iter().filter_map(|one| luck_untold(one, &contestants[0])));
    let speeds = desk.speeds(contestants, config)?;
    let puzzles = solved::measure(contestants, plan.suite.as_ref(), desk.observer, stop)?;
    let at_nodes = desk.scores("fixed nodes", plan.at_nodes.as_ref(), contestants)?;
    let price = desk.price(plan.price.as_ref())?;
    let at_time = desk.scores("fixed time", plan.at_time.as_ref(), contestants)?;
    let losses = validation_losses(contestants);
    let finding = |(i, contestant): (usize, &Contestant)| {
        let opponent = i.checked_sub(1);
        let score = |scores: &[Option<Score>]| opponent.and_then(|i| *scores.get(i)?);
        let (at_nodes, speed) = (score(&at_nodes), speeds.get(i).cloned());
        Finding {
            label: contestant.label.clone(),
            nets: contestant.nets.len(),
            expected_at_time: expected(at_nodes.as_ref(), price.as_ref(), speed.as_ref()),
            at_nodes,
            at_time: score(&at_time),
            speed,
            puzzles: puzzles.get(i).cloned(),
            validation_loss: losses[i],
        }
    };
    let mut findings: Vec<Finding> = contestants.iter().enumerate().map(finding).collect();
    let reference = findings.remove(0);
    Ok(Comparison { config: config.clone(), reference, findings, price, warnings: desk.warnings })
}

/// Where a contestant has one net and the reference several, the meetings differ by
/// the reference's nets alone.
fn luck_untold(contestant: &Contestant, reference: &Contestant) -> Option<String> {
    let is_lonely = contestant.nets.len() == 1 && reference.nets.len() > 1;
    is_lonely.then(|| {
        let (label, nets) = (&contestant.label, reference.nets.len());
        format!(
            "{label} has one net and the reference {nets}: the luck of that net is not in its \
             intervals"
        )
    })
}

/// All that is to be played and solved.
struct Plan {
    suite: Option<Suite>,
    at_nodes: Option<Contest>,
    price: Option<Contest>,
    at_time: Option<Contest>,
}

impl Plan {
    fn new(contestants: &[Contestant], config: &Config) -> Result<Self, CompareError> {
        let wanted = |games: usize| (games > 0).then_some(());
        let (nodes, time) = (wanted(config.node_games), wanted(config.time_games));
        let price = wanted(config.price_games);
        Ok(Self {
            suite: config.puzzles.as_ref().map(Suite::read).transpose()?,
            at_nodes: nodes.map(|()| Contest::at_nodes(contestants, config)).transpose()?,
            price: price.map(|()| Contest::price(&contestants[0], config)).transpose()?,
            at_time: time.map(|()| Contest::at_time(contestants, config)).transpose()?,
        })
    }
}

/// Where stages are run.
struct Desk<'d> {
    folder: &'d Path,
    observer: &'d mut (dyn Observer + Send),
    stop: &'d AtomicBool,
    warnings: Vec<String>,
}

impl Desk<'_> {
    fn speeds(
        &mut self,
        contestants: &[Contestant],
        config: &Config,
    ) -> Result<Vec<Speed>, CompareError> {
        let searches = config.rounds.max(1) * contestants.len();
        self.observer.begin("cost per node", searches as u64, "searches");
        let mut progress = |done: usize| self.observer.advance(done as u64, "");
        let speeds = speed::measure(contestants, config, &mut progress, self.stop);
        self.observer.end(&format!("{searches} searches"));
        speeds.ok_or(CompareError::Stopped)
    }

    /// Elo of each contestant but the first.
    fn scores(
        &mut self,
        stage: &str,
        contest: Option<&Contest>,
        contestants: &[Contestant],
    ) -> Result<Vec<Option<Score>>, CompareError> {
        let Some(contest) = contest else { return Ok(Vec::new()) };
        let result = self.play(stage, contest)?;
        let of = |i: usize| -> Vec<&PairingResult> {
            contest.pairings_of(i).iter().map(|&pairing| &result.pairings[pairing]).collect()
        };
        let pairings: Vec<Vec<&PairingResult>> = (0..contestants.len() - 1).map(of).collect();
        Ok(scores(&pairings))
    }

    fn price(&mut self, contest: Option<&Contest>) -> Result<Option<Score>, CompareError> {
        let Some(contest) = contest else { return Ok(None) };
        let result = self.play("price of time", contest)?;
        let score = score(&[&result.pairings[0]], None);
        let spoilt = score.and_then(|score| score.spoilt);
        self.warnings.extend(spoilt.map(|spoilt| {
            format!("the price of time is not told, since {spoilt}; {}", Verdict::REMEDY)
        }));
        Ok(score.filter(|score| score.spoilt.is_none()))
    }

    fn play(&mut self, stage: &str, contest: &Contest) -> Result<TournamentResult, CompareError> {
        let stem = stage.replace(' ', "-");
        let logs = PairingLogs { folder: self.folder, stem: &stem };
        self.observer.begin(stage, contest.config.games()? as u64, "games");
        let observer = &mut *self.observer;
        let mut progress = |at: Progress<'_>| {
            observer.advance(at.finished as u64, &live(&at));
        };
        let player = |id| contest.player(id, self.stop);
        let watchdog = contest.is_timed().then(Watchdog::start);
        let played = play_pairings(&contest.config, logs, &player, &mut progress, self.stop);
        let standstills = watchdog.map(Watchdog::finish).unwrap_or_default();
        self.observer.end("");
        let result = played?;
        self.warnings.extend(standstills.warning().map(|told| format!("{stage}: {told}")));
        if self.stop.load(Ordering::Relaxed) && !result.is_complete() {
            return Err(CompareError::Stopped);
        }
        self.warnings.extend(failures(&result).map(|told| format!("{stage}: {told}")));
        for pairing in &result.pairings {
            let told = page::warnings_of(&result.players, pairing);
            self.warnings.extend(told.into_iter().map(|told| format!("{stage}: {told}")));
        }
        Ok(result)
    }
}

/// Games that players lost by failing as programs; `None` if there were none.
fn failures(result: &TournamentResult) -> Option<String> {
    let forfeits = page::forfeits(result);
    let told = result.players.iter().zip(&forfeits).filter(|(_, forfeits)| forfeits.total() > 0);
    let told: Vec<String> = told.map(|(name, forfeits)| format!("{name}: {forfeits}")).collect();
    (!told.is_empty()).then(|| {
        let games = result.pairings.iter().map(|pairing| pairing.games.games()).sum::<u64>();
        format!("of {games} games some were lost otherwise than by chess: {}", told.join("; "))
    })
}

/// How the contestant of the last game stands.
fn live(at: &Progress<'_>) -> String {
    let key = at.game.key;
    let name = if key.swapped { &at.game.black } else { &at.game.white };
    match at.pairs.get(key.pairing).and_then(Pentanomial::elo) {
        Some(elo) => {
            let (value, margin) = (ascii_signed(elo.value, 0), ascii(elo.margin(), 0));
            format!("{name}: Elo {value} ± {margin}")
        }
        None => String::new(),
    }
}

/// One figure for each contestant, over its seeds.
fn scores(contestants: &[Vec<&PairingResult>]) -> Vec<Option<Score>> {
    let of_seeds = |pairings: &Vec<&PairingResult>| -> Option<Vec<SeedEstimate>> {
        let elo = |pairing: &&PairingResult| SeedEstimate::of(&pairing.pentanomial.elo()?);
        pairings.iter().map(elo).collect()
    };
    // A seed that won everything has no figure, and the others must not stand for
    // it: such a contestant is not pooled.
    let estimates: Vec<Vec<SeedEstimate>> =
        contestants.iter().map(|pairings| of_seeds(pairings).unwrap_or_default()).collect();
    let pooled = pool(&estimates);
    contestants.iter().zip(pooled).map(|(pairings, pooled)| score(pairings, pooled)).collect()
}

fn score(pairings: &[&PairingResult], pooled: Option<PooledEstimate>) -> Option<Score> {
    let mut pairs = Pentanomial::default();
    pairings.iter().for_each(|pairing| pairs += pairing.pentanomial);
    let forfeits = pairings.iter().flat_map(|pairing| &pairing.forfeits).map(Forfeits::total).sum();
    let spoilt = Spoilt::of(forfeits, 2 * pairs.pairs());
    Some(match pooled.filter(|_| pairings.len() > 1) {
        Some(pooled) => Score { elo: pooled.elo, pairs, seed_margin: pooled.seed_margin, spoilt },
        // One net has its own interval, which may be lopsided.
        None => Score { elo: pairs.elo()?, pairs, seed_margin: 0.0, spoilt },
    })
}

/// Elo at fixed nodes less the price of a doubling × log₂ of the cost. The
/// three are measured apart, so their variances add up.
fn expected(
    at_nodes: Option<&Score>,
    price: Option<&Score>,
    speed: Option<&Speed>,
) -> Option<Estimate> {
    let (nodes, price, cost) = (at_nodes?.elo, price?.elo, speed?.cost);
    let known = [nodes, price, cost].iter().all(Estimate::is_bounded);
    if !known || cost.low <= 0.0 {
        return None;
    }
    let doublings = cost.value.log2();
    let spread = (cost.high.log2() - cost.low.log2()) / 2.0;
    let parts = [nodes.margin(), price.margin() * doublings, price.value * spread];
    let margin = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    Some(Estimate::symmetric(nodes.value - price.value * doublings, margin))
}

/// Of each contestant; nothing where the loss of one of its nets is not known.
fn validation_losses(contestants: &[Contestant]) -> Vec<Option<Estimate>> {
    let of_nets = |contestant: &Contestant| -> Vec<f64> {
        let losses: Option<_> = contestant.nets.iter().map(|net| net.validation_loss).collect();
        losses.unwrap_or_default()
    };
    let losses: Vec<Vec<f64>> = contestants.iter().map(of_nets).collect();
    mean_losses(&losses).into_iter().map(|found| found.map(|(mean, _)| mean)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo(value: f64, margin: f64) -> Score {
        let pairs = Pentanomial::default();
        Score { elo: Estimate::symmetric(value, margin), pairs, seed_margin: 0.0, spoilt: None }
    }

    fn cost(value: f64) -> Speed {
        let exact = |value| Estimate::symmetric(value, 0.0);
        Speed {
            nodes_per_second: exact(1e6),
            cost: exact(value),
            rows_per_node: 0.0,
            refreshed_rows_per_node: 0.0,
        }
    }

    /// A doubling that is worth 80 Elo takes 80 from who needs twice the time.
    #[test]
    fn time_has_its_price() {
        let expected =
            |ratio| expected(Some(&elo(50.0, 12.0)), Some(&elo(80.0, 16.0)), Some(&cost(ratio)));
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}");
        let same = expected(1.0).unwrap();
        close(same.value, 50.0);
        close(same.margin(), 12.0);
        let twice = expected(2.0).unwrap();
        close(twice.value, -30.0);
        close(twice.margin(), 20.0);
        close(expected(0.5).unwrap().value, 130.0);
        assert_eq!(super::expected(None, Some(&elo(80.0, 1.0)), Some(&cost(1.0))), None);
    }
}
