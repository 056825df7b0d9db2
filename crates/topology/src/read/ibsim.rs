//! Reader for netlists of `ibsim`, the simulator of InfiniBand management.
//!
//! ```text
//! Switch  8 "sw1"         # "description"
//! [1]     "host1"[1]      w=2 s=4
//! [2]     "host2" 4x FDR
//! Hca     1 "host1"
//! [1]     "sw1"[1]        w=2 s=4
//! Hca     1 "host2"
//! ```
//!
//! `w` and `s` are sets of bits: widths 1x = 1, 4x = 2, 8x = 4, 12x = 8 and speeds SDR = 1, DDR =
//! 2, QDR = 4. A link gets the highest that both ends allow. An end without an option takes it from
//! the last `width=` or `speed=` line above; the initial values are 4x and SDR. If no line has a
//! width or a speed, a warning names them.
//!
//! The reader accepts three extensions of ibsim's format. A link may have a line at one end only.
//! Its speed may be written `4x FDR` or `4xFDR`, also above QDR. The comment `# bandwise rate 10
//! Gbps delay 5 ns` gives rate and delay exactly; ibsim ignores it.

use super::cabling::{self, Agree};
use super::cursor::Cursor;
use super::error::READABLE;
use super::fabric_file::FabricFile;
use super::margin::Margin;
use super::netlist::{self, Dialect, Record};
use crate::infiniband::{ALLOWED_SPEEDS, CABLE_DELAY, LaneSpeed, LinkSpeed};
use bandwise_input::{InputError, Source};
use bandwise_units::{BitRate, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// Reads a netlist of ibsim.
///
/// # Errors
///
/// Returns an [`InputError`] at the first line that is invalid or contradicts another one.
pub fn ibsim(source: &Source) -> Result<FabricFile, InputError> {
    source.check_text(READABLE)?;
    // The defaults of ibsim: DEFAULT_LINKWIDTH and DEFAULT_LINKSPEED of its sim.h.
    let mut netlist = Netlist { widths: 2, speeds: 1, has_default: false };
    let records = netlist::records(source, &mut netlist)?;
    let parts = cabling::fabrics(source, &records, &mut netlist)?;
    let warnings = Margin::of(source.text).note(source).into_iter();
    let warnings = warnings.chain(netlist.without_speeds(source, &records));
    let warnings = warnings.chain(netlist::routers_as_hosts(source, &records)).collect();
    Ok(FabricFile { parts, warnings })
}

/// The start of the comment that [`write::ibsim`](crate::write::ibsim) adds to a port.
pub(crate) const COMMENT: &str = "# bandwise rate ";

/// The defaults of the lines that follow.
struct Netlist {
    widths: u8,
    speeds: u8,
    /// Set after a `width=` or `speed=` line.
    has_default: bool,
}

/// The speed options of one end of a link.
#[derive(Debug, Clone, Copy)]
struct End {
    widths: u8,
    speeds: u8,
    /// Set if the line has a width, a speed or a rate.
    is_given: bool,
    /// An exact rate, in notations that ibsim does not know.
    exact: Option<BitRate>,
    delay: Option<Time>,
}

const WIDTHS: &str = "a sum of 1 (1x), 2 (4x), 4 (8x) and 8 (12x)";
const SPEEDS: &str = "a sum of 1 (SDR), 2 (DDR) and 4 (QDR)";

/// Returns a set of bits from 1 to `most`.
fn bits(text: &str, most: u8) -> Option<u8> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    (1..=most).contains(&value).then_some(value)
}

fn widths(text: &str, place: &Cursor) -> Result<u8, InputError> {
    bits(text, 15).ok_or_else(|| place.error(format!("no link width {text:?}")).allowed(WIDTHS))
}

fn speeds(text: &str, place: &Cursor) -> Result<u8, InputError> {
    bits(text, 7).ok_or_else(|| place.error(format!("no link speed {text:?}")).allowed(SPEEDS))
}

impl Netlist {
    /// Returns a warning at the first link of a netlist in which no line has a width or a speed,
    /// such as a dump of ibnetdiscover without its comments.
    fn without_speeds(&self, source: &Source, records: &[Record<End>]) -> Option<InputError> {
        if self.has_default {
            return None;
        }
        let ends = || records.iter().flat_map(|r| r.cables.iter().map(|half| (r.id.value, half)));
        let given = ends().filter(|(_, half)| half.speed.is_given);
        let given: BTreeSet<(&str, u64)> = given
            .flat_map(|(id, half)| [(id, half.port.value), (half.peer.value, half.peer_port.value)])
            .collect();
        let mut without = ends().filter(|(id, half)| !given.contains(&(id, half.port.value)));
        let line = without.next()?.1.line.clone();
        let message = match given.is_empty() {
            true => "no line has a speed: 4xSDR, ibsim's default, 8 Gbps, is assumed".to_owned(),
            false => format!(
                "{} port lines of links without a speed: 4xSDR, ibsim's default, 8 Gbps, is assumed for them",
                1 + without.count()
            ),
        };
        let allowed = "`width=2` and `speed=4` (4xQDR) in a line above, `4xEDR` at the end of each \
                       link's line, or the whole output of ibnetdiscover with its comments";
        Some(source.error(line, message).allowed(allowed))
    }
}

impl Dialect for Netlist {
    type Speed = End;

