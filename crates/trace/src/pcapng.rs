//! Blocks of the packet capture format pcapng (IETF draft-ietf-opsawg-pcapng).
//!
//! Time stamps are in picoseconds, as simulated time is. Existing crates that write this format
//! have time stamps in nanoseconds.

use bandwise_netsim::ethernet::Direction;
use bandwise_units::{BitRate, Time};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

/// The byte-order magic of a section.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// The link type of Ethernet frames.
const LINK_TYPE: u16 = 1;
/// The time stamp resolution: units of 10^-12 s.
const PICOSECONDS: u8 = 12;

// Option codes.
const END: u16 = 0;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_SPEED: u16 = 8;
const INTERFACE_RESOLUTION: u16 = 9;
const PACKET_FLAGS: u16 = 2;

/// Appends the section header with which a file begins. `application` names the writing program.
pub fn section(application: &str, out: &mut Vec<u8>) {
    block(SECTION, out, |body| {
        body.extend(BYTE_ORDER.to_le_bytes());
        // Version 1.0; a section length of -1 is "not specified".
        body.extend(1u16.to_le_bytes());
        body.extend(0u16.to_le_bytes());
        body.extend(u64::MAX.to_le_bytes());
        option(SECTION_APPLICATION, application.as_bytes(), body);
        option(END, &[], body);
    });
}

/// Appends an interface description for a port of that name and rate.
///
/// Interfaces are numbered from 0 in the order in which they are written. `snap` is the number of
/// bytes kept of each packet, 0 for all.
pub fn interface(name: &str, rate: BitRate, snap: u32, out: &mut Vec<u8>) {
    block(INTERFACE, out, |body| {
        body.extend(LINK_TYPE.to_le_bytes());
        body.extend([0; 2]);
        body.extend(snap.to_le_bytes());
        option(INTERFACE_NAME, name.as_bytes(), body);
        option(INTERFACE_SPEED, &rate.as_bps().to_le_bytes(), body);
        option(INTERFACE_RESOLUTION, &[PICOSECONDS], body);
        option(END, &[], body);
    });
}

/// Appends a packet: a frame that passed an interface at a time.
///
/// At most `snap` bytes of the frame are kept, or all if `snap` is 0.
pub fn packet(
    interface: u32,
    at: Time,
    direction: Direction,
    frame: &[u8],
    snap: u32,
    out: &mut Vec<u8>,
) {
    let kept = if snap == 0 { frame } else { &frame[..frame.len().min(snap as usize)] };
    let direction: u32 = match direction {
        Direction::In => 1,
        Direction::Out => 2,
    };
    block(PACKET, out, |body| {
        body.extend(interface.to_le_bytes());
        let at = at.as_ps();
        for half in [(at >> 32) as u32, at as u32, kept.len() as u32, frame.len() as u32] {
            body.extend(half.to_le_bytes());
        }
        body.extend(kept);
        pad(body);
        option(PACKET_FLAGS, &direction.to_le_bytes(), body);
        option(END, &[], body);
    });
}

/// Appends a block: its type and length, the body that `fill` writes, the length again.
fn block(kind: u32, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    fill(out);
    let length = ((out.len() + 4 - begin) as u32).to_le_bytes();
    out.extend(length);
    out[begin + 4..begin + 8].copy_from_slice(&length);
}

fn option(code: u16, value: &[u8], body: &mut Vec<u8>) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

/// Pads to a multiple of four bytes.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_bytes_of_the_draft() {
        let mut out = Vec::new();
        section("abcde", &mut out);
        let begin = "0a0d0d0a 2c000000 4d3c2b1a 0100 0000 ffffffffffffffff \
                     0400 0500 6162636465 000000 0000 0000 2c000000";
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(&out), begin.replace(' ', ""));
        out.clear();
        interface("h:1", BitRate::from_bps(256), 64, &mut out);
        let port = "01000000 34000000 0100 0000 40000000 0200 0300 683a31 00 \
                    0800 0800 0001000000000000 0900 0100 0c 000000 0000 0000 34000000";
        assert_eq!(hex(&out), port.replace(' ', ""));
        out.clear();
        let at = Time::from_ps(1 << 32 | 2);
        packet(1, at, Direction::Out, &[1, 2, 3, 4, 5, 6], 5, &mut out);
        let frame = "06000000 34000000 01000000 01000000 02000000 05000000 06000000 \
                     0102030405 000000 0200 0400 02000000 0000 0000 34000000";
        assert_eq!(hex(&out), frame.replace(' ', ""));
    }
}
