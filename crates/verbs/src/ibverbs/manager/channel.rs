//! [`Channel`] and [`Id`]: the unsafe calls of librdmacm.

#![allow(unsafe_code)]

use crate::ibverbs::VerbsError;
use crate::ibverbs::queue_pair::{QueuePair, RETRIES};
use rdma_mummy_sys as sys;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use socket2::SockAddr;
use std::ffi::CStr;
use std::io;
use std::mem::zeroed;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null_mut};
use std::time::Instant;
use sys::rdma_cm_event_type as kind;

/// The channel of connection events.
pub(super) struct Channel(NonNull<sys::rdma_event_channel>);

/// A connection or a listener.
pub(super) struct Id(NonNull<sys::rdma_cm_id>);

// SAFETY: librdmacm may be called from any thread, and the channel is not bound to the thread that
// created it.
unsafe impl Send for Channel {}
// SAFETY: librdmacm may be called from any thread, and the id is not bound to the thread that
// created it.
unsafe impl Send for Id {}

/// An event.
pub(super) struct Event {
    kind: u32,
    status: i32,
    /// The requested connection, in a connection request.
    pub(super) requested: Option<Id>,
    /// The private data of the request.
    pub(super) private_data: Vec<u8>,
}

/// The error code of `rdma-mummy-sys` without librdmacm (EOPNOTSUPP).
const NO_LIBRARY: i32 = 95;

impl Channel {
    pub(super) fn open() -> Result<Channel, VerbsError> {
        // SAFETY: the call has no arguments.
        let channel = unsafe { sys::rdma_create_event_channel() };
        let Some(channel) = NonNull::new(channel) else {
            let error = io::Error::last_os_error();
            let what = match error.raw_os_error() {
                Some(NO_LIBRARY) => {
                    "librdmacm is not installed. Debian: apt-get install librdmacm1"
                }
                _ => "RDMA-CM is not available. As root: modprobe rdma_ucm",
            };
            return Err(VerbsError::manager(what, error));
        };
        let channel = Channel(channel);
        rustix::io::ioctl_fionbio(channel.readable(), true).map_err(|error| {
            VerbsError::manager("the channel of RDMA-CM can't be set up", error.into())
        })?;
        Ok(channel)
    }

    fn readable(&self) -> BorrowedFd<'_> {
        // SAFETY: the channel and its open descriptor live as long as `self`.
        unsafe { BorrowedFd::borrow_raw(self.0.as_ref().fd) }
    }

    /// Creates a connection over reliable queue pairs.
    pub(super) fn id(&self) -> Result<Id, VerbsError> {
        let mut id = null_mut();
        // SAFETY: the channel is alive. It outlives the new id, because their owner drops the id
        // first.
        let code = unsafe {
            sys::rdma_create_id(
                self.0.as_ptr(),
                &mut id,
                null_mut(),
                sys::rdma_port_space::RDMA_PS_TCP,
            )
        };
        check(code, "RDMA-CM can't create a connection")?;
        NonNull::new(id).map(Id).ok_or_else(|| {
            VerbsError::manager(
                "RDMA-CM can't create a connection",
                io::ErrorKind::OutOfMemory.into(),
            )
        })
    }

    /// Waits for the next event until a deadline.
    pub(super) fn next(&self, until: Instant, waits_for: &str) -> Result<Event, VerbsError> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut event = null_mut();
            // SAFETY: the channel is alive. Each returned event is acknowledged once, by
            // `read_and_acknowledge`.
            if unsafe { sys::rdma_get_cm_event(self.0.as_ptr(), &mut event) } == 0
                && let Some(event) = NonNull::new(event)
            {
                return Ok(read_and_acknowledge(event));
            }
            let error = io::Error::last_os_error();
            let waits =
                matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted);
            if !waits {
                return Err(VerbsError::manager("events of RDMA-CM can't be read", error));
            }
            if left.is_zero() {
                return Err(VerbsError::manager(waits_for, io::ErrorKind::TimedOut.into()));
            }
            let left =
                Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            match poll(&mut [PollFd::from_borrowed_fd(self.readable(), PollFlags::IN)], Some(&left))
            {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => {
                    return Err(VerbsError::manager("RDMA-CM can't wait for events", error.into()));
                }
            }
        }
    }
}

/// Reads an event and acknowledges it.
fn read_and_acknowledge(event: NonNull<sys::rdma_cm_event>) -> Event {
    // SAFETY: the event is valid until it is acknowledged, which is the last use. The kind
    // determines the active member of the union: a connection request has `conn` with the private
    // data, and an id of its own, which this side owns from then on.
    unsafe {
        let at = event.as_ptr();
        let (what, status) = ((*at).event, (*at).status);
        let mut found = Event { kind: what, status, requested: None, private_data: Vec::new() };
        if what == kind::RDMA_CM_EVENT_CONNECT_REQUEST {
            found.requested = NonNull::new((*at).id).map(Id);
            let conn = (*at).param.conn;
            if !conn.private_data.is_null() {
                let length = usize::from(conn.private_data_len);
                found.private_data =
                    std::slice::from_raw_parts(conn.private_data.cast::<u8>(), length).to_vec();
            }
        }
        sys::rdma_ack_cm_event(at);
        found
    }
}

/// The awaited event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Address,
    Route,
    Answer,
}

