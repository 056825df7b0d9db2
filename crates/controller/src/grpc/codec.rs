//! [`Read`]: a codec that reports unreadable messages as the sender's fault.

use prost::Message;
use std::marker::PhantomData;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::ProstEncoder;

/// A codec for requests `U` and responses `T`.
pub(super) struct Read<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Read<T, U> {
    fn default() -> Self {
        Read(PhantomData)
    }
}

impl<T, U> Codec for Read<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = Reader<U>;

    fn encoder(&mut self) -> ProstEncoder<T> {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Reader<U> {
        Reader(PhantomData)
    }
}

/// A decoder of messages `U`.
pub(super) struct Reader<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for Reader<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, bytes: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        let unreadable = |error: prost::DecodeError| {
            let allowed = "a message of bandwise/saba/v1/controller.proto";
            let error = format!("unreadable message: {error} (allowed: {allowed})");
            Status::invalid_argument(error)
        };
        U::decode(bytes).map(Some).map_err(unreadable)
    }
}
