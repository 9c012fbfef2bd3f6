//! The grammar of the line, with errors that point to their place.
//!
//! ```text
//! line        = "1" { "," option }
//!             | transformer { "->" dense } "->" "1" { "," option }
//! transformer = WIDTH [ activation ]
//! dense       = WIDTH [ activation ] [ "+" addition ]
//! option      = "buckets" ( COUNT | one-hot feature expression ) | "psqt"
//! ```
//!
//! `→` stands for `->` too. Defaults are `crelu`, one bucket, no psqt.

use std::fmt;
use std::str::FromStr;

use super::{
    Addition, BucketSet, Buckets, Hidden, LAYER_MOST, LAYER_MULTIPLE, Layers, MOST_HIDDEN,
    Transformer,
};
use crate::activation::Activation;
use features::FeatureSet;
use features::error::{ExpressionError, Span, nearest};

/// The words of the line, for help texts.
fn grammar() -> String {
    let [transformer, dense] =
        [Place::Transformer, Place::Dense].map(|place| words(place).join("|"));
    let additions = Addition::ALL.map(Addition::word).join("|");
    format!(
        "WIDTH [{transformer}] {{-> WIDTH [{dense}] [+ {additions}]}} -> 1 [, buckets N] \
         [, psqt], or 1 for the linear model"
    )
}

/// Place of an activation in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Transformer,
    Dense,
}

impl Place {
    fn has(self, activation: Activation) -> bool {
        match self {
            Self::Transformer => activation.follows_transformer(),
            Self::Dense => activation.follows_dense(),
        }
    }
}

/// Words of the activations that a line may have at a place.
fn words(place: Place) -> Vec<&'static str> {
    Activation::ALL.into_iter().filter(|it| place.has(*it)).map(Activation::word).collect()
}

/// `a, b or c`.
fn either(words: &[&str]) -> String {
    match words {
        [all @ .., before, last] => [all, &[&format!("{before} or {last}")]].concat().join(", "),
        words => words.join(", "),
    }
}

/// A line that is no architecture.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct LayersError(Box<ExpressionError>);

impl LayersError {
    /// The mistake with its place in the line.
    pub fn mistake(&self) -> &ExpressionError {
        &self.0
    }

    /// Message and advice, without the caret.
    pub fn in_one_line(&self) -> String {
        match self.0.help() {
            Some(help) => format!("{}: {help}", self.0),
            None => self.0.to_string(),
        }
    }
}

impl FromStr for Layers {
    type Err = LayersError;

    fn from_str(line: &str) -> Result<Self, LayersError> {
        Line { text: line }.read().map_err(LayersError)
    }
}

type Result<T, E = Box<ExpressionError>> = std::result::Result<T, E>;

struct Line<'a> {
    text: &'a str,
}

/// A part of the line, without the blanks around it.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Piece<'a> {
    fn new(text: &'a str, at: usize) -> Self {
        let trimmed = text.trim_start();
        Self { text: trimmed.trim_end(), at: at + text.len() - trimmed.len() }
    }

    fn span(&self) -> Span {
        self.at..self.at + self.text.len()
    }

    /// Its words.
    fn words(self) -> impl Iterator<Item = Piece<'a>> {
        let start = self.text.as_ptr() as usize;
        let word = move |word: &'a str| Piece {
            text: word,
            at: self.at + (word.as_ptr() as usize - start),
        };
        self.text.split_whitespace().map(word)
    }

    /// The first word and the rest.
    fn split_word(self) -> (Piece<'a>, Piece<'a>) {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        (Piece { text: word, at: self.at }, Piece::new(rest, self.at + end))
    }
}

