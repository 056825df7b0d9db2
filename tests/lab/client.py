"""A client of the controller over its socket, for controller.sh.

client.py SOCKET COMMAND [...]: a command is a function below, with - for _.
"""

import http.client
import json
import os
import socket
import statistics
import sys
import time


class Unix(http.client.HTTPConnection):
    def __init__(self, path, patience):
        super().__init__("controller")
        self.path, self.patience = path, patience

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.patience)
        self.sock.connect(self.path)


class Controller:
    def __init__(self, path, patience=20):
        self.http = Unix(path, patience)

    def ask(self, method, path, body=None):
        """Returns the status and the response."""
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        self.http.request(method, path, text)
        answer = self.http.getresponse()
        output = answer.read()
        return answer.status, json.loads(output) if output.startswith(b"{") else output.decode()

    def well(self, *what):
        status, answer = self.ask(*what)
        assert status == 200, (what, status, answer)
        return answer


class Failover:
    """Makes each call at one controller after another, until one answers."""

    def __init__(self, places, at=0, silence=20, patience=60):
        self.places, self.at, self.silence, self.patience = places, at, silence, patience
        self.controllers, self.retries = {}, 0

    def call(self, method, path, body=None):
        """Returns the status and the response of the first controller that answers. Others are silent for `silence`
        seconds, or answer that the call is to be repeated."""
        began = time.monotonic()
        while True:
            place = self.places[self.at % len(self.places)]
            try:
                controller = self.controllers.setdefault(place, Controller(place, self.silence))
                status, answer = controller.ask(method, path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.controllers.pop(place, None)
                status, answer = 503, repr(error)
            # An injected error of the connection's socket may leave it able to answer.
            if status < 500 and "reading a body from connection" not in str(answer):
                return status, answer
            assert time.monotonic() - began < self.patience, (method, path, body, answer)
            self.at, self.retries = self.at + 1, self.retries + 1
            time.sleep(0.05)


class Client:
    def __init__(self, controller, number=0, client=None):
        self.controller, self.number = controller, number
        self.client = controller.well("POST", "/v1/clients")["client"] if client is None else client

    def asked(self, request):
        asked = {"client": self.client, "number": self.number, "acknowledged_below": self.number, "request": request}
        self.number += 1
        return asked

    def request(self, **request):
        return self.controller.well("POST", "/v1/requests", self.asked(request))

    def register(self, name):
        return self.request(register={"name": name})["application"]

    def connect(self, application, source, to):
        return self.request(connect={"application": application, "from": source, "to": to})["connection"]


def settled(controller):
    for _ in range(1000):
        status = controller.well("GET", "/v1/status")
        if status["settled"]:
            return status
        time.sleep(0.01)
    raise AssertionError(status)


def two_applications(controller):
    """Registers two applications that send to h3; prints the client's name."""
    client = Client(controller)
    for name, source in ("LR", "h1"), ("PR", "h2"):
        client.connect(client.register(name), source, "h3")
    port = next(port for port in settled(controller)["ports"] if port["name"] == "switch to h3")
    assert len(port["read"]["weights"]) == 2 and not port["fault"], port
    plan = {"applications": [{"name": "LR", "connections": [{"from": "h1", "to": "h2"}]}]}
    would = controller.well("POST", "/v1/plan", plan)["ports"]
    assert {port["name"] for port in would} == {"switch to h2"}, would
    print(client.client)


def one_application(controller):
    """Registers one application that sends to h3."""
    client = Client(controller)
    client.connect(client.register("LR"), "h1", "h3")
    port = next(port for port in settled(controller)["ports"] if port["name"] == "switch to h3")
    assert port["read"]["weights"] and not port["fault"], port


def keep(controller, client):
    controller.well("POST", f"/v1/clients/{client}/renew")
    settled(controller)


def drain(controller, drained):
    controller.well("POST", "/v1/drain", {"drained": drained == "true"})


def counts(controller):
    status = controller.well("GET", "/v1/status")
    print(len(status["applications"]), status["connections"])


def names(controller):
    """Prints the names of applications, one for each job."""
    all_of_them = controller.well("GET", "/v1/status")["applications"]
    print(*(name for name, _ in sorted({(of["name"], of["job"] or of["application"]) for of in all_of_them})))


def parts(controller):
    """Prints the number of registrations."""
    print(len(controller.well("GET", "/v1/status")["applications"]))


def known(controller, *names_and_count):
    """Checks that `count` connections of each application are known, and that ports have their weights."""
    *wanted, count = names_and_count
    status = controller.well("GET", "/v1/status")
    held = {name: sum(of["connections"] for of in status["applications"] if of["name"] == name) for name in wanted}
    assert min(held.values()) >= int(count) and status["settled"], held


def pairs(controller):
    """Prints the pairs of sender and receiver, each once."""
    connections = controller.well("GET", "/v1/connections")["connections"]
    print(*sorted({f"{of['from']}-{of['to']}" for of in connections}))


def bad(controller):
    client = Client(controller)
    application = client.register("LR")

    def refused(wanted, output, body, path="/v1/requests"):
        status, answer = controller.ask("POST", path, body)
        text = answer["error"] if isinstance(answer, dict) else answer
        assert status == wanted and output in text, (body, status, answer)

    refused(400, "unusable body", "{")
    refused(400, "unusable body", b"\xff\x00")
    refused(400, "unknown variant", client.asked({"buy": {}}))
    refused(422, "no application called", client.asked({"register": {"name": "none"}}))
    refused(422, "there is no host", client.asked({"connect": {"application": application, "from": "h1", "to": "h9"}}))
    refused(404, "no application 99", client.asked({"connect": {"application": 99, "from": "h1", "to": "h2"}}))
    refused(404, "no connection 99", client.asked({"close": {"connection": 99}}))
    refused(404, "no client 4711", {"client": 4711, "number": 0, "request": {"register": {"name": "LR"}}})
    refused(404, "no port called", {"drained": True, "ports": ["x"]}, "/v1/drain")
    refused(422, "up to 256 bytes", client.asked({"register": {"name": "x" * 300}}))
    status, _ = Controller(controller.http.path).ask("POST", "/v1/requests", "x" * 300_000)
    assert status == 413, status
    again = client.asked({"register": {"name": "PR"}})
    first = controller.well("POST", "/v1/requests", again)
    assert controller.well("POST", "/v1/requests", again) == first
    other = {**again, "request": {"register": {"name": "LR"}}}
    refused(409, "was used for another request", other)
    described = controller.well("GET", "/openapi.json")
    assert "/v1/requests" in described["paths"]
    status, text = controller.ask("GET", "/metrics")
    assert status == 200 and "bandwise_controller_applications 2" in text, text
    controller.well("DELETE", f"/v1/clients/{client.client}")


def many(controller):
    """10,000 registrations of one client: as many as the limit are accepted, the others refused."""
    client, taken, statuses = Client(controller), 0, set()
    for _ in range(10_000):
        status, answer = controller.ask("POST", "/v1/requests", client.asked({"register": {"name": "LR"}}))
        taken += status == 200
        statuses.add(status)
    assert taken == 1000 and statuses == {200, 429}, (taken, statuses)
    controller.well("DELETE", f"/v1/clients/{client.client}")
    assert not settled(controller)["applications"]


def full(controller, ballast):
    """With a full disk, requests are refused, and no state is lost."""
    client = Client(controller)
    application = client.register("LR")
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65536)
        except OSError:
            pass
    taken, refused = 1, 0
    # A store has some space of its own.
    for _ in range(3000):
        asked = client.asked({"register": {"name": "PR"}})
        status, answer = controller.ask("POST", "/v1/requests", asked)
        if status != 200:
            refused += 1
            assert status in (503, 429) and "error" in answer, (status, answer)
            if status == 503:
                assert "could not be stored" in answer["error"], answer
                break
        else:
            taken += 1
    os.unlink(ballast)
    for _ in range(20):
        status, answer = controller.ask("POST", "/v1/requests", asked)
        if status == 200:
            break
        time.sleep(0.1)
    there = len(controller.well("GET", "/v1/status")["applications"])
    assert refused and status == 200 and there == taken + 1, (taken, refused, there, status, answer)
    assert application is not None


