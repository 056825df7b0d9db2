//! [`QueuePairs`]: a port as a [`Device`]. What is unsafe about giving it to a thread stands here.

#![allow(unsafe_code)]

use super::completion_queue::{CompletionQueue, Found};
use super::context::Context;
use super::memory::{Domain, GRH, Memory};
use super::pair::Pair;
use super::queue_pair::QueuePair;
use super::{Bits24, Chosen, Pages, Path, Plan, QpAddress, Region, Side, VerbsError};
use crate::{Device, Wakes, Woken};
use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Qp, Transport, WorkRequest};
use bandwise_rdma::wire::Mtu;
use bandwise_units::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the device is asked for events. It takes a system call, which may delay a measured message.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Queue pairs of a port, their completion queue and their memory. [`Qp`] 0 and up are connected with the other
/// side; the last one with itself, if there is a loopback.
///
/// All that is needed to post and to poll is made here, so that neither allocates. The requests of a queue pair that
/// ring together are handed over as one list, with one doorbell. RECVs are posted anew when half of them are used
/// up, all of those at once.
pub struct QueuePairs {
    // In the order in which they may be dropped.
    pairs: Box<[Pair]>,
    completions: CompletionQueue,
    shared: Arc<Shared>,
    chosen: Chosen,
    plan: Plan,
    /// Queue pairs with requests that wait for the doorbell.
    waiting: Vec<u16>,
    /// How many WRITEs have been marked, and how many seen by their marks; the marks are their lowest bytes.
    marked: u8,
    seen: u8,
    /// When the device was last asked for events.
    asked: Instant,
    /// What ends a sleep besides.
    wakes: Option<OwnedFd>,
}

/// What the queue pairs of several threads share.
struct Shared {
    // In the order in which they may be dropped.
    memory: Memory,
    domain: Domain,
    context: Context,
}

