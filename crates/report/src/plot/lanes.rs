//! Lanes below each other over one axis of time: heights as areas, each with a strip below for a
//! second quantity.

use super::labels::cut;
use super::labels::{meaning, text_width};
use super::size::Size;
use super::style::COLOURS;
use super::{marks, ticks};
use crate::markup::{Markup, Px};
use crate::number::with_unit;
use crate::{Lane, Lanes, Step, Track};

/// The height of an area.
const HIGH: f64 = 26.0;
/// The height of the strip below an area, and of the gap below the strip.
const STRIP: f64 = 5.0;
const GAP: f64 = 5.0;
/// The height of a lane's name.
const NAME: f64 = 19.0;

/// Draws one or more lanes. `id` is the figure's id on its page.
pub(crate) fn draw(lanes: &Lanes, size: &Size, id: &str) -> Markup {
    let tracks = lanes.lanes.iter().flat_map(|lane| &lane.tracks);
    let end = tracks.map(|track| track.end).filter(|end| end.is_finite()).fold(0.0, f64::max);
    let values = ticks::linear(0.0, end, size.across);
    let labels = ticks::linear_labels(&values);
    let (left, right) = (2.0, size.width - text_width(&labels[labels.len() - 1]) / 2.0 - 2.0);
    let across = Across { left, right, most: values[values.len() - 1] };
    let top = 6.0;
    let bottom = top + lanes.lanes.iter().map(height).sum::<f64>();
    let mut m = Markup::default();
    let class = format!("plot {}", size.name);
    let view = format!("0 0 {} {}", Px(size.width), Px(bottom + 40.0));
    let about = format!("{id}-{}-about", size.name);
    let attributes: crate::markup::Attributes<'_> = &[
        ("class", &class),
        ("role", &"img"),
        ("aria-label", &lanes.title),
        ("aria-describedby", &about),
        ("viewBox", &view),
    ];
    m.element("svg", attributes, |m| {
        m.leaf("desc", &[("id", &about)], describe(lanes));
        let grid: String = values
            .iter()
            .map(|&value| marks::lines(&[(across.at(value), top), (across.at(value), bottom)]))
            .collect();
        m.shape("path", &[("class", &"grid"), ("d", &grid)]);
        let mut y = top;
        for lane in &lanes.lanes {
            self::lane(m, lanes, lane, y, &across, size);
            y += height(lane);
        }
        m.element("g", &[("class", &"ticks")], |m| {
            for (value, label) in values.iter().zip(&labels) {
                let (x, y) = (Px(across.at(*value)), Px(bottom + 16.0));
                m.leaf("text", &[("x", &x), ("y", &y), ("text-anchor", &"middle")], label);
            }
        });
        let (x, y) = (Px((left + right) / 2.0), Px(bottom + 34.0));
        let axis = meaning(&lanes.x);
        m.leaf(
            "text",
            &[("class", &"axis"), ("x", &x), ("y", &y), ("text-anchor", &"middle")],
            axis,
        );
    });
    m
}

/// The mapping of values to places on the axis of time.
struct Across {
    left: f64,
    right: f64,
    most: f64,
}

impl Across {
    fn at(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * (value / self.most).clamp(0.0, 1.0)
    }
}

fn height(lane: &Lane) -> f64 {
    NAME + lane.tracks.len() as f64 * (HIGH + STRIP + GAP) + 4.0
}

fn lane(m: &mut Markup, lanes: &Lanes, lane: &Lane, top: f64, across: &Across, size: &Size) {
    let (x, y) = (Px(across.left), Px(top + 14.0));
    let room = (size.width / 8.0) as usize;
    m.leaf("text", &[("class", &"lane"), ("x", &x), ("y", &y)], cut(&lane.name, room));
    for (i, (track, name)) in lane.tracks.iter().zip(&lanes.tracks).enumerate() {
        let base = top + NAME + HIGH + i as f64 * (HIGH + STRIP + GAP);
        let class = format!("pt {}", COLOURS[i % COLOURS.len()]);
        m.element("g", &[("class", &class)], |m| {
            m.leaf("title", &[], tip(lanes, lane, track, name));
            let steps = resampled(&track.steps, size);
            let width = track.width * together(&track.steps, size) as f64;
            let high = |step: &Step| base - HIGH * part(step.height / lanes.most);
            let busy = |step: &Step| base + 1.0 + STRIP * part(step.share);
            let area = outline(&steps, width, base, across, high);
            m.shape("path", &[("class", &"area bar"), ("d", &area)]);
            let strip = outline(&steps, width, base + 1.0, across, busy);
            m.shape("path", &[("class", &"busy"), ("d", &strip)]);
            let end = across.at(track.end);
            let mark = marks::lines(&[(end, base - HIGH), (end, base + STRIP)]);
            m.shape("path", &[("class", &"whisker"), ("d", &mark)]);
            let floor = marks::lines(&[(across.left, base), (across.right, base)]);
            m.shape("path", &[("class", &"base"), ("d", &floor)]);
        });
    }
}

