//! `bandwise saba status`.

use super::Config;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::Json;
use bandwise_controller::client;
use bandwise_report::{Cell, Table, text as tables};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Flags of `bandwise saba status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise saba status --config controller.toml
  bandwise saba status --config controller.toml --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Queries the controller and prints its status.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[&self.config.config])?;
        let (settings, _) = self.config.read()?;
        outputs.answer(&StatusAnswer(client::get(&settings.listen, "/v1/status")?))
    }
}

/// The status document of a controller.
#[derive(Serialize)]
struct StatusAnswer(Value);

impl Answer for StatusAnswer {
    fn text(&self) -> String {
        text(&self.0)
    }
}

fn text(status: &Value) -> String {
    let word = |value: &Value| Cell::text(value.as_str().map_or(value.to_string(), str::to_owned));
    let rows = |of: &str, row: &dyn Fn(&Value) -> Vec<Cell>| -> Vec<Vec<Cell>> {
        status[of].as_array().into_iter().flatten().map(row).collect()
    };
    let table = |title: &str, header: &[&str], rows| Table {
        title: title.into(),
        caption: String::new(),
        header: header.iter().copied().map(String::from).collect(),
        rows,
    };
    let parts = rows_of_applications(&status["applications"]);
    let applications = table(
        "Applications",
        &["application", "name", "job", "level", "parts", "connections"],
        parts.into_values().map(|row| row.iter().map(word).collect()).collect(),
    );
    let port = |of: &Value| {
        let state = match (&of["fault"], of["late"] == true, of["drained"] == true) {
            _ if of["foreign"] == true => {
                format!("of group {}", of["group"].as_str().unwrap_or_default())
            }
            (Value::String(fault), ..) => fault.clone(),
            (_, true, _) => "does not answer".into(),
            (_, _, true) => "drained".into(),
            _ if of["settled"] == true => "settled".into(),
            _ => "being written".into(),
        };
        vec![word(&of["name"]), queues(&of["wanted"]), queues(&of["read"]), Cell::text(state)]
    };
    let ports = table(
        "Ports: level=weight of each queue",
        &["port", "wanted", "read back, in lowest terms", "state"],
        rows("ports", &port),
    );
    let others = match status["instance"].as_str() {
        None => String::new(),
        Some(instance) => {
            let groups = status["groups"].as_array().into_iter().flatten();
            let groups: Vec<&str> = groups.filter_map(Value::as_str).collect();
            let groups = if groups.is_empty() { "none".into() } else { groups.join(", ") };
            format!("\ncontroller {instance}; groups of ports that it writes: {groups}\n")
        }
    };
    format!("{}\n{}{others}", tables::table(&applications), tables::table(&ports))
}

/// Returns a row for each application by its id; all parts of a job share a row.
fn rows_of_applications(all: &Value) -> BTreeMap<u64, [Value; 6]> {
    let mut rows = BTreeMap::<u64, [Value; 6]>::new();
    for of in all.as_array().into_iter().flatten() {
        let [parts, connections] = [1, of["connections"].as_u64().unwrap_or(0)];
        let job = if of["job"].is_null() { json!("") } else { of["job"].clone() };
        let id = of["whole"].as_u64().unwrap_or(0);
        match rows.get_mut(&id) {
            Some([.., known_parts, known_connections]) => {
                for (known, more) in [(known_parts, parts), (known_connections, connections)] {
                    *known = json!(known.as_u64().unwrap_or(0) + more);
                }
            }
            None => {
                let (name, level) = (of["name"].clone(), of["level"].clone());
                rows.insert(id, [json!(id), name, job, level, json!(parts), json!(connections)]);
            }
        }
    }
    rows
}

/// Returns a port's queues: `0,3=2 1=1` is a queue of levels 0 and 3 with weight 2, and one of
/// level 1 with weight 1.
fn queues(config: &Value) -> Cell {
    let Some(weights) = config["weights"].as_array() else { return Cell::text("?") };
    let levels = config["table"].as_array().cloned().unwrap_or_default();
    let queue = |(at, weight): (u64, &Value)| {
        let of: Vec<String> =
            levels.iter().filter(|of| of[1] == at).map(|of| of[0].to_string()).collect();
        format!("{}={weight}", of.join(","))
    };
    let queues: Vec<String> = (0..).zip(weights).map(queue).collect();
    Cell::text(queues.join(" "))
}