    /// Comments without quotes are remarks of the netlist's author.
    fn bare_description<'a>(&self, _comment: &'a str) -> Option<&'a str> {
        None
    }

    fn other_line(&mut self, line: Cursor) -> Result<(), InputError> {
        const IDS: [&str; 8] = [
            "switchguid",
            "caguid",
            "hcaguids",
            "rtguid",
            "vendid",
            "devid",
            "sysimgguid",
            "pdebug",
        ];
        let text = line.rest();
        let known = "Switch, Hca, Ca and Rt lines, [port] lines, comments after #, width=, speed=, \
                     and switchguid=, caguid=, hcaguids=, rtguid=, vendid=, devid=, sysimgguid= \
                     and pdebug=, which have no effect here";
        let (key, value) = text.split_once(['=', '+']).unwrap_or((text, ""));
        let value = value.split('#').next().unwrap_or_default().trim();
        match key.trim_end() {
            "width" => {
                self.widths = widths(value, &line)?;
                self.has_default = true;
            }
            "speed" => {
                self.speeds = speeds(value, &line)?;
                self.has_default = true;
            }
            id if IDS.contains(&id) && !value.is_empty() => {}
            _ => {
                let word = text.split([' ', '\t', '=', '"', '[']).next().unwrap_or_default();
                let message = match word {
                    "include" => "`include` is not supported: put all nodes into one file",
                    "do" => "`do` is not supported: it runs commands in ibsim",
                    "module" => "`module` is not supported: write the whole names",
                    "@" => "aliases are not supported: name nodes and ports",
                    _ => "not a line of a netlist",
                };
                return Err(line.error(message).allowed(known));
            }
        }
        Ok(())
    }

    fn speed(&self, mut end: Cursor) -> Result<End, InputError> {
        let Netlist { widths: default_widths, speeds: default_speeds, .. } = *self;
        let mut given = End {
            widths: default_widths,
            speeds: default_speeds,
            is_given: false,
            exact: None,
            delay: None,
        };
        loop {
            end.skip_space();
            let place = end;
            if place.rest().starts_with(COMMENT) {
                return exact_speed(place, given);
            }
            if place.rest().is_empty() || place.rest().starts_with('#') {
                return Ok(given);
            }
            let word = end.word().value;
            if let Some(value) = word.strip_prefix("w=") {
                given.widths = widths(value, &place)?;
                given.is_given = true;
            } else if let Some(value) = word.strip_prefix("s=") {
                given.speeds = speeds(value, &place)?;
                given.is_given = true;
            } else if matches!(word, "lid" | "lmc") {
                end.skip_space();
                end.word();
            } else {
                let mut text = word.to_owned();
                if word.ends_with('x') {
                    end.skip_space();
                    text.push_str(end.word().value);
                }
                let Ok(speed) = text.parse::<LinkSpeed>() else {
                    let error = place.error(format!("{text:?} after a port"));
                    return Err(error.allowed(format!(
                        "w= with {WIDTHS}, s= with {SPEEDS}, or {ALLOWED_SPEEDS}"
                    )));
                };
                given.exact = Some(speed.rate());
                given.is_given = true;
            }
        }
    }
}

/// Reads `# bandwise rate 10 Gbps delay 5 ns`.
fn exact_speed(comment: Cursor, given: End) -> Result<End, InputError> {
    let text = comment.rest().strip_prefix(COMMENT).unwrap_or_default();
    let bad = |m: String| comment.error(m).allowed("# bandwise rate 10 Gbps delay 5 ns");
    let (rate, delay) =
        text.split_once(" delay ").ok_or_else(|| bad("a rate without a delay".to_owned()))?;
    let rate = rate.parse::<BitRate>().map_err(|e| bad(e.to_string()))?;
    let delay = delay.parse().map_err(|e| bad(format!("{e}")))?;
    Ok(End { is_given: true, exact: Some(rate), delay: Some(delay), ..given })
}

impl Agree<End> for Netlist {
    fn agree(
        &mut self,
        near: &End,
        far: Option<&End>,
        _line: &Range<usize>,
    ) -> Result<(BitRate, Time), (String, String)> {
        let far = far.unwrap_or(near);
        let differ = |what: &str, a: String, b: String| {
            let message = format!("this link has the {what} {a} at one end and {b} at the other");
            Err((message, format!("the same {what} in both lines of a link")))
        };
        let delay = match (near.delay, far.delay) {
            (Some(a), Some(b)) if a != b => {
                return differ("delay", a.to_string(), b.to_string());
            }
            (a, b) => a.or(b).unwrap_or(CABLE_DELAY),
        };
        if let Some(rate) = near.exact.or(far.exact) {
            let other = far.exact.unwrap_or(rate);
            if other != rate {
                return differ("rate", rate.to_string(), other.to_string());
            }
            return Ok((rate, delay));
        }
        let lanes = match near.widths & far.widths {
            0 => {
                let message = format!(
                    "this link allows the widths {} at one end and {} at the other",
                    near.widths, far.widths
                );
                return Err((message, "a width that both ends allow".to_owned()));
            }
            8.. => 12,
            4.. => 8,
            2.. => 4,
            1.. => 1,
        };
        let speed = match near.speeds & far.speeds {
            0 => {
                let message = format!(
                    "this link allows the speeds {} at one end and {} at the other",
                    near.speeds, far.speeds
                );
                return Err((message, "a speed that both ends allow".to_owned()));
            }
            4.. => LaneSpeed::Qdr,
            2.. => LaneSpeed::Ddr,
            1.. => LaneSpeed::Sdr,
        };
        let speed = LinkSpeed::new(lanes, speed).expect("1, 4, 8 and 12 lanes exist");
        Ok((speed.rate(), delay))
    }

    fn one_sided(&self) -> Option<&'static str> {
        None
    }
}
