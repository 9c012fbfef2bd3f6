//! The catalogue as tables.

use comfy_table::Table;
use serde::Serialize;

use super::{shown, table};
use crate::cli::Failure;
use base::format::grouped;
use features::FeatureSet;
use features::catalogue::{CATALOGUE, SCHEMES};

/// Named sets and schemes.
#[derive(Serialize)]
pub(super) struct Listed {
    sets: Vec<ListedSet>,
    schemes: Vec<ListedScheme>,
}

#[derive(Serialize)]
struct ListedSet {
    name: &'static str,
    size: usize,
    max_active: usize,
    about: &'static str,
    definition: &'static str,
}

#[derive(Serialize)]
struct ListedScheme {
    name: &'static str,
    classes: usize,
    about: &'static str,
    definition: &'static str,
}

/// All of the catalogue.
pub(super) fn all() -> Result<Listed, Failure> {
    let mut sets = Vec::with_capacity(CATALOGUE.len());
    for named in CATALOGUE {
        let (name, about, definition) = (named.name, named.about, named.expression);
        let set = FeatureSet::parse(name)?;
        let (size, max_active) = (set.size(), set.max_active());
        sets.push(ListedSet { name, size, max_active, about, definition });
    }
    let scheme = |scheme: &features::catalogue::Scheme| ListedScheme {
        name: scheme.name,
        classes: classes(scheme.numbers),
        about: scheme.about,
        definition: scheme.numbers,
    };
    Ok(Listed { sets, schemes: SCHEMES.iter().map(scheme).collect() })
}

/// As two tables: sets, then schemes.
pub(super) fn text(listed: &Listed) -> String {
    let sets = listed.sets.iter().map(|set| {
        let [size, active] = [set.size, set.max_active].map(|n| grouped(n as u64));
        [set.name.to_owned(), size, active, set.about.into(), set.definition.into()]
    });
    let width = Table::new().width().map(usize::from);
    let header = ["name", "size", "max active", "what it says", "definition"];
    let sets = fitted(&header, &sets.collect::<Vec<_>>(), width);
    let schemes = listed.schemes.iter().map(|scheme| {
        let classes = scheme.classes.to_string();
        [scheme.name.to_owned(), classes, scheme.about.into(), scheme.definition.into()]
    });
    let header = ["scheme", "classes", "what it says", "definition"];
    let schemes = fitted(&header, &schemes.collect::<Vec<_>>(), width);
    format!(
        "{}\n\n{}\n\na set is used by its name, a scheme after `/`: \
         `mirror(king(SQUARES / BUCKETS-9) * ALL)`\n",
        shown(&sets),
        shown(&schemes)
    )
}

/// A table with one row a line, of a name, numbers, a sentence and a
/// definition. Where a line of that `width` cannot hold them all, the definition
/// stands below the sentence, on as many lines as it needs; nothing is cut.
fn fitted<const N: usize>(header: &[&str; N], rows: &[[String; N]], width: Option<usize>) -> Table {
    let last = N - 1;
    let widest = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.chain([header[at].len()]).max().unwrap_or(0)
    };
    let padding = 3;
    let needed: usize = (0..N).map(|at| widest(at) + padding).sum();
    let numbers: Vec<usize> = (1..last - 1).collect();
    let fits = width.is_none_or(|width| needed <= width);
    let mut table = match fits {
        true => table(header, &numbers, &[]),
        false => table(&header[..last], &numbers, &[last - 1]),
    };
    if let Some(width) = width {
        table.set_width(width as u16);
    }
    for row in rows {
        let below = format!("{}\n{}", row[last - 1], row[last]);
        match fits {
            true => table.add_row(row),
            false => table.add_row(row[..last - 1].iter().chain([&below])),
        };
    }
    table
}

/// How many classes a list of class numbers makes.
fn classes(numbers: &str) -> usize {
    let words = numbers.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse::<usize>().ok()).max().map_or(0, |most| most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a terminal of 100 columns every definition can be read, whole.
    #[test]
    fn a_hundred_columns_are_enough() {
        let rows = CATALOGUE.iter().map(|set| {
            let [name, about, definition] =
                [set.name, set.about, set.expression].map(str::to_owned);
            [name, "49,152".to_owned(), "4,096".to_owned(), about, definition]
        });
        let rows: Vec<[String; 5]> = rows.collect();
        let header = ["name", "size", "max active", "what it says", "definition"];
        let table = fitted(&header, &rows, Some(100)).trim_fmt();
        assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
        assert!(!table.contains('…'), "{table}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let told = words(&table).join(" ");
        for set in CATALOGUE {
            let definition = words(set.expression).join(" ");
            assert!(told.contains(&definition), "{definition} is not in:\n{table}");
        }
        // Where there is room, a set is one line below the header.
        let wide = fitted(&header, &rows, None).to_string();
        assert_eq!(wide.lines().count(), rows.len() + 1, "{wide}");
    }
}
