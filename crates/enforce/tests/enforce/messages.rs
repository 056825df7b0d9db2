//! Netlink messages by an independent library (netlink-packet-route), for the model of the kernel. The library does
//! not support HTB, whose options are encoded here from `linux/pkt_sched.h`.

use netlink_packet_core::{
    DefaultNla, DoneMessage, Emitable, ErrorMessage, NLM_F_ACK_TLVS, NLM_F_CAPPED, NLM_F_MULTIPART,
    NetlinkHeader, NetlinkMessage, NetlinkPayload, NlasIterator, Parseable,
};
use netlink_packet_route::RouteNetlinkMessage as Route;
use netlink_packet_route::tc::{
    TcAttribute, TcFilterU32Option, TcHandle, TcHeader, TcMessage, TcOption, TcU32Key,
    TcU32Selector, TcU32SelectorFlags,
};
use std::num::NonZeroI32;

/// The options of a class, but for how long a class may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Htb {
    /// Bytes a second.
    pub rate: u64,
    pub ceil: u64,
    /// Ticks.
    pub burst: u32,
    pub cburst: u32,
    pub quantum: u32,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let attribute = DefaultNla::new(kind, value.to_vec());
    let mut bytes = vec![0; attribute.buffer_len()];
    attribute.emit(&mut bytes);
    bytes
}

/// Returns an attribute, by number, from options that the library does not know.
pub(crate) fn nested(message: &TcMessage, number: u16) -> Option<Vec<u8>> {
    let options = message.attributes.iter().find_map(|attribute| match attribute {
        TcAttribute::Options(options) => options.first(),
        _ => None,
    });
    let Some(TcOption::Other(other)) = options else { panic!("{message:?}") };
    let mut bytes = vec![0; other.buffer_len()];
    other.emit(&mut bytes);
    let mut all = NlasIterator::new(&bytes[4..]).map(|one| one.unwrap());
    all.find(|one| one.kind() == number).map(|one| one.value().to_vec())
}

pub(crate) fn kind(message: &TcMessage) -> Option<&str> {
    message.attributes.iter().find_map(|attribute| match attribute {
        TcAttribute::Kind(kind) => Some(&**kind),
        _ => None,
    })
}

/// The default class of a root that is to be made.
pub(crate) fn default_class(message: &TcMessage) -> u32 {
    let glob = nested(message, 2).unwrap();
    assert_eq!((glob.len(), word(&glob, 0)), (20, 3));
    word(&glob, 8)
}

impl Htb {
    pub(crate) fn of(message: &TcMessage) -> Self {
        let opt = nested(message, 1).unwrap();
        assert_eq!((opt.len(), opt[1], opt[13], word(&opt, 40)), (44, 1, 1, 0));
        let rate = |long, at| match nested(message, long) {
            Some(long) => {
                assert_eq!(word(&opt, at), u32::MAX);
                u64::from_ne_bytes(long.try_into().unwrap())
            }
            None => word(&opt, at).into(),
        };
        let (rate, ceil) = (rate(6, 8), rate(7, 20));
        let (burst, cburst, quantum) = (word(&opt, 24), word(&opt, 28), word(&opt, 32));
        Htb { rate, ceil, burst, cburst, quantum }
    }

