//! Games: Elo of every variant, price of time, and pairings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::warnings::{Concern, Warnings, forfeited};
use super::{null, sound};
use crate::evaluation_plan::Meeting;
use crate::over_nodes::{self, LeadsAt, NodesLine, Odds};
use crate::page::model::{BookLead, NullGames, OverPeer, SetPairing};
use crate::unique::unique;
use crate::{EloResult, EvaluationPlan, NodeTimes, Played, Variant, Verdict};
use arena::{
    Forfeits, Limit, NetId, NullEstimate, Opponent, PairingResult, Pentanomial, PlayerId,
    PooledEstimate, SeedEstimate, SeedSpread, TooManyForfeits, TournamentResult, pool,
};
use base::Estimate;
use base::format::grouped;
use plan::{PlanError, Results};

use crate::verdict::Looks;
pub(super) use crate::verdict::Score;

/// One duplicate in this many games leaves intervals as they are, to a hundredth of their width.
const HARMLESS: u64 = 100;

/// All results of the games.
pub(super) struct Strengths {
    /// By limit, in the order of the questions.
    pub limits: Vec<AtLimit>,
    /// Over the reference's set with as many positions, where their number is varied.
    pub leads: Option<Leads>,
    /// Leads from single books, where the experiment plays from several; by variant.
    pub books: Vec<Vec<BookLead>>,
    /// Games of the reference's nets against each other.
    pub null: Option<NullGames>,
    /// Games of every two variants over all seeds, in their order.
    pub games: Vec<SetPairing>,
    /// Elo per doubling of time, of the reference.
    pub price: Option<Score>,
    /// The games behind it.
    pub price_games: Option<SetPairing>,
    /// Spread between nets of one set, at the first limit with several seeds.
    pub spread: Option<SeedSpread>,
    /// Warnings for the page.
    pub warnings: Vec<String>,
}

/// Leads over the reference's set with as many positions, at the first limit of nodes, or else
/// the first.
pub(super) struct Leads {
    pub limit: Limit,
    /// By variant.
    scores: Vec<Option<Score>>,
}

impl Leads {
    /// Lead of one variant, unless too many forfeits make it invalid.
    pub(super) fn of(&self, variant: usize) -> Option<Estimate> {
        sound(self.scores[variant].as_ref()).map(|score| score.elo)
    }

    /// Lead of a variant over its second opponent.
    pub(super) fn over_peer(
        &self,
        evaluation_plan: &EvaluationPlan,
        variant: usize,
    ) -> Option<OverPeer> {
        let peer =
            evaluation_plan.peer(variant).filter(|peer| *peer != evaluation_plan.reference)?;
        let elo = self.scores[variant].as_ref()?.result(self.limit);
        Some(OverPeer { peer: evaluation_plan.variants[peer].label(), elo })
    }
}

/// Elo of all variants over the reference under one limit.
pub(super) struct AtLimit {
    pub limit: Limit,
    /// In the variants' order.
    pub variants: Vec<VariantElo>,
    /// Leads of the variants' seeds; none of a variant with a seed that won or lost every game.
    seeds: Vec<Vec<SeedEstimate>>,
}

#[derive(Default)]
pub(super) struct VariantElo {
    /// All seeds together.
    pub score: Option<Score>,
    /// Each net by itself, by its place.
    by_net: BTreeMap<usize, Score>,
}

impl AtLimit {
    /// Leads that a line may go through.
    fn leads(&self) -> LeadsAt {
        let pooled = |variant: &VariantElo| sound(variant.score.as_ref()).map(|score| score.elo);
        let pooled = self.variants.iter().map(pooled).collect();
        LeadsAt { limit: self.limit, seeds: self.seeds.clone(), pooled }
    }

    pub(super) fn result(&self, variant: usize) -> Option<EloResult> {
        self.variants[variant].score.as_ref().map(|score| score.result(self.limit))
    }

    pub(super) fn of_net(&self, variant: usize, net: usize) -> Option<EloResult> {
        self.variants[variant].by_net.get(&net).map(|score| score.result(self.limit))
    }
}

impl Score {
    fn result(&self, limit: Limit) -> EloResult {
        let Score { elo, too_many_forfeits, .. } = *self;
        EloResult { limit, estimate: elo, games: self.games() as u32, too_many_forfeits }
    }
}