// SAFETY: the library may be called from any thread (libibverbs is thread-safe), and nothing here is bound to the one
// that made it. What several threads share, they only hand to the library, but for two bytes at the ends of the
// memory and places that each queue pair has to itself, which are written and read as the device does it.
unsafe impl Send for QueuePairs {}
// SAFETY: as above.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl QueuePairs {
    /// Opens the port and makes the queue pairs, with their RECVs posted. `psn` is any number, another each time:
    /// packets are counted from it, so that those of an earlier connection are not taken for one of these.
    pub fn open(chosen: Chosen, plan: Plan, psn: u32) -> Result<QueuePairs, VerbsError> {
        let mut one = QueuePairs::open_many(chosen, plan, 1, psn)?;
        Ok(one.remove(0))
    }

    /// The same for several threads: each has what the plan says, and they share the memory.
    pub fn open_many(
        chosen: Chosen,
        plan: Plan,
        threads: u32,
        psn: u32,
    ) -> Result<Vec<QueuePairs>, VerbsError> {
        let context = Context::of_name(&chosen.device)?;
        if plan.reads > 1 {
            let (most, wanted) = (context.reads()?, plan.reads);
            if u32::from(wanted) > most {
                return Err(VerbsError::Reads { device: chosen.device, wanted, most });
            }
        }
        let domain = Domain::of(&context)?;
        let count = plan.count();
        let places = match plan.places() {
            0 => 1,
            each => threads as usize * count as usize * each,
        };
        let memory = Memory::register(&context, &domain, plan.bytes, places, plan.pages)?;
        let shared = Arc::new(Shared { memory, domain, context });
        (0..threads).map(|thread| QueuePairs::of(&shared, &chosen, plan, thread, psn)).collect()
    }

    fn of(
        shared: &Arc<Shared>,
        chosen: &Chosen,
        plan: Plan,
        thread: u32,
        psn: u32,
    ) -> Result<QueuePairs, VerbsError> {
        let Shared { memory, domain, context } = &**shared;
        let count = plan.count();
        let stamps = if plan.stamps { context.stamps() } else { None };
        let completions = CompletionQueue::of(context, plan.completions, stamps)?;
        let pair = |number: u32| {
            let overall = thread * count + number;
            let psn = Bits24::of_lowest(psn.wrapping_add(overall));
            let transport = plan.transport_of(number);
            let qp = QueuePair::of(context, domain, &completions, chosen, &plan, transport, psn)?;
            let first_place = overall as usize * plan.places();
            Pair::of(qp, Qp(number as u16), memory, &plan, first_place, header(transport))
        };
        let pairs = (0..count).map(pair).collect::<Result<Box<_>, _>>()?;
        Ok(QueuePairs {
            waiting: Vec::with_capacity(pairs.len()),
            pairs,
            completions,
            shared: Arc::clone(shared),
            chosen: chosen.clone(),
            plan,
            marked: 0,
            seen: 0,
            asked: Instant::now(),
            wakes: None,
        })
    }

    /// The port that it is of.
    pub(super) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// What its memory is made of.
    pub fn pages(&self) -> &Pages {
        self.shared.memory.pages()
    }

    /// How fast the device's clock counts, by which completions are stamped, kHz; `None` if they are not.
    pub fn stamped_at_khz(&self) -> Option<u64> {
        self.completions.stamped_at_khz()
    }

    /// Has a sleep end when there is something to read there: the connection with the other side, say.
    pub fn wake_by(&mut self, other: OwnedFd) {
        self.wakes = Some(other);
    }

    /// Whether the device has told of a fault.
    fn events(&self) -> Result<(), VerbsError> {
        while let Some((event, port)) = self.shared.context.next_event() {
            if let Some(what) = event.fault(port, self.chosen.port) {
                return Err(VerbsError::Event {
                    device: self.shared.context.name().to_owned(),
                    what,
                });
            }
        }
        Ok(())
    }

    /// What the other side must know.
    pub fn side(&self) -> Side {
        let wired = &self.pairs[..self.plan.wired()];
        Side {
            device: self.shared.context.name().to_owned(),
            lid: self.chosen.lid,
            gid: self.chosen.gid.map(|(_, gid)| gid),
            mtu: self.chosen.mtu,
            region: self.shared.memory.region(),
            manager: None,
            queue_pairs: wired.iter().map(Pair::address).collect(),
        }
    }

    /// The queue pair that is connected with itself; `None` if there is none.
    pub fn loopback(&self) -> Option<Qp> {
        self.plan.loopback.then_some(Qp(self.plan.wired() as u16))
    }

    /// Connects all queue pairs, which send and receive from then on, and says what payload packets have at most.
    pub fn connect(&mut self, other: &Side, path: Path) -> Result<Mtu, VerbsError> {
        let (shared, chosen) = (Arc::clone(&self.shared), self.chosen.clone());
        let mut addresses = other.queue_pairs.iter();
        self.connect_by(other, path, |qp, path| match addresses.next() {
            Some(&address) => qp.connect(&shared.domain, &chosen, other, address, path),
            None => Ok(()),
        })
    }

    /// The same, by `how`, which is given those that go to the other side one after another.
    pub(super) fn connect_by(
        &mut self,
        other: &Side,
        path: Path,
        mut how: impl FnMut(&mut QueuePair, Path) -> Result<(), VerbsError>,
    ) -> Result<Mtu, VerbsError> {
        let here = self.side();
        let path = Path { mtu: path.mtu.min(here.mtu).min(other.mtu), ..path };
        let wired = here.queue_pairs.len();
        let peer = |what: String| Err(VerbsError::Peer(what));
        if other.gid.is_some() != here.gid.is_some() {
            let has = |side: &Side| if side.gid.is_some() { "one" } else { "none" };
            return peer(format!(
                "it goes by {} global identifier (GID), this side by {}: use -x on both, or on neither",
                has(other),
                has(&here)
            ));
        }
        if other.queue_pairs.len() != wired {
            return peer(format!("it has {} queue pairs, not {wired}", other.queue_pairs.len()));
        }
        if other.region.bytes < self.plan.bytes {
            let (theirs, ours) = (other.region.bytes, self.plan.bytes);
            return peer(format!("it takes messages of {theirs} B, not of {ours} B"));
        }
        let part = self.plan.places() as u64 * u64::from(self.shared.memory.stride());
        let is_within =
            |address: &QpAddress| u64::from(address.part) + part <= other.region.bytes.into();
        if part > 0 && !other.queue_pairs.iter().all(is_within) {
            return peer("its memory has no room for what all queue pairs send".to_owned());
        }
        let (bytes, mtu) = (self.plan.bytes, path.mtu);
        let has_datagrams = self.plan.transport == Transport::Ud || self.plan.datagrams > 0;
        if has_datagrams && bytes > mtu.get() {
            return Err(VerbsError::Datagram { bytes, mtu });
        }
        let (far, near) = self.pairs.split_at_mut(wired);
        for (pair, address) in far.iter_mut().zip(&other.queue_pairs) {
            how(&mut pair.qp, path)?;
            let address = other.region.address.wrapping_add(address.part.into());
            pair.remote = Region { address, ..other.region };
        }
        for pair in near {
            let address = pair.address();
            pair.qp.connect(&self.shared.domain, &self.chosen, &here, address, path)?;
            pair.remote = here.region;
        }
        Ok(path.mtu)
    }

    /// Posts a request.
    #[inline]
    pub(super) fn hand_over(&mut self, request: &WorkRequest) -> Result<(), VerbsError> {
        let (bytes, room) = (request.bytes, self.shared.memory.bytes());
        if bytes > room {
            return Err(VerbsError::TooLong { bytes, room });
        }
        if self.plan.sees_writes && request.opcode == Opcode::Write {
            self.marked = self.marked.wrapping_add(1);
            self.shared.memory.mark_outgoing(self.marked);
        }
        let pair = &mut self.pairs[usize::from(request.qp.0)];
        if pair.held == 0 {
            self.waiting.push(request.qp.0);
        }
        pair.hold(request, self.plan.send_depth)?;
        if request.ring {
            self.ring()?;
        }
        Ok(())
    }

    /// Says what the next message of a queue pair holds; it is to be posted next there.
    pub(super) fn fill(&mut self, qp: Qp, message: &[u8]) {
        let pair = &self.pairs[usize::from(qp.0)];
        let place = pair.first_place + pair.asked % pair.places.max(1);
        self.shared.memory.write(place, message);
    }

    /// What a message held that a queue pair received after so many others. As many may have come since as there are
    /// RECVs in half of its list.
    pub(super) fn arrived(&self, qp: Qp, number: usize, message: &mut [u8]) {
        let pair = &self.pairs[usize::from(qp.0)];
        let place = pair.first_place + number % pair.places.max(1);
        self.shared.memory.read(place, pair.header, message);
    }

    /// What it was made for.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    fn ring(&mut self) -> Result<(), VerbsError> {
        for number in self.waiting.drain(..) {
            self.pairs[usize::from(number)].ring(self.plan.send_depth)?;
        }
        Ok(())
    }
}

