//! [`Domain`] and [`Memory`]: a protection domain, and registered memory. It contains unsafe calls of libibverbs.

#![allow(unsafe_code)]

use super::context::Context;
use super::pages::{HUGE_PAGES, HugePages};
use super::{Pages, VerbsError};
use bandwise_session::{Region, WantedPages};
use bandwise_units::Bytes;
use rdma_mummy_sys as sys;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::io;
use std::ptr::{NonNull, null_mut};

/// A protection domain.
pub(super) struct Domain(NonNull<sys::ibv_pd>);

impl Domain {
    pub(super) fn of(context: &Context) -> Result<Domain, VerbsError> {
        // SAFETY: the device is open.
        let domain = unsafe { sys::ibv_alloc_pd(context.as_ptr()) };
        NonNull::new(domain)
            .map(Domain)
            .ok_or_else(|| VerbsError::last(context.name(), "there is no protection domain left"))
    }

    pub(super) fn as_ptr(&self) -> *mut sys::ibv_pd {
        self.0.as_ptr()
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // SAFETY: the domain is freed once, after everything that was created in it, which its
        // owner drops first.
        unsafe { sys::ibv_dealloc_pd(self.0.as_ptr()) };
    }
}

/// Two consecutive buffers of the same size: messages are sent from the first and arrive in the second. Each has slots
/// for messages; messages without contents share one slot.
pub(super) struct Memory {
    buffer: Buffer,
    region: NonNull<sys::ibv_mr>,
    pages: Pages,
    /// The largest message.
    bytes: u32,
    places: usize,
    /// The distance between two slots, in bytes.
    stride: usize,
    /// The offset of the second buffer.
    second: usize,
}

/// The bytes before a received datagram: room for a global route header (IBTA 11.4.1.2).
pub(super) const GRH: u32 = 40;

/// The alignment of memory, and of slots, so that no two share a cache line.
const PAGE: usize = 4096;
const LINE: usize = 64;

/// Whole pages of zeros.
struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
}