impl Event {
    /// Checks that this is the awaited event.
    pub(super) fn is(&self, step: Step) -> Result<(), VerbsError> {
        let (wanted, what) = match step {
            Step::Address => (
                kind::RDMA_CM_EVENT_ADDR_RESOLVED,
                "no RDMA device of this host has a route to the other side's address",
            ),
            Step::Route => {
                (kind::RDMA_CM_EVENT_ROUTE_RESOLVED, "there is no path to the other side")
            }
            Step::Answer => (
                kind::RDMA_CM_EVENT_CONNECT_RESPONSE,
                "the other side did not accept the connection by RDMA-CM",
            ),
        };
        if self.kind == wanted {
            return Ok(());
        }
        // Other numbers are reasons of the other side (IBTA 12.6.7.2).
        let error = match self.status {
            0 => io::ErrorKind::ConnectionAborted.into(),
            status if status < 0 => io::Error::from_raw_os_error(-status),
            reason => io::Error::other(format!("rejected with reason {reason}")),
        };
        Err(VerbsError::manager(what, error))
    }
}

fn check(code: i32, what: &str) -> Result<(), VerbsError> {
    match code {
        0 => Ok(()),
        _ => Err(VerbsError::manager(what, io::Error::last_os_error())),
    }
}

impl Id {
    pub(super) fn listen(&self, at: IpAddr, backlog: u32) -> Result<u16, VerbsError> {
        let at = SockAddr::from(SocketAddr::new(at, 0));
        // SAFETY: the id is alive, and the address lives as long as the calls.
        unsafe {
            let what = "RDMA-CM can't listen at this address";
            check(sys::rdma_bind_addr(self.0.as_ptr(), at.as_ptr().cast_mut().cast()), what)?;
            check(sys::rdma_listen(self.0.as_ptr(), backlog as i32), what)?;
            // IPv6 addresses have the port at the same offset.
            Ok(u16::from_be(self.0.as_ref().route.addr.src_addr_union.src_sin.sin_port))
        }
    }

    /// Starts the resolution of the other side's address.
    pub(super) fn resolve(&self, own: IpAddr, to: SocketAddr, ms: i32) -> Result<(), VerbsError> {
        let own = SockAddr::from(SocketAddr::new(own, 0));
        let to = SockAddr::from(to);
        // SAFETY: the id is alive, and the addresses live as long as the call.
        let code = unsafe {
            let (own, to) = (own.as_ptr().cast_mut().cast(), to.as_ptr().cast_mut().cast());
            sys::rdma_resolve_addr(self.0.as_ptr(), own, to, ms)
        };
        check(code, "RDMA-CM can't resolve the other side's address")
    }

    /// Starts the resolution of the route.
    pub(super) fn route(&self, ms: i32) -> Result<(), VerbsError> {
        // SAFETY: the id is alive.
        let code = unsafe { sys::rdma_resolve_route(self.0.as_ptr(), ms) };
        check(code, "RDMA-CM can't resolve the route to the other side")
    }

    /// Returns the device of the route; `None` before the resolution.
    pub(super) fn device(&self) -> Option<String> {
        // SAFETY: the id is alive. The name of a non-null device ends with a zero.
        unsafe {
            let context = self.0.as_ref().verbs;
            let name = CStr::from_ptr(sys::ibv_get_device_name(context.as_ref()?.device));
            Some(name.to_string_lossy().into_owned())
        }
    }

    /// Requests a connection with a queue pair and private data.
    pub(super) fn connect(&self, qp: &QueuePair, private_data: &[u8]) -> Result<(), VerbsError> {
        let mut parameters = parameters(qp, private_data);
        // SAFETY: the id is alive, and the private data live as long as the call.
        let code = unsafe { sys::rdma_connect(self.0.as_ptr(), &mut parameters) };
        check(code, "RDMA-CM can't request a connection")
    }

    /// Accepts the requested connection with a queue pair.
    pub(super) fn accept(&self, qp: &QueuePair) -> Result<(), VerbsError> {
        let mut parameters = parameters(qp, &[]);
        // SAFETY: the id is alive.
        let code = unsafe { sys::rdma_accept(self.0.as_ptr(), &mut parameters) };
        check(code, "RDMA-CM can't accept the connection")
    }

    /// Reports that the local queue pair is connected.
    pub(super) fn establish(&self) -> Result<(), VerbsError> {
        // SAFETY: the id is alive.
        check(
            unsafe { sys::rdma_establish(self.0.as_ptr()) },
            "RDMA-CM can't establish the connection",
        )
    }

    /// Returns the attributes of a queue pair for a state.
    pub(super) fn attributes(&self, state: u32) -> Result<(sys::ibv_qp_attr, i32), VerbsError> {
        // SAFETY: the struct consists of numbers, for which zero is a valid value; the id is alive.
        unsafe {
            let mut to: sys::ibv_qp_attr = zeroed();
            let mut mask = 0;
            to.qp_state = state;
            let code = sys::rdma_init_qp_attr(self.0.as_ptr(), &mut to, &mut mask);
            check(code, "RDMA-CM returns no attributes for the queue pair")?;
            Ok((to, mask))
        }
    }
}

/// Returns the parameters of a connection. The numbers of READs, atomics and retries equal those
/// without RDMA-CM.
fn parameters(qp: &QueuePair, private_data: &[u8]) -> sys::rdma_conn_param {
    sys::rdma_conn_param {
        private_data: if private_data.is_empty() {
            std::ptr::null()
        } else {
            private_data.as_ptr().cast()
        },
        private_data_len: private_data.len() as u8,
        responder_resources: qp.reads(),
        initiator_depth: qp.reads(),
        flow_control: 0,
        retry_count: RETRIES,
        rnr_retry_count: 7,
        srq: 0,
        qp_num: qp.number(),
    }
}

impl Drop for Id {
    fn drop(&mut self) {
        // SAFETY: the id is destroyed once, after all its events were acknowledged. A failure can't
        // be handled.
        unsafe { sys::rdma_destroy_id(self.0.as_ptr()) };
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: the channel is destroyed once, after all ids whose events it carries.
        unsafe { sys::rdma_destroy_event_channel(self.0.as_ptr()) };
    }
}
