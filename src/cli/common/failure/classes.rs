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
use measure::puzzles::PuzzleError;
use nnue::LayersError;
use plan::PlanError;
use selfplay::rescore::{AnnotatorError, CommandsError, RescoreError};
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
        .or_else(|| error.downcast_ref().and_then(commands))
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
        ExperimentError::Data(error) => data(error),
        ExperimentError::Puzzles(error) => puzzles(error),
        ExperimentError::Training(error) => training(error),
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
        PuzzleError::File(error) => data(error),
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
        RescoreError::File(error) => file(error),
        RescoreError::Annotator(error) => annotator(error),
        RescoreError::ListIntoGames { .. } => usage(error),
        RescoreError::NothingToLabel { .. } | RescoreError::NothingToWrite { .. } => None,
    }
}

fn commands(error: &CommandsError) -> Option<Failure> {
    match error {
        CommandsError::Data(error) => data(error),
        CommandsError::Annotator(error) => annotator(error),
        CommandsError::Write(_) => None,
    }
}

fn annotator(error: &AnnotatorError) -> Option<Failure> {
    match error {
        AnnotatorError::Static | AnnotatorError::Options(_) => usage(error),
        AnnotatorError::Player(error) => contender(error),
        AnnotatorError::Engine(_)
        | AnnotatorError::NoAnswer { .. }
        | AnnotatorError::NoScore { .. }
        | AnnotatorError::KeepsFailing { .. } => None,
    }
}

fn plan(error: &PlanError) -> Option<Failure> {
    match error {
        PlanError::Stopped => Some(Failure::Stopped("the same command resumes")),
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
        CompareError::Expression(error) => Some(expression(error)),
        CompareError::Runs(error) => experiment(error),
        CompareError::Net(_) => None,
    }
}

fn discover(error: &DiscoverError) -> Option<Failure> {
    match error {
        DiscoverError::NoTable => usage(error),
        DiscoverError::Experiment(error) => experiment(error),
        DiscoverError::Plan(error) => plan(error),
        DiscoverError::Unfinished
        | DiscoverError::NoCandidates { .. }
        | DiscoverError::Failed { .. }
        | DiscoverError::Report(_) => None,
    }
}

fn evolve(error: &EvolveError) -> Option<Failure> {
    match error {
        EvolveError::Config { .. }
        | EvolveError::OtherCommand { .. }
        | EvolveError::Value { .. }
        | EvolveError::Space(_)
        | EvolveError::Method { .. } => usage(error),
        EvolveError::Plan(error) => plan(error),
        EvolveError::Experiment(error) => experiment(error),
        EvolveError::Io { .. } | EvolveError::Report(_) | EvolveError::NoAnswer { .. } => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use features::FeatureSet;
    use plan::JobError;

    #[test]
    fn wrapped_errors_keep_their_class() {
        let stopped = || ExperimentError::Data(DataError::Stopped);
        let wrapped: [Box<dyn Error>; 5] = [
            Box::new(stopped()),
            Box::new(PlanError::from(JobError::from(stopped()))),
            Box::new(CompareError::from(stopped())),
            Box::new(DiscoverError::Experiment(stopped())),
            Box::new(EvolveError::Experiment(stopped())),
        ];
        for error in wrapped {
            let class = known(&*error);
            assert!(matches!(class, Some(Failure::Interrupted(_))), "{error:?}: {class:?}");
        }
        let class = known(&EvolveError::Plan(PlanError::Stopped));
        assert!(matches!(class, Some(Failure::Stopped(_))), "{class:?}");
        let mistake = FeatureSet::parse("ALL + (").unwrap_err();
        let Some(Failure::Usage(message)) = known(&CompareError::from(mistake)) else {
            panic!("an expression is the request")
        };
        assert!(message.diagnostic.place.is_some(), "{message:?}");
    }
}
