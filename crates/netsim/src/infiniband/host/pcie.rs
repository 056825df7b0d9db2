//! The PCIe link of an RNIC.
//!
//! Payload reads of different queue pairs are outstanding together, and their completions
//! interleave a few dozen bytes at a time. The queue pairs therefore share the link evenly
//! (processor sharing). Reads of one queue pair are in order. This matters to RPerf, whose two
//! SENDs are fetched at the same time. Payload writes are in order. Descriptors (WQEs, CQEs) fit
//! one transaction and interleave with payload; here they cost others no time.

use super::device::DeviceModel;
use crate::base::ring::Ring;
use bandwise_units::{BitRate, Bytes, Time};

#[derive(Debug)]
pub(crate) struct Pcie {
    rate: BitRate,
    payload: u64,
    overhead: u64,
    read_latency: Time,
    write_latency: Time,
    write_free: Time,
    /// Transfer times of the last payload and descriptor; sizes mostly repeat.
    last_payload: (u32, Time),
    last_descriptor: (u32, Time),
    /// Queue pairs with outstanding payload reads, each with its reads in order.
    readers: Vec<Reader>,
    /// Time up to which transfers have been accounted for.
    read_until: Time,
    /// Time at which the transfer of each tag ended; [`Time::MAX`] while it is outstanding.
    ended: Vec<Time>,
}

/// Outstanding reads of a queue pair, and their total transfer time.
#[derive(Debug)]
struct Reader {
    number: usize,
    total: Time,
    reads: Ring<Read>,
}

/// An outstanding read: its remaining time with the link to itself, and its tag.
#[derive(Debug, Clone, Copy, Default)]
struct Read {
    left: Time,
    tag: u32,
}

impl Pcie {
    pub(super) fn new(device: &DeviceModel) -> Self {
        Pcie {
            rate: device.pcie_rate,
            payload: device.pcie_payload.get(),
            overhead: device.pcie_overhead.get(),
            read_latency: device.dma_read,
            write_latency: device.dma_write,
            write_free: Time::ZERO,
            last_payload: (0, Time::ZERO),
            last_descriptor: (0, Time::ZERO),
            readers: Vec::new(),
            read_until: Time::ZERO,
            ended: Vec::new(),
        }
    }

    fn transfer(&self, bytes: u32) -> Time {
        let bytes = u64::from(bytes);
        self.rate.time_for(Bytes::new(bytes + bytes.div_ceil(self.payload) * self.overhead))
    }

    #[inline]
    fn payload_transfer(&mut self, bytes: u32) -> Time {
        if self.last_payload.0 != bytes {
            self.last_payload = (bytes, self.transfer(bytes));
        }
        self.last_payload.1
    }

    #[inline]
    fn descriptor_transfer(&mut self, bytes: u32) -> Time {
        if self.last_descriptor.0 != bytes {
            self.last_descriptor = (bytes, self.transfer(bytes));
        }
        self.last_descriptor.1
    }

    /// Returns when a descriptor requested at `now` has arrived.
    pub(super) fn read_descriptor(&mut self, now: Time, bytes: u32) -> Time {
        now + self.read_latency + self.descriptor_transfer(bytes)
    }

    /// Returns when a descriptor written at `now` is visible in memory.
    pub(super) fn write_descriptor(&mut self, now: Time, bytes: u32) -> Time {
        now + self.descriptor_transfer(bytes) + self.write_latency
    }

    /// Returns when a payload write has left the RNIC, and when it is visible in memory.
    pub(super) fn write(&mut self, now: Time, bytes: u32) -> (Time, Time) {
        self.write_free = now.max(self.write_free) + self.payload_transfer(bytes);
        (self.write_free, self.write_free + self.write_latency)
    }

    /// Starts a payload read of a queue pair, identified by `tag`, a small number chosen by the
    /// caller. Returns when its bytes arrive if no other queue pair starts a read meanwhile. At
    /// that time, [`Pcie::finished`] returns whether they have arrived.
    pub(super) fn read(&mut self, now: Time, number: usize, bytes: u32, tag: u32) -> Time {
        self.work_until(now);
        let index = tag as usize;
        if self.ended.len() <= index {
            self.ended.resize(index + 1, Time::ZERO);
        }
        self.ended[index] = Time::MAX;
        let left = self.payload_transfer(bytes);
        let slot = self.readers.iter().position(|r| r.number == number);
        let slot = slot.or_else(|| self.readers.iter().position(|r| r.reads.is_empty()));
        let slot = slot.unwrap_or_else(|| {
            self.readers.push(Reader { number, total: Time::ZERO, reads: Ring::new() });
            self.readers.len() - 1
        });
        let reader = &mut self.readers[slot];
        reader.number = number;
        reader.total += left;
        reader.reads.push_back(Read { left, tag });
        let ahead = reader.total;
        self.shared_end(ahead) + self.read_latency
    }

    /// Returns `None` if the bytes of `tag` have arrived by `now` (or none were read), otherwise
    /// their new expected time. Called at the time last expected.
    pub(super) fn finished(&mut self, now: Time, tag: u32) -> Option<Time> {
        let mut end = *self.ended.get(tag as usize)?;
        if end == Time::MAX {
            self.work_until(now.saturating_sub(self.read_latency));
            end = self.ended[tag as usize];
        }
        if end == Time::MAX {
            let mut ahead = Time::ZERO;
            let reads = self
                .readers
                .iter()
                .find_map(|r| r.reads.iter().any(|read| read.tag == tag).then_some(&r.reads));
            for read in reads.expect("a read is outstanding until it has ended").iter() {
                ahead += read.left;
                if read.tag == tag {
                    break;
                }
            }
            end = self.shared_end(ahead);
        }
        let here = end + self.read_latency;
        (here > now).then_some(here)
    }

