//! [`Umad`]: a port of a device, through the library libibumad, which is loaded at the first use.

// Calls of a C library. Arguments live as long as the call, and buffers have the library's sizes.
#![allow(unsafe_code)]

use super::Wire;
use crate::infiniband::{DIRECTED_ROUTE, LENGTH};
use bandwise_units::Time;
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::io;
use std::time::Instant;

/// The file name in Debian and other distributions.
const FILE: &str = "libibumad.so.3";

/// The reason for which a port of a device can't be used.
#[derive(Debug, thiserror::Error)]
pub enum NoDevice {
    /// The library is missing, or lacks a function.
    #[error("{FILE} can't be used: {0} (Debian: apt-get install libibumad3)")]
    Library(#[from] libloading::Error),
    /// The device, its active port or the permission is missing.
    #[error(
        "{device} can't be opened: {error} (it must be an InfiniBand device with an active port; `ibstat` lists them, and only root may)"
    )]
    Open {
        /// The wanted device.
        device: String,
        /// The error of the system.
        error: io::Error,
    },
}

/// The library's functions, as its header umad.h declares them.
#[derive(Debug, Clone, Copy)]
struct Calls {
    set_addr: unsafe extern "C" fn(*mut c_void, c_int, c_int, c_int, c_int) -> c_int,
    send: unsafe extern "C" fn(c_int, c_int, *mut c_void, c_int, c_int, c_int) -> c_int,
    recv: unsafe extern "C" fn(c_int, *mut c_void, *mut c_int, c_int) -> c_int,
    status: unsafe extern "C" fn(*mut c_void) -> c_int,
    unregister: unsafe extern "C" fn(c_int, c_int) -> c_int,
    close: unsafe extern "C" fn(c_int) -> c_int,
}

/// A port of a device, opened for directed-route SMPs.
#[derive(Debug)]
pub struct Umad {
    /// The library, which has to outlive the functions.
    _library: Library,
    calls: Calls,
    port: c_int,
    agent: c_int,
    /// The length of the header before a datagram in the library's buffers, in bytes.
    header: usize,
    begun: Instant,
}

/// A buffer for the library's header of 64 bytes and a datagram of 256. Words give the alignment.
type Buffer = [u64; 64];

impl Umad {
    /// Opens a port of a device. By default takes the first device, and its first active port.
    ///
    /// # Errors
    ///
    /// Returns [`NoDevice`] if the library or the port can't be used.
    pub fn open(device: Option<&str>, port: Option<u8>) -> Result<Self, NoDevice> {
        let named = match (device, port) {
            (None, None) => "an InfiniBand device".to_owned(),
            (None, Some(port)) => format!("port {port} of an InfiniBand device"),
            (Some(device), None) => device.to_owned(),
            (Some(device), Some(port)) => format!("{device}, port {port}"),
        };
        let failed = |error: io::Error| NoDevice::Open { device: named.clone(), error };
        let name = device.map(CString::new).transpose();
        let name = name.map_err(|_| failed(io::ErrorKind::InvalidInput.into()))?;
        // SAFETY: the library is a plain C library, whose initialisers are sound to run. The
        // functions are declared as in its header umad.h, of version 3.
        unsafe {
            let library = Library::new(FILE)?;
            let init = *library.get::<unsafe extern "C" fn() -> c_int>(b"umad_init")?;
            let open = *library
                .get::<unsafe extern "C" fn(*const c_char, c_int) -> c_int>(b"umad_open_port")?;
            let size = *library.get::<unsafe extern "C" fn() -> usize>(b"umad_size")?;
            let register =
                *library
                    .get::<unsafe extern "C" fn(c_int, c_int, c_int, u8, *mut c_long) -> c_int>(
                        b"umad_register",
                    )?;
            let calls = Calls {
                set_addr: *library.get(b"umad_set_addr")?,
                send: *library.get(b"umad_send")?,
                recv: *library.get(b"umad_recv")?,
                status: *library.get(b"umad_status")?,
                unregister: *library.get(b"umad_unregister")?,
                close: *library.get(b"umad_close_port")?,
            };
            result(init()).map_err(failed)?;
            let name = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
            let port = result(open(name, port.unwrap_or(0).into())).map_err(failed)?;
            let header = size();
            // No methods are registered: only answers arrive here.
            let agent = register(port, DIRECTED_ROUTE.into(), 1, 0, std::ptr::null_mut());
            let begun = Instant::now();
            let mut opened = Umad { _library: library, calls, port, agent, header, begun };
            opened.agent = result(agent).map_err(failed)?;
            match header + LENGTH <= size_of::<Buffer>() {
                true => Ok(opened),
                false => Err(failed(io::ErrorKind::Unsupported.into())),
            }
        }
    }
}

