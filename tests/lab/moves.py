#!/usr/bin/env python3
"""A program that moves data from one host of a lab to another, and computes.

    moves.py BANDWISE LAB BYTES SECONDS

Sends so many bytes from h1 to h2 by TCP and waits until all have arrived; computes for so long, of processor
time. How much it loses with less bandwidth is what the two say.
"""

import pathlib
import subprocess
import sys
import time

RECEIVE = """
import socket
server = socket.create_server(("", 7100))
print("listening", flush=True)
connection, _ = server.accept()
while connection.recv(1 << 16):
    pass
"""
SEND = """
import socket, sys
connection = socket.create_connection(("10.0.0.2", 7100))
connection.sendall(bytes(int(sys.argv[1])))
"""


def main(bandwise: str, lab: str, count: str, seconds: str) -> None:
    def on(host: str, *command: str) -> list[str]:
        return [bandwise, "lab", "exec", "--name", lab, host, "--", "python3", "-c", *command]

    receiver = subprocess.Popen(on("h2", RECEIVE), stdout=subprocess.PIPE, text=True)
    assert receiver.stdout.readline() == "listening\n"
    subprocess.run(on("h1", SEND, count), check=True)
    assert receiver.wait() == 0
    while time.process_time() < float(seconds):
        pass


main(*sys.argv[1:])
