//! [`DeviceEvent`]: an event that no completion reports.

/// An event of the device, a port or a queue (IBTA 11.6.3), by its code in libibverbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceEvent(pub(super) u32);

/// The events that invalidate a measurement.
const FAULTS: [(u32, &str); 6] = [
    (
        0,
        "the completion queue has overrun: more requests ended than it holds before anybody looked, and what they \
         were is lost. Fewer at a time: -t, -q",
    ),
    (1, "a queue pair has failed without a completion; the kernel's log may say more"),
    (2, "the other side sent an invalid request"),
    (3, "the other side has accessed memory wrongly: key, address or size"),
    (8, "it has failed and has to be reset; the kernel's log says more"),
    (PORT_DOWN, "the port has gone down: cable, switch, or the network interface"),
];

/// The code of the event for a port that went down.
const PORT_DOWN: u32 = 10;

impl DeviceEvent {
    /// Returns the meaning of an event of this port or of the whole device; `None` if it does no harm.
    pub(super) fn fault(self, of_port: i32, port: u8) -> Option<&'static str> {
        if self.0 == PORT_DOWN && of_port != i32::from(port) {
            return None;
        }
        FAULTS.iter().find(|(code, _)| *code == self.0).map(|&(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rdma_mummy_sys::ibv_event_type::{self, *};

    /// The codes are those of the library.
    #[test]
    fn event_codes_have_their_messages() {
        let fault = |event: ibv_event_type| DeviceEvent(event as u32).fault(1, 1);
        for (event, words) in [
            (IBV_EVENT_CQ_ERR, "overrun"),
            (IBV_EVENT_QP_FATAL, "queue pair has failed"),
            (IBV_EVENT_QP_REQ_ERR, "invalid request"),
            (IBV_EVENT_QP_ACCESS_ERR, "memory"),
            (IBV_EVENT_DEVICE_FATAL, "reset"),
            (IBV_EVENT_PORT_ERR, "down"),
        ] {
            assert!(fault(event).unwrap().contains(words), "{words}");
        }
        for event in [
            IBV_EVENT_COMM_EST,
            IBV_EVENT_SQ_DRAINED,
            IBV_EVENT_PORT_ACTIVE,
            IBV_EVENT_LID_CHANGE,
            IBV_EVENT_SM_CHANGE,
            IBV_EVENT_GID_CHANGE,
            IBV_EVENT_CLIENT_REREGISTER,
        ] {
            assert_eq!(fault(event), None);
        }
        assert_eq!(DeviceEvent(IBV_EVENT_PORT_ERR as u32).fault(2, 1), None);
        assert_eq!(DeviceEvent(999).fault(1, 1), None);
    }
}
