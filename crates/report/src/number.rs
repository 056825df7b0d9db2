//! Numbers as text and as JSON, with one rule for rounding.

use crate::{Bound, Row};

/// Rounds to `digits` significant digits. Converts by way of decimal text, so that the result is
/// the double nearest to the decimal number. Never returns a negative zero.
pub(crate) fn rounded(value: f64, digits: usize) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse::<f64>().unwrap_or(value) + 0.0
}

/// Returns a number as text: four significant digits, or all digits of a whole number, with
/// thousands grouped. Returns `–` if the number is not finite.
pub(crate) fn people(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{:e}", rounded(value, 4));
    }
    if value.fract() == 0.0 {
        return grouped(&format!("{value:.0}"));
    }
    let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    grouped(text)
}

/// Returns a number as [`people`] does, but with `k`, `M`, `G` or `T` and three digits from a
/// thousand on.
pub(crate) fn short(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let value = if value.abs() >= 1e3 { rounded(value, 3) } else { value };
    match units.into_iter().find(|(size, _)| value.abs() >= *size && value.abs() < 1e15) {
        Some((size, suffix)) => format!("{}{suffix}", people(rounded(value / size, 3))),
        None => people(value),
    }
}

/// Returns a number with its unit as text.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    let number = people(value);
    match unit {
        "" => number,
        _ if number == "–" => number,
        unit => format!("{number} {unit}"),
    }
}

/// Returns the difference of `measured` from `published` in percent of the latter, or the absolute
/// difference if the latter is zero.
pub(crate) fn difference(measured: f64, published: Option<f64>) -> String {
    let Some(published) = published.filter(|p| p.is_finite() && measured.is_finite()) else {
        return "–".to_owned();
    };
    let apart = measured - published;
    if published == 0.0 {
        return if apart == 0.0 { "0".to_owned() } else { signed(people(apart)) };
    }
    let percent = 100.0 * apart / published.abs();
    if percent.abs() >= 1000.0 {
        return format!("×{}", people(rounded(measured / published, 2)));
    }
    let decimals = if percent.abs() < 9.95 { 1 } else { 0 };
    let text = format!("{percent:.decimals$}");
    if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
        return "0 %".to_owned();
    }
    format!("{} %", signed(text))
}

/// Returns the published value of a row, with a sign if it is a bound.
pub(crate) fn published(row: &Row) -> String {
    let Some(value) = row.published else { return "–".to_owned() };
    match row.bound {
        None => people(value),
        Some(Bound::Most) => format!("≤ {}", people(value)),
        Some(Bound::Least) => format!("≥ {}", people(value)),
    }
}

/// Returns the tolerance of a row in percent of the published value, or the room to the bound.
pub(crate) fn allowed(row: &Row) -> String {
    let room = row.published.zip(row.bound).map(|(value, bound)| match bound {
        Bound::Most => (value - row.measured) / value.abs(),
        Bound::Least => (row.measured - value) / value.abs(),
    });
    let tolerance = row.tolerance.filter(|_| row.published.is_some());
    match (room, tolerance) {
        (Some(room), _) if room >= 0.0 && room.is_finite() => {
            format!("room {} %", people(rounded(100.0 * room, 2)))
        }
        (Some(room), _) if room < 0.0 => "no room".to_owned(),
        (None, Some(t)) if t.is_finite() => format!("±{} %", people(rounded(100.0 * t, 3))),
        _ => "–".to_owned(),
    }
}

fn signed(text: String) -> String {
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// Groups the digits of a whole part of five or more digits by commas.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut out = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_four_digits_or_as_whole() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.43, "0.43"),
            (9.99996, "10"),
            (14.9, "14.9"),
            (12345.678, "12,346"),
            (1234.0, "1234"),
            (-4_294_967_296.0, "-4,294,967,296"),
            (0.00012345, "0.0001234"),
            (1.0e-9, "1e-9"),
            (2.5e18, "2.5e18"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(people(value), text);
        }
    }

    #[test]
    fn bounds_have_a_sign_and_room() {
        let row = |value, bound, measured| Row {
            published: Some(value),
            bound: Some(bound),
            measured,
            tolerance: None,
            ..Row::default()
        };
        // 30 - 9.5 = 20.5 is 68% of 30; 170 - 162.3 misses.
        assert_eq!(published(&row(30.0, Bound::Most, 9.5)), "≤ 30");
        assert_eq!(allowed(&row(30.0, Bound::Most, 9.5)), "room 68 %");
        assert_eq!(allowed(&row(0.8, Bound::Most, 1.343)), "no room");
        assert_eq!(published(&row(170.0, Bound::Least, 162.3)), "≥ 170");
        assert_eq!(allowed(&row(170.0, Bound::Least, 162.3)), "no room");
        assert_eq!(allowed(&row(170.0, Bound::Least, 170.0)), "room 0 %");
        assert_eq!(allowed(&row(170.0, Bound::Least, f64::NAN)), "–");
    }

    #[test]
    fn differences_are_in_percent_of_the_published_value() {
        assert_eq!(difference(0.43, Some(0.4)), "+7.5 %");
        assert_eq!(difference(19.7, Some(20.2)), "-2.5 %");
        assert_eq!(difference(5.0, Some(5.0)), "0 %");
        assert_eq!(difference(3.0, Some(0.0)), "+3");
        assert_eq!(difference(90.0, Some(2.0)), "×45");
        assert_eq!(difference(1.0, None), "–");
        let row = Row { published: Some(1.0), tolerance: Some(0.1), ..Row::default() };
        assert_eq!(allowed(&row), "±10 %");
    }

    #[test]
    fn short_numbers_fit_a_bar() {
        let texts = [999.96, -1234.0, 52.13, 999_900.0, 1e6, 4.9e10].map(short);
        assert_eq!(texts, ["1000", "-1.23k", "52.13", "1M", "1M", "49G"]);
    }

    #[test]
    fn rounding_is_decimal() {
        assert_eq!(rounded(0.1 + 0.2, 6), 0.3);
        assert_eq!(rounded(1_234_567.8, 6), 1_234_570.0);
        assert!(rounded(-1e-400, 6).is_sign_positive());
    }
}
