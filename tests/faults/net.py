"""Network namespaces of a run, and what is lost between them.

Each controller and each member of etcd has a namespace, joined by a bridge in the namespace of the run's own process. A
sender that has a wrong hardware address for a receiver loses all packets to it, in this direction only and in silence.
"""

import subprocess

NOWHERE = "02:00:00:00:00:01"


def run(*command, check=True):
    """Runs a command. Returns its output."""
    done = subprocess.run(command, check=False, text=True, capture_output=True, stdin=subprocess.DEVNULL)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Net:
    """The namespaces of a run, by the name of their process."""

    def __init__(self, prefix, names):
        self.prefix, self.names = prefix, list(names)
        self.addresses = {name: f"10.77.0.{number}" for number, name in enumerate(self.names, 1)}

    def namespace(self, name):
        return f"{self.prefix}-{name}"

    def up(self):
        hub = self.namespace("hub")
        run("ip", "netns", "add", hub)
        lines = ["link set lo up", "link add br0 type bridge", "link set br0 up", "addr add 10.77.0.254/24 dev br0"]
        for name in self.names:
            run("ip", "netns", "add", self.namespace(name))
            lines.append(f"link add name {name} type veth peer name eth0 netns {self.namespace(name)}")
            lines.append(f"link set dev {name} master br0 up")
        self.batch(hub, lines)
        for name, address in self.addresses.items():
            self.batch(self.namespace(name), ["link set lo up", "link set eth0 up", f"addr add {address}/24 dev eth0"])

    def batch(self, namespace, lines):
        text = "".join(line + "\n" for line in lines)
        subprocess.run(["ip", "-n", namespace, "-batch", "-"], input=text, text=True, check=True)

    def down(self):
        for name in ["hub", *self.names]:
            namespace = self.namespace(name)
            for pid in run("ip", "netns", "pids", namespace, check=False).split():
                run("kill", "-9", pid, check=False)
            run("ip", "netns", "del", namespace, check=False)

    def lose(self, sender, receiver):
        """Loses all packets from a sender to a receiver."""
        wrong = [self.addresses[receiver], "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent"]
        run("ip", "-n", self.namespace(sender), "neigh", "replace", *wrong)

    def carry(self, sender, receiver):
        """Ends `lose`."""
        run("ip", "-n", self.namespace(sender), "neigh", "del", self.addresses[receiver], "dev", "eth0", check=False)
