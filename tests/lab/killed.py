#!/usr/bin/env python3
"""Kills a program at each system call with which it reads and writes a port. The port then has the configuration from
before or the wanted one, and nothing in between.

    killed.py BANDWISE LAB
"""

import re
import subprocess
import sys

CALLS = ("sendto", "recvfrom", "poll", "ppoll")
BEFORE, WANTED = ("10=1", "12=3", "14=2"), ("10=3", "12=1")
# A write has more calls of one kind than a read, which has some ten, and fewer than this.
MOST = 200


def main(bandwise: str, lab: str) -> int:
    def configuration() -> list[list[str]]:
        """Returns classes and filters of the port, without the kernel's numbers of tables."""
        def shown(kind: str) -> list[str]:
            command = ["tc", "-netns", f"bandwise-{lab}-switch", kind, "show", "dev", "h2"]
            lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
            return sorted(re.sub(r"fh [0-9a-f:]+", "", line) for line in lines.splitlines())
        return [shown("class"), shown("filter")]

    def weights(marks: tuple[str, ...]) -> list[str]:
        return [bandwise, "lab", "weights", "--name", lab, "h2", *marks]

    def written(marks: tuple[str, ...]) -> list[list[str]]:
        subprocess.run(weights(marks), check=True, stdout=subprocess.DEVNULL)
        return configuration()

    before, wanted = written(BEFORE), written(WANTED)
    was_before = was_wanted = half = 0
    for call in CALLS:
        for number in range(1, MOST):
            if written(BEFORE) != before:
                print("  a write after a kill gives another configuration")
                return 1
            inject = f"inject={call}:signal=KILL:when={number}"
            command = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
            ran = subprocess.run([*command, *weights(WANTED)], capture_output=True, timeout=60)
            if ran.returncode == 0:
                break
            now = configuration()
            was_before += now == before
            was_wanted += now == wanted
            half += now not in (before, wanted)
    print(f"  killed at a call, {was_before} times as before, {was_wanted} as wanted, {half} half-written")
    return 0 if before != wanted and was_before and was_wanted and not half else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
