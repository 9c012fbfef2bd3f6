//! Numbers as people read them: thousands grouped, a true minus sign, durations
//! in hours and minutes.

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    group_digits(&number.to_string())
}

/// With `decimals` places, thousands grouped, minus as `−`.
pub fn fixed(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return infinite(number, "");
    }
    let text = format!("{:.decimals$}", number.abs());
    let (whole, fraction) = text.split_once('.').map_or((&text[..], ""), |(w, f)| (w, f));
    let grouped = group_digits(whole);
    let point = if fraction.is_empty() { "" } else { "." };
    // A number that rounds to zero has no sign.
    let minus = if number < 0.0 && !is_zero(&text) { "−" } else { "" };
    format!("{minus}{grouped}{point}{fraction}")
}

/// With five significant digits: with two, losses of 0.0052 hide seeds that differ by a
/// per cent.
pub fn significant(number: f64) -> String {
    fixed(number, decimals_of_five(number))
}

/// Like [`fixed`], with a plus sign above zero.
pub fn signed(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return infinite(number, "+");
    }
    let text = fixed(number, decimals);
    match number > 0.0 && !is_zero(&text) {
        true => format!("+{text}"),
        false => text,
    }
}

/// For terminals and spreadsheets, in plain ASCII: `-12.3`, `0.0`, `inf`. What rounds to
/// zero has no sign.
pub fn ascii(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if is_zero(size) => size.to_owned(),
        _ => text,
    }
}

/// Like [`ascii`], with a plus sign above zero.
pub fn ascii_signed(number: f64, decimals: usize) -> String {
    let text = ascii(number, decimals);
    match number > 0.0 && !is_zero(&text) {
        true => format!("+{text}"),
        false => text,
    }
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|digit| matches!(digit, b'0' | b'.'))
}

/// A share in per cent: `62.5 %`. Only nothing is `0.0 %` and only all is `100.0 %`; what
/// rounds to them is `< 0.1 %` or `> 99.9 %`.
pub fn percentage(share: f64, decimals: usize) -> String {
    let is_end = share == 0.0 || share == 1.0;
    near_the_ends(share, decimals)
        .filter(|_| !is_end)
        .unwrap_or_else(|| plain_share(share, decimals))
}

/// As [`percentage`] for a likelihood, which is never exactly 0 or 1 even if it rounds to that.
pub fn likelihood(share: f64, decimals: usize) -> String {
    near_the_ends(share, decimals).unwrap_or_else(|| plain_share(share, decimals))
}

fn plain_share(share: f64, decimals: usize) -> String {
    format!("{} %", ascii(100.0 * share, decimals))
}

/// Text of a share that rounds to 0 % or 100 %.
fn near_the_ends(share: f64, decimals: usize) -> Option<String> {
    let text = ascii(100.0 * share, decimals);
    let step = 0.1f64.powi(decimals as i32);
    match text {
        text if text == ascii(0.0, decimals) => Some(format!("< {step:.decimals$} %")),
        text if text == ascii(100.0, decimals) => Some(format!("> {:.decimals$} %", 100.0 - step)),
        _ => None,
    }
}

fn infinite(number: f64, plus: &str) -> String {
    match number {
        f64::INFINITY => format!("{plus}∞"),
        f64::NEG_INFINITY => "−∞".to_owned(),
        _ => "?".to_owned(),
    }
}

fn group_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Short, for axes: `850`, `320k`, `1.2M`.
pub fn compact(number: f64) -> String {
    let (scaled, unit) = match number.abs() {
        size if size >= 1e9 => (number / 1e9, "G"),
        size if size >= 1e6 => (number / 1e6, "M"),
        size if size >= 1e3 => (number / 1e3, "k"),
        _ => (number, ""),
    };
    let text = ascii(scaled, 2);
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Seconds as `2 h 05 min`, `3 min 20 s` or `4.2 s`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..10 => format!("{:.1} s", seconds.max(0.0)),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", grouped(whole / 3600), whole % 3600 / 60),
    }
}

