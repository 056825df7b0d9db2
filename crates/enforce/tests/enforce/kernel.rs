//! A model of a device's queueing in the kernel and of `tc` before it: takes lines of a batch, shows
//! what there is in `tc`'s words, refuses what the kernel refuses. What it does was seen on Linux 6.18
//! with iproute2 6.1.

use bandwise_enforce::tc::{Ran, Run};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

/// What it does wrong, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trick {
    #[default]
    None,
    /// The change that comes after so many is refused.
    Refuse(usize),
    /// It is taken and not done.
    Forget(usize),
}

/// By number: mark, class. As in the kernel, a class need not be there; its packets go to the default.
type Filters = BTreeMap<u16, (u8, u16)>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Kind, handle, default class; none is the kernel's own.
    pub root: Option<(String, String, u16)>,
    /// By number: the line's words after `classid`, as key and value.
    pub classes: BTreeMap<u16, BTreeMap<String, String>>,
    /// By protocol: the table's number, and filters.
    pub filters: BTreeMap<String, (u16, Filters)>,
    next_table: u16,
}

#[derive(Debug, Default)]
pub struct Inner {
    pub state: State,
    pub trick: Trick,
    /// Changes that were done.
    pub done: Vec<String>,
    /// What there was after each of them.
    pub states: Vec<State>,
}

#[derive(Debug, Clone, Default)]
pub struct Kernel(pub Rc<RefCell<Inner>>);

impl Run for Kernel {
    fn run(&mut self, _: Option<&str>, lines: &[&str]) -> io::Result<Ran> {
        let mut inner = self.0.borrow_mut();
        let mut shown = String::new();
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words[1] == "show" {
                shown += &inner.state.show(words[0]);
                continue;
            }
            let trick = inner.trick;
            inner.trick = match trick {
                Trick::Refuse(n) if n > 0 => Trick::Refuse(n - 1),
                Trick::Forget(n) if n > 0 => Trick::Forget(n - 1),
                _ => Trick::None,
            };
            match trick {
                Trick::Refuse(0) => {
                    return Ok(Ran { shown, refused: Some(format!("Error: no. (tc {line})")) });
                }
                Trick::Forget(0) => continue,
                _ => {}
            }
            if let Err(why) = inner.state.change(&words) {
                return Ok(Ran { shown, refused: Some(format!("{why} (tc {line})")) });
            }
            inner.done.push((*line).to_owned());
            let state = inner.state.clone();
            inner.states.push(state);
        }
        Ok(Ran { shown, refused: None })
    }
}

fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().position(|word| *word == name).map(|at| words[at + 1])
}

fn number(class: &str) -> u16 {
    u16::from_str_radix(class.strip_prefix("5aba:").unwrap(), 16).unwrap()
}

