//! A reader of headers in network byte order.

use super::error::FrameError;

/// The unread rest of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// Returns the next `count` bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], FrameError> {
        let (first, rest) = self.0.split_at_checked(count).ok_or(FrameError::Short)?;
        self.0 = rest;
        Ok(first)
    }

    /// Returns the next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        Ok(self.bytes(N)?.try_into().expect("a slice of N bytes"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, FrameError> {
        Ok(self.array::<1>()?[0])
    }
    pub(super) fn u16(&mut self) -> Result<u16, FrameError> {
        Ok(u16::from_be_bytes(self.array()?))
    }
    pub(super) fn u32(&mut self) -> Result<u32, FrameError> {
        Ok(u32::from_be_bytes(self.array()?))
    }
    pub(super) fn u64(&mut self) -> Result<u64, FrameError> {
        Ok(u64::from_be_bytes(self.array()?))
    }
}
