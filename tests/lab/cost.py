#!/usr/bin/env python3
"""Measures the preloaded library's cost per connection: the same program with and without it, alternating.

    cost.py BANDWISE LAB SCRATCH LIBRARY
"""

import statistics
import subprocess
import sys

TURNS = 7


def main(bandwise: str, lab: str, scratch: str, library: str) -> int:
    under = [bandwise, "saba", "run", "--app", "LR", "--controller", f"unix:{scratch}/socket",
             "--preload", library, "--"]

    def middle(command: list) -> float:
        ran = subprocess.run([bandwise, "lab", "exec", "--name", lab, "h1", "--", *command], check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return float(ran.stdout)

    # Streams to an unused address of the network: a response or refusal would take time of its own.
    for kind, address in (("datagram", "10.0.0.3"), ("stream", "10.0.0.200")):
        program = [f"{scratch}/cost", address, "200", kind]
        turns = [(middle(program), middle(under + program)) for _ in range(TURNS)]
        without, with_it = (statistics.median(of) for of in zip(*turns))
        more = sorted(b - a for a, b in turns)
        print(f"  socket, connect and close of a {kind}: {without:.0f} ns, and {with_it:.0f} ns with the library: "
              f"{more[TURNS // 2]:.0f} ns more (median of {TURNS} turns, {more[0]:.0f} to {more[-1]:.0f}; less than "
              f"1000 ns is asked)")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
