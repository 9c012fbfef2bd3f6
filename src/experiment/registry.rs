//! What was measured, in one SQLite file that outlives every run.
//!
//! A stage that is finished leaves its result here in one transaction; a
//! stage without a result is done again from its last checkpoint. Reports
//! are made from the registry alone.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ExperimentError;
use super::grid::RunSpec;
use super::measure::kind;
use nnue::{Buckets, HiddenActivation, Layers};

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS experiments (
        name TEXT PRIMARY KEY,
        question TEXT NOT NULL,
        config TEXT NOT NULL,
        setting TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS runs (
        experiment TEXT NOT NULL,
        id TEXT NOT NULL,
        features TEXT NOT NULL,
        canonical TEXT NOT NULL,
        size INTEGER NOT NULL,
        max_active INTEGER NOT NULL,
        l1 INTEGER NOT NULL,
        l2 INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        layers TEXT,
        PRIMARY KEY (experiment, id)
    );
    CREATE TABLE IF NOT EXISTS results (
        experiment TEXT NOT NULL,
        subject TEXT NOT NULL,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (experiment, subject, kind)
    );
";

/// The registry.
#[derive(Debug)]
pub struct Registry {
    connection: Connection,
    path: PathBuf,
}

/// A run as the registry knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// Experiment it belongs to.
    pub experiment: String,
    /// Name of its folder.
    pub id: String,
    /// Feature expression as written.
    pub features: String,
    /// Names expanded.
    pub canonical: String,
    /// Size of the feature set.
    pub size: usize,
    /// The layers above.
    pub layers: Layers,
    /// Seed.
    pub seed: u64,
}

