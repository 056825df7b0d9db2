//! Messages and the server of gRPC, from `proto/`. The compiler of `.proto` files is one in Rust, so that a build needs
//! nothing of the system.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    println!("cargo::rerun-if-changed=build.rs");
    let files = protox::compile(["bandwise/saba/v1/controller.proto"], ["proto"])?;
    tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        .codec_path("crate::grpc::codec::Read")
        .compile_fds(files.clone())?;
    // A client, which tests alone have. It uses the same messages.
    let tests = PathBuf::from(std::env::var("OUT_DIR")?).join("client");
    std::fs::create_dir_all(&tests)?;
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .extern_path(".bandwise.saba.v1", "::bandwise_controller::grpc::proto")
        .out_dir(tests)
        .compile_fds(files)?;
    Ok(())
}