def latency(controller, rounds):
    """Measures from a connection's request to its weights read back, one at a time."""
    took = []
    client = Client(controller)
    applications = [client.register(name) for name in ("LR", "PR")]
    client.connect(applications[0], "h1", "h3")
    for _ in range(int(rounds)):
        settled(controller)
        # Longer than the minimum time between writes to a port.
        time.sleep(0.02)
        began = time.perf_counter()
        made = client.connect(applications[1], "h2", "h3")
        while not controller.well("GET", "/v1/status")["settled"]:
            pass
        took.append(time.perf_counter() - began)
        client.request(close={"connection": made})
    took.sort()
    print(f"{len(took)} connections: median {statistics.median(took) * 1e3:.2f} ms, p99 {took[int(len(took) * 0.99)] * 1e3:.2f} ms")
    controller.well("DELETE", f"/v1/clients/{client.client}")


def load(controller, applications, connections, seconds):
    """Opens `connections` at once, then opens and closes connections for a while with four clients."""
    import threading

    client = Client(controller)
    applications = [client.register(("LR", "PR")[i % 2]) for i in range(int(applications))]
    began = time.perf_counter()
    for i in range(int(connections)):
        client.connect(applications[i % len(applications)], f"h{i % 2 + 1}", "h3")
    print(f"{connections} connections, one after another: {int(connections) / (time.perf_counter() - began):.0f} a second")
    counts = []

    def churn():
        own = Controller(controller.http.path)
        mine = Client(own)
        application = mine.register("LR")
        done, end = 0, time.perf_counter() + float(seconds)
        while time.perf_counter() < end:
            made = mine.connect(application, "h1", "h3")
            mine.request(close={"connection": made})
            done += 2
        counts.append(done)
        own.well("DELETE", f"/v1/clients/{mine.client}")

    threads = [threading.Thread(target=churn) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    print(f"16 clients: {sum(counts) / float(seconds):.0f} events a second for {seconds} s")


if __name__ == "__main__":
    _, path, what, *rest = sys.argv
    globals()[what.replace("-", "_")](Controller(path), *rest)
