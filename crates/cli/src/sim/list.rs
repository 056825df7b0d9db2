//! Flow lists in files, read line by line, so that a list of millions needs little memory.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::warn;
use anyhow::Context;
use bandwise_input::{Encoding, Foreign, InputError, reason};
use bandwise_scenario::ethernet::{EthernetScenario, Fingerprint};
use bandwise_workload::ListedFlow;
use bandwise_workload::read::FlowList;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest length of a line in bytes.
const LONGEST_LINE: u64 = 4096;
const ALLOWED: &str = "a flow list: text with a flow in each line";

/// A file with a flow list for a number of hosts.
#[derive(Debug)]
pub(super) struct FlowFile {
    name: String,
    path: PathBuf,
    hosts: u32,
    names: Arc<BTreeMap<String, u32>>,
    /// The traffic classes of the network.
    classes: u8,
    /// Set if the file can be read twice; unset for a pipe.
    is_file: bool,
}

impl FlowFile {
    /// Returns the file for a scenario's hosts and traffic classes.
    pub(super) fn find(path: PathBuf, scenario: &EthernetScenario) -> Result<Self, Failure> {
        let hosts = scenario.fabric().hosts().len() as u32;
        let names = Arc::new(scenario.host_names());
        let classes = scenario.model().classes.count;
        if path == Path::new("-") {
            return Ok(FlowFile {
                name: "<stdin>".into(),
                path,
                hosts,
                names,
                classes,
                is_file: false,
            });
        }
        let name = path.display().to_string();
        let metadata = std::fs::metadata(&path).map_err(|e| unreadable(&name, &e))?;
        if metadata.is_dir() {
            return Err(Failure::usage(format!("{name}: is a folder"), ALLOWED));
        }
        Ok(FlowFile { name, path, hosts, names, classes, is_file: metadata.is_file() })
    }

    /// Returns the number of flows, or 0 for an input that can be read only once. Reads the whole
    /// list, so that a mistake appears before a long run and not in its middle.
    pub(super) fn count(&self, interrupt: &Interrupt) -> Result<u64, Failure> {
        if !self.is_file {
            return Ok(0);
        }
        let mut count = 0;
        for flow in self.flows()? {
            flow?;
            count += 1;
            if count % 100_000 == 0 && interrupt.asked() {
                return Err(Failure::Interrupted);
            }
        }
        Ok(count)
    }

    /// Returns an iterator over the flows of the list.
    pub(super) fn flows(&self) -> Result<Flows, Failure> {
        let reader: Box<dyn BufRead> = if self.path == Path::new("-") {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            let file = File::open(&self.path).map_err(|e| unreadable(&self.name, &e))?;
            Box::new(BufReader::with_capacity(1 << 16, file))
        };
        let list = FlowList::new(&self.name, self.hosts, self.classes);
        let list = list.with_names(self.names.clone());
        let name = self.name.clone();
        Ok(Flows { name, reader, list, number: 0, line: Vec::new(), ended: false })
    }

    /// Returns `true` if the list can be read more than once; a pipe can't.
    pub(super) fn can_be_read_again(&self) -> bool {
        self.is_file
    }

    /// Adds the content of the file to a fingerprint.
    pub(super) fn fingerprint(&self, mut to: Fingerprint) -> Result<Fingerprint, Failure> {
        let mut file = File::open(&self.path).map_err(|e| unreadable(&self.name, &e))?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer).map_err(|e| unreadable(&self.name, &e))? {
                0 => return Ok(to),
                read => to = to.and(&buffer[..read]),
            }
        }
    }

    /// Warns that the list has no flow.
    pub(super) fn warn_empty(&self) {
        warn(&InputError::whole(&self.name, "a list without a flow: nothing was simulated"));
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    let message = format!("{name}: can't be read: {}", reason(error));
    Failure::usage(message, "a flow list that exists and can be read, or - for standard input")
}

/// The flows of a list.
pub(super) struct Flows {
    name: String,
    reader: Box<dyn BufRead>,
    list: FlowList,
    /// The number of lines read so far.
    number: usize,
    line: Vec<u8>,
    ended: bool,
}

impl Flows {
    /// Reads the next line. Returns `false` at the end.
    fn read_line(&mut self) -> Result<bool, Failure> {
        self.line.clear();
        let mut limited = self.reader.by_ref().take(LONGEST_LINE + 1);
        limited.read_until(b'\n', &mut self.line).with_context(|| self.name.clone())?;
        self.number += 1;
        let bad = |what: &str, allowed: &str| {
            // An empty line replaces the line, so that the snippet does not show binary data.
            let place = bandwise_input::Source::excerpt(&self.name, "", self.number);
            Err(place.error_in_line(self.number, what).allowed(allowed).into())
        };
        if self.line.len() as u64 > LONGEST_LINE {
            return bad("a line of more than 4 KiB", ALLOWED);
        }
        if self.line.contains(&0) || std::str::from_utf8(&self.line).is_err() {
            return match Foreign::of(&String::from_utf8_lossy(&self.line)) {
                Some(known) => bad(&format!("this looks like {}", known.name), known.remedy),
                None => match Encoding::of(&self.line) {
                    Some(encoding) => bad("this is not UTF-8", encoding.remedy()),
                    None => bad("this is not text", ALLOWED),
                },
            };
        }
        Ok(!self.line.is_empty())
    }

    fn read(&mut self) -> Result<Option<ListedFlow>, Failure> {
        while self.read_line()? {
            let line = std::str::from_utf8(&self.line).unwrap_or_default();
            let line = line.trim_end_matches(['\n', '\r']);
            if let Some(flow) = self.list.line(line)? {
                return Ok(Some(flow));
            }
        }
        self.list.end()?;
        Ok(None)
    }
}

impl Iterator for Flows {
    type Item = Result<ListedFlow, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let flow = self.read().transpose();
        self.ended = !matches!(flow, Some(Ok(_)));
        flow
    }
}
