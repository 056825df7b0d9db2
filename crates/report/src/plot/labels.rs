//! Text in a plot: labels of axes, and names that are broken into lines, cut to a width, and
//! separated from each other.

use crate::Axis;

/// Returns an upper estimate of the width of a text at the font size of plots.
pub(crate) fn text_width(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}

/// Returns the label of an axis with its unit.
pub(crate) fn meaning(axis: &Axis) -> String {
    match (axis.label.as_str(), axis.unit.as_str()) {
        (label, "") => label.to_owned(),
        ("", unit) => unit.to_owned(),
        (label, unit) => format!("{label} ({unit})"),
    }
}

/// Breaks a name at spaces into lines of this width. A wider word has a line of its own.
pub(crate) fn broken(name: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line) + 7.0 + text_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.is_empty() { vec![String::new()] } else { lines }
}

/// Cuts a name to a number of characters.
pub(crate) fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Moves labels from their wanted heights until they do not touch, within the bounds if there is
/// room. Keeps their order.
pub(crate) fn spread(wanted: &[f64], apart: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]).then(a.cmp(&b)));
    let mut places = wanted.to_vec();
    let mut above = top - apart;
    for &i in &order {
        places[i] = places[i].max(above + apart);
        above = places[i];
    }
    let mut below = bottom + apart;
    for &i in order.iter().rev() {
        places[i] = places[i].min(below - apart);
        below = places[i];
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_at_spaces() {
        assert_eq!(broken("two lanes, weighted", 90.0), ["two lanes,", "weighted"]);
        assert_eq!(broken("incomprehensible", 20.0), ["incomprehensible"]);
        assert_eq!(broken("", 20.0), [""]);
        assert_eq!(cut("published values", 10), "published…");
    }

    #[test]
    fn labels_keep_distance_and_order() {
        assert_eq!(spread(&[50.0, 50.0, 52.0], 15.0, 0.0, 100.0), [50.0, 65.0, 80.0]);
        assert_eq!(spread(&[99.0, 98.0], 15.0, 0.0, 100.0), [100.0, 85.0]);
    }
}