impl Strengths {
    /// Under one limit.
    pub(super) fn at(&self, limit: Limit) -> Option<&AtLimit> {
        self.limits.iter().find(|one| one.limit == limit)
    }

    /// Lines over the nodes of a move, by variant.
    pub(super) fn lines(&self, node_times: &[Option<NodeTimes>]) -> Vec<Vec<NodesLine>> {
        let leads: Vec<LeadsAt> = self.limits.iter().map(AtLimit::leads).collect();
        let mut of_variants = vec![Vec::new(); node_times.len()];
        for odds in Odds::ALL {
            for (variant, line) in over_nodes::lines(odds, &leads).into_iter().enumerate() {
                let times = node_times[variant].as_ref().filter(|_| odds == Odds::EqualTime);
                let line = line.map(|line| match times {
                    Some(times) => line.with_error_of(times, self.price.as_ref()),
                    None => line,
                });
                of_variants[variant].extend(line);
            }
        }
        of_variants
    }
}

/// Games of two nets that were played.
#[derive(Clone)]
struct Met {
    sides: [usize; 2],
    nets: [usize; 2],
    limit: Limit,
    /// Name of the book, where the experiment plays from several.
    book: Option<String>,
    /// As the first side sees it.
    result: PairingResult,
}

impl Met {
    /// As the other side sees it.
    fn turned(&self) -> Self {
        let Self { sides: [a, b], nets: [own, other], limit, book, result } = self;
        let (book, result) = (book.clone(), result.clone().turned());
        Self { sides: [*b, *a], nets: [*other, *own], limit: *limit, book, result }
    }
}

/// Results of the games played so far.
pub(super) fn of(
    evaluation_plan: &EvaluationPlan,
    node_times: &[Option<NodeTimes>],
    results: &Results,
) -> Result<Strengths, PlanError> {
    let mut warnings = Warnings::default();
    let price = price(evaluation_plan, results, &mut warnings)?;
    let met = met(evaluation_plan, results, &mut warnings)?;
    let limits = unique(met.iter().map(|one| one.limit));
    let null = null::of(evaluation_plan, results)?;
    let mut spread = None;
    let mut of_limits = Vec::new();
    let over = |a| (a != evaluation_plan.reference).then_some(evaluation_plan.reference);
    let timed = |variant: usize, limit: Limit, score: Score| match &node_times[variant] {
        Some(times) if limit.is_equal_time() => score.with_error_of(times, price.as_ref()),
        _ => score,
    };
    for limit in limits {
        let at_limit = |one: &Met| one.limit == limit;
        let (seeds, pooled) = over_others(evaluation_plan, &met, &null.at(limit), &at_limit, &over);
        let estimates =
            seeds.iter().map(|seeds| seeds.estimates.clone().unwrap_or_default()).collect();
        let of_variants = seeds.into_iter().zip(&pooled).enumerate();
        let of_variants = of_variants.map(|(variant, (seeds, pooled))| {
            let own = &evaluation_plan.variants[variant];
            warnings.extend(seeds.warnings(own, evaluation_plan.reference(), limit));
            let score = seeds.score(pooled.as_ref()).map(|score| timed(variant, limit, score));
            let score = score.map(|score| Score { looks: evaluation_plan.looks(limit), ..score });
            let by_net = seeds.by_net.into_iter();
            let by_net = by_net.map(|(net, score)| (net, timed(variant, limit, score))).collect();
            VariantElo { score, by_net }
        });
        of_limits.push(AtLimit { limit, variants: of_variants.collect(), seeds: estimates });
        spread = spread.or(pooled.into_iter().flatten().find_map(|pooled| pooled.spread));
    }
    let books = from_books(evaluation_plan, &met, &over, &timed);
    let price_games = price_games(evaluation_plan, results)?;
    let (leads, games) = (leads(evaluation_plan, &met, &of_limits), games(evaluation_plan, &met));
    let warnings = warnings.sentences();
    let (limits, null) = (of_limits, null.games());
    Ok(Strengths { limits, leads, books, null, games, price, price_games, spread, warnings })
}

