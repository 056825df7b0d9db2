//! Attributes: parts of a message, each with a length and a number.

use netlink_packet_core::{DefaultNla, Emitable, NLA_HEADER_SIZE, NlasIterator};

/// An answer that is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the kernel's answer can't be read: {0}")]
pub struct Unreadable(pub(super) String);

impl Unreadable {
    pub(super) fn lacks(what: &str) -> Self {
        Unreadable(format!("it lacks {what}"))
    }
}

/// NLA_F_NESTED: a value of attributes. Newer parts of the kernel demand the flag.
pub(super) const NESTED: u16 = 1 << 15;

/// Appends an attribute.
pub(super) fn put(bytes: &mut Vec<u8>, number: u16, value: &[u8]) {
    let attribute = DefaultNla::new(number, value.to_vec());
    let at = bytes.len();
    bytes.resize(at + attribute.buffer_len(), 0);
    attribute.emit(&mut bytes[at..]);
}

/// Returns the value of the first attribute with this number.
pub(super) fn find(bytes: &[u8], number: u16) -> Result<Option<&[u8]>, Unreadable> {
    all(bytes, number).next().transpose()
}

/// Returns the values of all attributes with this number, in order.
pub(super) fn all(bytes: &[u8], number: u16) -> impl Iterator<Item = Result<&[u8], Unreadable>> {
    NlasIterator::new(bytes).filter_map(move |attribute| match attribute {
        Ok(attribute) if attribute.kind() == number => {
            let end = usize::from(attribute.length());
            Some(Ok(&attribute.into_inner()[NLA_HEADER_SIZE..end]))
        }
        Ok(_) => None,
        Err(error) => Some(Err(Unreadable(error.to_string()))),
    })
}

/// Returns the 32-bit number at an offset; `None` if the value is too short.
pub(super) fn word(value: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*value.get(at..)?.first_chunk()?))
}
