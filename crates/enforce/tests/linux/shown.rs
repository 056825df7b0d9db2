//! [`read`]: what `tc` shows of a port, for comparison with what was read by netlink.
//!
//! The text for people, not `tc -j`: of HTB's classes, iproute2 6.1 prints no JSON whatever it is asked.

use bandwise_enforce::htb::{Class, Dscp, Family, Filter, HANDLE, OURS, Root, Tree};
use bandwise_units::{BitRate, Bytes};
use std::str::SplitWhitespace;

/// A line that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub line: String,
    pub expected: &'static str,
}

/// The lines of a batch of `tc -d` that show all that [`read`] needs of a device.
pub(crate) fn show(device: &str) -> [String; 3] {
    ["qdisc", "class", "filter"].map(|what| format!("{what} show dev {device}"))
}

/// Reads the configuration of a port from the output of `tc`. Classes and filters of others are left out.
pub(crate) fn read(shown: &str) -> Result<Root, Unreadable> {
    let is_root = |line: &&str| line.starts_with("qdisc ") && line.contains(" root ");
    let root = shown.lines().find(is_root).ok_or_else(|| unreadable("", "a root"))?;
    let mut words = root.split_whitespace().skip(1);
    let (kind, handle) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (kind, hexadecimal(handle.trim_end_matches(':'))) {
        (_, Some(0)) => Ok(Root::Kernel),
        ("htb", Some(HANDLE)) => Ok(Root::Saba(tree(root, shown)?)),
        _ => Ok(Root::Other(format!("qdisc {kind} {handle}"))),
    }
}

fn tree(root: &str, shown: &str) -> Result<Tree, Unreadable> {
    let default =
        value(root, "default").and_then(|text| hexadecimal(text.trim_start_matches("0x")));
    let default = default.ok_or_else(|| unreadable(root, "a default class"))?;
    let mut tree = Tree { default, ..Tree::default() };
    let mut lines = shown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("class htb ") {
            if let Some((number, class)) = class(line, words.split_whitespace())? {
                tree.classes.insert(number, class);
            }
        } else if line.starts_with("filter ") {
            let matched = lines.next_if(|next| next.starts_with(' '));
            filter(&mut tree, line, matched)?;
        }
    }
    Ok(tree)
}

/// `class htb 5aba:10 parent 5aba:3 prio 0 quantum 1514 rate 150Mbit ceil 200Mbit linklayer ethernet burst
/// 39014b/1 mpu 0b cburst …`; none for one that is not Saba's.
fn class(line: &str, mut words: SplitWhitespace<'_>) -> Result<Option<(u16, Class)>, Unreadable> {
    let number = words.next().and_then(minor).filter(|number| OURS.contains(number));
    let Some(number) = number else { return Ok(None) };
    let rate_of =
        |name, expected| value(line, name).and_then(rate).ok_or_else(|| unreadable(line, expected));
    let size_of =
        |name, expected| value(line, name).and_then(size).ok_or_else(|| unreadable(line, expected));
    let class = Class {
        parent: value(line, "parent").and_then(minor),
        rate: rate_of("rate", "a rate")?,
        ceil: rate_of("ceil", "a ceiling")?,
        burst: size_of("burst", "a burst")?,
        cburst: size_of("cburst", "a burst")?,
        quantum: value(line, "quantum").and_then(|text| text.parse().ok()),
    };
    Ok(Some((number, class)))
}

/// `filter parent 5aba: protocol ip pref 4 u32 chain 0 fh 800::3 order 3 key ht 800 bkt 0 *flowid 5aba:10
/// not_in_hw`, and in the next line `  match 000c0000/00fc0000 at 0`. Lines without a node tell of tables.
fn filter(tree: &mut Tree, line: &str, matched: Option<&str>) -> Result<(), Unreadable> {
    let (protocol, rank) = (value(line, "protocol"), value(line, "pref"));
    let is_of = |family: &Family| {
        let (name, number) = match family {
            Family::V4 => ("ip", 4),
            Family::V6 => ("ipv6", 6),
        };
        protocol == Some(name) && rank.and_then(|rank| rank.parse().ok()) == Some(number)
    };
    let Some(family) = Family::ALL.into_iter().find(is_of) else { return Ok(()) };
    let Some(handle) = value(line, "fh") else { return Ok(()) };
    let mut parts = handle.split(':');
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let (table, bucket, node) = (part(), part(), part());
    let Some(node) = node else { return Ok(()) };
    let table = table.and_then(hexadecimal);
    let (Some(table), Some(node), None) = (table, hexadecimal(node), bucket) else {
        return Err(unreadable(line, "a filter by its table and number"));
    };
    let class = value(line, "flowid").or(value(line, "*flowid")).and_then(minor).unwrap_or(0);
    let dscp = matched.and_then(|matched| mark(family, matched));
    tree.tables.insert(family, table);
    tree.filters.insert((family, node), Filter { dscp, class });
    Ok(())
}

/// The mark in `match 000c0000/00fc0000 at 0`: the second byte of IPv4's header, and the second and third
/// half of IPv6's. None where something else is looked for, or something besides.
fn mark(family: Family, matched: &str) -> Option<Dscp> {
    let (value, mask) =
        matched.trim().strip_prefix("match ")?.strip_suffix(" at 0")?.split_once('/')?;
    let shift = match family {
        Family::V4 => 16,
        Family::V6 => 20,
    };
    let [value, mask] = [value, mask].map(|text| u32::from_str_radix(text, 16).ok());
    if mask? != 0xfc << shift {
        return None;
    }
    let byte = u16::try_from(value? >> shift).ok().filter(|byte| byte & 3 == 0)?;
    Dscp::try_from(byte >> 2).ok()
}

/// The word after a name.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}

/// The number after the handle, of a class of Saba's.
fn minor(text: &str) -> Option<u16> {
    let (major, minor) = text.split_once(':')?;
    (hexadecimal(major)? == HANDLE).then(|| hexadecimal(minor)).flatten()
}

fn hexadecimal(text: &str) -> Option<u16> {
    u16::from_str_radix(text, 16).ok()
}

/// `150Mbit`: powers of 1000.
fn rate(text: &str) -> Option<BitRate> {
    let units = [("Tbit", 4), ("Gbit", 3), ("Mbit", 2), ("Kbit", 1), ("bit", 0)];
    scaled(text, units, 1000).map(BitRate::from_bps)
}

/// `24Kb/1`: bytes, in powers of 1024; what follows the stroke is the size of a cell.
fn size(text: &str) -> Option<Bytes> {
    let text = text.split('/').next()?;
    scaled(text, [("Mb", 2), ("Kb", 1), ("b", 0)], 1024).map(Bytes::new)
}

fn scaled<const N: usize>(text: &str, units: [(&str, u32); N], base: u64) -> Option<u64> {
    let unit = |(unit, power)| Some((text.strip_suffix(unit)?, power));
    let (number, power) = units.into_iter().find_map(unit)?;
    number.parse::<u64>().ok()?.checked_mul(base.pow(power))
}

fn unreadable(line: &str, expected: &'static str) -> Unreadable {
    Unreadable { line: line.to_owned(), expected }
}