/// Leads of every variant from single books, under each limit.
fn from_books(
    evaluation_plan: &EvaluationPlan,
    met: &[Met],
    over: &dyn Fn(usize) -> Option<usize>,
    timed: &dyn Fn(usize, Limit, Score) -> Score,
) -> Vec<Vec<BookLead>> {
    let mut of_variants = vec![Vec::new(); evaluation_plan.variants.len()];
    let played = met.iter().filter_map(|one| Some((one.limit, one.book.as_deref()?)));
    for (limit, book) in unique(played) {
        let is_one = |one: &Met| one.limit == limit && one.book.as_deref() == Some(book);
        let (seeds, pooled) = over_others(evaluation_plan, met, &[], &is_one, over);
        for (variant, (seeds, pooled)) in seeds.iter().zip(&pooled).enumerate() {
            let Some(score) = seeds.score(pooled.as_ref()) else { continue };
            if sound(Some(&score)).is_none() {
                continue;
            }
            let game_error = seeds.pairs.elo().and_then(|elo| elo.standard_error());
            let book = book.to_owned();
            let elo = timed(variant, limit, score).elo;
            of_variants[variant].push(BookLead { limit, book, elo, game_error });
        }
    }
    of_variants
}

/// Scores of every variant's seeds against one opponent in some games, and their pooled estimates.
fn over_others(
    evaluation_plan: &EvaluationPlan,
    met: &[Met],
    null: &[NullEstimate],
    is_chosen: &dyn Fn(&Met) -> bool,
    other: &dyn Fn(usize) -> Option<usize>,
) -> (Vec<Seeds>, Vec<Option<PooledEstimate>>) {
    let seeds_of = |a: usize| {
        let Some(b) = other(a) else { return Seeds::default() };
        let between =
            met.iter().filter(|one| is_chosen(one)).filter_map(move |one| match one.sides {
                sides if sides == [a, b] => Some(Cow::Borrowed(one)),
                sides if sides == [b, a] => Some(Cow::Owned(one.turned())),
                _ => None,
            });
        Seeds::of(between, evaluation_plan, [a, b])
    };
    let seeds: Vec<Seeds> = (0..evaluation_plan.variants.len()).map(seeds_of).collect();
    // A seed that won everything has no standard error, and the others must not stand
    // for it: such a variant is not pooled.
    let estimates: Vec<Vec<SeedEstimate>> =
        seeds.iter().map(|seeds| seeds.estimates.clone().unwrap_or_default()).collect();
    let pooled = pool(&estimates, null);
    (seeds, pooled)
}

fn leads(evaluation_plan: &EvaluationPlan, met: &[Met], limits: &[AtLimit]) -> Option<Leads> {
    evaluation_plan.reference().data_size.as_ref()?;
    let at_nodes = limits.iter().find(|one| !one.limit.counts_speed());
    let of_reference = at_nodes.or(limits.first())?;
    let limit = of_reference.limit;
    let is_at_limit = |one: &Met| one.limit == limit;
    let over_peer = |a| evaluation_plan.peer(a);
    let (seeds, pooled) = over_others(evaluation_plan, met, &[], &is_at_limit, &over_peer);
    let score = |a: usize| match evaluation_plan.peer(a) == Some(evaluation_plan.reference) {
        // One lead has one interval, wherever it stands.
        true => of_reference.variants[a].score,
        false => seeds[a].score(pooled[a].as_ref()),
    };
    Some(Leads { limit, scores: (0..seeds.len()).map(score).collect() })
}

