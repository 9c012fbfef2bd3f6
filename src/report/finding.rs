//! Sentences about numbers.

use std::fmt;

use base::estimate::Separation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Good or bad news, or none.
    pub mark: Mark,
    /// The set or player that it is about; may be empty.
    pub subject: String,
    /// The statement: `beats ALL by 43 ± 29 Elo at 1,000 nodes`.
    pub text: String,
}

impl Finding {
    /// Words that compare nothing.
    pub fn remark(text: impl Into<String>) -> Self {
        Self { mark: Mark::Remark, subject: String::new(), text: text.into() }
    }

    /// Subject and statement, without the mark.
    pub fn sentence(&self) -> String {
        let Self { subject, text, .. } = self;
        if subject.is_empty() { text.clone() } else { format!("{subject} {text}") }
    }
}

impl fmt::Display for Finding {
    /// `▲ ALL + H beats ALL by 43 ± 29 Elo`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mark.sign(), self.sentence())
    }
}

/// One figure of the answer at the head of a page, in large letters above its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// `Cost`.
    pub title: String,
    /// `× 1.04 ± 0.01`.
    pub value: String,
    /// `time per node × 1.250 ± 0.010 beside ALL; the Elo counts it`.
    pub detail: String,
}

impl Fact {
    pub fn new(title: &str, value: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { title: title.to_owned(), value: value.into(), detail: detail.into() }
    }
}

/// How something compares, as one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Better,
    Worse,
    /// Measured, and not separable.
    NotSeparable,
    /// Withheld: the measurement is invalid.
    NoVerdict,
    /// No comparison, or one between things that are not alike.
    Remark,
}

impl Mark {
    /// `▲`, `▼`, `≈`, `?` or `·`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Better => "▲",
            Self::Worse => "▼",
            Self::NotSeparable => "≈",
            Self::NoVerdict => "?",
            Self::Remark => "·",
        }
    }

    /// Its class in a page's style.
    pub fn tone(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NotSeparable | Self::NoVerdict | Self::Remark => "open",
        }
    }

    /// Meaning of the signs, against `reference`.
    pub fn legend(reference: &str) -> String {
        format!("▲ better, ▼ worse, ≈ not separable from {reference}, ? no verdict")
    }
}

impl From<Separation> for Mark {
    fn from(verdict: Separation) -> Self {
        match verdict {
            Separation::Better => Self::Better,
            Separation::Worse => Self::Worse,
            Separation::Open => Self::NotSeparable,
        }
    }
}
