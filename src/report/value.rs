//! The values of a table, with their meaning beside their format.

use super::finding::Mark;
use base::estimate::Estimate;

/// One value of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Not measured.
    #[default]
    Missing,
    /// Words in place of a number, for people; missing for programs.
    Remark(&'static str),
    Text(String),
    Flag(bool),
    Count(u64),
    Number(f64),
    Estimate(Estimate),
    /// Several counts of one kind, such as pairs of games by their score.
    Counts(Vec<u64>),
}

/// A value in its place, with a mark where it compares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub value: Value,
    pub mark: Option<Mark>,
}

impl Cell {
    /// An estimate of a difference, marked by its interval.
    pub fn judged(estimate: Estimate) -> Self {
        Self::from(estimate).marked(estimate.verdict())
    }

    /// Words for people where a number is missing.
    pub fn remark(words: &'static str) -> Self {
        Value::Remark(words).into()
    }

    #[must_use]
    pub fn marked(self, mark: impl Into<Mark>) -> Self {
        Self { mark: Some(mark.into()), ..self }
    }

    pub fn is_missing(&self) -> bool {
        self.value == Value::Missing
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Self { value, mark: None }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::default, Into::into)
    }
}

macro_rules! cells_from {
    ($($type:ty => $value:expr),+ $(,)?) => {
        $(impl From<$type> for Cell {
            fn from(value: $type) -> Self {
                let value: Value = $value(value);
                value.into()
            }
        })+
    };
}

cells_from! {
    String => Value::Text,
    &str => |text: &str| Value::Text(text.to_owned()),
    &String => |text: &String| Value::Text(text.clone()),
    bool => Value::Flag,
    u64 => Value::Count,
    u32 => |count: u32| Value::Count(count.into()),
    usize => |count: usize| Value::Count(count as u64),
    f64 => Value::Number,
    Estimate => Value::Estimate,
    Vec<u64> => Value::Counts,
    [u64; 5] => |counts: [u64; 5]| Value::Counts(counts.to_vec()),
    [u32; 5] => |counts: [u32; 5]| Value::Counts(counts.map(u64::from).to_vec()),
}
