//! Limits the library's exported symbols to the interposed functions, without the C interface of the libsaba that it
//! contains.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
}
