"""One run: the parts of a seed's plan in namespaces, its faults, and the checks between them.

    world.py BANDWISE FOLDER PREFIX LAB REFERENCE-LAB SEED ROUNDS    prints the result as a line of JSON

It runs in the namespace of the bridge, and makes its file systems there, which end with it.
"""

import glob
import json
import os
import re
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lab"))

import check
from client import Controller
from clients import Client, Epoch, History, Violation
from etcd import Etcd
from faults import Faults
from net import Net, run
from parts import Part, Watchdog
from plan import KILLS, MEMBERS, ROUNDS, drawn
from ports import Reference
from terms import Terms, Writes

CLIENTS = 6
# The silence after which a client is removed, and after which a controller counts as dead, seconds.
LEASE, DEAD = 8, 2
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
SETTINGS = """lab = "{lab}"
table = "table.csv"
listen = "unix:{name}.socket"
recording = "{name}.jsonl"
audit = "{name}.audit"
{store}
[times]
lease = "{lease} s"
check-interval = "500 ms"
max-retry = "500 ms"
{cluster}"""
GROUPS = """[cluster]
etcd = [{etcd}]
instance = "{name}"
lease = "{dead} s"
[cluster.groups]
a = ["* to h1", "* to h2", "h5*"]
b = ["* to h3", "* to h4", "h6*"]
c = ["*"]
"""


