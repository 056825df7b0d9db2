//! The C interface. The compiler can't check pointers and descriptors of C programs, so this file alone is `unsafe`.
#![allow(unsafe_code)]

use crate::{Application, Connection, Endpoints, Error, Options, last_error};
use std::ffi::{CStr, c_char, c_int};
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A registered application. Several threads may use it at once.
pub(crate) struct SabaApp(Application);

/// A connection of an application.
pub(crate) struct SabaConn(Connection);

/// Options of a registration. All zero means the defaults.
#[repr(C)]
pub(crate) struct SabaOptions {
    /// The controller's endpoints: "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT", separated by commas and
    /// tried in turn. For https, SABA_CA_FILE names the authority. NULL: the value of SABA_CONTROLLER, or
    /// unix:/run/bandwise/controller.sock.
    pub controller: *const c_char,
    /// The controller's name for this host. NULL: the value of SABA_HOST, or the host's own name.
    pub host: *const c_char,
    /// The amount of data that the application works on, such as "10000 samples". NULL: the value of SABA_DATASET, if
    /// it is set.
    pub dataset: *const c_char,
    /// The job, in up to 256 bytes. Processes on any host that register the same name and job are one application.
    /// NULL: the value of SABA_JOB, or no job.
    pub job: *const c_char,
    /// The number of hosts that the application runs on. 0: the value of SABA_NODES, if it is set.
    pub nodes: u32,
}

/// The mark for packets of a connection. A field is -1 if it does not apply; without a controller all are.
#[repr(C)]
pub(crate) struct SabaMark {
    /// Saba's priority level.
    pub level: i32,
    /// The differentiated services code point, 1 to 63.
    pub dscp: i32,
    /// The byte of the IP header with the code point: IP_TOS, IPV6_TCLASS, or the traffic class of ibv_global_route.
    pub traffic_class: i32,
    /// The service level of ibv_ah_attr on InfiniBand, 0 to 15.
    pub service_level: i32,
}

/// The call has succeeded, with or without a controller.
#[allow(unreachable_pub, reason = "cbindgen writes public constants only")]
pub const SABA_OK: c_int = 0;
/// The controller has refused the request; saba_error returns the reason.
#[allow(unreachable_pub, reason = "cbindgen writes public constants only")]
pub const SABA_REFUSED: c_int = -1;
/// An argument is invalid; saba_error returns the reason.
#[allow(unreachable_pub, reason = "cbindgen writes public constants only")]
pub const SABA_ARGUMENT: c_int = -2;
/// The socket can't be marked.
#[allow(unreachable_pub, reason = "cbindgen writes public constants only")]
pub const SABA_SOCKET: c_int = -3;
/// The library can't carry out the call, because of the system or of a fault of its own; saba_error returns the reason.
#[allow(unreachable_pub, reason = "cbindgen writes public constants only")]
pub const SABA_FAULT: c_int = -4;

/// Carries out a call, which may return a reason why no controller has answered. No panic reaches C.
fn call(run: impl FnOnce() -> Result<Option<String>, Error>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(run));
    let fault = |_| Err(Error::Fault("a fault of the library, see standard error".to_owned()));
    match result.unwrap_or_else(fault) {
        Ok(note) => {
            last_error::set(&note.map(|why| no_controller(&why)).unwrap_or_default());
            SABA_OK
        }
        Err(error) => {
            last_error::set(&error.to_string());
            match error {
                Error::Refused(_) => SABA_REFUSED,
                Error::Argument(_) => SABA_ARGUMENT,
                Error::Socket(_) => SABA_SOCKET,
                Error::Fault(_) => SABA_FAULT,
            }
        }
    }
}

fn no_controller(why: &str) -> String {
    format!("no controller answers: {why}")
}

fn argument(what: &str) -> Error {
    Error::Argument(what.to_owned())
}

/// # Safety
///
/// NULL, or a string that ends with zero.
unsafe fn text(pointer: *const c_char, name: &str) -> Result<Option<String>, Error> {
    if pointer.is_null() {
        return Ok(None);
    }
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    let wrong = |_| argument(&format!("{name} is not UTF-8 (allowed: a word of it)"));
    Ok(Some(text.map_err(wrong)?.to_owned()))
}

/// Returns the error of this thread's last call of saba_app_register or saba_conn_create, or the reason why no
/// controller has answered it. Otherwise the text is empty. It is valid until the thread's next such call.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn saba_error() -> *const c_char {
    last_error::get()
}

/// Registers an application and stores it in *app. `options` may be NULL. Without a controller the call succeeds, and
/// the application is registered when one becomes reachable. saba_error then returns the reason why no controller
/// answers, and otherwise an empty text.
///
/// # Safety
///
/// `name` is a string, `options` is NULL or points to options, and `app` points to a pointer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_app_register(
    name: *const c_char,
    options: *const SabaOptions,
    app: *mut *mut SabaApp,
) -> c_int {
    let register = || {
        let name = unsafe { text(name, "name") }?.ok_or_else(|| argument("name is NULL"))?;
        if app.is_null() {
            return Err(argument("app is NULL"));
        }
        let mut all = Options::from_environment()?;
        if let Some(given) = unsafe { options.as_ref() } {
            if let Some(endpoints) = unsafe { text(given.controller, "controller") }? {
                let wrong = |error: crate::InvalidEndpoint| argument(&error.to_string());
                all.controller = endpoints.parse::<Endpoints>().map_err(wrong)?;
            }
            all.host = unsafe { text(given.host, "host") }?.or(all.host);
            all.dataset = unsafe { text(given.dataset, "dataset") }?.or(all.dataset);
            all.job = unsafe { text(given.job, "job") }?.or(all.job);
            all.nodes = (given.nodes > 0).then_some(given.nodes).or(all.nodes);
        }
        let registered = Application::register(&name, all)?;
        let why = registered.unreachable();
        unsafe { *app = Box::into_raw(Box::new(SabaApp(registered))) };
        Ok(why)
    };
    call(register)
}