fn met(
    evaluation_plan: &EvaluationPlan,
    results: &Results,
    warnings: &mut Warnings,
) -> Result<Vec<Met>, PlanError> {
    let (mut all, mut games, mut repeated, mut forfeits) = (Vec::new(), 0, 0, 0);
    for question in &evaluation_plan.matches {
        for Meeting { sides, nets, game } in evaluation_plan.meetings(question) {
            let Some(played) = results.output_of(&game)? else { continue };
            games += played.result.games.games();
            (repeated, forfeits) =
                (repeated + played.result.duplicates, forfeits + played.forfeits());
            let label = |net: &NetId| {
                let is_first = evaluation_plan.variants[sides[0]].nets[nets[0]].net == *net;
                evaluation_plan.variants[sides[usize::from(!is_first)]].label()
            };
            let names = game.seats.each_ref().map(|seat| label(&seat.net));
            let texts = played.grave_warnings(names).into_iter();
            let sentences =
                texts.map(|(concern, text)| (concern, format!("{}: {text}.", question.limit)));
            warnings.extend(sentences);
            let net = &evaluation_plan.variants[sides[0]].nets[nets[0]].net;
            all.push(Met {
                sides,
                nets,
                limit: question.limit,
                book: question.book.clone(),
                result: played.seen_by(&game, net),
            });
        }
    }
    if repeated > 0 && repeated * HARMLESS >= games {
        let text = format!(
            "{} of {} games are duplicates of another game of their pairing; the intervals are too \
             narrow.",
            grouped(repeated),
            grouped(games)
        );
        warnings.add(Concern::Games, text);
    }
    if forfeits > 0 {
        warnings.add(Concern::Games, forfeited(forfeits));
    }
    Ok(all)
}

/// The games of variants with one net each as a tournament, if all are played.
///
/// # Errors
/// A result that cannot be read.
pub fn tournament(
    evaluation_plan: &EvaluationPlan,
    results: &Results,
) -> Result<Option<TournamentResult>, PlanError> {
    let wanted: usize =
        evaluation_plan.matches.iter().map(|one| evaluation_plan.meetings(one).len()).sum();
    let met = met(evaluation_plan, results, &mut Warnings::default())?;
    let is_complete = met.len() == wanted;
    let pairings = met.into_iter().map(|Met { sides, result, .. }| {
        let [first, second] = sides.map(PlayerId);
        PairingResult { pairing: arena::Pairing { first, second }, ..result }
    });
    let pairings: Vec<PairingResult> = pairings.collect();
    let players = evaluation_plan.variants.iter().map(Variant::label).collect();
    let pairs = pairings.first().map_or(0, |pairing| pairing.pairs.len());
    Ok(is_complete.then_some(TournamentResult { players, pairs, pairings }))
}

/// Scores of a variant's seeds under one limit.
#[derive(Default)]
struct Seeds {
    /// One estimate per independent group of games; `None` if one of them has no standard error.
    estimates: Option<Vec<SeedEstimate>>,
    by_net: BTreeMap<usize, Score>,
    pairs: Pentanomial,
    forfeits: u64,
}

impl Seeds {
    /// Of a variant, the first of two, against the second.
    fn of<'m>(
        met: impl Iterator<Item = Cow<'m, Met>>,
        evaluation_plan: &EvaluationPlan,
        [own, other]: [usize; 2],
    ) -> Self {
        let (mut by_net, mut meetings) = (BTreeMap::new(), Vec::new());
        let (mut pairs, mut forfeits) = (Pentanomial::default(), 0);
        for one in met {
            let Met { nets, result, .. } = &*one;
            let lost: u64 = result.forfeits.iter().map(Forfeits::total).sum();
            let of_net: &mut (Pentanomial, u64) = by_net.entry(nets[0]).or_default();
            of_net.0 += result.pentanomial;
            of_net.1 += lost;
            pairs += result.pentanomial;
            forfeits += lost;
            meetings.push(((nets[0], nets[1]), (nets[1], result.pentanomial)));
        }
        let variants = &evaluation_plan.variants;
        let independent = variants[own].independent(&variants[other], meetings);
        let estimates = independent.into_iter().map(|group| {
            let net = group.first().map_or(0, |(net, _)| *net);
            let mut pairs = Pentanomial::default();
            group.into_iter().for_each(|(_, of_meeting)| pairs += of_meeting);
            SeedEstimate::of(&pairs.elo()?, Opponent { variant: other, net })
        });
        let by_net = by_net.into_iter();
        Self {
            estimates: estimates.collect(),
            by_net: by_net.filter_map(|(net, (p, f))| Some((net, of_games(p, f)?))).collect(),
            pairs,
            forfeits,
        }
    }

    fn score(&self, pooled: Option<&arena::PooledEstimate>) -> Option<Score> {
        let of_games = of_games(self.pairs, self.forfeits)?;
        Some(match pooled.filter(|pooled| pooled.spread.is_some()) {
            Some(pooled) => Score { elo: pooled.elo, seed_margin: pooled.seed_margin, ..of_games },
            // One net has its own interval, which may be lopsided.
            None => of_games,
        })
    }

    fn warnings(&self, own: &Variant, reference: &Variant, limit: Limit) -> Vec<(Concern, String)> {
        let mut warnings = Vec::new();
        if self.estimates.is_none() && self.by_net.len() > 1 {
            let text = format!(
                "{}: a seed won or lost every game at {limit}, so the interval is that of all \
                 games together, without the spread between seeds.",
                own.label()
            );
            warnings.push((Concern::OneSided, text));
        }
        if self.pairs.pairs() > 0
            && own.nets.len() != reference.nets.len()
            && own.nets.len().min(reference.nets.len()) == 1
        {
            let (one, several) =
                if own.nets.len() == 1 { (own, reference) } else { (reference, own) };
            let text = format!(
                "{} has one net and {} {}: the interval at {limit} excludes the spread between seeds of the single net.",
                one.label(),
                several.label(),
                several.nets.len()
            );
            warnings.push((Concern::FewerNets, text));
        }
        warnings
    }
}

