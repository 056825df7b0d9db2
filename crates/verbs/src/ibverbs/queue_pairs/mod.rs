//! [`QueuePairs`]: what a port has for a thread. What is unsafe about giving it to one stands here.

mod connect;
mod device;

use super::completion_queue::CompletionQueue;
use super::context::Context;
use super::memory::{Domain, GRH, Memory};
use super::pair::Pair;
use super::queue_pair::QueuePair;
use super::{Chosen, Pages, VerbsError};
use bandwise_rdma::verbs::{Opcode, Qp, Transport, WorkRequest};
use bandwise_session::{Bits24, Plan};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

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
#[allow(unsafe_code)]
unsafe impl Send for QueuePairs {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Send for Shared {}
// SAFETY: as above.
#[allow(unsafe_code)]
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

/// What is received before a message, bytes.
fn header(transport: Transport) -> u32 {
    match transport {
        Transport::Rc => 0,
        Transport::Ud => GRH,
    }
}
