#!/usr/bin/env python3
"""Measures the shares of two TCP flows with different marks on the link to a host of a lab.

    shares.py BANDWISE LAB MARK=PART MARK=PART

Each mark has its part for a weight. Packets with mark 0 are unmarked, and have what the lab leaves to everyone else:
a part of 1 where the other's is 9, by default. The first sends for 7 s, the second from 2 s to 9 s. Counted are 1.5 s of each time: the first alone, both,
the second alone. Of both, each must have its part within 3 points; alone and together, they must
have the link, of which TCP's payload is 1448 of 1514 bytes, within 5%. A machine that others keep busy may carry less
than the link: then it is repeated, up to three times. Prints each measurement; exits 1 if the shares differ.
"""

import pathlib
import subprocess
import sys
import time

FLOW = str(pathlib.Path(__file__).with_name("flow.py"))
RATE = 200e6
PAYLOAD = 1448 / 1514


def main(bandwise: str, lab: str, *given: str) -> int:
    marks, wanted = zip(*(map(int, flow.split("=")) for flow in given))
    weights = [f"{mark}={weight}" for mark, weight in zip(marks, wanted) if mark]
    subprocess.run([bandwise, "lab", "weights", "--name", lab, "h3", *weights], check=True,
                   stdout=subprocess.DEVNULL)
    for _ in range(3):
        alone, both = measured(bandwise, lab, marks)
        together = sum(both)
        print(f"  one alone: {alone[0] / 1e6:.1f} Mbps and {alone[1] / 1e6:.1f} Mbps of payload; "
              f"both: {both[0] / 1e6:.1f} + {both[1] / 1e6:.1f} = {together / 1e6:.1f} Mbps, "
              f"{100 * both[0] / together:.1f} : {100 * both[1] / together:.1f}")
        used = [whole / (RATE * PAYLOAD) for whole in (*alone, together)]
        if min(used) < 0.95:
            continue
        shared = (abs(part / together - weight / sum(wanted)) for part, weight in zip(both, wanted))
        return 0 if max(used) <= 1.05 and max(shared) <= 0.03 else 1
    return 1


def measured(bandwise: str, lab: str, marks: tuple[int, ...]) -> tuple[list[float], list[float]]:
    """Returns the rate of each flow alone, and beside the other, in bit/s of payload."""
    def on(host: str, *command: str) -> list[str]:
        return [bandwise, "lab", "exec", "--name", lab, host, "--", "python3", FLOW, *command]

    receivers = [subprocess.Popen(on("h3", "receive", str(port)), stdout=subprocess.PIPE, text=True)
                 for port in (7001, 7002)]
    for receiver in receivers:
        assert receiver.stdout.readline() == "listening\n"
    begun = time.monotonic()
    first = subprocess.Popen(on("h1", "send", "10.0.0.3", "7001", str(marks[0]), "7"))
    time.sleep(2)
    second = subprocess.Popen(on("h2", "send", "10.0.0.3", "7002", str(marks[1]), "7"))
    lines = [receiver.communicate(timeout=60)[0].split("\n") for receiver in receivers]
    assert first.wait() == 0 and second.wait() == 0
    samples = [[tuple(map(float, line.split())) for line in of if line] for of in lines]

    def rate(flow: int, start: float) -> float:
        """Returns the payload in bit/s over 1.5 s, from a number of seconds after the start."""
        inside = [s for s in samples[flow] if begun + start <= s[0] <= begun + start + 1.5]
        if len(inside) < 2:
            return 0.0
        (t0, n0), (t1, n1) = inside[0], inside[-1]
        return 8 * (n1 - n0) / (t1 - t0)

    return [rate(0, 0.4), rate(1, 7.4)], [rate(0, 4), rate(1, 4)]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