impl Device for QueuePairs {
    type Error = VerbsError;

    fn post(&mut self, posts: &mut Posts) -> Result<(), VerbsError> {
        for request in posts.drain() {
            self.hand_over(&request)?;
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), VerbsError> {
        let pairs = &mut self.pairs;
        let polled = self.completions.poll(|Found { id, status, bytes, stamp }| {
            let pair = &mut pairs[usize::from(id.qp().0)];
            let kind = id.kind();
            if !status.is_success() {
                let qp = pair.qp.number();
                return Err(VerbsError::Failed { qp, what: name(kind), status });
            }
            let bytes = match kind {
                CompletionKind::Sent(_) => pair.payload(),
                CompletionKind::Received => {
                    pair.used += 1;
                    if 2 * pair.used == pair.recvs.len() {
                        pair.used = 0;
                        pair.receive()?;
                    }
                    bytes.saturating_sub(pair.header)
                }
            };
            seen.push(Completion { qp: id.qp(), id: id.id(), kind, bytes, truth: None, stamp });
            Ok(())
        });
        if polled.is_err() {
            // The device may know why: its port has gone down, say.
            self.events()?;
        }
        polled?;
        if self.plan.sees_writes && self.shared.memory.arrived_mark() == self.seen.wrapping_add(1) {
            self.seen = self.seen.wrapping_add(1);
            let (kind, bytes) = (CompletionKind::Received, self.plan.bytes);
            seen.push(Completion { qp: Qp(0), id: 0, kind, bytes, truth: None, stamp: None });
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), VerbsError> {
        if self.asked.elapsed() < ASK_EVERY {
            return Ok(());
        }
        self.asked = Instant::now();
        self.events()
    }
}

impl Wakes for QueuePairs {
    fn arm(&mut self) -> Result<(), VerbsError> {
        let what = "an event can't be asked for";
        self.completions
            .arm()
            .map_err(|error| VerbsError::of(self.shared.context.name(), what, error))
    }

    fn sleep(&mut self, at_most: Time) -> Result<Woken, VerbsError> {
        let failed =
            |error| VerbsError::of(self.shared.context.name(), "events can't be waited for", error);
        // Without another there is one twice.
        let (completions, device) = (self.completions.events(), self.shared.context.events());
        let other = self.wakes.as_ref().map_or(device, |other| other.as_fd());
        let mut fds =
            [completions, device, other].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let ns = at_most.as_ps() / 1_000;
        let at_most =
            Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
        match poll(&mut fds, Some(&at_most)) {
            // A signal: somebody may want it to stop.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let [completions, device, _] = fds.map(|fd| fd.revents().contains(PollFlags::IN));
        if device {
            self.events()?;
        }
        if completions {
            self.completions.take_event().map_err(failed)?;
            return Ok(Woken::ByCompletion);
        }
        Ok(Woken::Otherwise)
    }
}

/// What is received before a message, bytes.
fn header(transport: Transport) -> u32 {
    match transport {
        Transport::Rc => 0,
        Transport::Ud => GRH,
    }
}

fn name(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Sent(Opcode::Send) => "a SEND failed",
        CompletionKind::Sent(Opcode::Write) => "a WRITE failed",
        CompletionKind::Sent(Opcode::WriteImm) => "a WRITE with immediate failed",
        CompletionKind::Sent(Opcode::Read) => "a READ failed",
        CompletionKind::Sent(Opcode::Atomic) => "an atomic failed",
        CompletionKind::Received => "a RECV failed",
    }
}
