#!/usr/bin/env python3
"""Counts RoCE packets at eth0 by their marks, in both directions.

    wire.py FILE

A datagram to port 4790 that comes by says which step begins; `end` ends it. FILE then has a line for each kind of packet:
the step, the sender's address, how many, the byte of IP's header that has DSCP and ECN, the transport (RC, UC, UD), and
`cm` if it is one of the connection manager's, which go to queue pair 1.
"""

import collections
import socket
import struct
import sys

ROCE, STEPS = 4791, 4790
# The first three bits of an opcode (IBTA 9.2.1).
TRANSPORTS = {0: "RC", 1: "UC", 3: "UD"}


def datagram(frame: bytes):
    """Returns sender, TOS byte, destination port and payload of a packet, if it is UDP."""
    (kind,), packet = struct.unpack("!H", frame[12:14]), frame[14:]
    if kind == 0x800 and packet[9] == 17:
        source, mark, udp = socket.inet_ntop(socket.AF_INET, packet[12:16]), packet[1], packet[4 * (packet[0] & 15):]
    elif kind == 0x86DD and packet[6] == 17:
        source = socket.inet_ntop(socket.AF_INET6, packet[8:24])
        mark, udp = struct.unpack("!H", packet[:2])[0] >> 4 & 255, packet[40:]
    else:
        return None
    length = struct.unpack("!H", udp[4:6])[0]
    return source, mark, struct.unpack("!H", udp[2:4])[0], udp[8:length]


def main(file: str) -> None:
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    # Linux's SO_RCVBUFFORCE, which Python does not define.
    wire.setsockopt(socket.SOL_SOCKET, 33, 1 << 25)
    wire.bind(("eth0", 0))
    print("watching", flush=True)
    step, seen = "before", collections.Counter()
    while step != "end":
        # Headers suffice.
        found = datagram(wire.recv(128))
        if not found:
            continue
        source, mark, port, inside = found
        if port == STEPS:
            step = inside.decode().strip()
        elif port == ROCE:
            # BTH: the opcode is its first byte, the destination queue pair its sixth to eighth (IBTA 9.2).
            to = int.from_bytes(inside[5:8], "big")
            seen[step, source, mark, TRANSPORTS.get(inside[0] >> 5, "other"), "cm" if to == 1 else "data"] += 1
    with open(file, "w") as out:
        for (step, source, mark, transport, kind), count in sorted(seen.items()):
            print(step, source, count, mark, transport, kind, file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
