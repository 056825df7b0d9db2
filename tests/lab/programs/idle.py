"""Opens connections, as soon as the port is open, and closes them at the end of the input.

    idle.py ADDRESS PORT CONNECTIONS
"""

import socket
import sys
import time

address, end = (sys.argv[1], int(sys.argv[2])), time.monotonic() + 20
connections = []
while len(connections) < int(sys.argv[3]):
    try:
        connections.append(socket.create_connection(address))
    except ConnectionRefusedError:
        if time.monotonic() > end:
            sys.exit("refused")
        time.sleep(0.05)
print("open", flush=True)
sys.stdin.read()
