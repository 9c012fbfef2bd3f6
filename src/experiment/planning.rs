//! From an experiment file to a plan of jobs and an evaluation plan of its nets.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::book_names::BookNames;
use super::config::{DataConfig, Experiment, PuzzleConfig};
use super::error::ExperimentError;
use super::generations::{Generations, TrainOn};
use super::grid::{self, RunSpec};
use arena::NetId;
use base::{Content, Key, Observer, Silent, content_of};
use data::Ingredient;
use data::job::{PositionSource, Positions, set_licence};
use measure::{
    DataSize, EvaluationPlan, HeldOutSplit, LossTarget, MatchQuestion, OpeningsOf, PuzzleQuestion,
    Quantisation, ValidationLoss, Variant, VariantNet,
};
use plan::{Plan, Planned, Work};
use selfplay::Games;
use training::{Begin, Train};

/// An experiment as jobs.
#[derive(Debug)]
pub struct Planning {
    pub plan: Plan,
    /// Evaluation of the nets.
    pub evaluation_plan: EvaluationPlan,
    /// The jobs that prepare positions.
    pub positions: Vec<Key>,
    /// The jobs that make the games of each generation.
    pub generations: Vec<Key>,
    /// Contents of the files that it names.
    pub contents: FileContents,
    /// Jobs without a final key, since they depend on missing files.
    pub unknown: HashSet<Key>,
}

/// Contents of files by the paths that an experiment names; a folder has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileContents(BTreeMap<PathBuf, Vec<(PathBuf, Content)>>);

impl FileContents {
    /// Contents below a path; files are read once.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(
        &mut self,
        path: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Vec<(PathBuf, Content)>, ExperimentError> {
        const MEGABYTE: u64 = 1_000_000;
        // Progress only for files that take more than a moment.
        const LARGE: u64 = 100 * MEGABYTE;
        if let Some(known) = self.0.get(path) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for Ingredient { path, .. } in data::expand(&[Ingredient::new(path)])? {
            let size = path.metadata().map_or(0, |file| file.len());
            let reporter: &mut dyn Observer =
                if size < LARGE { &mut Silent } else { &mut *observer };
            reporter.begin(&format!("looking at {}", path.display()), size / MEGABYTE, "MB");
            let content = content_of(&path, &mut |read| reporter.advance(read / MEGABYTE, ""))
                .map_err(|source| ExperimentError::Io { path: path.clone(), source })?;
            reporter.end("");
            found.push((path, content));
        }
        self.0.insert(path.to_owned(), found.clone());
        Ok(found)
    }
}

impl Planning {
    /// Plans an experiment. Reads files whose contents are not `known`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of(
        experiment: &Experiment,
        known: FileContents,
        observer: &mut dyn Observer,
    ) -> Result<Self, ExperimentError> {
        Self::with(experiment, known, observer, Reading::All)
    }

    /// As [`of`](Self::of) for a dry run: files may be missing, and then the keys of jobs that
    /// depend on them are unknown.
    ///
    /// # Errors
    /// A file that exists and cannot be read.
    pub fn dry_run(
        experiment: &Experiment,
        observer: &mut dyn Observer,
    ) -> Result<Self, ExperimentError> {
        let reading = Reading::Existing(HashSet::new());
        Self::with(experiment, FileContents::default(), observer, reading)
    }

    /// Plans an experiment without reading files, to count and forecast its jobs: their keys are
    /// unknown.
    ///
    /// # Errors
    /// An invalid grid, which reading the file has excluded.
    pub(crate) fn sketch(experiment: &Experiment) -> Result<Self, ExperimentError> {
        Self::with(experiment, FileContents::default(), &mut Silent, Reading::Nothing)
    }

    fn with(
        experiment: &Experiment,
        known: FileContents,
        observer: &mut dyn Observer,
        reading: Reading,
    ) -> Result<Self, ExperimentError> {
        let plan = Plan::default();
        let mut draft = Draft { experiment, plan, contents: known, observer, reading };
        draft.plan.inputs.threads = experiment.training.threads;
        draft.plan.inputs.experiment = experiment.name.clone();
        let mut generations = Vec::new();
        let variants = match &experiment.selfplay {
            None => draft.grid()?,
            Some(config) => draft.generations(config, &mut generations)?,
        };
        let evaluation_plan = draft.evaluation_plan(variants)?;
        for (title, measure) in evaluation_plan.measurements() {
            draft.plan.add(measure, title)?;
        }
        let Draft { plan, contents, reading, .. } = draft;
        let unknown = reading.jobs_of(&plan)?;
        let prepares = plan.jobs().iter().filter(|one| one.job.get::<Positions>().is_some());
        let positions = prepares.map(|one| one.key).collect();
        Ok(Self { plan, evaluation_plan, positions, generations, contents, unknown })
    }
}

