"""Runs plans of faults on real controllers, one seed after another, two at a time.

    suite.py BANDWISE [--minutes N | --hours N] [--seed N] [--rounds N] [--parallel N] [--keep FOLDER]

A seed that fails is printed, with its plan; `--seed N` runs it again, alone. The last line has the counts.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

from net import Net, run
from plan import MEMBERS, ROUNDS, drawn

# Seconds of a run, about.
RUN = 70
SUMS = ("calls", "retries", "registrations", "matched", "after_emptying", "overtaken")

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    """A world with its namespaces and its folder, which are made before it and removed after it."""

    def __init__(self, bandwise, seed, rounds, slot, keep):
        self.bandwise, self.seed, self.rounds, self.keep = bandwise, seed, rounds, keep
        self.plan, self.process, self.is_ended = drawn(seed, rounds), None, False
        own = f"{os.getpid()}{slot}"
        self.lab, self.reference, self.prefix = f"f{own}", f"g{own}", f"bandwise-faults-{own}"
        self.net = Net(self.prefix, self.plan.controllers + MEMBERS if self.plan.is_cluster else [])
        self.folder = tempfile.mkdtemp(prefix="bandwise-faults-")

    def result(self):
        """Runs the world. Returns its result."""
        try:
            run("mount", "-t", "tmpfs", "tmpfs", self.folder)
            for lab in self.lab, self.reference:
                run(self.bandwise, "lab", "up", "--name", lab, "--hosts", "6", "--rate", "200Mbit")
            self.net.up()
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.net.namespace("hub"), sys.executable, f"{HERE}/world.py", self.bandwise, self.folder,
                 self.prefix, self.lab, self.reference, str(self.seed), str(self.rounds)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            )
            output = self.process.communicate()[0]
            lines = output.splitlines() or [json.dumps({"failure": "the run ended without a result"})]
            result = json.loads(lines[-1])
            if result["failure"] and not self.is_ended:
                self.keeps(result)
            return result
        finally:
            self.down()

    def keeps(self, result):
        """Keeps the logs of a failed run."""
        folder = os.path.join(self.keep, f"seed-{self.seed}")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("data", "e0", "e1", "e2", "disk", "*.socket"))
        with open(os.path.join(folder, "plan"), "w") as file:
            file.write("\n".join([*self.plan.listed(), result["failure"], ""]))
        result["folder"] = folder

    def end(self):
        self.is_ended = True
        if self.process:
            self.process.terminate()

    def down(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.net.down()
        for lab in self.lab, self.reference:
            run(self.bandwise, "lab", "down", "--force", "--name", lab, check=False)
        run("umount", "-l", self.folder, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class Suite:
    """Seeds, the time in which they run, and the sums of their results."""

    def __init__(self, options):
        self.options, self.lock, self.running = options, threading.Lock(), []
        self.next, self.until = options.first, time.monotonic() + options.minutes * 60
        self.counts, self.took, self.passed, self.failed, self.ends = Counter(), [], 0, 0, False

    def seeds(self):
        # A run that would mostly be beyond the time is not begun.
        while not self.ends and (self.options.seed is not None or time.monotonic() + RUN / 2 < self.until):
            with self.lock:
                seed, self.next = self.next, self.next + 1
            yield seed
            if self.options.seed is not None:
                return

    def work(self, slot):
        for seed in self.seeds():
            of = Run(self.options.bandwise, seed, self.options.rounds, slot, self.options.keep)
            with self.lock:
                self.running.append(of)
            try:
                result = of.result()
            except Exception as error:
                result = {"failure": repr(error)}
            with self.lock:
                self.running.remove(of)
                if not self.ends:
                    self.add(of, result)

    def add(self, of, result):
        self.counts.update(result.get("counts", {}))
        self.counts.update({kind: result.get(kind, 0) for kind in SUMS})
        self.counts.update({"controllers started again after a failure": result.get("ended", 0)})
        self.took += result.get("took", [])
        shape = "three controllers with etcd" if of.plan.is_cluster else "a controller with its own store"
        if result["failure"] is None:
            self.passed += 1
            slowest = max(result["took"])
            took = f"{result['seconds']:.0f} s, all right at most {slowest:.1f} s after the last fault"
            print(f"faults: seed {of.seed}, {shape}: ok ({took})", flush=True)
        else:
            self.failed += 1
            print(f"faults: seed {of.seed}, {shape}: FAILED in {result['failure'][:3000]}", flush=True)
            print(f"  again: make test-faults SEED={of.seed}; plan, logs and history: {result.get('folder', 'none')}", flush=True)

    def run(self):
        slots = 1 if self.options.seed is not None else self.options.parallel
        workers = [threading.Thread(target=self.work, args=(slot,)) for slot in range(slots)]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(0.2)
        self.summary()

    def stop(self, *_):
        self.ends = True
        for of in list(self.running):
            of.end()

    def summary(self):
        took = sorted(self.took)
        if took:
            middle, most, soon = took[len(took) // 2], took[-1], sum(of <= 5 for of in took)
            print(f"faults: {len(took)} rounds, all right {middle:.2f} s after the last fault at the median, {most:.2f} s at most, "
                  f"in {soon} rounds within 5 s")
        sums = {kind: self.counts.pop(kind, 0) for kind in SUMS}
        print("faults: {registrations} registrations in {calls} calls, {retries} of them repeated".format(**sums))
        print("faults: {matched} writes in a term of their writer, {after_emptying} in the lease after an emptied store, "
              "{overtaken} of these after the next holder's".format(**sums))
        print("faults: " + (", ".join(f"{number} {kind}" for kind, number in sorted(self.counts.items())) or "no fault"))
        print(f"faults: {self.passed} passed, {self.failed} failed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bandwise")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--hours", type=float)
    parser.add_argument("--seed", type=int, help="run this seed alone")
    parser.add_argument("--first", type=int, default=int(time.time()), help="the first seed (default: the time)")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--parallel", type=int, default=2)
    keep = os.path.join(tempfile.gettempdir(), "bandwise-faults")
    parser.add_argument("--keep", default=keep, help="folder for the logs of failed seeds")
    options = parser.parse_args()
    options.bandwise = os.path.realpath(options.bandwise)
    if options.hours:
        options.minutes = options.hours * 60
    if options.seed is not None:
        options.first = options.seed
    suite = Suite(options)
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, suite.stop)
    suite.run()
    return 1 if suite.failed or suite.ends else 0


if __name__ == "__main__":
    sys.exit(main())
