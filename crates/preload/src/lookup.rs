//! The interposed `dlsym` and `dlvsym`: a program that looks up functions of libibverbs itself (NCCL, `bandwise`) gets
//! those of `verbs`.
//! The original functions identify their caller by the return address. So the interposed functions
//! are a few instructions that restore stack and arguments and jump to the original. They exist
//! only for x86-64. On other processors, queue pairs of such a program are not marked.

// The interposed C functions and their calls of the original ones are unsafe.
#![allow(unsafe_code)]

use crate::verbs::{self, LIBRARY};
use crate::{elf, process, real};
use libc::{c_char, c_void};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// An original function, which can't be looked up by itself.
struct Real {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

static DLSYM: Real = Real { name: c"dlsym", found: AtomicPtr::new(null_mut()) };
static DLVSYM: Real = Real { name: c"dlvsym", found: AtomicPtr::new(null_mut()) };

impl Real {
    /// Returns the original function, also before the program starts, as other libraries look up names when they are
    /// loaded. Allocates nothing.
    fn find(&self) -> *mut c_void {
        let found = self.found.load(Relaxed);
        if !found.is_null() {
            return found;
        }
        let mut found = elf::next(self.name);
        if found.is_null() {
            found = nothing as *const () as *mut c_void;
        }
        self.found.store(found, Relaxed);
        found
    }
}

/// The substitute for a missing function.
extern "C" fn nothing() -> *mut c_void {
    null_mut()
}

/// The outcome of a lookup: the result, or if that is null, the function to jump to.
#[repr(C)]
struct Answer {
    found: *mut c_void,
    on: *mut c_void,
}

/// Returns the interposed function of a name; null if there is none.
fn interposed(name: &CStr) -> *mut c_void {
    let ours = match name.to_bytes() {
        b"ibv_modify_qp" => verbs::ibv_modify_qp as *const (),
        b"ibv_destroy_qp" => verbs::ibv_destroy_qp as *const (),
        b"ibv_create_ah" => verbs::ibv_create_ah as *const (),
        b"ibv_destroy_ah" => verbs::ibv_destroy_ah as *const (),
        _ => return null_mut(),
    };
    ours as *mut c_void
}

/// Returns the interposed function for a lookup in one library. `look` is the original lookup.
/// Returns null unless `look` finds the function that the interposed one calls, rather than another
/// version or one of another library.
unsafe fn found(
    handle: *mut c_void,
    name: *const c_char,
    look: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    // A lookup among all libraries finds the interposed function anyway.
    if handle == libc::RTLD_NEXT || handle == libc::RTLD_DEFAULT || name.is_null() {
        return null_mut();
    }
    // SAFETY: the name is not null, and the caller passes a string that ends with zero.
    let name = unsafe { CStr::from_ptr(name) };
    let ours = interposed(name);
    if ours.is_null() || process::settings().is_none() {
        return null_mut();
    }
    let theirs = look();
    match !theirs.is_null() && theirs == real::look(name, Some(LIBRARY)) {
        true => ours,
        false => null_mut(),
    }
}

/// Calls the original `dlsym(3)`, not the interposed one.
///
/// # Safety
///
/// As for the original.
pub(crate) unsafe fn real_dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    type Function = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
    // SAFETY: `Function` is the type of `dlsym`, and the arguments are the caller's.
    unsafe { std::mem::transmute::<*mut c_void, Function>(DLSYM.find())(handle, name) }
}

unsafe extern "C" fn resolve_dlsym(handle: *mut c_void, name: *const c_char) -> Answer {
    // SAFETY: the arguments are those of the program's call of `dlsym`.
    let found = unsafe { found(handle, name, || real_dlsym(handle, name)) };
    Answer { found, on: DLSYM.find() }
}

unsafe extern "C" fn resolve_dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> Answer {
    let on = DLVSYM.find();
    let look = || {
        type Function =
            unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
        // SAFETY: `Function` is the type of `dlvsym`, and the arguments are the program's.
        unsafe { std::mem::transmute::<*mut c_void, Function>(on)(handle, name, version) }
    };
    // SAFETY: the arguments are those of the program's call of `dlvsym`.
    Answer { found: unsafe { found(handle, name, look) }, on }
}

/// Calls a resolver with the same arguments. Returns its result, or jumps to the original function with an unchanged
/// stack.
macro_rules! resolve_or_jump {
    ($resolver:path) => {
        std::arch::naked_asm!(
            "endbr64",
            "push rdi",
            "push rsi",
            // With the return address, the stack is aligned to 16 bytes (System V ABI for AMD64, 3.2.2).
            "push rdx",
            "call {resolver}",
            "mov r11, rdx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "test rax, rax",
            "jnz 2f",
            "jmp r11",
            "2:",
            "ret",
            resolver = sym $resolver,
        )
    };
}

/// `dlsym(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    resolve_or_jump!(resolve_dlsym)
}

/// `dlvsym(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> *mut c_void {
    resolve_or_jump!(resolve_dlvsym)
}
