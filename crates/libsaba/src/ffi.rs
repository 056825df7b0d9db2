//! What C calls. Pointers and descriptors come from outside, which no compiler sees: this file alone is `unsafe`.
#![allow(unsafe_code)]

use crate::{Application, Connection, Error, Options, Places};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::BorrowedFd;

/// An application that runs. May be used by several threads at once.
pub struct SabaApp(Application);

/// A connection of an application.
pub struct SabaConn(Connection);

/// How an application is registered. All zero is what a program without wishes has.
#[repr(C)]
pub struct SabaOptions {
    /// Where the controller is: "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT", where SABA_CA_FILE says by what
    /// it is known; several places, separated by commas, are tried in turn. NULL: what SABA_CONTROLLER says in the
    /// environment, or unix:/run/bandwise/controller.sock.
    pub controller: *const c_char,
    /// What the controller calls this host. NULL: what SABA_HOST says, or the name that it has.
    pub host: *const c_char,
    /// On how much data the application works, such as "10000 samples". NULL: what SABA_DATASET
    /// says, if anything.
    pub dataset: *const c_char,
    /// The job that it is part of, in up to 256 bytes: processes that register with one name and one job, on
    /// whatever hosts, are one application. NULL: what SABA_JOB says, or none.
    pub job: *const c_char,
    /// On how many hosts it runs. 0: what SABA_NODES says, if anything.
    pub nodes: u32,
}

/// What packets of a connection are to carry. Each is -1 where there is none: without a controller all are.
#[repr(C)]
pub struct SabaMark {
    /// Saba's priority level.
    pub level: i32,
    /// The differentiated services code point, 1 to 63.
    pub dscp: i32,
    /// The byte of a header of IP that has it: IP_TOS, IPV6_TCLASS, or the traffic class of ibv_global_route.
    pub traffic_class: i32,
    /// At ports of InfiniBand the service level of ibv_ah_attr, 0 to 15.
    pub service_level: i32,
}

/// It was done, or there is no controller to do it with.
pub const SABA_OK: c_int = 0;
/// The controller refused; saba_error says why.
pub const SABA_REFUSED: c_int = -1;
/// An argument can't be used; saba_error says which.
pub const SABA_ARGUMENT: c_int = -2;
/// The socket can't be marked.
pub const SABA_SOCKET: c_int = -3;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

fn say(text: &str) {
    LAST.set(CString::new(text.replace('\0', " ")).unwrap_or_default());
}

fn code(result: Result<(), Error>) -> c_int {
    let Err(error) = result else { return SABA_OK };
    say(&error.to_string());
    match error {
        Error::Refused(_) => SABA_REFUSED,
        Error::Argument(_) => SABA_ARGUMENT,
        Error::Socket(_) => SABA_SOCKET,
    }
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

/// Why the last call of this thread failed, or no controller answered it, in words. Valid until the next call of this
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn saba_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ptr())
}

/// An application runs: *app is what connections are made with. `options` may be NULL. Without a controller it is done
/// all the same, and a controller that comes later hears of it; saba_error says why none answers, and nothing if one does.
///
/// # Safety
///
/// `name` is a string, `options` NULL or options, `app` a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saba_app_register(
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
            if let Some(places) = unsafe { text(given.controller, "controller") }? {
                let wrong = |error: crate::NoPlace| argument(&error.to_string());
                all.controller = places.parse::<Places>().map_err(wrong)?;
            }
            all.host = unsafe { text(given.host, "host") }?.or(all.host);
            all.dataset = unsafe { text(given.dataset, "dataset") }?.or(all.dataset);
            all.job = unsafe { text(given.job, "job") }?.or(all.job);
            all.nodes = (given.nodes > 0).then_some(given.nodes).or(all.nodes);
        }
        let registered = Application::register(&name, all)?;
        let why = registered.away().map(|why| format!("no controller answers: {why}"));
        say(&why.unwrap_or_default());
        unsafe { *app = Box::into_raw(Box::new(SabaApp(registered))) };
        Ok(())
    };
    code(register())
}

/// An application has made a connection: *conn is what ends it. Data go from host `from`, or from this one where that is
/// NULL, to host `to`, as the controller calls them. `fd` is the socket, which is marked, or -1: then what saba_conn_mark
/// says is to be set on the queue pair. Without a controller it is done all the same, and the socket stays as it is.
///
/// # Safety
///
/// `app` is of saba_app_register, `from` NULL or a string, `to` a string, `fd` -1 or open, `conn` a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saba_conn_create(
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
        Ok(())
    };
    code(create())
}

/// What packets of a connection are to carry.
///
/// # Safety
///
/// `conn` is of saba_conn_create, or NULL, which has no mark.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saba_conn_mark(conn: *const SabaConn) -> SabaMark {
    let mark = unsafe { conn.as_ref() }.and_then(|conn| conn.0.mark());
    let byte = |value: Option<u8>| value.map_or(-1, i32::from);
    SabaMark {
        level: mark.map_or(-1, |mark| mark.level.into()),
        dscp: byte(mark.and_then(|mark| mark.dscp)),
        traffic_class: byte(mark.and_then(|mark| mark.traffic_class())),
        service_level: byte(mark.and_then(|mark| mark.service_level)),
    }
}

/// A connection was closed. NULL is none.
///
/// # Safety
///
/// `conn` is of saba_conn_create, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saba_conn_destroy(conn: *mut SabaConn) {
    if !conn.is_null() {
        drop(unsafe { Box::from_raw(conn) });
    }
}

/// An application has ended, with its connections; those that were not destroyed still have to be, to free them. NULL is
/// none.
///
/// # Safety
///
/// `app` is of saba_app_register, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saba_app_deregister(app: *mut SabaApp) {
    if !app.is_null() {
        drop(unsafe { Box::from_raw(app) });
    }
}