/// Of the games alone.
fn of_games(pairs: Pentanomial, forfeits: u64) -> Option<Score> {
    let too_many_forfeits = TooManyForfeits::of(forfeits, 2 * pairs.pairs());
    let looks = Looks::One;
    Some(Score { elo: pairs.elo()?, pairs, seed_margin: 0.0, too_many_forfeits, looks })
}

fn price(
    evaluation_plan: &EvaluationPlan,
    results: &Results,
    warnings: &mut Warnings,
) -> Result<Option<Score>, PlanError> {
    let Some(price) = evaluation_plan.price() else { return Ok(None) };
    let Some(played) = results.output_of(&price)? else { return Ok(None) };
    let names = ["all the time", "half the time"].map(str::to_owned);
    let texts = played.grave_warnings(names);
    let sentences = texts
        .into_iter()
        .map(|(concern, text)| (concern, format!("Elo per doubling of time: {text}.")));
    warnings.extend(sentences);
    if let Some(forfeits) = played.too_many_forfeits() {
        let text = format!("no Elo per doubling of time: {forfeits}; {}.", Verdict::REMEDY);
        warnings.add(Concern::Games, text);
        return Ok(None);
    }
    let Played { result, .. } = played;
    Ok(of_games(result.pentanomial, 0))
}

/// Games of the reference with all the time against itself with half of it.
fn price_games(
    evaluation_plan: &EvaluationPlan,
    results: &Results,
) -> Result<Option<SetPairing>, PlanError> {
    let Some(price) = evaluation_plan.price() else { return Ok(None) };
    let played = results.output_of(&price)?;
    let first = evaluation_plan.reference().label();
    let second = format!("{first}, half the time");
    let limit = price.game().seats[0].limit;
    Ok(played.map(|played| {
        let mut pairing = SetPairing::empty([first, second], limit);
        pairing.add(&played.result);
        pairing
    }))
}

fn games(evaluation_plan: &EvaluationPlan, met: &[Met]) -> Vec<SetPairing> {
    let mut by_pair: Vec<(Limit, [usize; 2], SetPairing)> = Vec::new();
    for Met { sides, limit, result, .. } in met {
        let (sides, result) = match sides[0] < sides[1] {
            true => (*sides, result.clone()),
            false => ([sides[1], sides[0]], result.clone().turned()),
        };
        let known = by_pair.iter().position(|(at, two, _)| at == limit && *two == sides);
        let place = known.unwrap_or_else(|| {
            let labels = sides.map(|side| evaluation_plan.variants[side].label());
            by_pair.push((*limit, sides, SetPairing::empty(labels, *limit)));
            by_pair.len() - 1
        });
        by_pair[place].2.add(&result);
    }
    let order = |limit: &Limit| {
        evaluation_plan.matches.iter().position(|question| question.limit == *limit)
    };
    by_pair.sort_by_key(|(limit, sides, _)| (order(limit), *sides));
    by_pair.into_iter().map(|(_, _, pairing)| pairing).collect()
}
