//! The lookup of a function in the symbol tables of loaded libraries (System V ABI, chapters 4 and 5). It finds the
//! original `dlsym`, which can't be looked up by `dlsym` while that is interposed.
//!
//! It calls no function of the C library, as the program may define each of them itself, and may call `dlsym` there.

// The tables of the loader are read in place.
#![allow(unsafe_code)]

use libc::{c_char, c_int, c_void};
use std::ffi::CStr;
use std::ptr::null_mut;

/// `link_map`, the loader's entry of a library (link.h).
#[repr(C)]
struct Loaded {
    base: usize,
    name: *const c_char,
    dynamic: *const [usize; 2],
    next: *const Loaded,
}

/// `r_debug`, which the loader keeps for debuggers (link.h).
#[repr(C)]
struct Loader {
    version: c_int,
    first: *const Loaded,
}

unsafe extern "C" {
    #[link_name = "_r_debug"]
    static LOADER: Loader;
    /// The dynamic section of the library that contains this code.
    #[link_name = "_DYNAMIC"]
    static DYNAMIC: [usize; 2];
}

/// Tags of the dynamic section, and the bit of a version that marks it as hidden by a newer one (gABI, GNU).
const SYMBOLS: usize = 6;
const STRINGS: usize = 5;
const GNU_HASH: usize = 0x6fff_fef5;
const VERSIONS: usize = 0x6fff_fff0;
const IS_OLD: u16 = 0x8000;

/// The addresses of a library's tables.
#[derive(Debug, Clone, Copy)]
struct Tables {
    base: usize,
    symbols: *const libc::Elf64_Sym,
    strings: *const c_char,
    hash: *const u32,
    /// Null if the library has no symbol versions.
    versions: *const u16,
}

impl Tables {
    /// Returns `None` if a table that a search needs is missing.
    ///
    /// # Safety
    ///
    /// `library` comes from the loader and stays loaded.
    unsafe fn of(library: &Loaded) -> Option<Tables> {
        let (base, mut entry) = (library.base, library.dynamic);
        let mut tables = [0; 4];
        loop {
            // SAFETY: the dynamic section ends with an entry of tag 0, at which the loop ends.
            let [tag, value] = unsafe { entry.read() };
            match tag {
                0 => break,
                SYMBOLS => tables[0] = value,
                STRINGS => tables[1] = value,
                GNU_HASH => tables[2] = value,
                VERSIONS => tables[3] = value,
                _ => {}
            }
            // SAFETY: this entry was not the last one.
            entry = unsafe { entry.add(1) };
        }
        // The loader has replaced file offsets by addresses, except in the kernel's own library
        // (vDSO), which has none of the wanted functions.
        tables[..3].iter().all(|table| *table >= base && *table != 0).then(|| Tables {
            base,
            symbols: tables[0] as _,
            strings: tables[1] as _,
            hash: tables[2] as _,
            versions: tables[3] as _,
        })
    }

    /// Returns the library's default version of a function; null if there is none.
    ///
    /// # Safety
    ///
    /// As [`of`](Self::of).
    unsafe fn find(self, name: &CStr) -> *mut c_void {
        let hash = name
            .to_bytes()
            .iter()
            .fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        // SAFETY: the table of hashes consists of the number of buckets, the number of the first
        // symbol in a bucket, the number of 64-bit words of the Bloom filter, a shift, these words,
        // the buckets, and a hash for each symbol. The lowest bit of a hash marks the last symbol
        // of its bucket, at which the loop ends.
        unsafe {
            let (buckets, first, words) =
                (self.hash.read(), self.hash.add(1).read(), self.hash.add(2).read());
            if buckets == 0 {
                return null_mut();
            }
            let bucket = self.hash.add(4 + 2 * words as usize);
            let chain = bucket.add(buckets as usize);
            let mut number = bucket.add((hash % buckets) as usize).read();
            if number < first {
                return null_mut();
            }
            loop {
                let there = chain.add((number - first) as usize).read();
                let symbol = self.symbols.add(number as usize).read();
                if there | 1 == hash | 1
                    && symbol.st_shndx != 0
                    && (self.versions.is_null()
                        || self.versions.add(number as usize).read() & IS_OLD == 0)
                    && is(self.strings.add(symbol.st_name as usize), name)
                {
                    return (self.base + symbol.st_value as usize) as *mut c_void;
                }
                if there & 1 == 1 {
                    return null_mut();
                }
                number += 1;
            }
        }
    }
}

/// Returns whether a string is this name, without a call of the C library's functions on strings.
///
/// # Safety
///
/// `there` points to a string that ends with zero.
unsafe fn is(there: *const c_char, name: &CStr) -> bool {
    // SAFETY: a difference at the end of the shorter string ends the comparison.
    name.to_bytes_with_nul()
        .iter()
        .enumerate()
        .all(|(i, byte)| unsafe { there.add(i).cast::<u8>().read_volatile() } == *byte)
}

/// Iterates over the libraries that were loaded after the one with this code.
fn later() -> impl Iterator<Item = &'static Loaded> {
    let here = &raw const DYNAMIC;
    // SAFETY: the loader has filled in its list before it runs any code, and ends it with a null pointer. The
    // libraries that a program is linked with, for which this is called, stay loaded.
    let mut next = unsafe { LOADER.first.as_ref() };
    let all = std::iter::from_fn(move || {
        let library = next?;
        // SAFETY: as above.
        next = unsafe { library.next.as_ref() };
        Some(library)
    });
    all.skip_while(move |library| library.dynamic != here).skip(1)
}

/// Returns the function of this name in the libraries that were loaded after this one; null if there is none.
pub(crate) fn next(name: &CStr) -> *mut c_void {
    later()
        // SAFETY: the libraries come from the loader, and stay loaded.
        .filter_map(|library| unsafe { Tables::of(library).map(|tables| tables.find(name)) })
        .find(|found| !found.is_null())
        .unwrap_or(null_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lookup finds what `dlsym` finds, for functions with one version and with several.
    #[test]
    fn lookup_equals_dlsym() {
        for name in [c"dlsym", c"dlvsym", c"pthread_cond_wait", c"getenv", c"glob", c"nftw"] {
            // SAFETY: a name that ends with zero.
            let theirs = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
            assert!(!theirs.is_null(), "{name:?}");
            assert_eq!(next(name), theirs, "{name:?}");
        }
        assert!(next(c"no_such_function").is_null());
    }
}
