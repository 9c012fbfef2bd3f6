//! Errors of the rooms that are wrong requests, or stops.

use std::error::Error;

use super::Failure;
use arena::contender::ContenderError;
use base::Diagnostic;
use data::DataError;
use discovery::{CandidateError, ScreeningError};
use evolution::file::EvolveError;
use experiment::ExperimentError;
use experiment::compare::CompareError;
use experiment::discover::DiscoverError;
use experiment::preflight::PreflightError;
use features::ExpressionError;
use measure::bench::engines::PaceError;
use nnue::LayersError;
use plan::PlanError;
use puzzles::PuzzleError;
use selfplay::rescore::{AnnotatorError, RescoreError};
use selfplay::{FileError, SelfplayBookError};
use training::TrainingError;

/// `None` for a failure on the way.
pub(super) fn known(error: &(dyn Error + 'static)) -> Option<Failure> {
    (error.downcast_ref().and_then(experiment))
        .or_else(|| error.downcast_ref::<Box<PreflightError>>().map(|error| preflight(error)))
        .or_else(|| error.downcast_ref::<Box<ExpressionError>>().map(|error| expression(error)))
        .or_else(|| error.downcast_ref::<LayersError>().map(|error| expression(error.mistake())))
        .or_else(|| error.downcast_ref().and_then(training))
        .or_else(|| error.downcast_ref().and_then(data))
        .or_else(|| error.downcast_ref().and_then(puzzles))
        .or_else(|| error.downcast_ref().and_then(contender))
        .or_else(|| error.downcast_ref().and_then(file))
        .or_else(|| error.downcast_ref().and_then(book))
        .or_else(|| error.downcast_ref().and_then(rescore))
        .or_else(|| error.downcast_ref().and_then(plan))
        .or_else(|| error.downcast_ref().and_then(compare))
        .or_else(|| error.downcast_ref().and_then(discover))
        .or_else(|| error.downcast_ref().and_then(evolve))
        .or_else(|| error.downcast_ref().and_then(screening))
        .or_else(|| error.downcast_ref().and_then(pace))
        .or_else(|| error.downcast_ref::<CandidateError>().and_then(|error| usage(error)))
}

fn usage(error: &dyn Error) -> Option<Failure> {
    Some(Failure::usage(error.to_string()))
}

fn experiment(error: &ExperimentError) -> Option<Failure> {
    match error {
        ExperimentError::Config(mistake) => Some(Failure::Usage(Diagnostic::clone(mistake).into())),
        ExperimentError::Preflight(error) => Some(preflight(error)),
        ExperimentError::Plan(error) => plan(error),
        _ => None,
    }
}

fn preflight(error: &PreflightError) -> Failure {
    let diagnostic =
        Diagnostic { help: Some(error.help.clone()), ..Diagnostic::new(error.to_string()) };
    Failure::Failed(diagnostic.into())
}

fn expression(error: &ExpressionError) -> Failure {
    Failure::Usage(Diagnostic::from(error.clone()).into())
}

fn training(error: &TrainingError) -> Option<Failure> {
    match error {
        TrainingError::Config(_) => usage(error),
        _ => None,
    }
}

fn data(error: &DataError) -> Option<Failure> {
    match error {
        DataError::Stopped => Some(Failure::Interrupted("nothing was written")),
        _ => None,
    }
}

fn puzzles(error: &PuzzleError) -> Option<Failure> {
    match error {
        PuzzleError::Stopped => Some(Failure::Interrupted("nothing was kept")),
        PuzzleError::UnknownTheme { .. }
        | PuzzleError::NothingSelected { .. }
        | PuzzleError::OtherFile { .. } => usage(error),
        _ => None,
    }
}

fn contender(error: &ContenderError) -> Option<Failure> {
    match error {
        ContenderError::Evaluation(_) | ContenderError::Engine(_) => None,
        _ => usage(error),
    }
}

fn file(error: &FileError) -> Option<Failure> {
    match error {
        FileError::OtherSettings { .. }
        | FileError::Unknown { .. }
        | FileError::NotExtended { .. }
        | FileError::Data(DataError::NotWritten { .. }) => usage(error),
        _ => None,
    }
}

fn book(error: &SelfplayBookError) -> Option<Failure> {
    match error {
        SelfplayBookError::Openings(_) => None,
        SelfplayBookError::Empty { .. } => usage(error),
    }
}

fn rescore(error: &RescoreError) -> Option<Failure> {
    match error {
        RescoreError::File(file) => self::file(file),
        RescoreError::Annotator(AnnotatorError::Static | AnnotatorError::Options(_)) => {
            usage(error)
        }
        _ => None,
    }
}

fn plan(error: &PlanError) -> Option<Failure> {
    match error {
        PlanError::Stopped => Some(Failure::Stopped("the same command goes on")),
        PlanError::Job(error) => known(&**error),
        _ => None,
    }
}

fn compare(error: &CompareError) -> Option<Failure> {
    match error {
        CompareError::Unknown { .. }
        | CompareError::Ambiguous { .. }
        | CompareError::Variants { .. }
        | CompareError::Twice { .. } => usage(error),
        _ => None,
    }
}

fn discover(error: &DiscoverError) -> Option<Failure> {
    match error {
        DiscoverError::NoTable => usage(error),
        DiscoverError::Experiment(error) => experiment(error),
        DiscoverError::Plan(error) => plan(error),
        _ => None,
    }
}

fn evolve(error: &EvolveError) -> Option<Failure> {
    match error {
        EvolveError::Config { .. }
        | EvolveError::OtherCommand { .. }
        | EvolveError::Value { .. }
        | EvolveError::Space(_)
        | EvolveError::Method { .. } => usage(error),
        _ => None,
    }
}

fn screening(error: &ScreeningError) -> Option<Failure> {
    match error {
        ScreeningError::Stopped => Some(Failure::Interrupted("nothing was written")),
        ScreeningError::TooFewGames { .. } => usage(error),
    }
}

fn pace(error: &PaceError) -> Option<Failure> {
    match error {
        PaceError::Stopped => Some(Failure::Interrupted("nothing was measured")),
        _ => None,
    }
}
