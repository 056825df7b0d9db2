"""Writes down each change of the ports of a lab, as the kernel reports it: the time, the process that asked for it, the port.

    witness.py LAB HOSTS    until it is killed

The kernel gives a process's first netlink socket in a namespace the number of the process.
"""

import ctypes
import os
import selectors
import socket
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TRAFFIC_CONTROL = 8  # RTMGRP_TC
# RTM_NEWQDISC to RTM_DELTFILTER, without reads.
WRITES = {36, 37, 40, 41, 44, 45}
HEADER = struct.Struct("IHHII")


def listening(namespace):
    """Returns a socket in a namespace, and the names of its devices."""
    with open(f"/run/netns/{namespace}") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), namespace)
    heard = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    heard.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)  # SO_RCVBUFFORCE
    heard.bind((0, TRAFFIC_CONTROL))
    return heard, dict(socket.if_nameindex())


def changes(datagram):
    """Yields the process and the device of each write in a datagram."""
    at = 0
    while at + HEADER.size <= len(datagram):
        length, kind, _, _, process = HEADER.unpack_from(datagram, at)
        if kind in WRITES:
            [device] = struct.unpack_from("i", datagram, at + HEADER.size + 4)
            yield process, device
        at += (length + 3) & ~3


def main(lab, hosts):
    os.nice(-10)
    selector = selectors.DefaultSelector()
    for node in ["switch", *(f"h{n}" for n in range(1, int(hosts) + 1))]:
        heard, devices = listening(f"bandwise-{lab}-{node}")
        selector.register(heard, selectors.EVENT_READ, (node, devices))
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            node, devices = key.data
            datagram, at = key.fileobj.recv(1 << 20), time.monotonic()
            for process, device in dict.fromkeys(changes(datagram)):
                port = f"switch to {devices[device]}" if node == "switch" else f"{node} to switch"
                print(f"{at:.6f} {process} {port}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
