"""Clients of the controllers, and the history of what they were answered."""

import json
import random
import threading
import time

from client import Failover

HOSTS = [f"h{n}" for n in range(1, 7)]
NAMES = ["LR", "PR", "SVM", "SQL", "NW", "RF"]


class Violation(Exception):
    """An answer that no fault excuses."""


class Epoch:
    """The number of times that the store was emptied or restored, and whether that happens now."""

    def __init__(self):
        self.number, self.is_changing = 0, False


class History:
    """Calls with their answers, one a line, and the ids that were answered."""

    def __init__(self, path):
        self.file, self.lock, self.ids, self.began = open(path, "w"), threading.Lock(), {}, time.monotonic()
        self.calls = 0

    def line(self, **what):
        with self.lock:
            self.file.write(json.dumps({"at": round(time.monotonic() - self.began, 3), **what}) + "\n")

    def new_id(self, kind, number, client):
        with self.lock:
            before = self.ids.setdefault((kind, number), client)
        if before is not client:
            raise Violation(f"{kind} {number} was given twice: to client {before} and to client {client}")


class Client(threading.Thread):
    """A client with up to four applications that come and go. `there` has those that were answered."""

    def __init__(self, number, seed, places, history, epoch):
        super().__init__(daemon=True)
        self.own, self.history, self.epoch, self.failed = number, history, epoch, None
        self.chance = random.Random(f"client {seed} {number}")
        self.failover = Failover(places, number, silence=1, patience=30)
        self.ends, self.pauses, self.paused = threading.Event(), threading.Event(), threading.Event()
        self.vanished, self.client, self.there = [], None, {}

    def run(self):
        try:
            self.hello()
            while not self.ends.is_set():
                self.step()
                time.sleep(self.chance.uniform(0.01, 0.06))
            self.call("DELETE", f"/v1/clients/{self.client}")
        except Exception as error:
            self.failed = error
            self.paused.set()

    def step(self):
        if self.pauses.is_set():
            self.renewed()
            if not self.is_stale():
                self.paused.set()
                time.sleep(0.2)
            return
        self.paused.clear()
        drawn = self.chance.random()
        if self.is_stale():
            self.reborn()
        elif drawn < 0.01:
            # It is killed. Its lease ends some time.
            self.vanished.append(self.client)
            self.hello()
        elif drawn < 0.02:
            self.call("DELETE", f"/v1/clients/{self.client}")
            self.hello()
        elif len(self.there) > 3 or (len(self.there) > 1 and drawn < 0.2):
            # The first application stays.
            self.deregister(self.chance.choice(list(self.there)[1:]))
        else:
            self.register()

    def is_stale(self):
        return self.born != self.epoch.number

    def reborn(self):
        """Begins anew, as the store has lost or forgotten something. An old copy may have its former id."""
        self.history.line(client=self.own, reborn=self.client)
        self.failover.call("DELETE", f"/v1/clients/{self.client}")
        self.hello()

    def hello(self):
        self.born, self.there, self.number = self.epoch.number, {}, 0
        self.client = self.call("POST", "/v1/clients")["client"]
        self.history.new_id("client", self.client, f"{self.own} at {time.monotonic():.3f}")
        # A connection that stays, so that each port has one.
        ends = HOSTS[self.own % 6], HOSTS[(self.own + 1) % 6]
        self.register(ends)

    def renewed(self):
        if self.is_stale():
            self.reborn()
        else:
            self.call("POST", f"/v1/clients/{self.client}/renew")

    def register(self, *ends):
        name = NAMES[(self.own + len(self.there)) % len(NAMES)] if ends else self.chance.choice(NAMES)
        answer = self.request(register={"name": name})
        if answer is None:
            return
        application, connections = answer["application"], {}
        self.history.new_id("application", application, (self.client, self.number))
        self.there[application] = (name, connections)
        for source, to in ends or [self.chance.sample(HOSTS, 2) for _ in range(self.chance.randint(1, 3))]:
            made = self.request(connect={"application": application, "from": source, "to": to})
            if made is None:
                return
            self.history.new_id("connection", made["connection"], (self.client, self.number))
            connections[made["connection"]] = (source, to)
        if len(connections) > 2:
            closed = next(iter(connections))
            if self.request(close={"connection": closed}) is not None:
                del connections[closed]

    def deregister(self, application):
        if self.request(deregister={"application": application}) is not None:
            del self.there[application]

    def request(self, **request):
        body = {"client": self.client, "number": self.number, "acknowledged_below": self.number, "request": request}
        self.number += 1
        return self.call("POST", "/v1/requests", body)

    def call(self, method, path, body=None):
        """Returns the answer, or `None` if the client began anew because the store has lost something."""
        before = self.client
        began = time.monotonic()
        status, answer = self.failover.call(method, path, body)
        took = round(time.monotonic() - began, 3)
        self.history.line(client=self.own, call=f"{method} {path}", body=body, status=status, answer=answer, took=took)
        if status == 200:
            self.history.calls += 1
            return answer
        if status == 404 and (self.epoch.is_changing or self.is_stale()):
            if before == self.client:
                while self.epoch.is_changing:
                    time.sleep(0.05)
                self.reborn()
            return None
        raise Violation(f"lost: client {self.own} {method} {path} {body}: {status} {answer}")
