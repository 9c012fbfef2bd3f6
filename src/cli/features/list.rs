//! The catalogue as tables.

use serde::Serialize;

use crate::cli::Failure;
use features::FeatureSet;
use features::catalogue::{CATALOGUE, SCHEMES};
use report::Format::{Count, Text, Words};
use report::{Column, Table};

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
    for named in &*CATALOGUE {
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
    format!(
        "{}\n\n{}\n\nuse a set by its name, a scheme after `/`: \
         `mirror(king(SQUARES / BUCKETS-9) * ALL)`\n",
        sets(listed),
        schemes(listed)
    )
}

fn sets(listed: &Listed) -> Table {
    Table::of("sets", "Sets", &listed.sets)
        .column(Column::new("name", "name", Text), |set| set.name)
        .column(Column::new("size", "size", Count), |set| set.size)
        .column(Column::new("max_active", "max active", Count), |set| set.max_active)
        .column(Column::new("about", "meaning", Words), |set| set.about)
        .column(Column::new("definition", "definition", Words), |set| set.definition)
        .table()
}

fn schemes(listed: &Listed) -> Table {
    Table::of("schemes", "Schemes", &listed.schemes)
        .column(Column::new("name", "scheme", Text), |scheme| scheme.name)
        .column(Column::new("classes", "classes", Count), |scheme| scheme.classes)
        .column(Column::new("about", "meaning", Words), |scheme| scheme.about)
        .column(Column::new("definition", "definition", Words), |scheme| scheme.definition)
        .table()
}

/// How many classes a list of class numbers makes.
fn classes(numbers: &str) -> usize {
    let words = numbers.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse::<usize>().ok()).max().map_or(0, |most| most + 1)
}

#[cfg(test)]
mod tests {
    use report::render::terminal;

    use super::*;

    /// On a terminal of 100 columns every definition can be read, whole.
    #[test]
    fn a_hundred_columns_are_enough() {
        let sets = sets(&all().unwrap());
        let table = terminal::table(&sets, Some(100));
        assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
        assert!(!table.contains('…'), "{table}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let text = words(&table).join(" ");
        for set in &*CATALOGUE {
            let definition = words(set.expression).join(" ");
            assert!(text.contains(&definition), "{definition} is not in:\n{table}");
        }
        // Where there is room, a set is one line below the header.
        let wide = terminal::table(&sets, None);
        assert_eq!(wide.lines().count(), CATALOGUE.len() + 1, "{wide}");
    }
}
