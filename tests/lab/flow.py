#!/usr/bin/env python3
"""One end of a TCP flow with a mark.

    flow.py receive PORT               prints a line of time and bytes every 20 ms, until the sender stops
    flow.py send ADDRESS PORT DSCP SECONDS

Times are those of CLOCK_MONOTONIC, which all namespaces of a machine share.
"""

import socket
import sys
import time


def receive(port: int) -> None:
    with socket.create_server(("", port)) as server:
        print("listening", flush=True)
        connection, _ = server.accept()
    total, due = 0, 0.0
    while data := connection.recv(1 << 18):
        total += len(data)
        now = time.monotonic()
        if now >= due:
            print(f"{now:.4f} {total}", flush=True)
            due = now + 0.02


def send(address: str, port: int, dscp: int, seconds: float) -> None:
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
    connection.connect((address, port))
    end = time.monotonic() + seconds
    data = bytes(1 << 16)
    while time.monotonic() < end:
        connection.sendall(data)


if sys.argv[1] == "receive":
    receive(int(sys.argv[2]))
else:
    send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