/// Writes the controller's doubts about the application's model for this run to `text`, one a line, and a zero. Doubts
/// that do not fit in `size` bytes are cut. Returns the length of the whole text without the zero: 0 without doubts, and
/// until a controller has registered the application.
///
/// # Safety
///
/// `app` comes from saba_app_register, or is NULL, which has no doubts. `text` has room for `size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_app_doubts(
    app: *const SabaApp,
    text: *mut c_char,
    size: usize,
) -> usize {
    let doubts = || unsafe { app.as_ref() }.map(|app| app.0.doubts().join("\n"));
    let doubts = catch_unwind(AssertUnwindSafe(doubts)).ok().flatten().unwrap_or_default();
    if let Some(last) = size.checked_sub(1).filter(|_| !text.is_null()) {
        let cut = last_error::cut(&doubts, last);
        // SAFETY: `cut` and the zero are at most `size` bytes, and no other variable refers to them.
        unsafe {
            text.cast::<u8>().copy_from_nonoverlapping(cut.as_ptr(), cut.len());
            *text.add(cut.len()) = 0;
        }
    }
    doubts.len()
}

/// Registers a connection and stores it in *conn. Data go from host `from`, or from this host if that is NULL, to host
/// `to`, by the controller's names. `fd` is the socket to mark, or -1; then the caller applies the result of
/// saba_conn_mark to the queue pair. Without a controller the call succeeds, and the socket stays unmarked.
///
/// # Safety
///
/// `app` comes from saba_app_register, `from` is NULL or a string, `to` is a string, `fd` is -1 or open, and `conn`
/// points to a pointer.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_conn_create(
    app: *const SabaApp,
    from: *const c_char,
    to: *const c_char,
    fd: c_int,
    conn: *mut *mut SabaConn,
) -> c_int {
    let create = || {
        let app = unsafe { app.as_ref() }.ok_or_else(|| argument("app is NULL"))?;
        let from = unsafe { text(from, "from") }?;
        let to = unsafe { text(to, "to") }?.ok_or_else(|| argument("to is NULL"))?;
        if conn.is_null() {
            return Err(argument("conn is NULL"));
        }
        let made = match fd {
            -1 => app.0.connect(from.as_deref(), &to)?,
            0.. => {
                let socket = unsafe { BorrowedFd::borrow_raw(fd) };
                app.0.connect_socket(from.as_deref(), &to, socket)?
            }
            _ => return Err(argument("fd is negative (allowed: a socket, or -1 for none)")),
        };
        unsafe { *conn = Box::into_raw(Box::new(SabaConn(made))) };
        Ok(app.0.unreachable())
    };
    call(create)
}

/// Returns the mark for packets of a connection.
///
/// # Safety
///
/// `conn` comes from saba_conn_create, or is NULL, which has no mark.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_conn_mark(conn: *const SabaConn) -> SabaMark {
    let mark = unsafe { conn.as_ref() }.and_then(|conn| conn.0.mark());
    let byte = |value: Option<u8>| value.map_or(-1, i32::from);
    SabaMark {
        level: mark.map_or(-1, |mark| mark.level.into()),
        dscp: byte(mark.and_then(|mark| mark.dscp)),
        traffic_class: byte(mark.and_then(|mark| mark.traffic_class())),
        service_level: byte(mark.and_then(|mark| mark.service_level)),
    }
}

/// Closes a connection. NULL is ignored.
///
/// # Safety
///
/// `conn` comes from saba_conn_create, and is not used again.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_conn_destroy(conn: *mut SabaConn) {
    if !conn.is_null() {
        let conn = unsafe { Box::from_raw(conn) };
        drop(catch_unwind(AssertUnwindSafe(|| drop(conn))));
    }
}

/// Deregisters an application and closes its connections. Each connection still has to be destroyed, which frees its
/// memory. NULL is ignored.
///
/// # Safety
///
/// `app` comes from saba_app_register, and is not used again.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn saba_app_deregister(app: *mut SabaApp) {
    if !app.is_null() {
        let app = unsafe { Box::from_raw(app) };
        drop(catch_unwind(AssertUnwindSafe(|| drop(app))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> String {
        // SAFETY: the text ends with zero, and this thread makes no call until it is copied.
        unsafe { CStr::from_ptr(saba_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_an_error_code() {
        assert_eq!(call(|| panic!("for the test")), SABA_FAULT);
        assert!(error().contains("a fault of the library"), "{}", error());
        assert_eq!(call(|| Ok(None)), SABA_OK);
        assert_eq!(error(), "");
    }
}
