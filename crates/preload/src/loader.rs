//! The functions that the loader calls before the program starts and when it ends.

// The loader finds the functions by the names of sections.
#![allow(unsafe_code)]

use crate::{descriptors, namespaces, process, sockets};

#[used]
#[unsafe(link_section = ".init_array")]
static LOAD: extern "C" fn() = load;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = process::end;

extern "C" fn load() {
    sockets::look_up();
    descriptors::look_up();
    namespaces::look_up();
    process::load();
}
