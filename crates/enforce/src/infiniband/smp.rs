//! [`Smp`]: a directed-route subnet management packet (SMP), in the format of the wire.

use super::Attribute;

/// The length of a management datagram in bytes (IBTA 13.4.2).
pub const LENGTH: usize = 256;
/// The length of its attribute in bytes (IBTA 14.2.1.2).
pub const DATA: usize = 64;
/// The largest hop count (IBTA 14.2.1.2).
pub const MOST_HOPS: usize = 63;

/// The bytes of an attribute.
pub type Data = [u8; DATA];

/// A directed route: the output ports from this host's node on; empty for this node itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Route(Vec<u8>);

impl Route {
    /// Returns a route; `None` if it has more than [`MOST_HOPS`] ports.
    pub fn new(ports: &[u8]) -> Option<Self> {
        (ports.len() <= MOST_HOPS).then(|| Route(ports.to_vec()))
    }

    /// Returns the route extended by a port; `None` if it becomes too long.
    pub fn by(&self, port: u8) -> Option<Self> {
        let ports: Vec<u8> = self.0.iter().copied().chain([port]).collect();
        Route::new(&ports)
    }

    /// Returns the output ports.
    pub fn ports(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Route {
    /// Writes the route as `smpquery -D` takes it: `0,1,3`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("0")?;
        self.0.iter().try_for_each(|port| write!(f, ",{port}"))
    }
}

/// The method of an SMP (IBTA 14.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `SubnGet`: read an attribute.
    Get,
    /// `SubnSet`: write an attribute.
    Set,
    /// `SubnGetResp`: the answer to both.
    Answer,
}

/// A directed-route SMP (IBTA 14.2.1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smp {
    /// The method.
    pub method: Method,
    /// The status of an answer, 15 bits; 0 is success (IBTA 13.4.7).
    pub status: u16,
    /// The number that an answer repeats. The kernel reserves the upper half, so only the lower half counts.
    pub transaction: u64,
    /// The number of the attribute; an answer may carry any.
    pub attribute: u16,
    /// The part of the attribute.
    pub modifier: u32,
    /// The management key; 0 if the fabric has none (IBTA 14.2.4).
    pub m_key: u64,
    /// The number of links already passed; 0 when the SMP is sent.
    pub hop: u8,
    /// The route.
    pub route: Route,
    /// The attribute.
    pub data: Data,
}

/// The reason for which bytes are not a directed-route SMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAnSmp {
    /// The length is wrong.
    #[error("a management datagram has {LENGTH} bytes, not {0}")]
    Length(usize),
    /// A header field has another value.
    #[error("not a directed-route SMP: {what} is {is:#x}")]
    Header {
        /// The field.
        what: &'static str,
        /// Its value.
        is: u64,
    },
}

/// The management class of directed routes (IBTA 13.4.4).
pub const DIRECTED_ROUTE: u8 = 0x81;
/// The route has no part by addresses, so both ends are the permissive address (IBTA 14.2.1.2).
const PERMISSIVE_LID: u16 = 0xffff;
/// The direction bit, set in answers.
const BACK: u16 = 0x8000;

impl Smp {
    /// Returns the bytes of the SMP. Nodes fill in the return path.
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
        // The constructor of routes limits their length.
        put(6, &[self.hop, self.route.0.len() as u8]);
        put(8, &self.transaction.to_be_bytes());
        put(16, &self.attribute.to_be_bytes());
        put(20, &self.modifier.to_be_bytes());
        put(24, &self.m_key.to_be_bytes());
        put(32, &PERMISSIVE_LID.to_be_bytes());
        put(34, &PERMISSIVE_LID.to_be_bytes());
        put(64, &self.data);
        // The first byte is unused: ports are counted from 1.
        put(129, &self.route.0);
        bytes
    }

    /// Reads an SMP.
    ///
    /// # Errors
    ///
    /// Returns [`NotAnSmp`] if the bytes are not a directed-route SMP.
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

/// A request to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The route to the node.
    pub route: Route,
    /// The attribute.
    pub attribute: Attribute,
    /// The part of the attribute.
    pub modifier: u32,
    /// The value to write; `None` to read.
    pub set: Option<Data>,
}

impl Request {
    /// Returns a request that reads an attribute.
    pub fn get(route: &Route, attribute: Attribute, modifier: u32) -> Self {
        Request { route: route.clone(), attribute, modifier, set: None }
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = if self.set.is_some() { "setting" } else { "reading" };
        let (attribute, modifier, route) = (self.attribute, self.modifier, &self.route);
        write!(f, "{verb} {attribute:?} {modifier:#x} on route {route}")
    }
}
