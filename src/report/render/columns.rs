//! Tables as columns of values, for data frames.
//!
//! Columns and names are those of CSV: an estimate has three, `elo`, `elo_low`, `elo_high`.

use super::csv::header;
use crate::table::Table;
use crate::value::Value;
use base::estimate::Estimate;

/// Names and values of the columns for programs.
pub fn of(table: &Table) -> Vec<(String, Vec<Value>)> {
    let named = |(place, column)| {
        let values =
            move |part| table.cells(place).map(|cell| of_part(&cell.value, part)).collect();
        header(column).into_iter().enumerate().map(move |(part, key)| (key, values(part)))
    };
    table.written().flat_map(named).collect()
}

/// The value of one of the columns of a cell.
fn of_part(value: &Value, part: usize) -> Value {
    match value {
        Value::Estimate(Estimate { value, low, high }) => {
            Value::Number([*value, *low, *high][part])
        }
        Value::Counts(counts) => {
            counts.get(part).map_or(Value::Missing, |&count| Value::Count(count))
        }
        Value::Remark(_) => Value::Missing,
        plain if part == 0 => plain.clone(),
        _ => Value::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Format};

    #[test]
    fn estimates_have_three_columns() {
        let elo = Estimate::new(1.0, 0.0, f64::INFINITY);
        let table = Table::of("nets", "Nets", [("a", Some(elo)), ("b", None)])
            .column(Column::new("set", "", Format::Text), |it| it.0)
            .column(Column::estimate("elo", "", Format::Signed(1)), |it| it.1)
            .column(Column::new("more", "", Format::Text).for_people(), |_| "")
            .table();
        let columns = of(&table);
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["set", "elo", "elo_low", "elo_high"]);
        assert_eq!(columns[3].1, [Value::Number(f64::INFINITY), Value::Missing]);
    }
}