    /// Returns the options as the kernel reports them. Inner classes have a level.
    pub(crate) fn options(&self, level: u32) -> Vec<u8> {
        let mut opt = vec![0; 44];
        let mut put = |at: usize, word: u32| opt[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        let short = |rate: u64| u32::try_from(rate).unwrap_or(u32::MAX);
        put(8, short(self.rate));
        put(20, short(self.ceil));
        [self.burst, self.cburst, self.quantum, level]
            .into_iter()
            .zip([24, 28, 32, 36])
            .for_each(|(w, at)| put(at, w));
        let mut options = attribute(1, &opt);
        for (number, rate) in [(6, self.rate), (7, self.ceil)] {
            if rate > u32::MAX.into() {
                options.extend(attribute(number, &rate.to_ne_bytes()));
            }
        }
        options
    }
}

/// Returns a filter's mask and value of the first word, and its class.
pub(crate) fn selector(message: &TcMessage) -> (u32, u32, u32) {
    let options = message.attributes.iter().find_map(|attribute| match attribute {
        TcAttribute::Options(options) => Some(options),
        _ => None,
    });
    let [TcOption::U32(first), TcOption::U32(second)] = &options.unwrap()[..] else { panic!() };
    let (TcFilterU32Option::ClassId(class), TcFilterU32Option::Selector(of)) = (first, second)
    else {
        panic!("{first:?} {second:?}")
    };
    assert_eq!((of.flags, of.nkeys, of.off, of.hmask), (TcU32SelectorFlags::Terminal, 1, 0, 0));
    let key = &of.keys[0];
    assert_eq!((key.off, key.offmask), (0, 0));
    (key.mask, key.val, (*class).into())
}

/// The options of a filter.
pub(crate) fn filter_options((mask, val, class): (u32, u32, u32)) -> Vec<TcOption> {
    let mut key = TcU32Key::default();
    (key.mask, key.val) = (mask, val);
    let mut selector = TcU32Selector::default();
    (selector.flags, selector.nkeys, selector.keys) = (TcU32SelectorFlags::Terminal, 1, vec![key]);
    // The kernel tells more, in its own order.
    let all = [
        TcFilterU32Option::Selector(selector),
        TcFilterU32Option::Hash(0x8000_0000),
        TcFilterU32Option::ClassId(class.into()),
    ];
    all.map(TcOption::U32).to_vec()
}

/// Options that the library does not know: it reads them as one, and writes each of them.
pub(crate) fn other_options(options: Vec<u8>) -> Vec<TcOption> {
    let parsed = |one: Result<_, _>| TcOption::Other(DefaultNla::parse(&one.unwrap()).unwrap());
    NlasIterator::new(&options[..]).map(parsed).collect()
}

/// Returns the kernel's description of an object.
pub(crate) fn object(
    (handle, parent, info): (u32, u32, u32),
    kind: &str,
    options: Vec<TcOption>,
) -> TcMessage {
    let mut header = TcHeader::default();
    (header.index, header.info) = (crate::kernel::DEVICE as i32, info);
    (header.handle, header.parent) = (TcHandle::from(handle), TcHandle::from(parent));
    let mut attributes = vec![TcAttribute::Kind(kind.into())];
    if !options.is_empty() {
        attributes.push(TcAttribute::Options(options));
    }
    TcMessage::from_parts(header, attributes)
}

pub(crate) fn read(datagram: &[u8]) -> (NetlinkHeader, Route) {
    let (header, payload) = NetlinkMessage::<Route>::deserialize(datagram).unwrap().into_parts();
    let NetlinkPayload::InnerMessage(message) = payload else { panic!("{payload:?}") };
    assert_eq!(header.length as usize, datagram.len());
    (header, message)
}

fn bytes(number: u32, flags: u16, payload: NetlinkPayload<Route>) -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    (header.sequence_number, header.flags) = (number, flags);
    let mut message = NetlinkMessage::new(header, payload);
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

pub(crate) fn part(number: u32, message: Route) -> Vec<u8> {
    bytes(number, NLM_F_MULTIPART, NetlinkPayload::InnerMessage(message))
}

pub(crate) fn done(number: u32) -> Vec<u8> {
    bytes(number, NLM_F_MULTIPART, NetlinkPayload::Done(DoneMessage::default()))
}

/// An acknowledgement, or a refusal with a number and words.
pub(crate) fn acknowledged(number: u32, refusal: Option<(i32, &str)>) -> Vec<u8> {
    let mut message = ErrorMessage::default();
    message.header = vec![0; 16];
    if let Some((code, words)) = refusal {
        message.code = NonZeroI32::new(-code);
        if !words.is_empty() {
            message.header.extend(attribute(1, &[words.as_bytes(), b"\0"].concat()));
        }
    }
    bytes(number, NLM_F_CAPPED | NLM_F_ACK_TLVS, NetlinkPayload::Error(message))
}
