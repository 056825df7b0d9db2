//! [`Answer`]: the answer to a request.

use super::attributes::{Unreadable, find, word};
use super::request::{GET_DCB, NEW_LINK};
use netlink_packet_core::{
    NLM_F_ACK_TLVS, NLM_F_CAPPED, NLM_F_DUMP_INTR, NLMSG_DONE, NLMSG_ERROR, NetlinkBuffer,
};

/// A qdisc, class, filter, device or its priorities, as the kernel reports it. The latter two have no handle, parent and
/// info.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub(super) kind: u16,
    pub(super) device: u32,
    pub(super) handle: u32,
    pub(super) parent: u32,
    pub(super) info: u32,
    pub(super) attributes: Vec<u8>,
}

impl Object {
    /// Returns an object that has no place in a tree.
    fn without_place(kind: u16, device: u32, attributes: Option<&[u8]>) -> Self {
        let attributes = attributes.unwrap_or_default().to_vec();
        Object { kind, device, handle: 0, parent: 0, info: 0, attributes }
    }
}

/// The reason for which a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The kernel refused the request; its text, or the meaning of its error number.
    #[error("{0}")]
    Refused(String),
    /// The configuration changed while the kernel reported it.
    #[error("the configuration changed during the read")]
    Torn,
    /// The answer is malformed.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// The answer to one request, collected from datagrams. Answers to abandoned requests are skipped.
#[derive(Debug, Clone)]
pub struct Answer {
    number: u32,
    objects: Vec<Object>,
    is_torn: bool,
}

/// The lengths of `struct tcmsg`, `struct ifinfomsg` and `struct dcbmsg` in bytes.
const HEAD: usize = 20;
const LINK_HEAD: usize = 16;
const DCB_HEAD: usize = 4;
/// The length of a netlink header in bytes.
const HEADER: usize = 16;
/// NLMSGERR_ATTR_MSG: the kernel's text of an error.
const WORDS: u16 = 1;

impl Answer {
    /// Returns an empty answer to the request with this number.
    pub fn new(number: u32) -> Self {
        Answer { number, objects: Vec::new(), is_torn: false }
    }

    /// Adds a datagram. Returns `true` if this was the last one.
    ///
    /// # Errors
    ///
    /// Returns [`NoAnswer`] if the kernel refused the request, or the answer is torn or malformed.
    pub fn take(&mut self, datagram: &[u8]) -> Result<bool, NoAnswer> {
        let mut rest = datagram;
        while !rest.is_empty() {
            let message = NetlinkBuffer::new_checked(rest);
            let message = message.map_err(|error| Unreadable(error.to_string()))?;
            if message.sequence_number() == self.number && self.message(&message)? {
                return Ok(true);
            }
            // Messages are aligned to four bytes, but the last one need not be.
            let length = (message.length() as usize).next_multiple_of(4);
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(false)
    }

    fn message(&mut self, message: &NetlinkBuffer<&[u8]>) -> Result<bool, NoAnswer> {
        let (body, flags) = (message.payload(), message.flags());
        self.is_torn |= flags & NLM_F_DUMP_INTR != 0;
        match message.message_type() {
            NLMSG_ERROR => {
                let number = word(body, 0).ok_or_else(|| Unreadable::lacks("a number"))?;
                if number != 0 {
                    return Err(NoAnswer::Refused(refusal(number, words_of(body, flags))));
                }
                Ok(true)
            }
            NLMSG_DONE => {
                // A dump that ends early has its error here.
                let number = word(body, 0).unwrap_or(0);
                if number != 0 {
                    let words = body.get(4..).unwrap_or_default();
                    return Err(NoAnswer::Refused(refusal(number, words)));
                }
                if self.is_torn { Err(NoAnswer::Torn) } else { Ok(true) }
            }
            // NLMSG_NOOP and NLMSG_OVERRUN.
            ..16 => Ok(false),
            NEW_LINK => {
                let device = word(body, 4).ok_or_else(|| Unreadable::lacks("a head"))?;
                self.objects.push(Object::without_place(NEW_LINK, device, body.get(LINK_HEAD..)));
                Ok(false)
            }
            GET_DCB => {
                self.objects.push(Object::without_place(GET_DCB, 0, body.get(DCB_HEAD..)));
                Ok(false)
            }
            kind => {
                let head = |at| word(body, at).ok_or_else(|| Unreadable::lacks("a head"));
                self.objects.push(Object {
                    kind,
                    device: head(4)?,
                    handle: head(8)?,
                    parent: head(12)?,
                    info: head(16)?,
                    attributes: body[HEAD..].to_vec(),
                });
                Ok(false)
            }
        }
    }

    /// Returns the reported objects.
    pub fn into_objects(self) -> Vec<Object> {
        self.objects
    }
}

/// Returns the attributes after an error: behind its number and the request, or behind the header of the request.
fn words_of(body: &[u8], flags: u16) -> &[u8] {
    if flags & NLM_F_ACK_TLVS == 0 {
        return &[];
    }
    let request = match flags & NLM_F_CAPPED {
        0 => word(body, 4).unwrap_or(0) as usize,
        _ => HEADER,
    };
    let at = request.checked_next_multiple_of(4).and_then(|request| request.checked_add(4));
    at.and_then(|at| body.get(at..)).unwrap_or_default()
}

/// Returns the kernel's text, or the meaning of its negative error number.
fn refusal(number: u32, words: &[u8]) -> String {
    if let Ok(Some(reason)) = find(words, WORDS) {
        let reason = String::from_utf8_lossy(reason.strip_suffix(b"\0").unwrap_or(reason));
        if !reason.trim().is_empty() {
            return reason.trim().to_owned();
        }
    }
    let number = (number as i32).checked_neg().unwrap_or(i32::MAX);
    let meaning = std::io::Error::from_raw_os_error(number).to_string();
    match meaning.rsplit_once(" (os error ") {
        Some((meaning, _)) => meaning.to_owned(),
        None => meaning,
    }
}
