"""Terms of controllers, as etcd has them, and the check that each write to a port belongs to a term of its writer."""

import base64
import http.client
import json
import threading
import time
from dataclasses import dataclass

from etcd import PREFIX, coded

HOLDER = PREFIX + "holder/"
END = coded(HOLDER[:-1] + "0")
# The time that a busy machine may take to show a write or a term to this process, seconds.
SEEN_LATE = 0.5


@dataclass
class Term:
    """A time in which a controller holds a group of ports."""

    instance: str
    lease: int
    # The number of times that another history of etcd has begun before.
    cut: int
    revision: int
    begins: float
    ends: float = float("inf")
    # The store was emptied: the holder may write until it notices, or until its own lease ends.
    is_emptied: bool = False


class Terms:
    """The terms of each group, in order. Each member of etcd is watched, since any may be late."""

    def __init__(self, etcd, epoch):
        self.etcd, self.epoch, self.cuts = etcd, epoch, 0
        self.lock, self.of, self.ends = threading.Lock(), {}, threading.Event()
        self.seen = {name: {"cut": None, "revision": 0} for name in etcd.names}
        self.threads = [threading.Thread(target=self.follow, args=(name,), daemon=True) for name in etcd.names]
        for thread in self.threads:
            thread.start()

    def cut(self):
        """Begins another history: all terms of the former one have ended."""
        with self.lock:
            self.cuts += 1
            for terms in self.of.values():
                for term in terms:
                    self.end(term, True)

    def follow(self, name):
        while not self.ends.is_set():
            try:
                self.watch(name)
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                time.sleep(0.05)

    def watch(self, name):
        """Watches a member, from the event after the last one that it has shown."""
        cut, own = self.cuts, self.seen[name]
        if own["cut"] != cut:
            there = self.etcd.ask(name, "/v3/kv/range", {"key": coded(HOLDER), "range_end": END})
            own["revision"], own["cut"] = int(there["header"]["revision"]), cut
            for of in there.get("kvs", []):
                self.put(cut, of)
        connection = http.client.HTTPConnection(self.etcd.net.addresses[name], 2379, timeout=2)
        try:
            create = {"key": coded(HOLDER), "range_end": END, "start_revision": own["revision"] + 1}
            connection.request("POST", "/v3/watch", json.dumps({"create_request": create}))
            answer = connection.getresponse()
            while not self.ends.is_set() and cut == self.cuts and (line := answer.readline()):
                for event in json.loads(line)["result"].get("events", []):
                    if event.get("type") == "DELETE":
                        self.deleted(cut, event["kv"])
                    else:
                        self.put(cut, event["kv"])
                    own["revision"] = int(event["kv"]["mod_revision"])
        finally:
            connection.close()

    def put(self, cut, of):
        group = base64.b64decode(of["key"]).decode().removeprefix(HOLDER)
        holder, revision, now = json.loads(base64.b64decode(of["value"])), int(of["create_revision"]), time.monotonic()
        with self.lock:
            terms = self.of.setdefault(group, [])
            if cut != self.cuts or any((term.cut, term.revision) == (cut, revision) for term in terms):
                return
            new = Term(holder["instance"], holder["lease"], cut, revision, now)
            for term in terms:
                # One member may show a term after another member has shown the next one.
                self.end(term if (term.cut, term.revision) < (cut, revision) else new, self.epoch.is_changing)
            terms.append(new)
            terms.sort(key=lambda term: (term.cut, term.revision))

    def deleted(self, cut, of):
        group = base64.b64decode(of["key"]).decode().removeprefix(HOLDER)
        with self.lock:
            for term in self.of.get(group, []):
                if (term.cut, self.cuts) == (cut, cut) and term.revision < int(of["mod_revision"]):
                    self.end(term, self.epoch.is_changing)

    def end(self, term, is_emptied):
        if term.ends == float("inf"):
            term.ends, term.is_emptied = time.monotonic(), is_emptied

    def close(self):
        self.ends.set()


class Writes:
    """The writes to ports that the kernel reported, each matched with a term."""

    def __init__(self, path, terms, group_of, lease):
        self.file, self.terms, self.group_of, self.lease = open(path), terms, group_of, lease
        self.at = {}
        # Writes in their term, of a former holder in the lease after an emptied store, and of these after its successor.
        self.matched = self.after_emptying = self.overtaken = 0
        self.rest = ""

    def foreign(self, names):
        """Returns the writes since the last call that belong to no term of their writer. `names` has the names of
        controllers by process."""
        found = []
        lines = (self.rest + self.file.read()).split("\n")
        self.rest = lines.pop()
        for line in lines:
            if line == "ready":
                continue
            at, process, port = line.split(" ", 2)
            name = names.get(int(process))
            # Others, such as tc, are faults of this suite.
            if name and not self.belongs(float(at), name, port):
                found.append(f"{name} wrote {port} at {at}: {self.shown(port)}")
        return found

    def belongs(self, at, name, port):
        with self.terms.lock:
            terms = list(self.terms.of.get(self.group_of[port], []))
        last = self.at.get(port, 0)
        for number, term in enumerate(terms):
            is_late = number < last or at > term.ends + SEEN_LATE
            if term.instance != name or at < term.begins - SEEN_LATE:
                continue
            if not is_late:
                self.at[port], self.matched = number, self.matched + 1
                return True
            if term.is_emptied and at <= term.ends + self.lease + SEEN_LATE:
                self.after_emptying += 1
                self.overtaken += number < last
                return True
        return False

    def shown(self, port):
        terms = self.terms.of.get(self.group_of[port], [])[-5:]
        emptied = {True: " emptied", False: ""}
        return "; ".join(f"{of.instance} {of.begins:.3f} to {of.ends:.3f}{emptied[of.is_emptied]}" for of in terms)
