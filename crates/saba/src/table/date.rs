//! [`Date`]: a day.

use std::fmt;

/// A day of the calendar, written as 2022-03-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// The error for a text that is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a date of {0:?}")]
pub struct DateError(pub String);

impl DateError {
    /// The allowed values.
    pub const ALLOWED: &str = "a day as year, month and day, such as \"2022-03-01\"";
}

impl Date {
    /// Returns the date `days` after 1970-01-01, up to the end of 9999.
    pub fn of_day(days: u64) -> Self {
        const LAST: u64 = 2_932_896;
        // The calendar repeats after 400 years. Years begin in March here, so that leap days are
        // their last.
        let days = days.min(LAST) + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Date { year: (400 * era + year + next) as u16, month: month as u8, day: day as u8 }
    }
}

impl std::str::FromStr for Date {
    type Err = DateError;
    fn from_str(text: &str) -> Result<Self, DateError> {
        read(text).ok_or_else(|| DateError(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Date> {
    let has_form = text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| match i {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    if !has_form {
        return None;
    }
    let date = Date {
        year: text[..4].parse().ok()?,
        month: text[5..7].parse().ok()?,
        day: text[8..].parse().ok()?,
    };
    let is_in = |years: u16| date.year.is_multiple_of(years);
    let is_leap = is_in(4) && (!is_in(100) || is_in(400));
    let days = match date.month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&date.day).then_some(date)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn valid_dates_are_read_and_others_refused() {
        for day in ["2022-03-01", "2024-02-29", "2000-02-29", "0000-12-31"] {
            assert_eq!(day.parse::<Date>().unwrap().to_string(), day);
        }
        for none in
            ["2023-02-29", "1900-02-29", "2022-13-01", "2022-00-10", "2022-04-31", "2022-1-1"]
        {
            assert!(none.parse::<Date>().is_err(), "{none}");
        }
        for none in ["", "2022/03/01", "2022-03-01T", "+022-03-01", "2022-03-é"] {
            assert!(none.parse::<Date>().is_err(), "{none}");
        }
    }

    /// All dates, one after the other: each reads back and follows the previous one.
    #[test]
    fn every_date_round_trips_in_order() {
        assert_eq!(Date::of_day(0).to_string(), "1970-01-01");
        assert_eq!(Date::of_day(11_016).to_string(), "2000-02-29");
        assert_eq!(Date::of_day(u64::MAX).to_string(), "9999-12-31");
        let mut before = Date::of_day(0);
        for day in 1..=2_932_896 {
            let date = Date::of_day(day);
            let text = date.to_string();
            assert!(date > before && text.parse() == Ok(date), "{before} {text}");
            before = date;
        }
    }
}
