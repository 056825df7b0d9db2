//! The lookup of a function in the symbol tables of loaded libraries (System V ABI, chapters 4 and 5). It finds the
//! original `dlsym`, which can't be looked up by `dlsym` while that is interposed.

// The tables of the loader are read in place.
#![allow(unsafe_code)]

use libc::{c_int, c_void};
use std::ffi::CStr;
use std::ptr::null_mut;

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
    strings: *const libc::c_char,
    hash: *const u32,
    /// Null if the library has no symbol versions.
    versions: *const u16,
}

impl Tables {
    /// Returns `None` if a table that a search needs is missing.
    ///
    /// # Safety
    ///
    /// `info` comes from the loader and is about a library that stays loaded.
    unsafe fn of(info: &libc::dl_phdr_info) -> Option<Tables> {
        let base = info.dlpi_addr as usize;
        // SAFETY: the loader provides `dlpi_phnum` headers.
        let headers =
            unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = (base + dynamic.p_vaddr as usize) as *const [usize; 2];
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
                let is = chain.add((number - first) as usize).read();
                let symbol = self.symbols.add(number as usize).read();
                if is | 1 == hash | 1
                    && symbol.st_shndx != 0
                    && (self.versions.is_null()
                        || self.versions.add(number as usize).read() & IS_OLD == 0)
                    && CStr::from_ptr(self.strings.add(symbol.st_name as usize)) == name
                {
                    return (self.base + symbol.st_value as usize) as *mut c_void;
                }
                if is & 1 == 1 {
                    return null_mut();
                }
                number += 1;
            }
        }
    }
}

/// A search: the name, the library to start after, and the result.
struct Search<'a> {
    name: &'a CStr,
    after: usize,
    is_after: bool,
    found: *mut c_void,
}

/// Returns the function of this name in the libraries that were loaded after the one with this address; null if there
/// is none.
pub(crate) fn next(name: &CStr, after: usize) -> *mut c_void {
    let mut search = Search { name, after, is_after: false, found: null_mut() };
    // SAFETY: `look` is called for each library before this call returns, with a pointer to
    // `search`, which lives as long.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// Searches one library. Libraries stay loaded, as they are linked with the program.
unsafe extern "C" fn look(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    search: *mut c_void,
) -> c_int {
    // SAFETY: `info` comes from the loader, and `search` from `next`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_>>()) };
    if search.is_after {
        // SAFETY: `info` comes from the loader, and libraries stay loaded.
        if let Some(tables) = unsafe { Tables::of(info) } {
            // SAFETY: `info` comes from the loader, and libraries stay loaded.
            search.found = unsafe { tables.find(search.name) };
        }
    } else {
        // SAFETY: the loader provides `dlpi_phnum` headers.
        let headers =
            unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        search.is_after =
            headers.iter().filter(|header| header.p_type == libc::PT_LOAD).any(|of| {
                let start = (info.dlpi_addr + of.p_vaddr) as usize;
                (start..start + of.p_memsz as usize).contains(&search.after)
            });
    }
    c_int::from(!search.found.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lookup finds what `dlsym` finds, for functions with one version and with several.
    #[test]
    fn lookup_equals_dlsym() {
        let here = lookup_equals_dlsym as *const () as usize;
        for name in [c"dlsym", c"dlvsym", c"pthread_cond_wait", c"getenv", c"glob", c"nftw"] {
            // SAFETY: a name that ends with zero.
            let theirs = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
            assert!(!theirs.is_null(), "{name:?}");
            assert_eq!(next(name, here), theirs, "{name:?}");
        }
        assert!(next(c"no_such_function", here).is_null());
        // No library follows the last one.
        assert!(next(c"dlsym", usize::MAX).is_null());
    }
}
