//! [`QueuePairs`]: the queue pairs of a thread. It contains the unsafe transfer to another thread.

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

/// Queue pairs of a port, their completion queue and their memory. [`Qp`] 0 and up are connected
/// with the other side. The last one is connected with itself, if there is a loopback.
///
/// Opening allocates everything, so posting and polling allocate nothing. Requests of a queue pair
/// are posted as one list with one doorbell, up to a request that rings. When half of the RECVs are
/// used, that half is posted again at once.
pub struct QueuePairs {
    // Fields are dropped in this order.
    pairs: Box<[Pair]>,
    completions: CompletionQueue,
    shared: Arc<Shared>,
    chosen: Chosen,
    plan: Plan,
    /// The queue pairs with requests that wait for the doorbell.
    waiting: Vec<u16>,
    /// The numbers of marked WRITEs and of detected marks, modulo 256.
    marked: u8,
    seen: u8,
    /// The time of the last check for events.
    asked: Instant,
    /// Another descriptor that ends a sleep.
    wakes: Option<OwnedFd>,
}

/// The parts that the queue pairs of several threads share.
struct Shared {
    // Fields are dropped in this order.
    memory: Memory,
    domain: Domain,
    context: Context,
}

// SAFETY: the library may be called from any thread (libibverbs is thread-safe), and no member is
// bound to the thread that created it. Threads only pass the shared parts to the library. The
// exceptions are the last bytes of the two buffers and the slots, of which each queue pair has its
// own; they are accessed in the same way as the device does.
#[allow(unsafe_code)]
unsafe impl Send for QueuePairs {}
// SAFETY: the same holds for the shared parts, as explained at `QueuePairs`.
#[allow(unsafe_code)]
unsafe impl Send for Shared {}
// SAFETY: the same holds for the shared parts, as explained at `QueuePairs`.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

impl QueuePairs {
    /// Opens the port and creates the queue pairs, with their RECVs posted. `psn` has to be random: packets are counted
    /// from it, and those of an earlier connection must not match.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if the device can't be opened or lacks resources.
    pub fn open(chosen: Chosen, plan: Plan, psn: u32) -> Result<QueuePairs, VerbsError> {
        let mut one = QueuePairs::open_many(chosen, plan, 1, psn)?;
        Ok(one.remove(0))
    }

    /// Creates queue pairs for several threads, which share the memory. Each thread gets the plan's
    /// queue pairs.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if the device can't be opened or lacks resources.
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

    /// Returns the port.
    pub(super) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// Returns the pages of the memory.
    pub fn pages(&self) -> &Pages {
        self.shared.memory.pages()
    }

    /// Returns the rate of the device's clock in kHz; `None` without time stamps.
    pub fn stamped_at_khz(&self) -> Option<u64> {
        self.completions.stamped_at_khz()
    }

    /// Sets a further descriptor that ends a sleep, such as the connection with the other side.
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

    /// Sets the contents of the next message of a queue pair, which has to be posted next there.
    pub(super) fn fill(&mut self, qp: Qp, message: &[u8]) {
        let pair = &self.pairs[usize::from(qp.0)];
        let place = pair.first_place + pair.asked % pair.places.max(1);
        self.shared.memory.write(place, message);
    }

    /// Reads the contents of the message that a queue pair received after `number` others. At most
    /// half of the RECVs may have completed since.
    pub(super) fn arrived(&self, qp: Qp, number: usize, message: &mut [u8]) {
        let pair = &self.pairs[usize::from(qp.0)];
        let place = pair.first_place + number % pair.places.max(1);
        self.shared.memory.read(place, pair.header, message);
    }

    /// Returns the plan.
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

/// Returns the bytes that are received before a message.
fn header(transport: Transport) -> u32 {
    match transport {
        Transport::Rc => 0,
        Transport::Ud => GRH,
    }
}
