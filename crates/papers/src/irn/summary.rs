//! Summary of the tables, compared with a constant guess.

use super::names::{TABLES, is_ratio};
use bandwise_report::Row;

/// Constant guesses of the ratios, chosen with knowledge of the tables.
const GUESS_WITH_PFC: f64 = 1.0;
const GUESS_ROCE: f64 = 0.49;
const WITHIN: f64 = 0.15;

/// Returns sentences with the number of ratios that agree, and the number that the constant guesses
/// would match.
pub(super) fn summary(rows: &[Row]) -> Vec<String> {
    let cells: Vec<&Row> = rows
        .iter()
        .filter(|row| TABLES.contains(&&*row.item) && is_ratio(&row.case))
        .filter(|row| row.published.is_some())
        .collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let guessed = |row: &&&Row| {
        let guess = if row.case.contains("over IRN+PFC") { GUESS_WITH_PFC } else { GUESS_ROCE };
        row.published.is_some_and(|value| (value - guess).abs() <= WITHIN)
    };
    let agree = |row: &&&Row| row.agrees == Some(true);
    let first: Vec<&Row> = distinct(&cells);
    let percent = |part: usize, of: usize| 100.0 * part as f64 / of as f64;
    let sentence = |name: &str, cells: &[&Row]| {
        let (count, guessed) =
            (cells.iter().filter(agree).count(), cells.iter().filter(guessed).count());
        format!(
            "{count} of {} {name} of tables 3 to 9 ({:.0}%) are within 0.15. If every ratio to IRN \
             with PFC were 1 and every ratio to RoCE 0.49, {guessed} would be ({:.0}%).",
            cells.len(),
            percent(count, cells.len()),
            percent(guessed, cells.len()),
        )
    };
    vec![sentence("ratios", &cells), sentence("distinct ratios", &first)]
}

/// Returns the cells with the default case only once, although each table contains it.
fn distinct<'a>(cells: &[&'a Row]) -> Vec<&'a Row> {
    const DEFAULT: [&str; 7] = [
        "load 70%",
        "40 Gbps",
        "54 servers",
        "heavy-tailed",
        "buffer 240 KB",
        "RTO_high 320 us",
        "N 3",
    ];
    let table = cells.first().map(|row| row.item.clone()).unwrap_or_default();
    let is_default =
        |row: &Row| DEFAULT.iter().any(|name| row.case.starts_with(&format!("{name} ")));
    let wanted = |row: &&&Row| row.item == table || !is_default(row);
    cells.iter().filter(wanted).copied().collect()
}
