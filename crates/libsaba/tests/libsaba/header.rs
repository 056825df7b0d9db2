//! The header equals cbindgen's output.

use std::path::Path;

#[test]
fn the_header_matches_the_library() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let made = cbindgen::Builder::new().with_config(config).with_src(here.join("src/ffi.rs"));
    let mut header = Vec::new();
    made.generate().unwrap().write(&mut header);
    let (made, path) = (String::from_utf8(header).unwrap(), here.join("saba.h"));
    if std::env::var_os("SABA_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(there, made, "SABA_HEADER=1 cargo test -p bandwise-libsaba writes it");
}
