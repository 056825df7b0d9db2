//! [`Smp`]: a directed-route subnet-management datagram, as it is on the wire.

use super::Attribute;

/// Bytes of every management datagram (IBTA 13.4.2).
pub const LENGTH: usize = 256;
/// Bytes of an attribute in it (IBTA 14.2.1.2).
pub const DATA: usize = 64;
/// The most links that it goes over (IBTA 14.2.1.2: the hop count).
pub const MOST_HOPS: usize = 63;

/// An attribute's bytes.
pub type Data = [u8; DATA];

/// The ports by which a datagram leaves one node after another, from our own on; empty for our own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Route(Vec<u8>);

impl Route {
    /// By these ports; none if there are more than [`MOST_HOPS`].
    pub fn new(ports: &[u8]) -> Option<Self> {
        (ports.len() <= MOST_HOPS).then(|| Route(ports.to_vec()))
    }

    /// The same, and on by one more port.
    pub fn by(&self, port: u8) -> Option<Self> {
        let ports: Vec<u8> = self.0.iter().copied().chain([port]).collect();
        Route::new(&ports)
    }

    /// The ports.
    pub fn ports(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Route {
    /// As `smpquery -D` takes it: `0,1,3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("0")?;
        self.0.iter().try_for_each(|port| write!(f, ",{port}"))
    }
}

/// What a datagram asks for, or that it answers (IBTA 14.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `SubnGet`: say what stands there.
    Get,
    /// `SubnSet`: write it.
    Set,
    /// `SubnGetResp`: the answer to both.
    Answer,
}

/// A directed-route datagram of subnet management (IBTA 14.2.1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smp {
    /// What it is for.
    pub method: Method,
    /// How it went, of an answer; 0 is well (IBTA 13.4.7). 15 bits.
    pub status: u16,
    /// By which an answer is known. A kernel keeps the upper half for itself, so only the lower counts.
    pub transaction: u64,
    /// Which attribute, by its number, as an answer may be about any.
    pub attribute: u16,
    /// Which part of it.
    pub modifier: u32,
    /// The management key; 0 where the fabric has none (IBTA 14.2.4).
    pub m_key: u64,
    /// How far along its way it is: 0 when it is sent.
    pub hop: u8,
    /// Its way there.
    pub route: Route,
    /// The attribute.
    pub data: Data,
}

/// Why bytes are no such datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAnSmp {
    /// It is shorter or longer.
    #[error("a management datagram has {LENGTH} bytes, not {0}")]
    Length(usize),
    /// A header of something else.
    #[error("no directed-route datagram of subnet management: {what} is {is:#x}")]
    Header {
        /// Which field.
        what: &'static str,
        /// What it holds.
        is: u64,
    },
}

/// The management class of directed routes (IBTA 13.4.4).
pub const DIRECTED_ROUTE: u8 = 0x81;
/// Part of the way by addresses: not here, so both ends are the permissive address (IBTA 14.2.1.2).
const PERMISSIVE_LID: u16 = 0xffff;
/// The direction: set on the way back.
const BACK: u16 = 0x8000;

impl Smp {
    /// As it is on the wire. The way back is filled in on the way.
    pub fn encode(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        let (method, back) = match self.method {
            Method::Get => (0x01, 0),
            Method::Set => (0x02, 0),
            Method::Answer => (0x81, BACK),
        };
        put(0, &[1, DIRECTED_ROUTE, 1, method]);
        put(4, &(back | self.status & !BACK).to_be_bytes());
        // A route has no more ports than fit.
        put(6, &[self.hop, self.route.0.len() as u8]);
        put(8, &self.transaction.to_be_bytes());
        put(16, &self.attribute.to_be_bytes());
        put(20, &self.modifier.to_be_bytes());
        put(24, &self.m_key.to_be_bytes());
        put(32, &PERMISSIVE_LID.to_be_bytes());
        put(34, &PERMISSIVE_LID.to_be_bytes());
        put(64, &self.data);
        // The first place is not used: ports are counted from 1.
        put(129, &self.route.0);
        bytes
    }

    /// What bytes from the wire say.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotAnSmp> {
        let bytes: &[u8; LENGTH] = bytes.try_into().map_err(|_| NotAnSmp::Length(bytes.len()))?;
        let number = |at: usize, length: usize| {
            bytes[at..at + length].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let fields = [
            ("the base version", 0, 1),
            ("the class", 1, DIRECTED_ROUTE.into()),
            ("the class's version", 2, 1),
        ];
        for (what, at, expected) in fields {
            if number(at, 1) != expected {
                return Err(NotAnSmp::Header { what, is: number(at, 1) });
            }
        }
        let wrong = |what, is| Err(NotAnSmp::Header { what, is });
        let status = number(4, 2) as u16;
        let (method, is_back) = match bytes[3] {
            0x01 => (Method::Get, false),
            0x02 => (Method::Set, false),
            0x81 => (Method::Answer, true),
            other => return wrong("the method", other.into()),
        };
        if (status & BACK != 0) != is_back {
            return wrong("the direction", (status >> 15).into());
        }
        let hops = usize::from(bytes[7]);
        let Some(route) = bytes.get(129..129 + hops).filter(|_| hops <= MOST_HOPS) else {
            return wrong("the hop count", hops as u64);
        };
        Ok(Smp {
            method,
            status: status & !BACK,
            transaction: number(8, 8),
            attribute: number(16, 2) as u16,
            modifier: number(20, 4) as u32,
            m_key: number(24, 8),
            hop: bytes[6],
            route: Route(route.to_vec()),
            data: std::array::from_fn(|at| bytes[64 + at]),
        })
    }
}

/// Something to ask a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The way there.
    pub route: Route,
    /// What about.
    pub attribute: Attribute,
    /// Which part of it.
    pub modifier: u32,
    /// What to write; none to read.
    pub set: Option<Data>,
}

impl Request {
    /// To read.
    pub fn get(route: &Route, attribute: Attribute, modifier: u32) -> Self {
        Request { route: route.clone(), attribute, modifier, set: None }
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = if self.set.is_some() { "setting" } else { "reading" };
        let (attribute, modifier, route) = (self.attribute, self.modifier, &self.route);
        write!(f, "{verb} {attribute:?} {modifier:#x} by way of {route}")
    }
}
