//! Short names of players from files.

use std::path::{Component, Path};

/// Shortest names that tell the players apart: a file's name without its ending, with as many
/// folders as needed; other players keep their text.
pub(super) fn short(texts: &[&str]) -> Vec<String> {
    let candidates: Vec<Vec<String>> = texts.iter().map(|text| candidates(text)).collect();
    let name = |own: usize| {
        let is_taken = |depth: usize, name: &String| {
            let mut others = candidates.iter().enumerate().filter(|(i, _)| *i != own);
            others.any(|(_, other)| other.get(depth).or(other.last()) == Some(name))
        };
        let mut by_depth = candidates[own].iter().enumerate();
        let free = by_depth.find(|(depth, name)| !is_taken(*depth, name));
        free.map_or_else(|| texts[own].to_owned(), |(_, name)| name.clone())
    };
    (0..texts.len()).map(name).collect()
}

/// Possible names of a player, the shortest first.
fn candidates(text: &str) -> Vec<String> {
    let file = ["net:", "tables:"].iter().find_map(|prefix| text.strip_prefix(prefix));
    let is_file = file.is_some() || text.ends_with(".oplus") || text.ends_with(".csv");
    if !is_file || text.starts_with("uci:") {
        return vec![text.to_owned()];
    }
    let file = file.unwrap_or(text);
    let stem = Path::new(file).with_extension("");
    let names: Vec<_> = stem
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    let suffixes = (0..names.len()).rev().map(|from| names[from..].join("/"));
    suffixes.chain([file.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_names<const N: usize>(texts: [&str; N], names: [&str; N]) {
        assert_eq!(short(&texts), names);
    }

    #[test]
    fn files_are_called_by_their_stem() {
        assert_names(["runs/new.oplus", "/a b/old.oplus"], ["new", "old"]);
        assert_names(["net:x/seven.net", "tables:t.csv"], ["seven", "t"]);
        assert_names(["x/pesto.oplus", "pesto"], ["x/pesto", "pesto"]);
        assert_names(["bundled", "sh engine"], ["bundled", "sh engine"]);
    }

    #[test]
    fn folders_tell_files_of_one_name_apart() {
        assert_names(
            ["runs/a/ALL/net.oplus", "runs/a/H/net.oplus", "pesto"],
            ["ALL/net", "H/net", "pesto"],
        );
        assert_names(["runs/a/1/net.oplus", "runs/b/1/net.oplus"], ["a/1/net", "b/1/net"]);
        assert_names(["net.oplus", "old/net.oplus"], ["net.oplus", "old/net"]);
        assert_names(["a.csv", "a.oplus"], ["a.csv", "a.oplus"]);
    }

    #[test]
    fn a_player_that_meets_itself_is_numbered_elsewhere() {
        assert_names(["a.oplus", "a.oplus"], ["a.oplus", "a.oplus"]);
    }

    #[test]
    fn commands_keep_their_text() {
        let command = "uci:oplus uci --net a.oplus";
        assert_names([command, "b.oplus"], [command, "b"]);
    }
}
