"""Ports of a lab as `tc` shows them, and as a controller without faults gives them."""

import re

from client import Client, Controller, settled
from net import run

HOSTS = [f"h{n}" for n in range(1, 7)]
PORTS = {f"switch to {host}": ("switch", host) for host in HOSTS} | {f"{host} to switch": (host, "eth0") for host in HOSTS}
# Numbers that the kernel gives, and counts of packets.
OWN = re.compile(r"( fh [0-9a-f:]+| order \d+| key ht [0-9a-f]+ bkt [0-9a-f]+| refcnt \d+| direct_packets_stat \d+| ht divisor \d+)")


def read(lab):
    """Returns queueing disciplines, classes and filters of each port."""
    ports = {}
    for port, (node, device) in PORTS.items():
        shown = []
        for kind in "qdisc", "class", "filter":
            shown += blocks(run("tc", "-n", f"bandwise-{lab}-{node}", kind, "show", "dev", device))
        ports[port] = sorted(set(shown))
    return ports


def blocks(output):
    """Joins continued lines, such as a filter and its match."""
    return [re.sub(r"\s+", " ", OWN.sub("", block)).strip() for block in re.split(r"\n(?! )", output) if block.strip()]


def lose(lab, port):
    """Deletes the settings of a port. The switch has forgotten them."""
    node, device = PORTS[port]
    run("tc", "-n", f"bandwise-{lab}-{node}", "qdisc", "del", "dev", device, "root", check=False)


class Reference:
    """A controller without faults, over a lab of its own."""

    def __init__(self, lab, place):
        self.lab, self.place = lab, place

    def ports(self, registrations):
        """Returns the ports for these registrations: names of applications with the ends of their connections."""
        controller = Controller(self.place)
        client = Client(controller)
        for name, ends in registrations:
            application = client.register(name)
            for source, to in ends:
                client.connect(application, source, to)
        settled(controller)
        ports = read(self.lab)
        controller.well("DELETE", f"/v1/clients/{client.client}")
        return ports


def differences(found, wanted):
    """Returns the ports that differ, with what each lacks and has beyond."""
    def beyond(lines, others):
        return [line for line in lines if line not in others]

    different = [port for port in wanted if found[port] != wanted[port]]
    return {
        port: {"lacks": beyond(wanted[port], found[port]), "has": beyond(found[port], wanted[port])} for port in different
    }
