//! Invalid and oversized messages.

use crate::world::{World, register};
use bandwise_controller::core::Limits;
use bandwise_controller::daemon::Call;
use bandwise_controller::grpc::{LARGEST, proto};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

/// A codec that passes bytes through.
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = ();
    type Encoder = Bytes;
    type Decoder = Bytes;

    fn encoder(&mut self) -> Bytes {
        Bytes
    }

    fn decoder(&mut self) -> Bytes {
        Bytes
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, bytes: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put_slice(to, &bytes);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, bytes: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        prost::bytes::Buf::advance(bytes, prost::bytes::Buf::remaining(bytes));
        Ok(Some(()))
    }
}

async fn call(channel: Channel, name: &str, bytes: Vec<u8>) -> Result<(), Status> {
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.unwrap();
    let path = format!("/bandwise.saba.v1.Saba/{name}");
    let path = PathAndQuery::try_from(path).unwrap();
    grpc.unary(Request::new(bytes), path, Bytes).await.map(|_| ())
}

const CALLS: [&str; 7] = [
    "Hello",
    "KeepAlive",
    "Goodbye",
    "RegisterApplication",
    "DeregisterApplication",
    "CreateConnection",
    "DestroyConnection",
];

#[test]
fn invalid_message_is_refused_and_the_next_call_is_answered() {
    let world = World::start(Limits::default());
    let channel = world.channel();
    for name in CALLS {
        // A truncated field, an unterminated group, an unknown wire type.
        for bytes in [vec![0x0a, 0xff], vec![0x0b], vec![0x0f, 1], vec![0xff; 64]] {
            let status = world.runtime.block_on(call(channel.clone(), name, bytes)).unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{name}: {status}");
            assert!(status.message().contains("allowed: a message of"), "{status}");
        }
        let large = vec![0; LARGEST + 1];
        let status = world.runtime.block_on(call(channel.clone(), name, large)).unwrap_err();
        assert_eq!(status.code(), Code::OutOfRange, "{name}: {status}");
        assert!(status.message().contains("65536 bytes"), "{status}");
    }
    let status = world.runtime.block_on(call(channel.clone(), "Buy", vec![])).unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    // A name that is not UTF-8.
    let status = world.runtime.block_on(call(channel, "RegisterApplication", vec![0x12, 1, 0xff]));
    assert_eq!(status.unwrap_err().code(), Code::InvalidArgument);
    // Neither HTTP/1 nor HTTP/2.
    let mut stream = UnixStream::connect(world.folder.path().join("socket")).unwrap();
    stream.write_all(&[0; 100]).unwrap();
    // The connection is closed, with or without an error.
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{answer:?}");
    let mut client = world.client();
    let id = world.hello(&mut client);
    world.runtime.block_on(client.register_application(register(id, 0, "all"))).unwrap();
}

proptest! {
    /// Any bytes are a valid message, or are refused with an explanation.
    #[test]
    fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>) {
        use prost::Message;
        fn read<M: Message + Default + TryInto<Call, Error: std::fmt::Display>>(bytes: &[u8]) {
            if let Ok(message) = M::decode(bytes) {
                let call: Result<Call, _> = message.try_into();
                assert!(call.err().is_none_or(|error| error.to_string().contains("allowed")));
            }
        }
        read::<proto::HelloRequest>(&bytes);
        read::<proto::KeepAliveRequest>(&bytes);
        read::<proto::GoodbyeRequest>(&bytes);
        read::<proto::RegisterApplicationRequest>(&bytes);
        read::<proto::DeregisterApplicationRequest>(&bytes);
        read::<proto::CreateConnectionRequest>(&bytes);
        read::<proto::DestroyConnectionRequest>(&bytes);
    }
}