impl State {
    fn change(&mut self, words: &[&str]) -> Result<(), &'static str> {
        if words[0] != "qdisc" && self.root.is_none() {
            return Err("Error: Failed to find specified qdisc.");
        }
        match (words[0], words[1]) {
            ("qdisc", "add") if self.root.is_none() => {
                let default = u16::from_str_radix(after(words, "default").unwrap(), 16).unwrap();
                let handle = after(words, "handle").unwrap();
                *self = State::default();
                self.root = Some(("htb".into(), handle.into(), default));
            }
            ("qdisc", "add") => return Err("Error: Exclusivity flag on, cannot modify."),
            ("qdisc", "del") => *self = State::default(),
            ("class", verb) => self.class(verb, words)?,
            ("filter", verb) => self.filter(verb, words)?,
            _ => panic!("{words:?}"),
        }
        Ok(())
    }

    fn class(&mut self, verb: &str, words: &[&str]) -> Result<(), &'static str> {
        let at = number(after(words, "classid").unwrap());
        let is_there = self.classes.contains_key(&at);
        if verb == "del" {
            let name = format!("5aba:{at:x}");
            let is_parent = self.classes.values().any(|class| class["parent"] == name);
            let is_named = self.filters.values().flat_map(|of| of.1.values()).any(|f| f.1 == at);
            return match (is_parent || is_named, self.classes.remove(&at)) {
                (true, _) => Err("Error: HTB class in use."),
                (_, None) => Err("RTNETLINK answers: No such file or directory"),
                _ => Ok(()),
            };
        }
        let parent = after(words, "parent").unwrap();
        if parent != "5aba:" && !self.classes.contains_key(&number(parent)) {
            return Err("RTNETLINK answers: No such file or directory");
        }
        match (verb, is_there) {
            ("add", true) => return Err("RTNETLINK answers: File exists"),
            ("change", false) => return Err("RTNETLINK answers: No such file or directory"),
            ("change", true) => assert_eq!(self.classes[&at]["parent"], parent),
            _ => {}
        }
        let keys = ["parent", "rate", "ceil", "burst", "cburst", "quantum"];
        let class = keys.map(|key| (key.to_owned(), after(words, key).unwrap().to_owned()));
        self.classes.insert(at, class.into());
        Ok(())
    }

    fn filter(&mut self, verb: &str, words: &[&str]) -> Result<(), &'static str> {
        let protocol = after(words, "protocol").unwrap().to_owned();
        let (table, node) = after(words, "handle").unwrap().split_once("::").unwrap();
        let node = u16::from_str_radix(node, 16).unwrap();
        let mark = after(words, "match").map(|_| {
            let byte = words[words.len() - 4].strip_prefix("0x").unwrap();
            assert_eq!(words[words.len() - 3], "0xfc");
            (u8::from_str_radix(byte, 16).unwrap(), number(after(words, "classid").unwrap()))
        });
        if verb == "add" {
            self.next_table += 1;
            let next = 0x7ff + self.next_table;
            let of = self.filters.entry(protocol).or_insert((next, BTreeMap::new()));
            let none = of.1.insert(node, mark.unwrap()).is_none();
            return if none { Ok(()) } else { Err("RTNETLINK answers: No space left on device") };
        }
        let of = self.filters.get_mut(&protocol);
        let of = of.filter(|of| format!("{:x}", of.0) == table && of.1.contains_key(&node));
        let Some(of) = of else { return Err("Error: Specified filter handle not found.") };
        if verb == "del" {
            of.1.remove(&node);
            if of.1.is_empty() {
                self.filters.remove(&protocol);
            }
        } else {
            // The mark stays what it was, whatever it is asked to be.
            of.1.get_mut(&node).unwrap().1 = mark.unwrap().1;
        }
        Ok(())
    }

    fn show(&self, what: &str) -> String {
        let mut out = String::new();
        match (what, &self.root) {
            ("qdisc", None) => out += "qdisc noqueue 0: root refcnt 2 \n",
            ("qdisc", Some((kind, handle, default))) => {
                out += &format!(
                    "qdisc {kind} {handle} root refcnt 3 r2q 10 default {default:#x} direct_packets_stat 0 ver 3.17 direct_qlen 100\n"
                );
            }
            ("class", _) => {
                for (at, class) in self.classes.iter().rev() {
                    let parent = match &*class["parent"] {
                        "5aba:" => "root".to_owned(),
                        parent => format!("parent {parent}"),
                    };
                    let is_leaf =
                        !self.classes.values().any(|c| c["parent"] == format!("5aba:{at:x}"));
                    let quantum = format!("prio 0 quantum {} ", class["quantum"]);
                    let [rate, ceil] = ["rate", "ceil"].map(|key| bits(&class[key]));
                    out += &format!(
                        "class htb 5aba:{at:x} {parent} {}rate {} ceil {} linklayer ethernet burst {}/1 mpu 0b cburst {}/1 mpu 0b level 0 \n",
                        if is_leaf { &quantum } else { "" },
                        print_rate(rate),
                        print_rate(ceil),
                        print_burst(&class["burst"], rate),
                        print_burst(&class["cburst"], ceil),
                    );
                }
            }
            _ => {
                for (protocol, (table, filters)) in &self.filters {
                    let (rank, shift) = if protocol == "ip" { (4, 16) } else { (6, 20) };
                    let head =
                        format!("filter parent 5aba: protocol {protocol} pref {rank} u32 chain 0 ");
                    out += &format!("{head}\n{head}fh {table:x}: ht divisor 1 \n");
                    for (node, (mark, class)) in filters {
                        let (value, mask) = (u32::from(*mark) << shift, 0xfcu32 << shift);
                        out += &format!(
                            "{head}fh {table:x}::{node:x} order {node} key ht {table:x} bkt 0 *flowid 5aba:{class:x} not_in_hw \n  match {value:08x}/{mask:08x} at 0\n"
                        );
                    }
                }
            }
        }
        out
    }
}

fn bits(text: &str) -> u64 {
    // The kernel keeps whole bytes a second.
    text.strip_suffix("bit").unwrap().parse::<u64>().unwrap() / 8 * 8
}

/// `print_rate` of iproute2's lib/utils.c.
fn print_rate(mut rate: u64) -> String {
    let units = ["", "K", "M", "G", "T"];
    let mut unit = 0;
    while unit < 4 && rate >= 1000 && (rate.is_multiple_of(1000) || rate >= 1_000_000) {
        rate /= 1000;
        unit += 1;
    }
    format!("{rate}{}bit", units[unit])
}

/// By way of ticks of 64 ns and whole microseconds, as tc's `tc_calc_xmittime` and `tc_calc_xmitsize`
/// have it, and then in KiB or MiB where that is near.
fn print_burst(burst: &str, rate: u64) -> String {
    let burst: u64 = burst.strip_suffix('b').unwrap().parse().unwrap();
    let per_s = rate / 8;
    let us = burst * 1_000_000 / per_s;
    let us = us * 15_625 / 1000 * 1000 / 15_625;
    let bytes = us * per_s / 1_000_000;
    let near = |unit: u64, by| {
        (bytes + unit / 2) / unit * unit != 0
            && ((bytes + unit / 2) / unit * unit).abs_diff(bytes) < by
    };
    match bytes {
        1_048_576.. if near(1 << 20, 1024) => format!("{}Mb", (bytes + (1 << 19)) >> 20),
        1024.. if near(1024, 16) => format!("{}Kb", (bytes + 512) >> 10),
        _ => format!("{bytes}b"),
    }
}
