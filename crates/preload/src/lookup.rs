//! What stands in for `dlsym` and `dlvsym`: a program that looks functions of libibverbs up itself (NCCL, `bandwise`) is
//! given those of `verbs`.
//!
//! In which libraries a name is looked for may depend on who asks, which the real functions see by where they return to.
//! So what stands in for them is a few instructions that leave stack and arguments as they were, and jump on. That is
//! the instructions of one kind of processor; on others such a program is not marked.

// Functions of C, and what they are called with.
#![allow(unsafe_code)]

use crate::verbs::{self, LIBRARY};
use crate::{elf, process, real};
use libc::{c_char, c_void};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The real function, which can't be looked up by itself.
struct Real {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

static DLSYM: Real = Real { name: c"dlsym", found: AtomicPtr::new(null_mut()) };
static DLVSYM: Real = Real { name: c"dlvsym", found: AtomicPtr::new(null_mut()) };

impl Real {
    /// Also before the program has begun: others look names up when they are loaded. Nothing is allocated.
    fn find(&self) -> *mut c_void {
        let found = self.found.load(Relaxed);
        if !found.is_null() {
            return found;
        }
        let mut found = elf::next(self.name, nothing as *const () as usize);
        if found.is_null() {
            found = nothing as *const () as *mut c_void;
        }
        self.found.store(found, Relaxed);
        found
    }
}

/// In place of a function that is nowhere.
extern "C" fn nothing() -> *mut c_void {
    null_mut()
}

/// What becomes of a call: it returns this, or, if that is null, goes on there.
#[repr(C)]
struct Answer {
    found: *mut c_void,
    on: *mut c_void,
}

/// The function that stands in for another; null if none does.
fn stand_in(name: &CStr) -> *mut c_void {
    let ours = match name.to_bytes() {
        b"ibv_modify_qp" => verbs::ibv_modify_qp as *const (),
        b"ibv_destroy_qp" => verbs::ibv_destroy_qp as *const (),
        b"ibv_create_ah" => verbs::ibv_create_ah as *const (),
        b"ibv_destroy_ah" => verbs::ibv_destroy_ah as *const (),
        _ => return null_mut(),
    };
    ours as *mut c_void
}

/// What a program that looks a name up in one library is given, if `look`, the real way, finds there what ours goes on to:
/// not of another version, nor of another library.
///
/// # Safety
///
/// The name is null or ends with zero.
unsafe fn found(
    handle: *mut c_void,
    name: *const c_char,
    look: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    // Among all libraries, ours is found.
    if handle == libc::RTLD_NEXT || handle == libc::RTLD_DEFAULT || name.is_null() {
        return null_mut();
    }
    // SAFETY: it is not null.
    let name = unsafe { CStr::from_ptr(name) };
    let ours = stand_in(name);
    if ours.is_null() || process::settings().is_none() {
        return null_mut();
    }
    let theirs = look();
    match !theirs.is_null() && theirs == real::look(name, Some(LIBRARY)) {
        true => ours,
        false => null_mut(),
    }
}

/// `dlsym(3)` without what stands in for it.
///
/// # Safety
///
/// As that.
pub(crate) unsafe fn real_dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    type Function = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
    // SAFETY: that is its type.
    unsafe { std::mem::transmute::<*mut c_void, Function>(DLSYM.find())(handle, name) }
}

unsafe extern "C" fn asked(handle: *mut c_void, name: *const c_char) -> Answer {
    // SAFETY: as the program has called us.
    let found = unsafe { found(handle, name, || real_dlsym(handle, name)) };
    Answer { found, on: DLSYM.find() }
}

unsafe extern "C" fn asked_for_a_version(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> Answer {
    let on = DLVSYM.find();
    let look = || {
        type Function =
            unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
        // SAFETY: that is its type.
        unsafe { std::mem::transmute::<*mut c_void, Function>(on)(handle, name, version) }
    };
    // SAFETY: as the program has called us.
    Answer { found: unsafe { found(handle, name, look) }, on }
}

/// Asks a function with the same arguments; returns what it found, or jumps where it says with all as it was.
macro_rules! ask {
    ($asked:path) => {
        std::arch::naked_asm!(
            "endbr64",
            "push rdi",
            "push rsi",
            // With the address that is returned to, that is a multiple of 16 (System V ABI for AMD64, 3.2.2).
            "push rdx",
            "call {asked}",
            "mov r11, rdx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "test rax, rax",
            "jnz 2f",
            "jmp r11",
            "2:",
            "ret",
            asked = sym $asked,
        )
    };
}

/// `dlsym(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    ask!(asked)
}

/// `dlvsym(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> *mut c_void {
    ask!(asked_for_a_version)
}
