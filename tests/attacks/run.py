"""Attacks a controller in all ways of attackers.py at the same time, by one credential or none, while another one works.

run.py BANDWISE [CONNECTIONS [SECONDS]]

The controller's network is in memory. Prints how long the calls of the other credential took, and the controller's
memory. Fails if one of its calls failed, as after a lost lease, if the controller took 500 MB, or if it did not end
well.
"""

import concurrent.futures
import contextlib
import hashlib
import http.client
import itertools
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lab"))
from client import Client, Controller  # noqa: E402
from simulated import HOSTS, memory, started  # noqa: E402

ATTACKS = ("hellos", "refusals", "unread_lists", "unread_answers", "unfinished_bodies", "strangers", "long_paths")
APPLICATIONS, PARTS = 990, 30
MOST_MEMORY = 500_000_000
REMOTE = """[remote]
listen = "127.0.0.1:{port}"
tokens-in-the-clear = true
[[credential]]
name = "evil"
token-sha256 = "{evil}"
applications = ["*"]
[[credential]]
name = "good"
token-sha256 = "{good}"
applications = ["*"]
"""


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


class Remote(Controller):
    """A connection with a token, from an address."""

    def __init__(self, port, token, address="127.0.0.1"):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(address, 0))
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        ask = self.http.request
        self.http.request = lambda method, path, text: ask(method, path, text, self.headers)


def fills(port, connections):
    """Registers phantom jobs of the attacker with this number of connections, over several clients. Returns each client
    with an application of it."""
    def fill(part):
        client = Client(Remote(port, "evil"))
        applications = [client.register("LR") for _ in range(APPLICATIONS // PARTS)]
        for n in range(part, connections, PARTS):
            to = (n + 1 + n // HOSTS % (HOSTS - 1)) % HOSTS
            client.connect(applications[n // PARTS % len(applications)], f"h{n % HOSTS}", f"h{to}")
        return client, applications[0]
    with concurrent.futures.ThreadPoolExecutor(PARTS) as pool:
        return list(pool.map(fill, range(PARTS)))


def stays(clients, ended):
    """Renews the leases of the attacker's clients, as far as the controller lets it, until the end."""
    for client in itertools.cycle(clients):
        if ended.wait(10 / len(clients)):
            return
        try:
            client.controller.ask("POST", f"/v1/clients/{client.client}/renew")
        except (OSError, http.client.HTTPException):
            client.controller = Remote(client.controller.http.port, "evil")


def works(port, seconds):
    """Makes the calls of a well-behaved caller, whose address no attacker has. Returns how long each took."""
    client, times = Client(Remote(port, "good", "127.0.0.2")), {"register": [], "connect": [], "close": [], "renew": []}

    def timed(kind, call):
        began = time.monotonic()
        answer = call()
        times[kind].append(time.monotonic() - began)
        return answer
    until = time.monotonic() + seconds
    number = 0
    while time.monotonic() < until:
        application = timed("register", lambda: client.register("PR"))
        for _ in range(4):
            source, to = f"h{number % HOSTS}", f"h{(number + 1) % HOSTS}"
            connection = timed("connect", lambda: client.connect(application, source, to))
            timed("renew", lambda: client.controller.well("POST", f"/v1/clients/{client.client}/renew"))
            timed("close", lambda: client.request(close={"connection": connection}))
            number += 1
            time.sleep(0.01)
        client.request(deregister={"application": application})
    return times


def shown(kind, times):
    times = sorted(times)
    at = lambda part: 1000 * times[min(len(times) - 1, int(part * len(times)))]
    return f"  {kind}: {len(times)} calls, median {at(0.5):.1f} ms, 99% {at(0.99):.1f} ms, longest {at(1):.1f} ms"


def main(bandwise, connections=10_000, seconds=10):
    connections, seconds = int(connections), float(seconds)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="bandwise-attacks-") as folder:
        folder = pathlib.Path(folder)
        remote = REMOTE.format(port=port, evil=digest("evil"), good=digest("good"))
        attackers, ended = [], threading.Event()
        with started(bandwise, folder, remote) as controller, contextlib.ExitStack() as ends:
            ends.callback(ended.set)
            began = time.monotonic()
            phantoms = fills(port, connections)
            print(f"  {APPLICATIONS} phantom jobs with {connections} connections after {time.monotonic() - began:.0f} s,"
                  f" {memory(controller)[0] >> 20} MiB")
            program = [sys.executable, str(HERE / "attackers.py")]
            client, application = phantoms[0]
            known = [str(port), "evil", str(client.client), str(application)]
            for attack in ATTACKS:
                attacker = subprocess.Popen([*program, *known, attack])
                ends.callback(attacker.wait)
                ends.callback(attacker.kill)
                attackers.append(attacker)
            threading.Thread(target=stays, args=([client for client, _ in phantoms], ended)).start()
            time.sleep(1)
            times = works(port, seconds)
            now, most = memory(controller)
            for kind in times:
                print(shown(kind, times[kind]))
            everything = [one for kind in times.values() for one in kind]
            print(shown("all", everything))
            print(f"  memory {now >> 20} MiB, at most {most >> 20} MiB; log {(folder / 'log').stat().st_size >> 10} KiB")
            dead = [attacker.args[-1] for attacker in attackers if attacker.poll() is not None]
            began = time.monotonic()
            controller.send_signal(signal.SIGTERM)
            code = controller.wait(60)
            print(f"  SIGTERM took {time.monotonic() - began:.2f} s")
            wrong = [(code != 0, f"exit code {code}"), (most >= MOST_MEMORY, f"{most} bytes of memory"),
                     (dead, f"attackers ended: {dead}")]
            for is_wrong, what in wrong:
                if is_wrong:
                    print(f"  {what}")
            return int(any(is_wrong for is_wrong, _ in wrong))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(*sys.argv[1:]))