/// A probability in three places, `< 0.001` below that; only 1 itself is `1.000`.
pub fn p_value(p: f64) -> String {
    match p {
        _ if p < 0.001 => "< 0.001".to_owned(),
        _ if p > 0.9995 && p < 1.0 => "> 0.999".to_owned(),
        _ => fixed(p, 3),
    }
}

/// `1 game`, `2 games`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Decimals that show five significant digits of a number. Seeds of a set differ in the
/// third of their losses, epochs in the fourth.
pub fn decimals_of_five(number: f64) -> usize {
    match number.abs() {
        0.0 => 0,
        size if size.is_finite() => (4 - size.log10().floor() as i32).clamp(0, 12) as usize,
        _ => 0,
    }
}

/// `one, two, three and 4 more`.
pub fn first_few<T: AsRef<str>>(all: &[T]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<&str> = all.iter().take(SHOWN).map(T::as_ref).collect();
    match all.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_and_zero_has_no_sign() {
        assert_eq!(grouped(49_152), "49,152");
        assert_eq!(grouped(999), "999");
        assert_eq!(fixed(-1234.56, 1), "−1,234.6");
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(signed(0.04, 1), "0.0");
        assert_eq!(signed(12.0, 0), "+12");
        assert_eq!(signed(f64::NEG_INFINITY, 0), "−∞");
    }

    #[test]
    fn no_zero_has_a_sign() {
        for (number, plain, with_sign) in [
            (-0.04, "0.0", "0.0"),
            (-0.0, "0.0", "0.0"),
            (0.04, "0.0", "0.0"),
            (-0.06, "-0.1", "-0.1"),
            (1234.5, "1234.5", "+1234.5"),
            (f64::NEG_INFINITY, "-inf", "-inf"),
            (f64::INFINITY, "inf", "+inf"),
        ] {
            assert_eq!(
                (ascii(number, 1).as_str(), ascii_signed(number, 1).as_str()),
                (plain, with_sign)
            );
        }
        assert_eq!((ascii(-0.4, 0), compact(-0.001)), ("0".to_owned(), "0".to_owned()));
    }

    #[test]
    fn what_is_not_all_is_not_written_so() {
        assert_eq!(
            [0.0, 0.0004, 0.0005, 0.5, 0.9994, 0.9996, 1.0].map(|share| percentage(share, 1)),
            ["0.0 %", "< 0.1 %", "0.1 %", "50.0 %", "99.9 %", "> 99.9 %", "100.0 %"]
        );
        assert_eq!(
            [0.0, 1e-9, 0.25, 1.0].map(|p| likelihood(p, 1)),
            ["< 0.1 %", "< 0.1 %", "25.0 %", "> 99.9 %"]
        );
        assert_eq!(
            (likelihood(0.99999, 2), likelihood(0.99, 0)),
            ("> 99.99 %".to_owned(), "99 %".to_owned())
        );
        assert_eq!(
            [0.0, 0.0009, 0.04, 0.9999, 1.0].map(p_value),
            ["< 0.001", "< 0.001", "0.040", "> 0.999", "1.000"]
        );
    }

    #[test]
    fn small_losses_keep_their_digits() {
        assert_eq!(significant(0.005_213_46), "0.0052135");
        assert_eq!(significant(0.000_052_134_6), "0.000052135");
        assert_eq!(significant(2.079_44), "2.0794");
        assert_eq!(significant(123_456.7), "123,457");
        assert_eq!(significant(0.0), "0");
    }

    #[test]
    fn axes_and_clocks_read_short() {
        assert_eq!(compact(1_250_000.0), "1.25M");
        assert_eq!(compact(320_000.0), "320k");
        assert_eq!(compact(0.0), "0");
        assert_eq!(duration(4.24), "4.2 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7_500.0), "2 h 05 min");
        assert_eq!(counted(1, "game"), "1 game");
    }
}
