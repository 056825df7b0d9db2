#!/usr/bin/env python3
"""Counts bytes of TCP data to and from a port at eth0, by sender and DSCP.

    carried.py PORT SECONDS

Prints `watching` when it begins, and in the end a line for each: ADDRESS DSCP BYTES.
"""

import collections
import socket
import struct
import sys
import time


def main(port: str, seconds: str) -> None:
    # All protocols, so that departing packets are seen too.
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    wire.bind(("eth0", 0))
    print("watching", flush=True)
    sent, end = collections.Counter(), time.monotonic() + float(seconds)
    while (left := end - time.monotonic()) > 0:
        wire.settimeout(left)
        try:
            frame = wire.recv(200)
        except TimeoutError:
            break
        kind, packet = struct.unpack("!H", frame[12:14])[0], frame[14:]
        if kind != 0x800 or packet[9] != 6:
            continue
        tcp = packet[4 * (packet[0] & 15):]
        data = struct.unpack("!H", packet[2:4])[0] - 4 * (packet[0] & 15) - 4 * (tcp[12] >> 4)
        if data > 0 and int(port) in struct.unpack("!HH", tcp[:4]):
            sent[socket.inet_ntop(socket.AF_INET, packet[12:16]), packet[1] >> 2] += data
    for (source, dscp), count in sorted(sent.items()):
        print(source, dscp, count)


if __name__ == "__main__":
    main(*sys.argv[1:])
