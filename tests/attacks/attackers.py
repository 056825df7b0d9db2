"""What one hostile caller can do to a controller at 127.0.0.1, each attack without end, for run.py.

attackers.py PORT TOKEN CLIENT APPLICATION ATTACK: the name of a function below.
"""

import json
import os
import random
import socket
import sys
import time

PORT, TOKEN, CLIENT, APPLICATION = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ANSWER = 1 << 16


def opened():
    return socket.create_connection(("127.0.0.1", PORT), timeout=20)


def http(method, path, body=None, token=TOKEN):
    text = b"" if body is None else json.dumps(body).encode()
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: controller\r\n{shown}Content-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


def again(attack):
    """Repeats an attack whose connection the controller has closed."""
    while True:
        try:
            attack()
        except OSError:
            time.sleep(0.01)


def held(many, connection, seconds):
    """Holds connections for some seconds, again and again."""
    def attack():
        all_held = [connection() for _ in range(many)]
        time.sleep(seconds)
        del all_held
    again(attack)


def pipelined(requests, many=64):
    """Sends requests without waiting for single answers, and reads what comes."""
    sends = opened()
    while True:
        sends.sendall(b"".join(next(requests) for _ in range(many)))
        if not sends.recv(ANSWER):
            return


def hellos():
    """Asks for one client after the other."""
    def requests():
        while True:
            yield http("POST", "/v1/clients")
    again(lambda: pipelined(requests()))


def refusals():
    """Asks for connections that are refused, and acknowledges no answer."""
    def requests():
        for number in range(1 << 40, 1 << 41):
            wrong = {"connect": {"application": APPLICATION, "from": "nowhere", "to": "h1"}}
            body = {"client": CLIENT, "number": number, "acknowledged_below": 0, "request": wrong}
            yield http("POST", "/v1/requests", body)
    all_requests = requests()
    again(lambda: pipelined(all_requests))


def unread_lists():
    """Asks for all connections on 100 streams of HTTP/2 at a time, and reads nothing."""
    def frame(kind, flags, stream, payload):
        return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload

    def literal(name, value):
        return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value

    fields = [(b":method", b"GET"), (b":scheme", b"http"), (b":path", b"/v1/connections"),
              (b":authority", b"controller"), (b"authorization", b"Bearer " + TOKEN.encode())]
    head = b"".join(literal(*field) for field in fields)

    def connection():
        stream = opened()
        stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b""))
        stream.sendall(b"".join(frame(1, 5, 2 * n + 1, head) for n in range(100)))
        return stream
    held(3, connection, 5)


def unread_answers():
    """Asks for the state on many connections of HTTP/1, and reads nothing."""
    def connection():
        stream = opened()
        stream.sendall(http("GET", "/v1/status") * 8)
        return stream
    held(100, connection, 5)


def unfinished_bodies():
    """Begins large bodies on many connections, and ends none."""
    def connection():
        stream = opened()
        head = http("POST", "/v1/requests")[:-len("Content-Length: 0\r\n\r\n")]
        stream.sendall(head + b"Content-Length: 262144\r\n\r\n" + b" " * 200_000)
        return stream
    held(500, connection, 5)


def strangers():
    """Holds connections without showing a token."""
    held(1000, opened, 2)


def long_paths():
    """Asks without a token for long paths."""
    def requests():
        while True:
            yield http("GET", "/" + "x" * 8000, token=None)
    again(lambda: pipelined(requests(), 8))


if __name__ == "__main__":
    # Attackers are on other machines. Here they would take the controller's processors.
    os.nice(10)
    random.seed(1)
    globals()[sys.argv[5]]()
