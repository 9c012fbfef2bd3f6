//! Numbers of a layout by their keys: `buckets 8, qa 255`.

use features::error::nearest;

use super::LayoutError;

/// A number of a layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    key: &'static str,
    most: usize,
    /// Value in bullet's examples.
    usual: usize,
}

pub(super) const BUCKETS: Number = Number { key: "buckets", most: MOST_BUCKETS, usual: 1 };
pub(super) const QA: Number = Number { key: "qa", most: MOST_QA, usual: 255 };
pub(super) const QB: Number = Number { key: "qb", most: i16::MAX as usize, usual: 64 };
pub(super) const SCALE: Number = Number { key: "scale", most: 100_000, usual: 400 };

pub(super) const MOST_BUCKETS: usize = 32;

/// Squares of sums up to this fit easily.
const MOST_QA: usize = 1 << 10;

/// The values of `known` numbers, those of the examples where `parts` have none. Advice about
/// unknown keys lists `others` too.
pub(super) fn numbers<'a, const N: usize>(
    parts: impl Iterator<Item = &'a str>,
    known: [Number; N],
    others: &[&'static str],
) -> Result<[usize; N], LayoutError> {
    let mut values = [None; N];
    for part in parts {
        let part = part.trim();
        let (key, value) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        let place = known.iter().position(|number| number.key == key).ok_or_else(|| {
            let keys = known.iter().map(|number| number.key).chain(others.iter().copied());
            LayoutError::Key { found: key.to_owned(), advice: advice(key, keys) }
        })?;
        let Number { key, most, .. } = known[place];
        if values[place].replace(in_range(key, value.trim(), most)?).is_some() {
            return Err(LayoutError::Twice { key });
        }
    }
    Ok(std::array::from_fn(|place| values[place].unwrap_or(known[place].usual)))
}

pub(super) fn in_range(key: &'static str, text: &str, most: usize) -> Result<usize, LayoutError> {
    match text.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(LayoutError::Number { key, found: text.to_owned(), most }),
    }
}

/// The nearest known word, or all of them.
pub(super) fn advice(word: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    let known: Vec<&'static str> = known.into_iter().collect();
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
