//! Rows as JSON for other programs. Equal rows give equal bytes: keys have the documented order,
//! and numbers are rounded to six significant digits.

use crate::number;
use crate::{Bound, Dependence, Row};
use serde::Serialize;
use serde_json::{Value, json};

/// The significant digits of numbers with a fraction.
const DIGITS: usize = 6;

/// Returns the document `{"schema":1,"rows":[…],"stats":{…}}` with one object per row: `paper,
/// item, case, metric, unit, published, measured, tolerance, agrees`, in that order.
///
/// `published`, `tolerance` and `agrees` are null if there is no published value. A number that is
/// not finite is null too. `least` and `most` follow if the row has a spread over several runs,
/// `bound` if the published value is one, `by_floor` if it agrees only by the floor of the
/// tolerance, `repeats` or `derived` if it is not counted.
/// `stats` keeps its order; its whole numbers stay exact and its other numbers are rounded.
pub fn rows(rows: &[Row], stats: Value) -> Value {
    let rows: Vec<Value> = rows.iter().map(row).collect();
    // The macro keeps keys in the order of this line.
    json!({ "schema": 1, "rows": rows, "stats": rounded(stats) })
}

/// A row in the order of the JSON's fields.
#[derive(Serialize)]
struct Line<'a> {
    paper: &'a str,
    item: &'a str,
    case: &'a str,
    metric: &'a str,
    unit: &'a str,
    published: Option<f64>,
    measured: Option<f64>,
    tolerance: Option<f64>,
    agrees: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_floor: bool,
    #[serde(flatten)]
    dependence: Option<&'a Dependence>,
}

fn row(row: &Row) -> Value {
    let rounded = |value: f64| value.is_finite().then(|| number::rounded(value, DIGITS));
    let line = Line {
        paper: &row.paper,
        item: &row.item,
        case: &row.case,
        metric: &row.metric,
        unit: &row.unit,
        published: row.published.and_then(rounded),
        measured: rounded(row.measured),
        tolerance: row.tolerance.and_then(rounded),
        agrees: row.agrees,
        least: row.spread.and_then(|(least, _)| rounded(least)),
        most: row.spread.and_then(|(_, most)| rounded(most)),
        bound: row.bound,
        by_floor: row.by_floor,
        dependence: row.dependence.as_ref(),
    };
    serde_json::to_value(line).expect("texts and finite numbers are JSON")
}

/// Rounds numbers with a fraction to six significant digits. Whole numbers stay exact.
pub fn rounded(value: Value) -> Value {
    match value {
        Value::Number(n) if n.is_f64() => json!(n.as_f64().map(|n| number::rounded(n, DIGITS))),
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, rounded(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_documented() {
        let found = Row {
            paper: "rperf".into(),
            item: "fig7a".into(),
            case: "1 sender".into(),
            metric: "RTT p50".into(),
            unit: "us".into(),
            published: None,
            measured: 0.1 + 0.2,
            tolerance: Some(0.1),
            ..Row::default()
        };
        let judged = Row { published: Some(0.333_333_333), agrees: Some(true), ..found.clone() };
        let broken = Row { measured: f64::NAN, published: Some(f64::INFINITY), ..found.clone() };
        let stats =
            json!({ "wall_s": 1.234_567_89, "events": 9_007_199_254_740_993u64, "a": -0.0 });
        let repeated = Row {
            bound: Some(Bound::Most),
            by_floor: true,
            dependence: Some(Dependence::Repeats("fig4".into())),
            ..judged.clone()
        };
        let rows = rows(&[found, judged, broken, repeated], stats);
        let lead =
            r#"{"paper":"rperf","item":"fig7a","case":"1 sender","metric":"RTT p50","unit":"us","#;
        assert_eq!(
            rows.to_string(),
            [
                r#"{"schema":1,"rows":["#,
                lead,
                r#""published":null,"measured":0.3,"tolerance":0.1,"agrees":null},"#,
                lead,
                r#""published":0.333333,"measured":0.3,"tolerance":0.1,"agrees":true},"#,
                lead,
                r#""published":null,"measured":null,"tolerance":0.1,"agrees":null},"#,
                lead,
                r#""published":0.333333,"measured":0.3,"tolerance":0.1,"agrees":true,"#,
                r#""bound":"most","by_floor":true,"repeats":"fig4"}"#,
                r#"],"stats":{"wall_s":1.23457,"events":9007199254740993,"a":0.0}}"#,
            ]
            .concat()
        );
    }
}