/// Returns the result of a function of the library: a number, or a negative error.
fn result(number: c_int) -> io::Result<c_int> {
    if number < 0 { Err(io::Error::from_raw_os_error(-number)) } else { Ok(number) }
}

/// Returns whole milliseconds, rounded up, at least 1.
fn milliseconds(time: Time) -> c_int {
    let ms = time.as_ps().div_ceil(Time::from_ms(1).as_ps());
    c_int::try_from(ms.max(1)).unwrap_or(c_int::MAX)
}

impl Wire for Umad {
    fn now(&self) -> Time {
        let ns = self.begun.elapsed().as_nanos();
        Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX / 1000))
    }

    fn send(&mut self, datagram: &[u8; LENGTH], timeout: Time) -> io::Result<()> {
        let mut buffer: Buffer = [0; 64];
        // SAFETY: the buffer has room for the header and a datagram, which `open` has checked; the
        // library reads no more.
        unsafe {
            let start = buffer.as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(datagram.as_ptr(), start.add(self.header), LENGTH);
            // A directed route begins at the permissive address, queue pair 0 (IBTA 14.2.1.2).
            (self.calls.set_addr)(start.cast(), 0xffff, 0, 0, 0);
            let (port, agent, timeout) = (self.port, self.agent, milliseconds(timeout));
            // Bandwise retransmits, not the kernel. Without a timeout the kernel would expect no answer.
            let sent = (self.calls.send)(port, agent, start.cast(), LENGTH as c_int, timeout, 0);
            result(sent).map(drop)
        }
    }

    fn receive(&mut self, at_most: Time) -> io::Result<Option<[u8; LENGTH]>> {
        let mut buffer: Buffer = [0; 64];
        let mut length = LENGTH as c_int;
        // SAFETY: the buffer has room for the header and a datagram, which `open` has checked. The
        // library writes no more than the header and the given length.
        unsafe {
            let start = buffer.as_mut_ptr().cast::<u8>();
            let at_most = milliseconds(at_most);
            let got = (self.calls.recv)(self.port, start.cast(), &mut length, at_most);
            // A signal ends the wait, which the library reports as an error of the device.
            let is_signal =
                got < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            match result(got) {
                Err(_) if is_signal => Ok(None),
                // The kernel returns a request without an answer; the exchange has its own deadline.
                Ok(_) if (self.calls.status)(start.cast()) != 0 || length != LENGTH as c_int => {
                    Ok(None)
                }
                Ok(_) => {
                    let mut datagram = [0; LENGTH];
                    std::ptr::copy_nonoverlapping(
                        start.add(self.header),
                        datagram.as_mut_ptr(),
                        LENGTH,
                    );
                    Ok(Some(datagram))
                }
                Err(error) if is_nothing(&error) => Ok(None),
                Err(error) => Err(error),
            }
        }
    }
}

/// Returns `true` if the error only means that no datagram has arrived.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock)
}

impl Drop for Umad {
    fn drop(&mut self) {
        // SAFETY: the port was opened, and the agent was registered if its number isn't negative.
        // Neither is used afterwards.
        unsafe {
            if self.agent >= 0 {
                (self.calls.unregister)(self.port, self.agent);
            }
            (self.calls.close)(self.port);
        }
    }
}