struct Draft<'e> {
    experiment: &'e Experiment,
    plan: Plan,
    contents: FileContents,
    observer: &'e mut dyn Observer,
    reading: Reading,
}

/// Files that are read; others have placeholders for their contents.
enum Reading {
    /// All: a missing file is an error.
    All,
    /// Existing files, with the placeholders of missing ones.
    Existing(HashSet<Content>),
    Nothing,
}

impl Reading {
    /// The placeholder of a file that is not read.
    fn placeholder(&mut self, path: &Path) -> Option<Content> {
        let content = || Content::of(path.as_os_str().as_encoded_bytes());
        match self {
            Self::Existing(known) if !path.exists() => {
                known.insert(content());
                Some(content())
            }
            Self::Nothing => Some(content()),
            Self::All | Self::Existing(_) => None,
        }
    }

    /// Whether this is the placeholder of a file that is not read.
    fn is_placeholder(&self, path: &Path, content: Content) -> bool {
        !matches!(self, Self::All) && content == Content::of(path.as_os_str().as_encoded_bytes())
    }

    /// Jobs that depend on missing files, directly or not.
    fn jobs_of(&self, plan: &Plan) -> Result<HashSet<Key>, ExperimentError> {
        let mut unknown = HashSet::new();
        let Self::Existing(contents) = self else { return Ok(unknown) };
        for Planned { key, job, title, .. } in plan.jobs() {
            let text = serde_json::to_string(job)
                .map_err(|error| ExperimentError::unreadable(Path::new(title), error))?;
            let names = |content: &Content| text.contains(&content.to_string());
            if contents.iter().any(names) || job.needs().iter().any(|need| unknown.contains(need)) {
                unknown.insert(*key);
            }
        }
        Ok(unknown)
    }
}

