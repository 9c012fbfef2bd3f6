//! Every example of docs/algebra.md.

use oplus::features::{Feature, Names, TrainedSet};

/// An expression and what the page says of it.
struct Example {
    text: String,
    said: String,
}

/// Definitions and examples of the page, in order.
fn examples() -> (Names, Vec<Example>) {
    let page = include_str!("../../docs/algebra.md");
    let (mut names, mut examples) = (Names::catalogue(), Vec::new());
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```algebra";
        } else if inside {
            match (line.split_once('#'), line.split_once(" = ")) {
                (Some((text, said)), _) => examples
                    .push(Example { text: text.trim().to_owned(), said: said.trim().to_owned() }),
                (None, Some((name, definition))) => names.define(name, definition),
                (None, None) => panic!("neither example nor definition: {line}"),
            }
        }
    }
    (names, examples)
}

/// What the program has to say, in the form of the page.
fn check(Example { text, said }: &Example, names: &Names) {
    let compiled = TrainedSet::compile(text, names);
    if let Some(expected) = said.strip_prefix("error: ") {
        let error = compiled.expect_err(text);
        let shown = format!("{:?}", miette::Report::new(*error));
        assert!(shown.replace('\n', " ").contains(expected), "{text}: {shown}");
        return;
    }
    let compiled = compiled.unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(meaning) = said.strip_prefix("index ") {
        let (index, words) = meaning.split_once(": ").unwrap();
        let feature = Feature(index.parse().unwrap());
        assert_eq!(compiled.set().describe(feature), words, "{text}");
        return;
    }
    let size: usize = said.split(':').next().unwrap().trim().parse().unwrap();
    assert_eq!(compiled.set().size(), size, "{text}");
}

#[test]
fn every_example_of_the_page_holds() {
    let (names, examples) = examples();
    assert!(examples.len() > 60, "{} examples", examples.len());
    examples.iter().for_each(|example| check(example, &names));
}
