#!/usr/bin/env python3
"""Runs of two jobs at the same time, with links shared in three ways, for versus.sh, in whose folder it is started.

    versus.py BANDWISE LAB ROUNDS JSON TABLE

In each round (3 to 12) each way comes once, the order drawn by lot; both jobs are told to run at once, twice, and what each
takes is divided by the median of what it takes alone. Of each round and way the geometric mean of both, and of those the mean with its 95% interval
(Student's) over rounds.
"""

import json
import math
import os
import pathlib
import random
import select
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import Controller  # noqa: E402

JOBS = ("LR", "Sort")
# The table of each way, if it is not that of what both lose; nobody's ports are drained to what stood there before.
WAYS = {"nobody": None, "equal": "equal.csv", "saba": None}
# How often each job runs in a round, one run after another.
REPEATS = 1
# Student's t for 95%, by degrees of freedom.
STUDENT = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201}


class Way:
    """A controller that shares in a way, while it is entered."""

    def __init__(self, bandwise, lab, way, table):
        self.bandwise, self.lab, self.way, self.table = bandwise, lab, way, WAYS[way] or table

    def __enter__(self):
        pathlib.Path("store").unlink(missing_ok=True)
        settings = f'lab = "{self.lab}"\ntable = "{self.table}"\nstore = "store"\nlisten = "unix:socket"\non-exit = "restore"\n'
        pathlib.Path("controller.toml").write_text(settings)
        self.process = subprocess.Popen([self.bandwise, "saba", "controller", "--config", "controller.toml"],
                                        stderr=open("controller.log", "a"))
        deadline = time.monotonic() + 60
        while True:
            try:
                status = Controller("socket").well("GET", "/v1/status")
                # All that there were before the controller began are known to it, and ports have their weights.
                held = {job: sum(of["connections"] for of in status["applications"] if of["name"] == job) for job in JOBS}
                if min(held.values()) >= 6 and status["settled"]:
                    break
            except OSError:
                status = held = None
            assert time.monotonic() < deadline, (held, status)
            time.sleep(0.1)
        if self.way == "nobody":
            Controller("socket").well("POST", "/v1/drain", {"drained": True})
            while not Controller("socket").well("GET", "/v1/status")["settled"]:
                time.sleep(0.1)
        return self

    def weights(self):
        """What ports have, by what people call them."""
        ports = Controller("socket").well("GET", "/v1/status")["ports"]
        return {port["name"]: port["read"]["weights"] for port in ports if port["read"]}

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(30) == 0


def run(*jobs):
    """What a run of each takes that is told to run now, in seconds."""
    answers = {os.open(f"answers-{job}", os.O_RDWR | os.O_NONBLOCK): job for job in jobs}
    began, took, left = time.monotonic(), {}, dict.fromkeys(jobs, REPEATS)

    def order(job):
        with open(f"orders-{job}", "w") as orders:
            orders.write("run\n")

    for job in jobs:
        order(job)
    while len(took) < len(jobs):
        ready, _, _ = select.select([fd for fd, job in answers.items() if job not in took], [], [], 600)
        assert ready, "a job does not end"
        for fd in ready:
            assert os.read(fd, 100) == b"done\n"
            job = answers[fd]
            left[job] -= 1
            if left[job]:
                order(job)
            else:
                took[job] = (time.monotonic() - began) / REPEATS
    for fd in answers:
        os.close(fd)
    return took


def interval(values):
    """Mean, and half of its 95% interval."""
    spread = STUDENT[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), spread


def main(bandwise, lab, rounds, to, table):
    rounds, lot = int(rounds), random.Random(1)
    if rounds - 1 not in STUDENT:
        sys.exit(f"{rounds} rounds (allowed: 3 to 12)")
    alone = {job: [run(job)[job] for _ in range(rounds)] for job in JOBS}
    base = {job: statistics.median(alone[job]) for job in JOBS}
    print("alone    " + "   ".join(f"{job} {base[job]:.2f} s ({min(alone[job]):.2f} to {max(alone[job]):.2f})" for job in JOBS))
    slowdowns = {way: [] for way in WAYS}
    weights = {}
    for _ in range(rounds):
        for way in lot.sample(sorted(WAYS), len(WAYS)):
            with Way(bandwise, lab, way, table) as shared:
                took = run(*JOBS)
                weights[way] = shared.weights()
            slowdowns[way].append({job: took[job] / base[job] for job in JOBS})
    print(f"\n{'links':<8} {'both':<16} " + " ".join(f"{job:<16}" for job in JOBS) + "weights at the switch")
    result = {"schema": 1, "rounds": rounds, "alone_s": alone, "ways": {}}
    for way, all_of in slowdowns.items():
        columns = {"both": [math.sqrt(math.prod(of.values())) for of in all_of]}
        columns |= {job: [of[job] for of in all_of] for job in JOBS}
        at_switch = sorted({":".join(map(str, of)) for port, of in weights[way].items() if port.startswith("switch") and of})
        cells = [f"{mean:.3f} ± {spread:.3f}" for mean, spread in map(interval, columns.values())]
        print(f"{way:<8} " + " ".join(f"{cell:<16}" for cell in cells) + (", ".join(at_switch) or "none"))
        result["ways"][way] = {"slowdowns": all_of, "weights": weights[way]}
    print()
    for other in ("nobody", "equal"):
        ratios = [math.sqrt(math.prod(of.values()) / math.prod(saba.values()))
                  for of, saba in zip(slowdowns[other], slowdowns["saba"])]
        mean, spread = interval(ratios)
        print(f"{other}'s over Saba's, round by round: {mean:.3f} ± {spread:.3f}")
    pathlib.Path(to).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
