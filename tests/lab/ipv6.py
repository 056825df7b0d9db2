#!/usr/bin/env python3
"""Checks which class of the switch's port counts IPv6 packets with a mark and without.

    ipv6.py BANDWISE LAB
"""

import re
import subprocess
import sys

SEND = """
import socket
flow = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
flow.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, {tclass})
scope = socket.if_nametoindex("eth0")
# To all nodes of the link, which needs no address resolution.
for _ in range({count}):
    flow.sendto(bytes(100), ("ff02::1", 7003, 0, scope))
"""


def main(bandwise: str, lab: str) -> int:
    def run(*command: str) -> str:
        return subprocess.run([bandwise, "lab", *command], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def sent(number: str) -> int:
        shown = run("exec", "--name", lab, "switch", "--", "tc", "-s", "class", "show", "dev", "h3")
        return int(re.search(rf"class htb 5aba:{number} .*\n Sent \d+ bytes (\d+) pkt", shown)[1])

    run("weights", "--name", lab, "h3", "10=3", "12=1")
    # The two congestion bits beside the mark have no effect.
    for tclass, number in ((10 << 2, "10"), (12 << 2 | 1, "11"), (0, "2")):
        before = sent(number)
        run("exec", "--name", lab, "h1", "--", "python3", "-c", SEND.format(tclass=tclass, count=50))
        more = sent(number) - before
        # The default class also counts the hosts' own packets.
        if not 50 <= more <= (50 if number != "2" else 100):
            print(f"  of 50 packets of traffic class {tclass}, 5aba:{number} counts {more}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