impl Buffer {
    fn of(bytes: usize, flags: MapFlags) -> io::Result<Buffer> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses the address, so the mapping replaces no other.
        let start =
            unsafe { mmap_anonymous(null_mut(), bytes, access, MapFlags::PRIVATE | flags) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Buffer { start, bytes })
    }

    /// Allocates `bytes` in the wanted kind of pages. Also returns the kind.
    fn of_pages(
        context: &Context,
        bytes: usize,
        wanted: WantedPages,
    ) -> Result<(Buffer, Pages), VerbsError> {
        let meminfo = std::fs::read_to_string(HUGE_PAGES).unwrap_or_default();
        let huge = HugePages::needed(wanted, bytes as u64, &meminfo);
        let why = match huge {
            None => None,
            Some(Ok(huge)) => match Buffer::of(huge.all.get() as usize, MapFlags::HUGETLB) {
                Ok(buffer) => return Ok((buffer, Pages::Huge(huge.each))),
                Err(error) => Some(huge.missing(&error)),
            },
            Some(Err(why)) => Some(why),
        };
        if let Some(why) = why.as_ref().filter(|_| wanted == WantedPages::Huge) {
            let device = context.name().to_owned();
            return Err(VerbsError::HugePages { device, why: why.clone() });
        }
        match Buffer::of(bytes, MapFlags::empty()) {
            Ok(buffer) => Ok((buffer, Pages::Ordinary { instead_because: why })),
            Err(error) => Err(VerbsError::of(
                context.name(),
                format!("{} of memory can't be allocated", Bytes::new(bytes as u64)),
                error,
            )),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `Buffer::of`, and is unmapped once. A failure can't be
        // handled.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

impl Memory {
    /// Registers memory with a number of slots, each for messages of up to `bytes`.
    pub(super) fn register(
        context: &Context,
        domain: &Domain,
        bytes: u32,
        places: usize,
        pages: WantedPages,
    ) -> Result<Memory, VerbsError> {
        // A slot has room for an atomic, and an address even for empty messages.
        let stride = (bytes as usize + GRH as usize).next_multiple_of(LINE);
        let second = (places * stride).next_multiple_of(PAGE);
        let all = 2 * second;
        let limits = || std::fs::read_to_string("/proc/self/limits").ok();
        let failed = |error| VerbsError::memory(context.name(), all, error, limits().as_deref());
        let (buffer, pages) = Buffer::of_pages(context, all, pages)?;
        let access = sys::ibv_access_flags::IBV_ACCESS_LOCAL_WRITE
            | sys::ibv_access_flags::IBV_ACCESS_REMOTE_WRITE
            | sys::ibv_access_flags::IBV_ACCESS_REMOTE_READ
            | sys::ibv_access_flags::IBV_ACCESS_REMOTE_ATOMIC;
        // SAFETY: the buffer has that many bytes, and is freed after the region, in `drop`.
        let region = unsafe {
            let start = buffer.start.as_ptr().cast();
            sys::ibv_reg_mr(domain.as_ptr(), start, all, access.0 as i32)
        };
        match NonNull::new(region) {
            Some(region) => Ok(Memory { buffer, region, pages, bytes, places, stride, second }),
            None => Err(failed(io::Error::last_os_error())),
        }
    }

    /// Returns the kind of pages.
    pub(super) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Returns the largest message.
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns the distance between two slots, in bytes.
    pub(super) fn stride(&self) -> u32 {
        self.stride as u32
    }

    /// Returns a message of `bytes` in a slot of the first buffer.
    pub(super) fn outgoing(&self, place: usize, bytes: u32) -> sys::ibv_sge {
        let addr = (self.buffer.start.addr().get() + place * self.stride) as u64;
        sys::ibv_sge { addr, length: bytes, lkey: self.lkey() }
    }

    /// Returns a slot of the second buffer, with a header before the message.
    pub(super) fn arriving(&self, place: usize, header: u32) -> sys::ibv_sge {
        let addr = (self.buffer.start.addr().get() + self.second + place * self.stride) as u64;
        sys::ibv_sge { addr, length: self.bytes + header.min(GRH), lkey: self.lkey() }
    }

    /// Returns the second buffer, for the other side.
    pub(super) fn region(&self) -> Region {
        // SAFETY: the region is alive.
        let rkey = unsafe { self.region.as_ref().rkey };
        let bytes = match self.places {
            1 => self.bytes,
            places => (places * self.stride) as u32,
        };
        Region { address: self.arriving(0, 0).addr, rkey, bytes }
    }

    /// Writes a message to a slot of the first buffer, which no outstanding request may use.
    pub(super) fn write(&self, place: usize, message: &[u8]) {
        assert!(place < self.places && message.len() <= self.stride);
        // SAFETY: the slot is within the buffer. No outstanding request uses the slot, so the
        // device does not read it now. If the device reads it by mistake, the message is wrong but
        // no memory is invalid, because no reference is made to the slot.
        unsafe {
            let to = self.buffer.start.as_ptr().add(place * self.stride);
            std::ptr::copy_nonoverlapping(message.as_ptr(), to, message.len());
        }
    }

    /// Reads a message from a slot of the second buffer, after a header.
    pub(super) fn read(&self, place: usize, header: u32, message: &mut [u8]) {
        let header = header as usize;
        assert!(place < self.places && header + message.len() <= self.stride);
        // SAFETY: the slot is within the buffer. If the other side writes to the slot at the same
        // time, the message is wrong but no memory is invalid, because no reference is made to the
        // slot.
        unsafe {
            let from = self.buffer.start.as_ptr().add(self.second + place * self.stride + header);
            std::ptr::copy_nonoverlapping(from, message.as_mut_ptr(), message.len());
        }
    }

    fn lkey(&self) -> u32 {
        // SAFETY: the region is alive.
        unsafe { self.region.as_ref().lkey }
    }

    /// Writes a mark to the last byte of the first buffer, which messages of full size carry. An
    /// empty buffer has no last byte.
    #[inline]
    pub(super) fn mark_outgoing(&self, mark: u8) {
        if let Some(last) = (self.bytes as usize).checked_sub(1) {
            // SAFETY: the byte is within the first buffer. The device may read it at the same time,
            // so the write is volatile.
            unsafe { self.buffer.start.as_ptr().add(last).write_volatile(mark) }
        }
    }

    /// Returns the mark at the end of the second buffer, which is 0 at first.
    #[inline]
    pub(super) fn arrived_mark(&self) -> u8 {
        let last = (self.bytes as usize).saturating_sub(1);
        // SAFETY: the byte is within the second buffer, which has at least one page. The device may
        // write it at the same time, so the read is volatile.
        unsafe { self.buffer.start.as_ptr().add(self.second + last).read_volatile() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the region is deregistered once, and before the buffer is freed.
        unsafe { sys::ibv_dereg_mr(self.region.as_ptr()) };
    }
}
