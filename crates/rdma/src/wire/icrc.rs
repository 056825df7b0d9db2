//! The invariant CRC (ICRC, IBTA 7.8.1) of RoCEv2 packets (IBTA annex A17), over all bytes that no
//! hop changes.

/// Offsets, from the IPv4 header on, of bytes that a hop may change: type of service, time to live,
/// header checksum, UDP checksum, and the congestion bits of the base transport header, which share
/// a byte with reserved ones. All count as ones.
const VARIANT: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];

/// Returns the ICRC of a packet from its IPv4 header to its padding, in wire order.
pub(super) fn icrc(packet: &[u8]) -> [u8; 4] {
    let masked = |(at, &byte): (usize, &u8)| if VARIANT.contains(&at) { 0xff } else { byte };
    let (headers, rest) = packet.split_at(packet.len().min(VARIANT[VARIANT.len() - 1] + 1));
    // Eight bytes of ones represent InfiniBand's local route header.
    let mut crc = [0xff; 8].into_iter().fold(u32::MAX, step);
    crc = headers.iter().enumerate().map(masked).fold(crc, step);
    crc = rest.iter().copied().fold(crc, step);
    // The lowest bit is first, as in the check sequence of Ethernet.
    (!crc).to_le_bytes()
}

/// Adds a byte to a CRC-32 of Ethernet's polynomial (IEEE 802.3, clause 3.2.9), lowest bit first.
fn step(crc: u32, byte: u8) -> u32 {
    crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)]
}

/// CRC remainders of single bytes.
static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_matches_its_check_value() {
        // The CRC-32 of "123456789", which every catalogue of CRCs lists.
        let crc = b"123456789".iter().copied().fold(u32::MAX, step);
        assert_eq!(!crc, 0xcbf4_3926);
    }

    #[test]
    fn icrc_matches_a_scapy_packet() {
        // "An example UC packet" in the tests of Scapy (test/contrib/roce.uts): IPv4 and UDP with
        // their checksums, UC SEND Only, 18 bytes of payload and two of padding.
        let packet = [
            0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5, 0xc0, 0xa8,
            0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2,
            0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10, 0x46, 0x30,
            0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88,
            0x5e, 0x50, 0x00, 0x00,
        ];
        assert_eq!(icrc(&packet), [0x78, 0xf3, 0x53, 0xf3]);
    }
}