class World:
    """The parts of a run."""

    def __init__(self, bandwise, folder, net, lab, reference_lab, plan):
        self.bandwise, self.folder, self.net, self.lab, self.plan = bandwise, folder, net, lab, plan
        self.places = {name: f"{name}.socket" for name in plan.controllers}
        self.snapshot, self.was_restored, self.epoch = None, False, Epoch()
        self.history, self.clients = History("history.jsonl"), []
        self.etcd = self.terms = self.writes = self.watchdog = None
        self.controllers = {name: self.controller(name, lab) for name in plan.controllers}
        self.alone = self.controller("alone", reference_lab)
        self.witness = Part("witness", [sys.executable, f"{HERE}/witness.py", lab, "6"], "writes")
        self.reference = Reference(reference_lab, "alone.socket")
        if plan.is_cluster:
            self.etcd = Etcd(net, folder, MEMBERS)
        self.faults, self.failures = Faults(self), []

    def controller(self, name, lab):
        environment, command = {}, [self.bandwise, "saba", "controller", "--config", f"{name}.toml"]
        if name in self.net.names:
            command = ["ip", "netns", "exec", self.net.namespace(name), *command]
        if name != "alone" and FAKETIME:
            # The date only: the monotonic clock stays the kernel's.
            environment = {
                "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": f"{self.folder}/{name}.date", "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
            }
            self.set_date(name, 0)
        return Part(name, command, f"{name}.log", environment)

    def set_date(self, name, seconds):
        with open(f"{name}.date.new", "w") as file:
            file.write(f"{seconds:+d}\n")
        os.rename(f"{name}.date.new", f"{name}.date")

    def part(self, name):
        return self.controllers[name] if name in self.controllers else self.etcd.members[name]

    def all_parts(self):
        return [*self.controllers.values(), *(self.etcd.members.values() if self.etcd else [])]

    def is_excused(self, client):
        """Returns whether registrations of a client may still be there: it was killed, or an old copy brought it back."""
        return self.was_restored or any(client in of.vanished for of in self.clients)

    def write_settings(self, name, lab):
        store = 'store = "disk/store"' if name == "a" else 'store = "alone.store"'
        cluster = ""
        if self.etcd and name != "alone":
            # Each begins with another member.
            at = self.plan.controllers.index(name)
            urls = [self.etcd.clients[member] for member in MEMBERS[at:] + MEMBERS[:at]]
            store, cluster = "", GROUPS.format(etcd=", ".join(f'"{url}"' for url in urls), name=name, dead=DEAD)
        with open(f"{name}.toml", "w") as file:
            file.write(SETTINGS.format(lab=lab, name=name, store=store, lease=LEASE, cluster=cluster))

    def start(self):
        with open(f"{HERE}/table.csv") as table, open("table.csv", "w") as copy:
            copy.write(table.read())
        for folder, size in [("disk", "2m")] if not self.etcd else [(name, "200m") for name in MEMBERS]:
            os.makedirs(folder, exist_ok=True)
            run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        for name in self.controllers:
            self.write_settings(name, self.lab)
        self.write_settings("alone", self.reference.lab)
        self.witness.start()
        self.alone.start()
        if self.etcd:
            self.etcd.start()
            self.terms = Terms(self.etcd, self.epoch)
        for part in self.controllers.values():
            part.start()
        self.watchdog = Watchdog(self.all_parts())
        ports = self.answering("alone.socket")["ports"]
        if self.etcd:
            ports = self.answering("a.socket")["ports"]
            group_of = {port["name"]: port["group"] for port in ports}
            self.writes = Writes("writes", self.terms, group_of, DEAD)
        seed = self.plan.seed
        self.clients = [Client(number, seed, list(self.places.values()), self.history, self.epoch) for number in range(CLIENTS)]
        for client in self.clients:
            client.start()

    def answering(self, place):
        until = time.monotonic() + 20
        while True:
            try:
                return Controller(place, 2).well("GET", "/v1/status")
            except (OSError, AssertionError) as error:
                if time.monotonic() > until:
                    raise Violation(f"{place} does not answer: {error}") from error
                time.sleep(0.05)

    def round(self, faults):
        """Runs the faults of a round, then pauses the clients and checks. Returns the time until all was right."""
        if self.etcd and any(fault.kind == "etcd_restored" for fault in faults):
            taken = self.etcd.snapshot("snapshot")
            self.snapshot = "snapshot" if taken else None
        for client in self.clients:
            client.pauses.clear()
            client.paused.clear()
        began = time.monotonic()
        threads = [threading.Thread(target=self.guarded, args=(fault, began), daemon=True) for fault in faults]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            if thread.is_alive():
                raise RuntimeError("a fault has not ended in a minute")
        if self.failures:
            raise RuntimeError("; ".join(self.failures))
        last = time.monotonic()
        if self.snapshot:
            os.unlink("snapshot")
            self.snapshot = None
        for client in self.clients:
            client.pauses.set()
        # The lease of a killed controller has to end before its next process may write.
        is_killed = self.etcd and any(fault.kind in KILLS for fault in faults)
        took = check.converged(self, last, check.BOUND + (DEAD if is_killed else 0))
        self.check_writes()
        return took

    def guarded(self, fault, began):
        try:
            self.faults.run(fault, began)
        except Exception as error:
            self.failures.append(f"{fault}: {error!r}")

    def check_writes(self):
        if self.etcd:
            names = {pid: name for name, part in self.controllers.items() for pid in part.pids}
            if foreign := self.writes.foreign(names):
                raise Violation(f"{len(foreign)} writes beside a term: {foreign[:3]}")
        for name in self.controllers:
            with open(f"{name}.log") as log:
                if panics := [line for line in log if "panicked" in line]:
                    raise Violation(f"{name}: {panics[0].strip()}")

    def calm(self):
        """Waits until leases of killed clients have ended: then nothing is excused."""
        check.converged(self, time.monotonic(), check.BOUND)
        time.sleep(LEASE)
        for client in self.clients:
            client.vanished.clear()
        self.was_restored = False
        check.converged(self, time.monotonic(), check.BOUND)
        self.check_writes()

    def replay(self):
        """Replays the recordings."""
        for name, part in self.controllers.items():
            part.kill()
            files = [of for of in os.listdir(".") if re.match(rf"{name}\.jsonl(\.part-\d+)?$", of)]
            output = run(self.bandwise, "saba", "replay", *sorted(files, key=lambda of: (of.endswith(".jsonl"), of)))
            if "all outputs are those of the recording" not in output:
                raise Violation(f"the recording of {name} does not replay: {output[-500:]}")

    def end(self):
        if self.watchdog:
            self.watchdog.end()
        if self.terms:
            self.terms.close()
        for part in [*self.all_parts(), self.alone, self.witness]:
            part.kill()


def main(bandwise, folder, prefix, lab, reference_lab, seed, rounds):
    os.chdir(folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = drawn(int(seed), int(rounds or ROUNDS))
    net = Net(prefix, plan.controllers + MEMBERS if plan.is_cluster else [])
    world, took, failure, number = World(bandwise, folder, net, lab, reference_lab, plan), [], None, 0
    began = time.monotonic()
    try:
        world.start()
        for number, faults in enumerate(plan.rounds):
            took.append(world.round(faults))
        number = "calm"
        world.calm()
        world.replay()
    except Exception as error:
        failure = f"round {number}: {type(error).__name__}: {error}"
    finally:
        world.end()
    print(json.dumps({
        "failure": failure, "took": took, "counts": world.faults.counts, "calls": world.history.calls,
        "retries": sum(of.failover.retries for of in world.clients),
        "registrations": sum(kind == "application" for kind, _ in world.history.ids),
        "ended": sum(len(part.ended) for part in world.controllers.values()),
        **{kind: getattr(world.writes, kind, 0) for kind in ("matched", "after_emptying", "overtaken")},
        "seconds": time.monotonic() - began,
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