impl Registry {
    /// Opens or creates the registry at `path`.
    pub fn open(path: &Path) -> Result<Self, ExperimentError> {
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)
                .map_err(|source| ExperimentError::Io { path: dir.to_owned(), source })?;
        }
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(std::time::Duration::from_secs(10))?;
            connection.execute_batch(SCHEMA)?;
            if connection.prepare("SELECT layers FROM runs").is_err() {
                connection.execute_batch("ALTER TABLE runs ADD COLUMN layers TEXT")?;
            }
            Ok(connection)
        };
        let connection =
            open().map_err(|source| ExperimentError::Registry { path: path.to_owned(), source })?;
        Ok(Self { connection, path: path.to_owned() })
    }

    fn failed(&self, source: rusqlite::Error) -> ExperimentError {
        ExperimentError::Registry { path: self.path.clone(), source }
    }

    /// Notes an experiment: its resolved configuration, and the setting
    /// (machine, program, data) of its last run.
    pub fn put_experiment(
        &self,
        name: &str,
        question: &str,
        config: &str,
        setting: &serde_json::Value,
    ) -> Result<(), ExperimentError> {
        self.connection
            .execute(
                "INSERT INTO experiments VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (name) DO UPDATE SET question = ?2, config = ?3, setting = ?4",
                params![name, question, config, setting.to_string()],
            )
            .map_err(|e| self.failed(e))?;
        Ok(())
    }

    /// Resolved configuration and setting of an experiment.
    pub fn experiment(
        &self,
        name: &str,
    ) -> Result<Option<(String, serde_json::Value)>, ExperimentError> {
        self.connection
            .query_row("SELECT config, setting FROM experiments WHERE name = ?1", [name], |row| {
                Ok((row.get(0)?, row.get::<_, String>(1)?))
            })
            .optional()
            .map(|found| {
                found
                    .map(|(config, text)| (config, serde_json::from_str(&text).unwrap_or_default()))
            })
            .map_err(|e| self.failed(e))
    }

    /// Names of all experiments.
    pub fn experiments(&self) -> Result<Vec<String>, ExperimentError> {
        let query = || -> rusqlite::Result<Vec<String>> {
            let mut statement =
                self.connection.prepare("SELECT name FROM experiments ORDER BY name")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        query().map_err(|e| self.failed(e))
    }

    /// Notes a run.
    pub fn put_run(
        &self,
        experiment: &str,
        id: &str,
        spec: &RunSpec,
    ) -> Result<(), ExperimentError> {
        let features = &spec.features;
        self.connection
            .execute(
                "INSERT OR IGNORE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    experiment,
                    id,
                    features.expression(),
                    features.canonical(),
                    features.set().size() as i64,
                    features.set().max_active() as i64,
                    spec.layers.l1() as i64,
                    spec.layers.l2() as i64,
                    spec.seed as i64,
                    serde_json::to_string(&spec.layers).unwrap_or_default()
                ],
            )
            .map_err(|e| self.failed(e))?;
        Ok(())
    }

    /// Runs of one experiment, or of all.
    pub fn runs(&self, experiment: Option<&str>) -> Result<Vec<RunRecord>, ExperimentError> {
        let query = || -> rusqlite::Result<Vec<RunRecord>> {
            let mut statement = self.connection.prepare(
                "SELECT experiment, id, features, canonical, size, l1, l2, seed, layers FROM runs
                 WHERE ?1 IS NULL OR experiment = ?1 ORDER BY rowid",
            )?;
            let record = |row: &rusqlite::Row<'_>| {
                Ok(RunRecord {
                    experiment: row.get(0)?,
                    id: row.get(1)?,
                    features: row.get(2)?,
                    canonical: row.get(3)?,
                    size: row.get::<_, i64>(4)? as usize,
                    layers: layers(row.get(8)?, row.get(5)?, row.get(6)?),
                    seed: row.get::<_, i64>(7)? as u64,
                })
            };
            statement.query_map([experiment], record)?.collect()
        };
        query().map_err(|e| self.failed(e))
    }

    /// Notes a result of a run (or another subject, such as a match).
    pub fn put<T: Serialize>(
        &self,
        experiment: &str,
        subject: &str,
        kind: &str,
        value: &T,
    ) -> Result<(), ExperimentError> {
        let text = serde_json::to_string(value).unwrap_or_default();
        self.connection
            .execute(
                "INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4)",
                params![experiment, subject, kind, text],
            )
            .map_err(|e| self.failed(e))?;
        Ok(())
    }

    /// A result, if it was measured and can still be read.
    pub fn get<T: DeserializeOwned>(
        &self,
        experiment: &str,
        subject: &str,
        kind: &str,
    ) -> Result<Option<T>, ExperimentError> {
        let text: Option<String> = self
            .connection
            .query_row(
                "SELECT value FROM results WHERE experiment = ?1 AND subject = ?2 AND kind = ?3",
                [experiment, subject, kind],
                |row| row.get(0),
            )
            .optional()
            .map_err(|e| self.failed(e))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Forgets all results of a subject, such as those of a net that is about
    /// to be trained again, and those of its games against others.
    pub fn forget(&self, experiment: &str, subject: &str) -> Result<(), ExperimentError> {
        self.connection
            .execute(
                "DELETE FROM results WHERE experiment = ?1
                 AND (subject = ?2 OR (kind = ?3 AND instr(subject, ?2) > 0))",
                [experiment, subject, kind::MATCH],
            )
            .map_err(|e| self.failed(e))?;
        Ok(())
    }

    /// Kinds of results a subject has.
    pub fn kinds(&self, experiment: &str, subject: &str) -> Result<Vec<String>, ExperimentError> {
        let query = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare(
                "SELECT kind FROM results WHERE experiment = ?1 AND subject = ?2 ORDER BY kind",
            )?;
            statement.query_map([experiment, subject], |row| row.get(0))?.collect()
        };
        query().map_err(|e| self.failed(e))
    }

    /// Forgets a run and its results; its folder is the caller's to remove.
    pub fn remove_run(&self, experiment: &str, id: &str) -> Result<(), ExperimentError> {
        self.connection
            .execute("DELETE FROM runs WHERE experiment = ?1 AND id = ?2", [experiment, id])
            .map_err(|e| self.failed(e))?;
        self.forget(experiment, id)
    }

    /// Forgets an experiment, its runs and all its results.
    pub fn remove_experiment(&self, name: &str) -> Result<(), ExperimentError> {
        let remove = || -> rusqlite::Result<()> {
            for statement in [
                "DELETE FROM results WHERE experiment = ?1",
                "DELETE FROM runs WHERE experiment = ?1",
                "DELETE FROM experiments WHERE name = ?1",
            ] {
                self.connection.execute(statement, [name])?;
            }
            Ok(())
        };
        remove().map_err(|e| self.failed(e))
    }
}

