//! Datagrams as they are on the wire.

use bandwise_enforce::infiniband::{
    Attribute, Guid, Kind, LENGTH, Method, NodeInfo, NotAnSmp, Part, PortInfo, Route, Smp,
    SwitchInfo, Tables, description,
};
use proptest::prelude::*;

fn smps() -> impl Strategy<Value = Smp> {
    let method = prop_oneof![Just(Method::Get), Just(Method::Set), Just(Method::Answer)];
    let route = prop::collection::vec(any::<u8>(), 0..=63);
    let head = (method, 0u16..0x8000, any::<u64>(), any::<u16>(), any::<u32>());
    (head, any::<u64>(), any::<u8>(), route, prop::collection::vec(any::<u8>(), 64)).prop_map(
        |((method, status, transaction, attribute, modifier), m_key, hop, route, data)| Smp {
            method,
            status,
            transaction,
            attribute,
            modifier,
            m_key,
            hop,
            route: Route::new(&route).unwrap(),
            data: data.try_into().unwrap(),
        },
    )
}

/// A request for NodeInfo by way of port 1, as infiniband-diags 44 (`ibnetdiscover`) sends it: field by field
/// by IBTA 14.2.1.2.
#[test]
fn smp_encodes_as_ibnetdiscover_sends_it() {
    let smp = Smp {
        method: Method::Get,
        status: 0,
        transaction: 0x1122_3344_5566_7788,
        attribute: Attribute::NodeInfo.number(),
        modifier: 0x0001_0203,
        m_key: 9,
        hop: 0,
        route: Route::new(&[1, 7]).unwrap(),
        data: [5; 64],
    };
    let bytes = smp.encode();
    assert_eq!(bytes[..8], [1, 0x81, 1, 1, 0, 0, 0, 2]);
    assert_eq!(bytes[8..16], [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]);
    assert_eq!(bytes[16..24], [0, 0x11, 0, 0, 0, 1, 2, 3]);
    assert_eq!(bytes[24..36], [0, 0, 0, 0, 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(bytes[64..128], [5; 64]);
    assert_eq!(bytes[128..132], [0, 1, 7, 0]);
    assert_eq!(smp.route.to_string(), "0,1,7");
}

#[test]
fn invalid_smps_are_refused() {
    let good = Smp {
        method: Method::Get,
        status: 0,
        transaction: 1,
        attribute: 0x11,
        modifier: 0,
        m_key: 0,
        hop: 0,
        route: Route::default(),
        data: [0; 64],
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = good.encode();
        bytes[at] = byte;
        Smp::decode(&bytes)
    };
    assert_eq!(Smp::decode(&[1; 255]), Err(NotAnSmp::Length(255)));
    for (at, byte) in
        [(0, 2), (1, 0x01), (2, 2), (3, 0x05), (3, 0x81), (4, 0x80), (7, 64), (7, 255)]
    {
        assert!(with(at, byte).is_err(), "byte {at} = {byte:#x}");
    }
    assert!(Route::new(&[1; 64]).is_none() && Route::new(&[1; 63]).unwrap().by(1).is_none());
}

/// Attributes as `smpquery` showed them of a switch of ibsim, and the bits of each field set alone.
#[test]
fn attributes_decode_as_smpquery_shows_them() {
    let mut data = [0; 64];
    data[2] = 2;
    data[3] = 36;
    data[12..20].copy_from_slice(&0x0002_c903_0012_3456_u64.to_be_bytes());
    data[36] = 7;
    let guid = Guid(0x0002_c903_0012_3456);
    let info = NodeInfo::decode(&data);
    assert_eq!(info, NodeInfo { kind: Kind::Switch, ports: 36, guid, local_port: 7 });
    assert_eq!(guid.to_string(), "0x0002c90300123456");

    let mut data = [0; 64];
    data[16..18].copy_from_slice(&[0x12, 0x34]);
    (data[32], data[33], data[34], data[36]) = (0x24, 0x52, 0x03, 0x50);
    (data[39], data[40], data[43]) = (8, 64, 0x40);
    let info = PortInfo::decode(&data);
    let expected = PortInfo {
        lid: 0x1234,
        lmc: 3,
        is_linked: true,
        is_active: true,
        mtu: 4096,
        lanes: 8,
        low: 64,
        high: 8,
    };
    assert_eq!(info, expected);
    for (code, lanes) in [(0x10, 1), (0x20, 2), (0x30, 4), (0x50, 15), (0, 0), (0x60, 0)] {
        data[43] = code;
        assert_eq!(PortInfo::decode(&data).lanes, lanes);
    }
    data[33] = 0x22;
    assert!(!PortInfo::decode(&data).is_linked);

    let mut data = [0; 64];
    (data[6], data[7], data[16]) = (1, 2, 0x08);
    assert_eq!(
        SwitchInfo::decode(&data),
        SwitchInfo { linear_top: 258, has_enhanced_port_0: true }
    );
    let mut data = [0; 64];
    data[..8].copy_from_slice(b"node 1\0x");
    assert_eq!(description(&data), "node 1");
}

#[test]
fn tables_encode_and_decode_by_block() {
    let port = PortInfo { low: 33, high: 2, ..PortInfo::default() };
    let mut tables = Tables::empty([1, 2], &port);
    let parts = tables.parts();
    use Part::{High, Low, Mapping};
    assert_eq!(parts, [Low(0), Low(1), High(0), Mapping(1), Mapping(2)]);
    let mut data = [0; 64];
    (data[0], data[1], data[2]) = (0x13, 200, 0x0e);
    tables.decode(Low(1), &data);
    assert_eq!((tables.low[32].vl, tables.low[32].weight), (3, 200));
    // Entries beyond the table are zero.
    assert_eq!(tables.encode(Low(1))[..4], [3, 200, 0, 0]);
    data[0] = 0x1f;
    tables.decode(Mapping(2), &data);
    assert_eq!(tables.mappings[&2][..2], [1, 15]);
    assert_eq!(tables.encode(Mapping(2)), data);
    assert_eq!(Low(1).address(9), (Attribute::VlArbitrationTable, 0x2_0009));
    assert_eq!(High(0).address(9), (Attribute::VlArbitrationTable, 0x3_0009));
    assert_eq!(Mapping(2).address(9), (Attribute::SlToVlMappingTable, 0x209));
}

proptest! {
    #[test]
    fn smps_round_trip(smp in smps()) {
        prop_assert_eq!(Smp::decode(&smp.encode()), Ok(smp));
    }

    #[test]
    fn any_bytes_are_read_or_refused(head in prop::collection::vec(any::<u8>(), 0..=36), rest: u8) {
        let mut bytes = [rest; LENGTH];
        bytes[..head.len()].copy_from_slice(&head);
        if let Ok(smp) = Smp::decode(&bytes) {
            let again = Smp::decode(&smp.encode()).unwrap();
            prop_assert_eq!(again, smp);
        }
    }
}
