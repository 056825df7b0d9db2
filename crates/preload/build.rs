//! What the library shows to programs is what stands in for functions of theirs, and nothing else: not what C calls of
//! libsaba, which is in it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
}
