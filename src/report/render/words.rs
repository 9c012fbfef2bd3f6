//! A value in words, the same for terminals and pages.

use crate::finding::Mark;
use crate::table::Format;
use crate::value::{Cell, Value};
use base::estimate::{Estimate, per_cent};
use base::format::{duration, fixed, grouped, p_value, percentage, signed, significant};

/// Stands for a missing value.
pub(super) const MISSING: &str = "—";

/// A cell as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// `+43` of `+43 ± 29`.
    pub number: String,
    /// ` ± 29`, or nothing.
    pub interval: String,
    pub mark: Option<Mark>,
}

impl Words {
    pub(crate) fn of(cell: &Cell, format: Format) -> Self {
        let text = of_value(&cell.value, format);
        let end = match cell.value {
            Value::Estimate(_) => text.find(" ±").or_else(|| text.find(" (")),
            _ => None,
        };
        let (number, interval) = text.split_at(end.unwrap_or(text.len()));
        Self { number: number.to_owned(), interval: interval.to_owned(), mark: cell.mark }
    }

    /// In one line: `+43 ± 29 ▲`.
    pub(crate) fn in_full(&self) -> String {
        let Self { number, interval, mark } = self;
        match mark {
            Some(mark) => format!("{number}{interval} {}", mark.sign()),
            None => format!("{number}{interval}"),
        }
    }
}

fn of_value(value: &Value, format: Format) -> String {
    match value {
        Value::Missing => MISSING.to_owned(),
        Value::Remark(words) => (*words).to_owned(),
        Value::Text(text) => text.clone(),
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
        Value::Count(count) if format == Format::Id => count.to_string(),
        Value::Count(count) => grouped(*count),
        Value::Counts(counts) => {
            counts.iter().copied().map(grouped).collect::<Vec<_>>().join(" · ")
        }
        Value::Number(number) => of_number(*number, format),
        Value::Estimate(estimate) => of_estimate(*estimate, format),
    }
}

fn of_number(number: f64, format: Format) -> String {
    match format {
        Format::Fixed(decimals) => fixed(number, decimals),
        Format::Signed(decimals) => signed(number, decimals),
        Format::Percent(decimals) => percentage(number, decimals),
        Format::Points => format!("{} points", signed(100.0 * number, 1)),
        Format::Thousands => thousands(number),
        Format::Factor(decimals) => format!("× {}", fixed(number, decimals)),
        Format::Seconds => duration(number),
        Format::PValue => p_value(number),
        _ => significant(number),
    }
}

fn of_estimate(estimate: Estimate, format: Format) -> String {
    match format {
        Format::Fixed(decimals) if estimate.is_bounded() => {
            let [value, low, high] =
                [estimate.value, estimate.low, estimate.high].map(|end| fixed(end, decimals));
            format!("{value} ({low} to {high})")
        }
        Format::Signed(_) => estimate.signed(),
        Format::Percent(_) => per_cent(estimate),
        Format::Points => format!("{} points", estimate.scaled(100.0).signed()),
        Format::Thousands => thousands(estimate.value),
        Format::Factor(_) => format!("× {}", estimate.plain()),
        _ => estimate.plain(),
    }
}

fn thousands(number: f64) -> String {
    format!("{}k", fixed(number / 1e3, 0))
}