impl Draft<'_> {
    /// Nets of the grid, on files.
    fn grid(&mut self) -> Result<Vec<Variant>, ExperimentError> {
        let mut variants: Vec<(RunSpec, Variant)> = Vec::new();
        for spec in grid::expand(self.experiment)? {
            let start = self.stages_before(&spec)?;
            let positions = self.positions_of(&spec.data)?;
            let net = self.train(&spec, start, positions, &spec.label())?;
            match variants.iter_mut().find(|(known, _)| known.has_same_variant(&spec)) {
                Some((_, variant)) => variant.nets.push(net),
                None => {
                    let variant = spec.variant(self.experiment);
                    let features = spec.features.expression().to_owned();
                    let data_size = spec.size(self.experiment).map(|(requested, variant)| {
                        let series = measure::label(&features, &variant);
                        DataSize { series, requested, positions }
                    });
                    let variant = Variant {
                        variant,
                        factors: spec.factors(self.experiment),
                        held_out_split: Some(self.held_out_split(&spec)?),
                        data_size,
                        ..Variant::new(features, spec.features.set().size(), vec![net])
                    };
                    variants.push((spec, variant));
                }
            }
        }
        Ok(variants.into_iter().map(|(_, variant)| variant).collect())
    }

    /// Positions from files.
    fn positions_of(&mut self, data: &DataConfig) -> Result<Key, ExperimentError> {
        let sources = self.files(data)?;
        self.positions(data, sources, "positions")
    }

    fn files(
        &mut self,
        data: &DataConfig,
    ) -> Result<Vec<(PositionSource, data::Weight)>, ExperimentError> {
        let mut sources = Vec::new();
        for Ingredient { path, weight, content: wanted } in &data.train {
            for content in self.file(path)? {
                let is_read = !self.reading.is_placeholder(path, content);
                if let Some(wanted) = wanted.filter(|wanted| is_read && *wanted != content) {
                    let path = path.clone();
                    return Err(ExperimentError::OtherContent { path, content, wanted });
                }
                sources.push((PositionSource::File(content), *weight));
            }
        }
        Ok(sources)
    }

    /// The held-out split and its targets; neither the number of training positions nor the weights
    /// of files change it.
    fn held_out_split(&mut self, spec: &RunSpec) -> Result<HeldOutSplit, ExperimentError> {
        let mut sources = self.files(&spec.data)?;
        sources.iter_mut().for_each(|(_, weight)| *weight = data::Weight::ONE);
        let all = DataConfig { positions: None, ..spec.data.clone() };
        let all = self.positions_job(&all, sources)?;
        let held_out = all.key().map_err(plan::PlanError::from)?;
        Ok(HeldOutSplit { held_out, loss_target: LossTarget::of(&spec.training) })
    }

    /// Initial weights: the net of the stage before, or the start net of the experiment.
    fn stages_before(&mut self, spec: &RunSpec) -> Result<Option<Begin>, ExperimentError> {
        let mut start = match &self.experiment.start {
            None => None,
            Some(path) => {
                let file = training::start::file_of(path);
                let contents = self.file(&file)?;
                contents.first().copied().map(Begin::File)
            }
        };
        for (stage, own) in spec.before.iter().zip(spec.trainings()) {
            let positions = self.positions_of(&stage.data)?;
            let label = format!("{}, {}", own.label(), stage.name);
            let key = self.train_job(&own, start, positions, &label)?;
            start = Some(Begin::Trained(key));
        }
        Ok(start)
    }

    /// Nets on games of the generations before; the games of the first are by PeSTO.
    fn generations(
        &mut self,
        config: &Generations,
        made: &mut Vec<Key>,
    ) -> Result<Vec<Variant>, ExperimentError> {
        let pesto = VariantNet::new(NetId::Pesto);
        let mut players = vec![Variant::new(Generations::player(0), 0, vec![pesto])];
        // Reading the file has checked that the grid is of one net.
        let Some(spec) = grid::expand(self.experiment)?.into_iter().next() else {
            return Ok(players);
        };
        let mut player = NetId::Pesto;
        for number in 1..=config.generations.get() {
            let (settings, target) = config.production(number);
            let title = format!("games of {}", Generations::player(number - 1));
            made.push(self.plan.add(Games { player, settings, target }, title)?);
            let of_net = match config.train_on {
                TrainOn::All => &made[..],
                TrainOn::Latest => &made[made.len() - 1..],
            };
            let sources =
                of_net.iter().map(|key| (PositionSource::Made(*key), data::Weight::ONE)).collect();
            let label = Generations::player(number);
            let positions =
                self.positions(&spec.data, sources, &format!("positions of {label}"))?;
            let net = self.train(&spec, None, positions, &label)?;
            player = net.net.clone();
            let size = spec.features.set().size();
            players.push(Variant::new(label, size, vec![net]));
        }
        Ok(players)
    }

    fn positions(
        &mut self,
        config: &DataConfig,
        sources: Vec<(PositionSource, data::Weight)>,
        title: &str,
    ) -> Result<Key, ExperimentError> {
        let job = self.positions_job(config, sources)?;
        let positions = self.plan.add(job, title)?;
        set_licence(&mut self.plan.inputs, positions, &config.licence);
        Ok(positions)
    }

    fn positions_job(
        &mut self,
        config: &DataConfig,
        sources: Vec<(PositionSource, data::Weight)>,
    ) -> Result<Positions, ExperimentError> {
        let choices = self.experiment.methods().iter().any(|method| method.needs_choices());
        let DataConfig { validation, positions, .. } = *config;
        let filter = config.filter.clone().with_net(|net| self.single(&net))?;
        Ok(Positions { sources, validation, filter, positions, choices })
    }

    /// The training of a net.
    fn train_job(
        &mut self,
        spec: &RunSpec,
        start: Option<Begin>,
        positions: Key,
        label: &str,
    ) -> Result<Key, ExperimentError> {
        let features = spec.features.canonical().to_owned();
        self.plan.inputs.insert(features.clone(), spec.features.clone());
        let (layers, training) = (spec.layers.clone(), spec.training.of_any_threads());
        let job = Train { features, layers, seed: spec.seed, start, training, positions };
        Ok(self.plan.add_with_folder(job, label, &spec.slug())?)
    }

    fn train(
        &mut self,
        spec: &RunSpec,
        start: Option<Begin>,
        positions: Key,
        label: &str,
    ) -> Result<VariantNet, ExperimentError> {
        let loss_target = LossTarget::of(&spec.training);
        let key = self.train_job(spec, start, positions, label)?;
        let (net, folder) = (NetId::Trained(key), format!("{}-{key}", spec.slug()));
        // Right after training, with the float weights in memory.
        let loss = ValidationLoss { net: net.clone(), positions, loss_target };
        let quantisation = Quantisation { net: net.clone(), positions };
        self.plan.add(quantisation.clone(), format!("quantisation of {label}"))?;
        self.plan.add(loss.clone(), format!("loss of {label}"))?;
        Ok(VariantNet {
            seed: Some(spec.seed),
            trained: Some(key),
            file: Some(format!("runs/{}/{folder}/net.oplus", self.experiment.name)),
            loss: Some(loss),
            quantisation: Some(quantisation),
            net,
        })
    }

    fn evaluation_plan(
        &mut self,
        variants: Vec<Variant>,
    ) -> Result<EvaluationPlan, ExperimentError> {
        let evaluation = &self.experiment.evaluation;
        let reference = match &self.experiment.selfplay {
            Some(_) => 0,
            None => {
                let is_reference = |one: &Variant| one.features == self.experiment.reference();
                variants.iter().position(is_reference).unwrap_or(0)
            }
        };
        let puzzles = match &evaluation.puzzles {
            None => None,
            Some(config) => {
                let suite = self.single(&config.file)?;
                let name = config.file.display().to_string();
                let PuzzleConfig { limit, nodes, equal_time, .. } = *config;
                Some(PuzzleQuestion { name, suite, limit, nodes, equal_time })
            }
        };
        let mut matches = Vec::new();
        let names = BookNames::of(&evaluation.matches);
        for config in &evaluation.matches {
            let openings = match &config.openings {
                Some(book) => OpeningsOf::Book(self.single(book)?),
                None => OpeningsOf::RandomPlies(config.random_plies),
            };
            let (limit, games, pairings) = (config.limit, config.games, config.pairings);
            let seed = self.experiment.selfplay.as_ref().map(|_| self.experiment.grid.seed[0]);
            let book = names.name(config.openings.as_deref());
            let planned_games = config.planned_games;
            matches.push(MatchQuestion {
                limit,
                games,
                planned_games,
                openings,
                book,
                seed,
                pairings,
            });
        }
        let speed = Some(evaluation.speed()).filter(|speed| speed.rounds > 0);
        let (price_games, hash_mb) = (evaluation.price_games, evaluation.hash_mb);
        let timing_rounds = evaluation.timing_rounds;
        Ok(EvaluationPlan {
            variants,
            reference,
            speed,
            puzzles,
            matches,
            price_games,
            null: evaluation.null,
            timing_rounds,
            hash_mb,
        })
    }

    /// Contents of the files below a path, which become inputs of the plan.
    fn file(&mut self, path: &Path) -> Result<Vec<Content>, ExperimentError> {
        let found = match self.reading.placeholder(path) {
            Some(content) => vec![(path.to_owned(), content)],
            None => self.contents.of(path, self.observer)?,
        };
        let files = found.iter().map(|(path, content)| (*content, path.clone()));
        self.plan.inputs.files.extend(files);
        Ok(found.into_iter().map(|(_, content)| content).collect())
    }

    fn single(&mut self, path: &Path) -> Result<Content, ExperimentError> {
        let found = self.file(path)?.into_iter().next();
        found.ok_or_else(|| ExperimentError::Io {
            path: path.to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    }
}
