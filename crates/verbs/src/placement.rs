//! The processors of a thread, and those near a device.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::str::FromStr;

/// Processors of this host, by number; at least one. The format is the kernel's: `0-3,8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors(BTreeSet<u32>);

/// A text that is not a list of processors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a list of processors such as 3 or 0-3,8, with numbers below {MOST}")]
pub struct ProcessorsError(String);

/// The limit of processor numbers.
const MOST: u32 = CpuSet::MAX_CPU as u32;

impl Processors {
    /// Returns the numbers, in order.
    pub fn numbers(&self) -> Vec<u32> {
        self.0.iter().copied().collect()
    }

    /// Returns the intersection; `None` if it is empty.
    pub fn among(&self, others: &Processors) -> Option<Processors> {
        let both: BTreeSet<u32> = self.0.intersection(&others.0).copied().collect();
        (!both.is_empty()).then_some(Processors(both))
    }

    /// Returns the single processor at `index`, counted from 0; `None` if there are fewer
    /// processors.
    pub fn only(&self, index: usize) -> Option<Processors> {
        self.0.iter().nth(index).map(|&number| Processors(BTreeSet::from([number])))
    }
}

impl FromStr for Processors {
    type Err = ProcessorsError;

    fn from_str(text: &str) -> Result<Self, ProcessorsError> {
        let wrong = || ProcessorsError(text.to_owned());
        let number = |text: &str| -> Result<u32, ProcessorsError> {
            match text.bytes().all(|b| b.is_ascii_digit()) {
                true => text.parse().ok().filter(|&number| number < MOST).ok_or_else(wrong),
                false => Err(wrong()),
            }
        };
        let mut all = BTreeSet::new();
        for part in text.trim().split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(wrong());
            }
            all.extend(first..=last);
        }
        Ok(Processors(all))
    }
}

impl fmt::Display for Processors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.0.iter().copied().peekable();
        let mut separator = "";
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if_eq(&(last + 1)) {
                last = next;
            }
            match first == last {
                true => write!(f, "{separator}{first}")?,
                false => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

/// The location of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The NUMA node; `None` if the host has only one, or does not report it.
    pub node: Option<u32>,
    /// The processors of the node.
    pub processors: Processors,
}

/// Returns the processors near a device; `None` if the kernel does not report them, as for software devices.
pub fn near(device: &str) -> Option<Near> {
    let read = |what: &str| {
        std::fs::read_to_string(format!("/sys/class/infiniband/{device}/device/{what}")).ok()
    };
    let processors = read("local_cpulist")?.parse().ok()?;
    // The kernel reports -1 without nodes.
    let node = read("numa_node").and_then(|node| node.trim().parse().ok());
    Some(Near { node, processors })
}

/// Returns the processors on which this thread may run.
///
/// # Errors
///
/// Returns the error of the system.
pub fn allowed() -> io::Result<Processors> {
    let set = sched_getaffinity(None)?;
    Ok(Processors((0..MOST).filter(|&number| set.is_set(number as usize)).collect()))
}

/// Binds this thread, and those that it starts from now on, to processors. Memory that it touches first comes from
/// their nodes.
///
/// # Errors
///
/// Returns the error of the system.
pub fn stay_on(processors: &Processors) -> io::Result<()> {
    let mut set = CpuSet::new();
    processors.0.iter().for_each(|&number| set.set(number as usize));
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn processor_lists_round_trip(numbers in prop::collection::btree_set(0..MOST, 1..40)) {
            let processors = Processors(numbers);
            prop_assert_eq!(processors.to_string().parse(), Ok(processors));
        }

        #[test]
        fn any_text_is_a_list_or_refused(text in "[0-9,-]{0,12}|.{0,8}") {
            if let Ok(processors) = text.parse::<Processors>() {
                prop_assert!(!processors.0.is_empty());
                prop_assert_eq!(processors.to_string().parse(), Ok(processors));
            }
        }
    }

    #[test]
    fn kernel_processor_lists_are_read() {
        let read = |text: &str| text.parse::<Processors>().map(|p| p.numbers());
        assert_eq!(read("0-2,7,9-10\n").unwrap(), [0, 1, 2, 7, 9, 10]);
        for text in ["", "a", "3-1", "-1", "1-", "1,,2", "+1", "99999", "1 2"] {
            assert!(read(text).is_err(), "{text}");
        }
        let (a, b): (Processors, Processors) = ("0-3".parse().unwrap(), "3-8".parse().unwrap());
        assert_eq!(a.among(&b).unwrap().to_string(), "3");
        assert_eq!(a.among(&"9".parse().unwrap()), None);
        assert_eq!((a.only(2).unwrap().to_string(), a.only(4)), ("2".to_owned(), None));
    }

    /// A bound thread runs only there, and other threads are not affected.
    #[test]
    fn thread_runs_on_its_assigned_processors() {
        let before = allowed().unwrap();
        let one = before.only(before.numbers().len() - 1).unwrap();
        let stayed = std::thread::spawn(move || {
            stay_on(&one).unwrap();
            (allowed().unwrap(), one)
        });
        let (there, one) = stayed.join().unwrap();
        assert_eq!(there, one);
        assert_eq!(allowed().unwrap(), before);
        assert_eq!(near("no such device"), None);
    }
}