/// Returns the number, limited to the range from 0 to 1; 0 if the number is not finite.
fn part(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the outline of steps of equal width over a base.
fn outline(
    steps: &[Step],
    width: f64,
    base: f64,
    across: &Across,
    y: impl Fn(&Step) -> f64,
) -> String {
    let mut path = format!("M{} {}", Px(across.left), Px(base));
    let mut last = base;
    for (i, step) in steps.iter().enumerate() {
        let y = y(step);
        // Neighbours of equal height are merged.
        if (y - last).abs() >= 0.1 {
            path += &format!("H{}V{}", Px(across.at(i as f64 * width)), Px(y));
            last = y;
        }
    }
    let end = across.at(steps.len() as f64 * width);
    path += &format!("H{}V{}Z", Px(end), Px(base));
    path
}

/// Returns the number of steps to merge, so that no plot has more steps than pixels.
fn together(steps: &[Step], size: &Size) -> usize {
    steps.len().div_ceil(size.width as usize).max(1)
}

/// Returns the means of groups of steps.
fn resampled(steps: &[Step], size: &Size) -> Vec<Step> {
    let together = together(steps, size);
    let mean = |some: &[Step]| {
        // The last group may have fewer steps.
        let count = together as f64;
        Step {
            height: some.iter().map(|step| step.height).sum::<f64>() / count,
            share: some.iter().map(|step| step.share).sum::<f64>() / count,
        }
    };
    steps.chunks(together).map(mean).collect()
}

/// Returns the tooltip of a track, with one fact per line.
fn tip(lanes: &Lanes, lane: &Lane, track: &Track, name: &str) -> String {
    let end = format!("until {}", with_unit(track.end, &lanes.x.unit));
    [lane.name.as_str(), name, &end, &track.note]
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns a description of the lanes: the end of each.
fn describe(lanes: &Lanes) -> String {
    let mut text = String::new();
    for lane in &lanes.lanes {
        for (track, name) in lane.tracks.iter().zip(&lanes.tracks) {
            let end = with_unit(track.end, &lanes.x.unit);
            text += &format!("{}, {name}: until {end}. ", lane.name);
        }
    }
    text.trim_end().to_owned()
}

/// Writes the legend of lanes.
pub(crate) fn legend(m: &mut Markup, lanes: &Lanes) {
    m.element("ul", &[("class", &"legend")], |m| {
        for (i, name) in lanes.tracks.iter().enumerate() {
            sample(m, COLOURS[i % COLOURS.len()], "area", "M2 14V5H14V2H28V14Z", name);
        }
        sample(m, "muted", "busy", "M2 5H28V11H2Z", &lanes.meanwhile);
    });
}

fn sample(m: &mut Markup, colour: &str, class: &str, path: &str, name: &str) {
    m.element("li", &[], |m| {
        super::legend::swatch(m, colour, |m| m.shape("path", &[("class", &class), ("d", &path)]));
        m.leaf("span", &[], name);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lanes(tracks: Vec<Track>) -> Lanes {
        Lanes {
            title: "Activity".into(),
            tracks: vec!["a".into(), "b".into()],
            most: 10.0,
            lanes: vec![Lane { name: "job".into(), tracks }],
            ..Lanes::default()
        }
    }

    #[test]
    fn equal_steps_are_merged() {
        let step = |height| Step { height, share: 0.0 };
        let across = Across { left: 0.0, right: 100.0, most: 10.0 };
        let steps = [step(1.0), step(1.0), step(2.0)];
        let path = outline(&steps, 2.0, 50.0, &across, |step| 50.0 - step.height * 10.0);
        assert_eq!(path, "M0 50H0V40H40V30H60V50Z");
    }

    proptest! {
        /// With any number of steps, the mean height stays, and the outline stays in the plot.
        #[test]
        fn resampling_preserves_the_mean_height(
            heights in prop::collection::vec(0.0f64..10.0, 1..2000), width in 0.001f64..100.0,
        ) {
            let steps: Vec<Step> =
                heights.iter().map(|&height| Step { height, share: height / 10.0 }).collect();
            let track = Track { steps: steps.clone(), width, end: width * heights.len() as f64, note: String::new() };
            for size in [super::super::size::WIDE, super::super::size::NARROW] {
                let fewer = resampled(&steps, &size);
                prop_assert!(fewer.len() <= size.width as usize);
                let together = together(&steps, &size) as f64;
                let sum: f64 = fewer.iter().map(|step| step.height).sum::<f64>() * together;
                prop_assert!((sum - heights.iter().sum::<f64>()).abs() < 1e-6 * sum.max(1.0));
                let svg = draw(&lanes(vec![track.clone(), track.clone()]), &size, "t").finish();
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
    }
}
