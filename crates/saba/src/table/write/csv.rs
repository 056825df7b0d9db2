//! Writer for the CSV form; see [`read::csv`](crate::table::read::csv()).

use crate::table::{Entry, Table};
use bandwise_units::Time;

/// The columns, the required ones first.
pub(in crate::table) const COLUMNS: [&str; 7] =
    ["application", "share", "time_s", "nodes", "dataset", "measured", "comment"];

/// Returns the table as CSV, by application and share.
pub fn csv(table: &Table) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let fits = "memory takes anything, and each line has as many values";
    writer.write_record(COLUMNS).expect(fits);
    for (name, entry) in table.iter() {
        let first = provenance(entry);
        let others = [const { String::new() }; 4];
        for (i, run) in entry.samples.runs().iter().enumerate() {
            let row = [name.to_string(), run.share.get().to_string(), seconds(run.time)];
            let rest = if i == 0 { &first } else { &others };
            writer.write_record(row.iter().chain(rest)).expect(fits);
        }
    }
    let bytes = writer.into_inner().expect(fits);
    String::from_utf8(bytes).expect("all that was written is text")
}

fn provenance(entry: &Entry) -> [String; 4] {
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    [
        or_nothing(entry.setting.nodes.map(|n| n.to_string())),
        or_nothing(entry.setting.dataset.as_ref().map(|d| d.to_string())),
        or_nothing(entry.measured.map(|d| d.to_string())),
        entry.comment.as_str().to_owned(),
    ]
}

/// Returns seconds with all significant decimals.
fn seconds(time: Time) -> String {
    const PS: u64 = 1_000_000_000_000;
    let (whole, rest) = (time.as_ps() / PS, time.as_ps() % PS);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{}", format!("{rest:012}").trim_end_matches('0')),
    }
}