/// The layers of a row; one from before they were written down has their sizes.
fn layers(text: Option<String>, l1: i64, l2: i64) -> Layers {
    let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
    let of_sizes = Layers::Two { l1: l1 as usize, l2: l2 as usize, activation, buckets };
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(of_sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use features::TrainedSet;
    use training::Method;

    #[test]
    fn results_outlive_the_connection() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("registry.sqlite");
        let layers = Layers::new(64, 0, HiddenActivation::SquaredClippedRelu, 8).unwrap();
        let features = TrainedSet::parse("H + V").unwrap();
        let spec = RunSpec { features, layers, method: Method::default(), seed: 3 };
        {
            let registry = Registry::open(&path).unwrap();
            registry
                .put_experiment("a", "why?", "config", &serde_json::json!({"cores": 2}))
                .unwrap();
            registry.put_run("a", "run", &spec).unwrap();
            registry.put("a", "run", "speed", &vec![1.5, 2.5]).unwrap();
            registry.put("a", "60 nodes, run, other", kind::MATCH, &1).unwrap();
            registry.put("a", "60 nodes, one, other", kind::MATCH, &1).unwrap();
        }
        let registry = Registry::open(&path).unwrap();
        assert_eq!(registry.experiments().unwrap(), ["a"]);
        assert_eq!(registry.get::<Vec<f64>>("a", "run", "speed").unwrap(), Some(vec![1.5, 2.5]));
        assert_eq!(registry.kinds("a", "run").unwrap(), ["speed"]);
        let runs = registry.runs(Some("a")).unwrap();
        assert_eq!((runs[0].features.as_str(), runs[0].size, runs[0].seed), ("H + V", 192, 3));
        assert_eq!(runs[0].layers, layers);
        registry.remove_run("a", "run").unwrap();
        assert_eq!(registry.get::<Vec<f64>>("a", "run", "speed").unwrap(), None);
        // Its games go with it, those of others stay.
        let games = |subject| registry.get::<i32>("a", subject, kind::MATCH).unwrap();
        let left = [games("60 nodes, run, other"), games("60 nodes, one, other")];
        assert_eq!(left, [None, Some(1)]);
        assert!(registry.runs(None).unwrap().is_empty());
    }

    #[test]
    fn a_registry_without_layers_is_read_and_carried_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("registry.sqlite");
        let old = SCHEMA.replace("        layers TEXT,\n", "");
        assert_ne!(old, SCHEMA);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&old).unwrap();
        let row = "INSERT INTO runs VALUES ('a', 'old', 'H', 'H', 96, 32, 64, 16, 1)";
        connection.execute_batch(row).unwrap();
        drop(connection);

        let registry = Registry::open(&path).unwrap();
        let layers = Layers::Linear;
        let spec = RunSpec {
            features: TrainedSet::parse("H").unwrap(),
            layers,
            method: Method::default(),
            seed: 1,
        };
        registry.put_run("a", "new", &spec).unwrap();
        let layers: Vec<String> =
            registry.runs(None).unwrap().iter().map(|run| run.layers.to_string()).collect();
        assert_eq!(layers, ["64×2→16", "linear"]);
    }
}
