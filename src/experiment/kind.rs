//! Files of other commands, which a reader knows by their tables.

use toml::Table;

/// What carries a file out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `oplus run`: nets of a grid.
    Experiment,
    /// `oplus discover`: a set that is looked for.
    Discovery,
    /// `oplus evolve`: numbers of the engine.
    Evolution,
}

impl FileKind {
    /// Of the text of a file; `None` of one that no command knows.
    pub fn of(text: &str) -> Option<Self> {
        let table: Table = toml::from_str(text).ok()?;
        let has = |name: &str| table.contains_key(name);
        match (has("grid"), has("discover"), has("fitness") || has("genome")) {
            (_, true, _) => Some(Self::Discovery),
            (true, ..) => Some(Self::Experiment),
            (false, false, true) => Some(Self::Evolution),
            (false, false, false) => None,
        }
    }

    /// A file of this kind, in a command that carries out others.
    pub fn misplaced(self, file: &str) -> String {
        match self {
            Self::Experiment => {
                format!("{file} is an experiment: use `oplus run {file}`")
            }
            Self::Discovery => {
                format!("{file} has a `[discover]` table: use `oplus discover {file}`")
            }
            Self::Evolution => {
                format!("{file} tunes numbers of the engine: use `oplus evolve {file}`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_tables() {
        for (text, kind) in [
            ("[grid]\nfeatures = []", Some(FileKind::Experiment)),
            ("[grid]\n[discover]\n", Some(FileKind::Discovery)),
            ("[fitness]\nkind = \"games\"", Some(FileKind::Evolution)),
            ("name = \"x\"", None),
            ("name =", None),
        ] {
            assert_eq!(FileKind::of(text), kind, "{text}");
        }
    }
}
