//! Margins of the search, for one evaluation.

use arena::contender::Evaluation;
use engine::{Margin, Margins};

use crate::SpaceError;
use crate::space::{Gene, Space};

/// Some margins.
#[derive(Clone)]
pub struct MarginGenome {
    evaluation: Evaluation,
    /// For each gene its margin.
    margins: Vec<&'static Margin>,
    space: Space,
}

/// Margins that cannot be searched for.
#[derive(Debug, thiserror::Error)]
pub enum MarginGenomeError {
    #[error("the search has no margin `{0}`; `oplus ablate --list` lists the margins")]
    Unknown(String),
    #[error("duplicate margin `{0}`")]
    Twice(&'static str),
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl MarginGenome {
    /// The margins of these names, all if none is named, for an evaluation.
    ///
    /// # Errors
    /// An unknown name.
    pub fn new(evaluation: Evaluation, names: &[String]) -> Result<Self, MarginGenomeError> {
        let named = |name: &String| {
            let found = Margin::ALL.iter().find(|margin| margin.name == name);
            found.ok_or_else(|| MarginGenomeError::Unknown(name.clone()))
        };
        let margins: Vec<&'static Margin> = match names {
            [] => Margin::ALL.iter().collect(),
            names => names.iter().map(named).collect::<Result<_, _>>()?,
        };
        let twice = |(place, one): (usize, &&'static Margin)| {
            margins[..place].iter().any(|other| other.name == one.name)
        };
        if let Some(place) = margins.iter().enumerate().position(twice) {
            return Err(MarginGenomeError::Twice(margins[place].name));
        }
        let gene = |margin: &&Margin| {
            let [low, high] = margin.range.map(f64::from);
            let (start, step) = (margin.usual.into(), margin.step.into());
            Gene { name: margin.name.to_owned(), start, low, high, step }
        };
        let space = Space::new(margins.iter().map(gene).collect())?;
        Ok(Self { evaluation, margins, space })
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Evaluation of all points.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The margins of a point, in whole numbers.
    pub fn at(&self, point: &[f64]) -> Margins {
        let values = self.margins.iter().zip(point).map(|(margin, value)| {
            let [low, high] = margin.range;
            (margin.name, (value.round() as i32).clamp(low, high))
        });
        // Names and ranges come from the margins, so this cannot fail.
        Margins::default().with(values).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_the_search_as_it_is_and_a_gene_is_a_margin() {
        let all = MarginGenome::new(Evaluation::Pesto, &[]).unwrap();
        assert_eq!(all.space().dimensions(), Margin::ALL.len());
        assert_eq!(all.at(&all.space().start()), Margins::default());
        let names = ["razor".to_owned(), "futility".to_owned()];
        let two = MarginGenome::new(Evaluation::Pesto, &names).unwrap();
        assert_eq!(two.at(&[212.4, 9_999.0]).to_text(), "razor = 212\nfutility = 250\n");
    }

    #[test]
    fn an_unknown_margin_is_named() {
        let refused = MarginGenome::new(Evaluation::Pesto, &["magic".to_owned()]).err().unwrap();
        assert!(refused.to_string().contains("no margin `magic`"));
        let twice = ["razor".to_owned(), "razor".to_owned()];
        let refused = MarginGenome::new(Evaluation::Pesto, &twice).err().unwrap();
        assert!(refused.to_string().contains("duplicate margin `razor`"));
    }
}
