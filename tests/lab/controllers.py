"""Clients of several controllers with one store, for etcd.sh.

controllers.py COMMAND [...]: calls the function of that name below, with _ for -.
"""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time

from client import Client, Controller, settled

HOSTS = [f"h{n}" for n in range(1, 7)]


def free_ports(count):
    """Prints free ports."""
    sockets = [socket.socket() for _ in range(int(count))]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    print(*(one.getsockname()[1] for one in sockets))


class Anywhere:
    """A client that repeats each request until a controller responds, trying one after another."""

    def __init__(self, places, at):
        self.places, self.at, self.number, self.retries = places, at, 0, 0
        self.controllers = {}
        self.client = self.until_answered("POST", "/v1/clients")["client"]

    def until_answered(self, method, path, body=None):
        began = time.monotonic()
        while True:
            place = self.places[self.at % len(self.places)]
            try:
                controller = self.controllers.setdefault(place, Controller(place))
                status, answer = controller.ask(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                self.controllers.pop(place, None)
                status, answer = 503, error
            if status < 500:
                # A registration is never lost, so it is made once.
                assert status == 200, (path, body, status, answer)
                return answer
            assert time.monotonic() - began < 60, (path, body, answer)
            self.at, self.retries = self.at + 1, self.retries + 1
            time.sleep(0.05)

    def goodbye(self):
        self.until_answered("DELETE", f"/v1/clients/{self.client}")

    def request(self, **request):
        asked = {"client": self.client, "number": self.number, "acknowledged_below": self.number, "request": request}
        self.number += 1
        return self.until_answered("POST", "/v1/requests", asked)


def comes_and_goes(places, at, stop, there, counted):
    """At most five applications at a time; the current ones are in `there`, with their connections."""
    chance = random.Random(at)
    client = Anywhere(places, at)
    while not stop.is_set() or len(there) < 5:
        if len(there) == 5 and not stop.is_set():
            gone = chance.choice(list(there))
            client.request(deregister={"application": gone})
            del there[gone]
        name = chance.choice(["LR", "PR"])
        application = client.request(register={"name": name})["application"]
        there[application] = (name, ends := [])
        for _ in range(chance.randint(1, 3)):
            source, to = chance.sample(HOSTS, 2)
            connect = {"application": application, "from": source, "to": to}
            connection = client.request(connect=connect)["connection"]
            ends.append((connection, source, to))
            time.sleep(0.02)
        if len(ends) > 2:
            client.request(close={"connection": ends.pop()[0]})
    counted.append((client.number, client.retries))


def load(result, *places):
    """Registers and deregisters a hundred applications until the input is closed. Writes those that are left to the
    file `result`."""
    stop, all_there, counted, failed = threading.Event(), [{} for _ in range(20)], [], []

    def run(at):
        try:
            comes_and_goes(list(places), at, stop, all_there[at], counted)
        except BaseException as error:  # a thread's failure is the program's
            failed.append(repr(error))
            raise

    threads = [threading.Thread(target=run, args=(at,)) for at in range(20)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    assert not failed, failed
    there = [(name, [end[1:] for end in ends]) for of in all_there for name, ends in of.values()]
    with open(result, "w") as file:
        json.dump(there, file)
    requests, retries = (sum(of) for of in zip(*counted))
    print(f"  {len(there)} applications are left of {requests} requests, {retries} of which were repeated")


def same_everywhere(result, *places):
    """Checks that all controllers have the clients' state and the same wanted configuration of all ports."""
    with open(result) as file:
        there = json.load(file)
    wanted = None
    for place in places:
        status = Controller(place).well("GET", "/v1/status")
        assert len(status["applications"]) == len(there), (place, len(status["applications"]), len(there))
        assert status["connections"] == sum(len(of[1]) for of in there), (place, status["connections"])
        ports = {port["name"]: port["wanted"] for port in status["ports"]}
        assert wanted in (None, ports), (place, wanted, ports)
        wanted = ports


def register_same(result, place):
    """Registers the same applications and connections at a single controller, and waits until its ports are written."""
    controller = Controller(place)
    client = Client(controller)
    with open(result) as file:
        for name, ends in json.load(file):
            application = client.register(name)
            for source, to in ends:
                client.connect(application, source, to)
    settled(controller)


def applications(place):
    """Prints the number of applications."""
    print(len(Controller(place).well("GET", "/v1/status")["applications"]))


def groups(*places):
    """Prints the groups of each controller."""
    output = []
    for place in places:
        try:
            output.append("+".join(Controller(place).well("GET", "/v1/status")["groups"]) or "none")
        except OSError:
            output.append("dead")
    print(*output)


def takeover(lab, pid, *places):
    """Kills a controller and registers a connection to h1, whose port it wrote; measures until the port has weights."""
    rates = ["ip", "netns", "exec", f"bandwise-{lab}-switch", "tc", "class", "show", "dev", "h1"]

    def is_shared():
        output = subprocess.run(rates, capture_output=True, check=True, text=True).stdout
        return any(" 5aba:11 " in line and "rate 8Kbit" not in line for line in output.splitlines())

    assert not is_shared()
    client = Anywhere(list(places), 0)
    os.kill(int(pid), 9)
    began = time.monotonic()
    for name, source in ("LR", "h2"), ("PR", "h3"):
        application = client.request(register={"name": name})["application"]
        client.request(connect={"application": application, "from": source, "to": "h1"})
    answered = time.monotonic() - began
    while not is_shared():
        # The goal is 5 s; a machine may be busy.
        assert time.monotonic() - began < 15, "no controller took its ports over"
        time.sleep(0.02)
    took = time.monotonic() - began
    client.goodbye()
    print(f"  killed; a new client was answered after {answered:.2f} s, and its port written after {took:.2f} s")


def one(place):
    """A client that registers an application and a connection, and then sends nothing."""
    client = Anywhere([place], 0)
    application = client.request(register={"name": "LR"})["application"]
    client.request(connect={"application": application, "from": "h5", "to": "h6"})


def latency(*places):
    """Measures requests for connections, each stored by a majority of three etcds."""
    client = Anywhere(list(places), 0)
    application = client.request(register={"name": "LR"})["application"]
    took = []
    for _ in range(200):
        began = time.monotonic()
        made = client.request(connect={"application": application, "from": "h5", "to": "h6"})
        took.append(time.monotonic() - began)
        client.request(close={"connection": made["connection"]})
    client.goodbye()
    took.sort()
    print(f"  a connection is answered in {took[100] * 1e3:.1f} ms at the median, {took[198] * 1e3:.1f} ms at 99%")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