/// A layer as it is written.
struct Written<'a> {
    width: usize,
    activation: Option<(Activation, Piece<'a>)>,
    addition: Option<(Addition, Piece<'a>)>,
    at: Piece<'a>,
    number: Piece<'a>,
}

impl<'a> Line<'a> {
    fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<ExpressionError> {
        ExpressionError::new("layers", self.text, span, message, label, Some(help.into()))
    }

    fn read(&self) -> Result<Layers> {
        let mut parts = self.split_top(",").into_iter();
        let layers = parts.next().unwrap_or(Piece { text: "", at: 0 });
        let (buckets, psqt) = self.options(parts)?;
        let mut written = self
            .split(layers, &["->", "→"])
            .into_iter()
            .map(|piece| self.layer(piece))
            .collect::<Result<Vec<_>>>()?;
        self.output(&written.pop().expect("a split has a last piece"))?;
        if written.is_empty() {
            return Ok(Layers { buckets, ..Layers::linear() });
        }
        let transformer = self.transformer(&written.remove(0))?;
        let hidden = self.hidden(&written)?;
        Ok(Layers { transformer: Some(transformer), hidden, buckets, psqt })
    }

    /// The line cut at commas outside of all brackets.
    fn split_top(&self, sign: &str) -> Vec<Piece<'a>> {
        let (mut depth, mut start, mut pieces) = (0_i32, 0, Vec::new());
        for (at, c) in self.text.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ if depth == 0 && self.text[at..].starts_with(sign) => {
                    pieces.push(Piece::new(&self.text[start..at], start));
                    start = at + sign.len();
                }
                _ => {}
            }
        }
        pieces.push(Piece::new(&self.text[start..], start));
        pieces
    }

    fn split(&self, piece: Piece<'a>, signs: &[&str]) -> Vec<Piece<'a>> {
        let (mut start, mut pieces) = (0, Vec::new());
        for at in (0..piece.text.len()).filter(|&at| piece.text.is_char_boundary(at)) {
            let sign = signs.iter().find(|sign| piece.text[at..].starts_with(**sign));
            if let Some(sign) = sign.filter(|_| at >= start) {
                pieces.push(Piece::new(&piece.text[start..at], piece.at + start));
                start = at + sign.len();
            }
        }
        pieces.push(Piece::new(&piece.text[start..], piece.at + start));
        pieces
    }

    /// A width, an activation and an addition.
    fn layer(&self, piece: Piece<'a>) -> Result<Written<'a>> {
        let mut parts = self.split(piece, &["+"]).into_iter();
        let first = parts.next().unwrap_or(piece);
        let mut words = first.words();
        let number = words.next().unwrap_or(first);
        let width = number.text.parse().map_err(|_| {
            let found = if number.text.is_empty() { "nothing" } else { number.text };
            let message = format!("expected the width of a layer, found {found}");
            self.error(
                number.span(),
                message,
                "a number expected here",
                format!("a line is {}", grammar()),
            )
        })?;
        let activation = words.next().map(|word| self.activation(word)).transpose()?;
        if let Some(word) = words.next() {
            let message = format!("unexpected `{}` in a layer", word.text);
            let help = "layers are joined by `->`, options follow behind commas";
            return Err(self.error(word.span(), message, "unexpected", help));
        }
        let addition = parts.next().map(|word| self.addition(word)).transpose()?;
        match parts.next() {
            Some(second) => Err(self.not_an_addition(second)),
            None => Ok(Written { width, activation, addition, at: piece, number }),
        }
    }

    fn addition(&self, word: Piece<'a>) -> Result<(Addition, Piece<'a>)> {
        let addition = Addition::ALL.into_iter().find(|addition| addition.word() == word.text);
        addition.map(|addition| (addition, word)).ok_or_else(|| self.not_an_addition(word))
    }

    fn not_an_addition(&self, found: Piece<'a>) -> Box<ExpressionError> {
        let words = either(&Addition::ALL.map(Addition::word));
        let message = format!("only `{words}` can be added to a layer");
        let help = "`15 dual + skip` has a neuron more, which goes straight to the output";
        self.error(found.span(), message, format!("expected `{words}`"), help)
    }

    fn activation(&self, word: Piece<'a>) -> Result<(Activation, Piece<'a>)> {
        if let Some(activation) = in_lines().find(|activation| activation.word() == word.text) {
            return Ok((activation, word));
        }
        let words: Vec<&str> = in_lines().map(Activation::word).collect();
        let help = match nearest(word.text, words.iter().copied()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("there are {}", words.join(", ")),
        };
        let message = format!("unknown activation `{}`", word.text);
        Err(self.error(word.span(), message, "not an activation", help))
    }

    /// The last layer is one number, in centipawns.
    fn output(&self, written: &Written<'a>) -> Result<()> {
        let help = "end the line with `-> 1`";
        if written.width != 1 {
            let message = format!("the last layer has {} outputs; a net has one", written.width);
            return Err(self.error(written.number.span(), message, "not 1", help));
        }
        if let Some((activation, at)) = written.activation {
            let message = format!("`{}` after the output: nothing follows it", activation.word());
            return Err(self.error(at.span(), message, "the output stays as it is", help));
        }
        match written.addition {
            Some((addition, at)) => {
                let word = addition.word();
                let message = format!("`{word}` at the output, which is where {word}s go");
                Err(self.error(at.span(), message, "not here", "add it to a layer below"))
            }
            None => Ok(()),
        }
    }

    fn transformer(&self, written: &Written<'a>) -> Result<Transformer> {
        let activation = self.activation_at(Place::Transformer, written)?;
        if let Some((addition, at)) = written.addition {
            let message = format!("a {} from the feature transformer", addition.word());
            let help = "write `psqt`, which counts a weight per feature by itself, or add the \
                        skip to a dense layer";
            return Err(self.error(at.span(), message, "not here", help));
        }
        // Each factor of the sums fills whole registers.
        self.check_size(written, written.width, activation.factors() * LAYER_MULTIPLE)?;
        Ok(Transformer { width: written.width, activation })
    }

    fn hidden(&self, written: &[Written<'a>]) -> Result<Vec<Hidden>> {
        if let Some(more) = written.get(MOST_HIDDEN) {
            let message = format!("more than {} dense layers", MOST_HIDDEN + 1);
            let help = "a net has up to three of them, the output `1` among them";
            return Err(self.error(more.at.span(), message, "one too many", help));
        }
        if let Some((addition, second)) = written.iter().filter_map(|it| it.addition).nth(1) {
            let message = format!("two {}s", addition.word());
            let help = "leave one of them out";
            return Err(self.error(second.span(), message, "one too many", help));
        }
        written.iter().map(|layer| self.hidden_layer(layer)).collect()
    }

    fn hidden_layer(&self, written: &Written<'a>) -> Result<Hidden> {
        let activation = self.activation_at(Place::Dense, written)?;
        let addition = written.addition.map(|(addition, _)| addition);
        let hidden = Hidden { neurons: written.width, activation, addition };
        self.check_size(written, hidden.sums(), LAYER_MULTIPLE)?;
        Ok(hidden)
    }

    /// The activation of a layer, checked for its place.
    fn activation_at(&self, place: Place, written: &Written<'a>) -> Result<Activation> {
        let Some((activation, at)) = written.activation else { return Ok(Activation::default()) };
        if place.has(activation) {
            return Ok(activation);
        }
        let [one, all, other] = match place {
            Place::Transformer => {
                ["the feature transformer", "the feature transformer", "dense layers"]
            }
            Place::Dense => ["a dense layer", "dense layers", "the feature transformer"],
        };
        let message = format!("`{}` is for {other}", activation.word());
        let help = format!("after {all} write {}", either(&words(place)));
        Err(self.error(at.span(), message, format!("not after {one}"), help))
    }

    /// Whether trainer and engine have kernels for this number of sums.
    fn check_size(&self, written: &Written<'a>, sums: usize, multiple: usize) -> Result<()> {
        let span = written.number.span();
        if sums > LAYER_MOST {
            let message = format!("{sums} neurons: a layer has at most {LAYER_MOST}");
            return Err(self.error(span, message, "too many", "512, 1024 and 32 are usual"));
        }
        if sums > 0 && written.width > 0 && sums.is_multiple_of(multiple) {
            return Ok(());
        }
        let nearest = (sums.saturating_add(multiple / 2) / multiple).max(1) * multiple;
        let addition = written.addition.map(|(addition, _)| addition);
        let with = addition.map_or(String::new(), |it| format!(", the {} among them,", it.word()));
        let message = format!("{sums} neurons{with} are no multiple of {multiple}");
        let help = format!("the nearest is {}", nearest - addition.map_or(0, Addition::neurons));
        Err(self.error(span, message, "not a width that the kernels have", help))
    }

    fn options(&self, parts: impl Iterator<Item = Piece<'a>>) -> Result<(Buckets, bool)> {
        let (mut buckets, mut psqt) = (None, false);
        for part in parts {
            let (word, rest) = part.split_word();
            let again = match word.text {
                "buckets" => buckets.replace(self.buckets(word, rest)?).is_some(),
                "psqt" => {
                    if !rest.text.is_empty() {
                        let help = "there is one psqt weight per bucket and feature";
                        return Err(self.error(
                            rest.span(),
                            "`psqt` takes nothing",
                            "unexpected",
                            help,
                        ));
                    }
                    std::mem::replace(&mut psqt, true)
                }
                _ => {
                    let help = match nearest(word.text, ["buckets", "psqt"]) {
                        Some(known) => format!("did you mean `{known}`?"),
                        None => "there are `buckets 8` and `psqt`".to_owned(),
                    };
                    let message = format!("unknown option `{}`", part.text);
                    return Err(self.error(part.span(), message, "not an option", help));
                }
            };
            if again {
                let message = format!("`{}` stands twice", word.text);
                return Err(self.error(word.span(), message, "again", "leave one of them out"));
            }
        }
        Ok((buckets.unwrap_or(Buckets::ONE), psqt))
    }

    fn buckets(&self, word: Piece<'a>, rest: Piece<'a>) -> Result<Buckets> {
        const HELP: &str = "8 is usual, 1 uses the same layers for every position";
        if rest.text.is_empty() {
            let message = "`buckets` without a number or an expression";
            return Err(self.error(word.span(), message, "how many?", HELP));
        }
        if rest.text.bytes().all(|byte| byte.is_ascii_digit()) {
            let count = rest.text.parse().ok().and_then(Buckets::by_pieces);
            return count.ok_or_else(|| {
                let message = format!("a net has 1 to {} buckets by pieces", Buckets::MOST);
                self.error(rest.span(), message, "out of range", HELP)
            });
        }
        let set = FeatureSet::parse(rest.text).map_err(|error| {
            let within = error.span();
            let help = error.help().unwrap_or_default().to_owned();
            let span = rest.at + within.start..rest.at + within.end.min(rest.text.len());
            self.error(span, error.to_string(), "in the expression of the buckets", help)
        })?;
        let (size, most) = (set.size(), BucketSet::MOST);
        BucketSet::new(set).map(Buckets::Set).ok_or_else(|| {
            let (message, label) = match size > most {
                true => (format!("{size} buckets: a net has at most {most}"), "too many"),
                false => (
                    "a set that chooses buckets needs exactly one active feature in every position"
                        .to_owned(),
                    "not one-hot",
                ),
            };
            let help = "such as `king(RANKS)`, `phase(BANDS(4))` or `king(SQUARES / [...])`";
            self.error(rest.span(), message, label, help)
        })
    }
}

/// The activations of lines.
fn in_lines() -> impl Iterator<Item = Activation> {
    Activation::ALL.into_iter().filter(|it| it.follows_transformer() || it.follows_dense())
}

/// The line in its shortest form.
impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let activation = |it: Activation| super::written(" ", it);
        if let Some(Transformer { width, activation: it }) = self.transformer {
            write!(f, "{width}{} -> ", activation(it))?;
        }
        for hidden in &self.hidden {
            write!(f, "{}{}", hidden.neurons, activation(hidden.activation))?;
            if let Some(addition) = hidden.addition {
                write!(f, " + {}", addition.word())?;
            }
            f.write_str(" -> ")?;
        }
        f.write_str("1")?;
        if self.buckets != Buckets::ONE {
            write!(f, ", buckets {}", self.buckets)?;
        }
        f.write_str(if self.psqt && !self.is_linear() { ", psqt" } else { "" })
    }
}
