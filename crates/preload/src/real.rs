//! [`Next`]: the lookup of original functions.

// Functions are looked up by name; the caller knows their type.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use crate::lookup::real_dlsym as dlsym;
use libc::c_void;
#[cfg(not(target_arch = "x86_64"))]
use libc::dlsym;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The lookup of an original function by name: the next one after ours, which may belong to another preloaded library.
/// The lookup takes the loader's lock, so it is done when the library is loaded: later calls can come from a signal
/// handler.
#[derive(Debug)]
pub(crate) struct Next {
    name: &'static CStr,
    /// A further library to search: one that was loaded only for a part of the program.
    library: Option<&'static CStr>,
    found: AtomicPtr<c_void>,
}

impl Next {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Next { name, library: None, found: AtomicPtr::new(null_mut()) }
    }

    /// Returns a function of a library that may be loaded later.
    pub(crate) const fn of(library: &'static CStr, name: &'static CStr) -> Self {
        Next { name, library: Some(library), found: AtomicPtr::new(null_mut()) }
    }

    /// Returns the function; null if there is none.
    pub(crate) fn find(&self) -> *mut c_void {
        let found = self.found.load(Relaxed);
        if !found.is_null() {
            return found;
        }
        let found = look(self.name, self.library);
        self.found.store(found, Relaxed);
        found
    }
}

/// Returns the next function of this name, or that of a loaded library; null if there is none.
pub(crate) fn look(name: &CStr, library: Option<&CStr>) -> *mut c_void {
    // SAFETY: names end with zero. A library that is loaded already stays loaded: it has called us,
    // or is about to be called.
    unsafe {
        let next = dlsym(libc::RTLD_NEXT, name.as_ptr());
        match library {
            Some(library) if next.is_null() => {
                let loaded = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                if loaded.is_null() {
                    return null_mut();
                }
                dlsym(loaded, name.as_ptr())
            }
            _ => next,
        }
    }
}

/// Calls the original function of a static [`Next`]. If the system lacks it, returns `$without` and sets `ENOSYS`.
macro_rules! next {
    ($next:ident, ($($argument:expr => $type:ty),*) -> $result:ty, $without:expr) => {{
        let found = $next.find();
        if found.is_null() {
            $crate::system::Errno::set(libc::ENOSYS);
            return $without;
        }
        type Function = unsafe extern "C" fn($($type),*) -> $result;
        // SAFETY: the function of this name has this type, and the arguments are those of the
        // program's call.
        unsafe { std::mem::transmute::<*mut libc::c_void, Function>(found)($($argument),*) }
    }};
}
pub(crate) use next;
