//! How a page was made.

use super::table::{Column, Format, Table};
use base::format::{counted, duration};

/// How a page was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Program, version and commit.
    pub program: String,
    /// The command that repeats it.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
    /// The data, in the order given.
    pub data: Vec<DataFile>,
    /// How it was measured besides: name and value.
    pub conditions: Vec<(String, String)>,
    /// Date of the last job, `2026-03-14`; empty if unknown.
    pub date: String,
    /// Seconds of work, all jobs together.
    pub seconds: f64,
}

/// A computer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Logical cores used.
    pub cores: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// As written in the experiment.
    pub path: String,
    /// BLAKE3 in hexadecimal.
    pub hash: String,
    /// In the words of the experiment; empty if it names none.
    pub licence: String,
    /// Positions after the filter, where they are counted by file.
    pub positions: Option<u64>,
    /// Games, where the format has them and they are counted by file.
    pub games: Option<u64>,
}

impl Provenance {
    /// Of work that this program has just finished on this machine.
    pub fn here(command: String, cores: usize, seconds: f64) -> Self {
        Self {
            program: format!("oplus {}", base::version()),
            command,
            machine: Machine { cpu: base::processor(), cores },
            date: time::OffsetDateTime::now_utc().date().to_string(),
            seconds,
            ..Self::default()
        }
    }

    /// Date, program, machine and duration in one line.
    pub fn byline(&self) -> String {
        let parts = [
            self.date.clone(),
            self.program.clone(),
            self.machine.cpu.clone(),
            self.duration().unwrap_or_default(),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Names and values; the command stands apart.
    pub(crate) fn lines(&self) -> Vec<(String, String)> {
        let Machine { cpu, cores } = &self.machine;
        let all = counted(*cores as u64, "core");
        let machine = match (cpu.as_str(), cores) {
            ("", 0) => String::new(),
            ("", _) => all,
            (cpu, 0) => cpu.to_owned(),
            (cpu, _) => format!("{cpu}, {all}"),
        };
        let named = [
            ("date", self.date.clone()),
            ("program", self.program.clone()),
            ("machine", machine),
            ("time", self.duration().unwrap_or_default()),
        ];
        let named = named.into_iter().filter(|(_, value)| !value.is_empty());
        let named = named.map(|(name, value)| (name.to_owned(), value));
        named.chain(self.conditions.iter().cloned()).collect()
    }

    /// The data; `None` where none was given.
    pub(crate) fn data_table(&self) -> Option<Table> {
        let table = Table::of("", "Data", &self.data)
            .column(Column::new("data", "data", Format::Text), |file| &file.path)
            .column(Column::new("positions", "positions", Format::Count), |file| file.positions)
            .column(Column::new("games", "games", Format::Count), |file| file.games)
            .column(Column::new("blake3", "BLAKE3", Format::Text), |file| {
                // Enough of a hash to compare by eye.
                file.hash.chars().take(16).collect::<String>()
            });
        let has_licence = self.data.iter().any(|file| !file.licence.is_empty());
        let table = match has_licence {
            true => {
                table.column(Column::new("licence", "licence", Format::Text), |file| &file.licence)
            }
            false => table,
        };
        (!self.data.is_empty()).then(|| table.table())
    }

    fn duration(&self) -> Option<String> {
        (self.seconds > 0.0).then(|| duration(self.seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_takes_no_line() {
        let nothing = Provenance::default();
        assert!(nothing.lines().is_empty() && nothing.byline().is_empty());
        let machine = Machine { cores: 1, ..Machine::default() };
        let one = Provenance { machine, ..nothing.clone() };
        assert_eq!(one.lines(), [("machine".to_owned(), "1 core".to_owned())]);
        let machine = Machine { cpu: "a processor".to_owned(), cores: 8 };
        let some = Provenance { machine, date: "2026-03-14".to_owned(), ..nothing };
        assert_eq!(some.byline(), "2026-03-14 · a processor");
        let lines = some.lines();
        assert_eq!(lines[1], ("machine".to_owned(), "a processor, 8 cores".to_owned()));
    }

    #[test]
    fn licences_have_a_column_where_one_is_known() {
        let columns = |licences: [&str; 2]| {
            let file = |licence: &str| DataFile {
                path: "games.oarc".to_owned(),
                hash: "5f0c1a7d".repeat(8),
                licence: licence.to_owned(),
                positions: Some(9),
                games: None,
            };
            let data = licences.map(file).to_vec();
            let table = Provenance { data, ..Provenance::default() }.data_table().unwrap();
            table.columns.len()
        };
        assert_eq!(columns(["CC0", ""]), columns(["", ""]) + 1);
    }
}
