//! Writer for the TOML form; see [`read::toml`](crate::table::read::toml()).

use crate::table::{Entry, Table};

/// Returns the table as TOML, by application and share.
pub fn toml(table: &Table) -> String {
    if table.is_empty() {
        return "application = []\n".to_owned();
    }
    let applications: Vec<String> = table.iter().map(|(n, e)| application(n.as_str(), e)).collect();
    applications.join("\n")
}

fn application(name: &str, entry: &Entry) -> String {
    let mut lines = vec!["[[application]]".to_owned(), format!("name = {}", quoted(name))];
    if let Some(nodes) = entry.setting.nodes {
        lines.push(format!("nodes = {nodes}"));
    }
    if let Some(dataset) = &entry.setting.dataset {
        lines.push(format!("dataset = {}", quoted(&dataset.to_string())));
    }
    if let Some(day) = entry.measured {
        lines.push(format!("measured = \"{day}\""));
    }
    if !entry.comment.as_str().is_empty() {
        lines.push(format!("comment = {}", quoted(entry.comment.as_str())));
    }
    lines.push("samples = [".to_owned());
    for run in entry.samples.runs() {
        lines.push(format!("    {{ share = {}, time = \"{}\" }},", run.share.get(), run.time));
    }
    lines.push("]\n".to_owned());
    lines.join("\n")
}

fn quoted(text: &str) -> String {
    ::toml::Value::from(text).to_string()
}