    /// Returns when a queue pair will have received `work` if no other read starts. By then every
    /// other active queue pair has received as much, or all that it requested.
    fn shared_end(&self, work: Time) -> Time {
        self.read_until + self.readers.iter().map(|r| r.total.min(work)).sum()
    }

    /// Accounts for transfers up to `now`.
    fn work_until(&mut self, now: Time) {
        if let [reader] = self.readers.as_mut_slice() {
            // A single queue pair has the link to itself.
            while self.read_until < now {
                let Some(head) = reader.reads.front_mut() else {
                    self.read_until = now;
                    return;
                };
                let share = head.left.min(now - self.read_until);
                self.read_until += share;
                head.left = head.left - share;
                reader.total = reader.total - share;
                if head.left == Time::ZERO {
                    self.ended[head.tag as usize] = self.read_until;
                    reader.reads.pop_front();
                }
            }
            return;
        }
        while self.read_until < now {
            let at_work = || self.readers.iter().filter_map(|r| r.reads.front());
            let sharers = at_work().count() as u64;
            let Some(least) = at_work().map(|read| read.left).min() else {
                self.read_until = now;
                return;
            };
            let time = now - self.read_until;
            let share = if sharers == 1 { time } else { time / sharers }.min(least);
            if share == Time::ZERO {
                // Less than a picosecond for each: left for the next call.
                return;
            }
            self.read_until += share * sharers;
            for reader in &mut self.readers {
                let Some(head) = reader.reads.front_mut() else { continue };
                head.left = head.left - share;
                reader.total = reader.total - share;
                if head.left == Time::ZERO {
                    self.ended[head.tag as usize] = self.read_until;
                    reader.reads.pop_front();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pcie() -> Pcie {
        let device = DeviceModel {
            pcie_rate: BitRate::from_gbps(8),
            pcie_overhead: Bytes::ZERO,
            dma_read: Time::from_ns(100),
            ..DeviceModel::connectx4_56g()
        };
        Pcie::new(&device)
    }

    #[test]
    fn reads_of_one_queue_pair_come_in_order() {
        let mut pcie = pcie();
        assert_eq!(pcie.read(Time::ZERO, 0, 50, 0), Time::from_ns(150));
        assert_eq!(pcie.read(Time::from_ns(10), 0, 20, 1), Time::from_ns(170));
        assert_eq!(pcie.finished(Time::from_ns(150), 0), None);
        assert_eq!(pcie.finished(Time::from_ns(170), 1), None);
    }

    #[test]
    fn reads_of_two_share_the_link() {
        let mut pcie = pcie();
        assert_eq!(pcie.read(Time::ZERO, 0, 50, 0), Time::from_ns(150));
        // The first has 40 ns left: both take 80 ns for 40 of each, then 10 for the rest.
        assert_eq!(pcie.read(Time::from_ns(10), 1, 50, 1), Time::from_ns(200));
        assert_eq!(pcie.finished(Time::from_ns(150), 0), Some(Time::from_ns(190)));
        assert_eq!(pcie.finished(Time::from_ns(190), 0), None);
        assert_eq!(pcie.finished(Time::from_ns(200), 1), None);
        assert_eq!(pcie.write(Time::from_ns(5), 10).0, Time::from_ns(15));
        assert_eq!(pcie.write(Time::from_ns(5), 10).0, Time::from_ns(25));
    }

    proptest::proptest! {
        /// For any reads: those of a queue pair end in order, and the link is busy from the first
        /// to the last.
        #[test]
        fn reads_use_the_whole_link(
            mut reads in proptest::collection::vec((0u64..20_000, 0usize..4, 1u32..40), 1..40),
        ) {
            reads.sort_unstable();
            let (mut pcie, mut expected) = (pcie(), std::collections::BTreeSet::new());
            let (mut ended, mut last, mut busy_until) = (vec![0; 4], Time::ZERO, Time::ZERO);
            let mut steps = 0;
            let mut next = 0;
            while next < reads.len() || !expected.is_empty() {
                steps += 1;
                proptest::prop_assert!(steps < 10_000, "does not terminate");
                let due = expected.first().map_or(Time::MAX, |&(at, _)| at);
                if let Some(&(ps, number, bytes)) = reads.get(next) && Time::from_ps(ps) <= due {
                    let at = Time::from_ps(ps);
                    expected.insert((pcie.read(at, number, bytes, next as u32), next));
                    busy_until = busy_until.max(at) + pcie.transfer(bytes);
                    next += 1;
                    continue;
                }
                let (now, tag) = expected.pop_first().unwrap();
                match pcie.finished(now, tag as u32) {
                    Some(later) => {
                        proptest::prop_assert!(later > now);
                        expected.insert((later, tag));
                    }
                    None => {
                        let number = reads[tag].1;
                        proptest::prop_assert!(tag + 1 > ended[number], "out of order");
                        ended[number] = tag + 1;
                        last = last.max(now);
                    }
                }
            }
            let late = last.as_ps().abs_diff((busy_until + pcie.read_latency).as_ps());
            proptest::prop_assert!(late <= 3 * reads.len() as u64, "{late} ps off");
        }
    }
}
