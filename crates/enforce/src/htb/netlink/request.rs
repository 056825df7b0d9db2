//! [`Request`]: a request to the kernel.

use super::super::{Change, HANDLE};
use super::attributes::{NESTED, put};
use super::{bands, class, filter};
use netlink_packet_core::{
    Emitable, NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST,
    NetlinkHeader,
};

/// The types of messages: object, and report, deletion or query (RTM_NEWLINK, RTM_NEWQDISC and others).
pub(super) const NEW_LINK: u16 = 16;
const GET_LINK: u16 = 18;
pub(super) const NEW_QDISC: u16 = 36;
const DEL_QDISC: u16 = 37;
const GET_QDISC: u16 = 38;
pub(super) const NEW_CLASS: u16 = 40;
const DEL_CLASS: u16 = 41;
const GET_CLASS: u16 = 42;
pub(super) const NEW_FILTER: u16 = 44;
const DEL_FILTER: u16 = 45;
const GET_FILTER: u16 = 46;

/// RTM_GETDCB, its command for settings of IEEE 802.1Qaz (DCB_CMD_IEEE_GET), and the name of a device (DCB_ATTR_IFNAME).
pub(super) const GET_DCB: u16 = 78;
const IEEE_GET: u8 = 21;
const DCB_NAME: u16 = 1;

/// The parent of a device's root, and of the class below it (TC_H_ROOT).
pub(super) const ROOT: u32 = u32::MAX;
/// TCA_KIND.
pub(super) const KIND: u16 = 1;
/// TCA_OPTIONS.
pub(super) const OPTIONS: u16 = 2;
/// TCA_HTB_INIT: `struct tc_htb_glob`, five words.
pub(super) const INIT: u16 = 2;

/// The flags for creating an object that must not exist.
const ADD: u16 = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;

/// A request to the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    kind: u16,
    flags: u16,
    body: Vec<u8>,
}

/// The numbers at the start of a message (`struct tcmsg`).
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    device: u32,
    handle: u32,
    parent: u32,
    info: u32,
}

impl Request {
    fn new(kind: u16, flags: u16, head: Head) -> Self {
        // The address family is unspecified.
        let words = [0, head.device, head.handle, head.parent, head.info];
        Request { kind, flags, body: words.map(u32::to_ne_bytes).concat() }
    }

    fn with(mut self, number: u16, value: &[u8]) -> Self {
        put(&mut self.body, number, value);
        self
    }

    /// Returns a request for a device, by its number.
    pub fn link(device: u32) -> Self {
        // Family and type are unspecified, flags and the mask of their changes are unused.
        let body = [0, device, 0, 0].map(u32::to_ne_bytes).concat();
        Request { kind: GET_LINK, flags: NLM_F_ACK, body }
    }

    /// Returns a request for the priorities of a device, by its name.
    pub fn priorities(device: &str) -> Self {
        // `struct dcbmsg`: an unspecified family, and the command.
        let mut body = vec![0, IEEE_GET, 0, 0];
        put(&mut body, DCB_NAME, &[device.as_bytes(), b"\0"].concat());
        Request { kind: GET_DCB, flags: NLM_F_ACK, body }
    }

    /// Returns a request for all qdiscs of all devices. The kernel does not filter them.
    pub fn qdiscs() -> Self {
        Request::new(GET_QDISC, NLM_F_DUMP, Head::default())
    }

    /// Returns a request for all classes of a device, by its number.
    pub fn classes(device: u32) -> Self {
        Request::new(GET_CLASS, NLM_F_DUMP, Head { device, ..Head::default() })
    }

    /// Returns a request for all filters at Saba's root.
    pub fn filters(device: u32) -> Self {
        let parent = handle(0);
        Request::new(GET_FILTER, NLM_F_DUMP, Head { device, parent, ..Head::default() })
    }

    /// Returns a request for a change at a device.
    pub fn change(device: u32, change: &Change) -> Self {
        let root = Head { device, handle: handle(0), parent: ROOT, info: 0 };
        let class = |number, parent: Option<u16>| {
            let parent = parent.unwrap_or(0);
            Head { device, handle: handle(number), parent: handle(parent), info: 0 }
        };
        let filter = |family, table, node| {
            let (handle, info) = (filter::handle(table, node), filter::info(family));
            Head { device, handle, parent: self::handle(0), info }
        };
        let htb = |request: Request| request.with(KIND, b"htb\0");
        let u32 = |request: Request| request.with(KIND, b"u32\0");
        match change {
            Change::AddRoot { default } => {
                htb(Request::new(NEW_QDISC, ADD, root)).with(OPTIONS, &init(*default))
            }
            Change::SetBands(bands) => {
                let flags = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
                Request::new(NEW_QDISC, flags, root)
                    .with(KIND, b"ets\0")
                    .with(NESTED | OPTIONS, &bands::encode(bands))
            }
            Change::RemoveRoot => Request::new(DEL_QDISC, NLM_F_ACK, root),
            Change::AddClass(number, of) => {
                htb(Request::new(NEW_CLASS, ADD, class(*number, of.parent)))
                    .with(OPTIONS, &class::encode(of))
            }
            Change::SetClass(number, of) => {
                htb(Request::new(NEW_CLASS, NLM_F_ACK, class(*number, of.parent)))
                    .with(OPTIONS, &class::encode(of))
            }
            Change::RemoveClass(number) => Request::new(DEL_CLASS, NLM_F_ACK, class(*number, None)),
            &Change::AddFilter { family, node, dscp, class } => {
                // The kernel adds the filter to the protocol's table, which it creates if
                // necessary.
                u32(Request::new(NEW_FILTER, ADD, filter(family, 0, node)))
                    .with(OPTIONS, &filter::encode(family, dscp, handle(class)))
            }
            &Change::MoveFilter { family, table, node, dscp, class } => {
                u32(Request::new(NEW_FILTER, NLM_F_ACK, filter(family, table, node)))
                    .with(OPTIONS, &filter::encode(family, dscp, handle(class)))
            }
            &Change::RemoveFilter { family, table, node } => {
                u32(Request::new(DEL_FILTER, NLM_F_ACK, filter(family, table, node)))
            }
        }
    }

    /// Returns the request without a report of its success. A refusal is reported in any case.
    #[must_use]
    pub fn quiet(self) -> Self {
        Request { flags: self.flags & !NLM_F_ACK, ..self }
    }

    /// Returns the bytes of the request with this number, which the answer repeats.
    pub fn encode(&self, number: u32) -> Vec<u8> {
        let mut header = NetlinkHeader::default();
        (header.message_type, header.flags) = (self.kind, self.flags | NLM_F_REQUEST);
        (header.length, header.sequence_number) = ((HEADER + self.body.len()) as u32, number);
        let mut bytes = vec![0; HEADER];
        header.emit(&mut bytes);
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// The length of a netlink header in bytes.
const HEADER: usize = 16;

/// Returns the kernel's handle of a class of Saba; that of the root for 0.
pub(super) fn handle(class: u16) -> u32 {
    u32::from(HANDLE) << 16 | u32::from(class)
}

fn init(default: u16) -> Vec<u8> {
    // Version 3; a tenth of a class's rate as quantum (always overridden); the default class; a counter of the kernel.
    let glob = [3, 10, u32::from(default), 0, 0].map(u32::to_ne_bytes).concat();
    let mut options = Vec::new();
    put(&mut options, INIT, &glob);
    options
}
