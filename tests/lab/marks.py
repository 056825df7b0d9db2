#!/usr/bin/env python3
"""Checks the marks of packets of programs under `bandwise saba run`, as they arrive at h3's device.

    marks.py BANDWISE LAB SCRATCH LIBRARY

A server runs on h3 as PR, a client on h1 as LR, both in plain Python; a third on h2 as nobody.
"""

import atexit
import collections
import json
import subprocess
import sys
import time

SERVER = """
import socket
server = socket.create_server(("{address}", 7004), family=socket.{family}, dualstack_ipv6={dual})
print("listening", flush=True)
for _ in range(2):
    connection, _ = server.accept()
    connection.recv(100000, socket.MSG_WAITALL)
    connection.sendall(bytes(100000))
    connection.recv(1)
    connection.close()
"""
CLIENT = """
import socket
client = socket.socket(socket.{family})
client.connect(("{address}", 7004))
client.sendall(bytes(100000))
client.recv(100000, socket.MSG_WAITALL)
print("done", flush=True)
# The connection exists until a line is given.
input()
"""
# Packets of the port with their ends, TCP flags and TOS byte, until stopped.
WATCH = """
import json, os, select, socket, struct, sys
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
wire.bind(("eth0", 0))
print("watching", flush=True)
while True:
    ready, _, _ = select.select([wire, 0], [], [])
    if wire not in ready:
        break
    frame = wire.recv(1 << 16)
    kind, packet = struct.unpack("!H", frame[12:14])[0], frame[14:]
    if kind == 0x800 and packet[9] == 6:
        length = 4 * (packet[0] & 15)
        source, mark = socket.inet_ntop(socket.AF_INET, packet[12:16]), packet[1]
    elif kind == 0x86dd and packet[6] == 6:
        length = 40
        source = socket.inet_ntop(socket.AF_INET6, packet[8:24])
        mark = struct.unpack("!H", packet[:2])[0] >> 4 & 255
    else:
        continue
    print(json.dumps([source, mark, packet[length + 13]]), flush=True)
"""
CASES = [
    # The socket's family, the destination address, the listening address, and whether it is dual-stack.
    ("AF_INET", "10.0.0.3", "AF_INET", "0.0.0.0", False),
    ("AF_INET6", "fd00::3", "AF_INET6", "::", False),
    ("AF_INET6", "::ffff:10.0.0.3", "AF_INET6", "::", True),
]
SYN, ACK = 2, 16


def main(bandwise: str, lab: str, scratch: str, library: str) -> int:
    def on(host: str, *command: str, **more) -> subprocess.Popen:
        process = subprocess.Popen([bandwise, "lab", "exec", "--name", lab, host, "--", *command], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more)
        # After a failure, programs that go on would be counted by the next check.
        atexit.register(process.terminate)
        return process

    def under(host: str, app: str, *command: str) -> subprocess.Popen:
        return on(host, bandwise, "saba", "run", "--app", app, "--controller", f"unix:{scratch}/socket",
                  "--preload", library, "--", *command)

    def status() -> dict:
        output = subprocess.run([bandwise, "saba", "status", "--config", f"{scratch}/controller.toml", "--json"],
                              check=True, stdout=subprocess.PIPE)
        return json.loads(output.stdout)

    marks = {}
    for app in ("LR", "PR"):
        output = under("h1", app, "printenv", "SABA_MARK").communicate()[0].strip()
        marks[app] = int(dict(part.split("=") for part in output.split(","))["dscp"]) << 2
    assert len({*marks.values(), 0}) == 3, marks

    for family, address, listens, at, dual in CASES:
        watch = on("h3", "python3", "-c", WATCH)
        assert watch.stdout.readline() == "watching\n"
        server = under("h3", "PR", "python3", "-c", SERVER.format(address=at, family=listens, dual=dual))
        assert server.stdout.readline() == "listening\n"
        client = under("h1", "LR", "python3", "-c", CLIENT.format(family=family, address=address))
        assert client.stdout.readline() == "done\n"
        # The state while the connection exists: both ends have it.
        for _ in range(100):
            there = {app["name"]: app["connections"] for app in status()["applications"] if app["connections"]}
            if there == {"LR": 1, "PR": 1}:
                break
            time.sleep(0.1)
        assert there == {"LR": 1, "PR": 1}, there
        client.communicate("\n")
        other = on("h2", "python3", "-c", CLIENT.format(family=family, address=address))
        assert other.stdout.readline() == "done\n"
        other.communicate("\n")
        server.communicate()
        seen = collections.Counter(tuple(json.loads(line)) for line in watch.communicate("\n")[0].splitlines())
        # Number of packets of each end by mark. The kernel responds to a SYN before there is a socket.
        counted = collections.defaultdict(collections.Counter)
        for (source, mark, flags), count in seen.items():
            kind = "SYN" if flags & (SYN | ACK) == SYN else "answer" if flags & SYN else "data"
            counted[source, kind][mark] += count
        v6 = ":" in address and "." not in address
        ends = {f"fd00::{i}" if v6 else f"10.0.0.{i}": i for i in (1, 2, 3)}
        counted = {(ends[source], kind): dict(counts) for (source, kind), counts in counted.items() if source in ends}
        print(f"  {address}: " + "; ".join(
            f"h{host} {kind} {', '.join(f'{count} with {mark}' for mark, count in sorted(counts.items()))}"
            for (host, kind), counts in sorted(counted.items())))
        # Congestion bits are ignored, since an acknowledgement may have some.
        all_of = lambda key: {mark & ~3 for mark in counted[key]}
        assert all_of((1, "SYN")) == {marks["LR"]} and all_of((1, "data")) == {marks["LR"]}, counted
        assert all_of((2, "SYN")) == {0} and all_of((2, "data")) == {0}, counted
        # The kernel may acknowledge before the program has accepted. The program's data is marked: to two clients
        # 100,000 bytes each, in packets of 1,448 or less.
        assert all_of((3, "data")) <= {0, marks["PR"]}, counted
        assert sum(n for mark, n in counted[3, "data"].items() if mark & ~3 == marks["PR"]) >= 2 * 100_000 // 1448, counted
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
