"""Runs small scenarios with `--trace` in the working folder and reads the files with tshark and
Scapy, whose counts must equal those of the run. Usage: check.py PATH-OF-BANDWISE"""

import collections
import json
import os
import subprocess
import sys

from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapNgReader

RACK = 'kind = "ethernet"\n[fabric]\nbuild = { single-switch = 5 }\nlink = { rate = "40 Gbps", delay = "500 ns" }\n'
INCAST = '[workload]\nincast = { senders = 4, bytes = "400 KB", receiver = 4 }\n'
# Scenarios with drops, and without.
DROPS = '[switch]\nbuffer = "8 KB"\npfc = false\n'
PAUSES = '[switch]\nbuffer = "45 KB"\npfc = true\n'
DCQCN = '[congestion-control]\nkind = "dcqcn"\necn = { kmin = "9 KB", kmax = "90 KB", pmax = 0.1 }\n'

SCENARIOS = {
    "irn": RACK + INCAST + DROPS,
    "irn with RETHs": RACK + INCAST + DROPS + "[transport]\nextra-header = 16\n",
    "roce": RACK + INCAST + DROPS + '[transport]\nkind = "roce"\n',
    "roce with pfc and dcqcn": RACK + INCAST + PAUSES + DCQCN + '[transport]\nkind = "roce"\n',
    "iwarp": RACK + INCAST + DROPS + '[transport]\nkind = "iwarp"\n',
}

FIELDS = {
    "port": "frame.interface_name",
    "direction": "frame.packet_flags_direction",
    "time": "frame.time_epoch",
    "length": "frame.len",
    "kept": "frame.cap_len",
    "ip_sum": "ip.checksum.status",
    "ecn": "ip.dsfield.ecn",
    "tcp_sum": "tcp.checksum.status",
    "tcp_port": "tcp.srcport",
    "tcp_seq": "tcp.seq_raw",
    "tcp_length": "tcp.len",
    "tcp_sack": "tcp.options.sack_le",
    "opcode": "infiniband.bth.opcode",
    "pair": "infiniband.bth.destqp",
    "psn": "infiniband.bth.psn",
    "syndrome": "infiniband.aeth.syndrome",
    "msn": "infiniband.aeth.msn",
    "dma": "infiniband.reth.dmalen",
    "icrc": "infiniband.invariant.crc",
    "priority": "macc.cbfc.enbv.c3",
    "quanta": "macc.cbfc.pause_time.c3",
}
GOOD = "1"
WRITES = {6, 7, 8, 10}
ACK, CNP = 17, 129
IN, OUT = "0x00000001", "0x00000002"

Packet = collections.namedtuple("Packet", FIELDS)


class Tally:
    """Counts checks, and prints the failed ones."""

    passed = failed = 0

    def check(self, name, good, instead=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}: {str(instead)[:200]}")

    def equal(self, name, found, expected):
        instead = f"{str(found)[:90]} instead of {str(expected)[:90]}"
        self.check(name, found == expected, instead)


def tshark(path, *arguments):
    """Returns tshark's output for a file."""
    command = ["tshark", "-r", path, "-o", "ip.check_checksum:TRUE"]
    command += ["-o", "tcp.check_checksum:TRUE", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def packets(path):
    """Returns all packets of a file, as tshark's fields."""
    fields = [argument for field in FIELDS.values() for argument in ("-e", field)]
    lines = tshark(path, "-T", "fields", "-E", "occurrence=f", *fields)
    return [Packet(*line.split("\t")) for line in lines]


def simulate(bandwise, name, *flags):
    """Runs a scenario; returns the file of its packets, and its counters."""
    with open("n.toml", "w", encoding="utf-8") as file:
        file.write(SCENARIOS[name])
    path = "t.pcapng"
    command = [bandwise, "sim", "run", "n.toml", "--trace", path, "--json", "-", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return path, json.loads(ran.stdout)["stats"]


def number(text):
    """Reads a decimal or hexadecimal number."""
    return int(text, 0)


def check_crcs(tally, name, path):
    """Scapy recomputes the ICRC of every packet. (A packet is unchanged on its path.)"""
    frames = {data for data, _ in RawPcapNgReader(path)}
    right = collections.Counter()
    for data in frames:
        frame = Ether(data)
        if BTH in frame:
            frame[BTH].icrc = None
            right[frame.build()[-4:] == data[-4:]] += 1
    tally.check(f"{name}: Scapy finds every ICRC right", list(right) == [True], right)


def retransmitted(data):
    """Returns the number of retransmitted packets, by flow and number."""
    seen = collections.Counter((p.pair, p.psn, p.tcp_port, p.tcp_seq) for p in data)
    return sum(seen.values()) - len(seen)


def check_everything(tally, bandwise, name):
    """All ports: the number of frames of each kind equals the run's counters."""
    path, stats = simulate(bandwise, name, "--trace-packets", "1000000")
    expert = tshark(path, "-Y", "_ws.malformed || _ws.unreassembled")
    tally.equal(f"{name}: nothing is malformed", expert, [])
    all_of = packets(path)
    sent = [packet for packet in all_of if packet.direction == OUT]
    came = [packet for packet in all_of if packet.direction == IN]
    times = [float(packet.time) for packet in all_of]
    tally.check(f"{name}: in order of time", times == sorted(times))
    tally.equal(f"{name}: IPv4 checksums", {p.ip_sum for p in all_of if not p.quanta}, {GOOD})
    of_flows = [packet for packet in sent if not packet.quanta]
    tally.equal(f"{name}: packet-hops", len(of_flows), stats["packet_hops"])
    at_host = [p for p in came if p.port.startswith("h") and not p.quanta]
    tally.equal(f"{name}: packets delivered", len(at_host), stats["packets_delivered"])
    at_switch = [p for p in came if not p.port.startswith("h") and not p.quanta]
    from_switch = [packet for packet in of_flows if not packet.port.startswith("h")]
    dropped = len(at_switch) - len(from_switch)
    tally.equal(f"{name}: packets dropped", dropped, stats["packets_dropped"])
    marked = sum(packet.ecn == "3" for packet in from_switch)
    tally.equal(f"{name}: packets marked", marked, stats["packets_marked"])
    from_host = [packet for packet in of_flows if packet.port.startswith("h")]
    is_tcp = name == "iwarp"
    if is_tcp:
        tally.equal(f"{name}: TCP checksums", {p.tcp_sum for p in all_of}, {GOOD})
        data = [packet for packet in from_host if int(packet.tcp_length) > 0]
        tally.check(f"{name}: selective acknowledgements", any(p.tcp_sack for p in sent))
    else:
        check_crcs(tally, name, path)
        # tshark takes the reserved bytes of a CNP for its payload.
        shown = all(p.icrc for p in of_flows if p.opcode != str(CNP))
        tally.check(f"{name}: tshark shows ICRCs", shown)
        data = [packet for packet in from_host if int(packet.opcode) in WRITES]
        answers = [packet for packet in from_host if int(packet.opcode) not in WRITES]
        known = {int(packet.opcode) for packet in answers}
        tally.check(f"{name}: data or answers", known <= {ACK, CNP}, known)
        tally.equal(f"{name}: messages of 100 KB", {p.dma for p in data if p.dma}, {"100000"})
    tally.equal(f"{name}: retransmitted packets", retransmitted(data), stats["packets_retransmitted"])
    pauses = [packet for packet in sent if packet.quanta]
    tally.equal(f"{name}: pauses of priority 3", {p.priority for p in pauses} - {"1"}, set())
    stops = sum(number(packet.quanta) > 0 for packet in pauses)
    tally.equal(f"{name}: pauses", stops, stats["pauses"])
    tally.equal(f"{name}: ends of pauses", len(pauses) - stops, stats["pauses"])
    return all_of, stats


def run(tally, bandwise):
    """All checks."""
    found = {name: check_everything(tally, bandwise, name) for name in SCENARIOS}
    for name, what in (
        ("irn", "packets_dropped"),
        ("irn", "packets_retransmitted"),
        ("roce", "packets_retransmitted"),
        ("iwarp", "packets_retransmitted"),
        ("roce with pfc and dcqcn", "pauses"),
        ("roce with pfc and dcqcn", "packets_marked"),
    ):
        tally.check(f"{name}: there are {what}", found[name][1][what] > 0)
    all_of, _ = found["irn"]
    nacks = [p for p in all_of if p.syndrome and number(p.syndrome) == 0x60]
    beyond = [p for p in nacks if number(p.msn) > number(p.psn)]
    tally.check("irn: NACKs name the packet that came", nacks and len(beyond) == len(nacks))
    notified = [p for p in found["roce with pfc and dcqcn"][0] if p.opcode == str(CNP)]
    tally.check("dcqcn: there are notifications", notified)

    # One flow and one port of all: the same packets.
    path, _ = simulate(bandwise, "irn", "--trace-flow", "1", "--trace-port", "h2")
    pair = {p.pair for p in all_of if p.port == "h1:1" and p.direction == OUT}
    chosen = [
        p
        for p in all_of
        if p.port == "h2:1"
        or p.pair in pair
        and (p.direction == OUT or p.port.startswith("h"))
    ]
    tally.equal("one flow and one port", packets(path), chosen)
    # Headers only.
    path, _ = simulate(bandwise, "irn", "--trace-snap", "58")
    short = packets(path)
    tally.equal("headers alone: kept", max(int(p.kept) for p in short), 58)
    lengths = [p.length for p in all_of]
    tally.equal("headers alone: lengths", [p.length for p in short], lengths[: len(short)])
    tally.equal("headers alone: malformed", tshark(path, "-Y", "_ws.malformed"), [])


def main():
    """Runs the checks and prints the closing line."""
    tally = Tally()
    run(tally, os.path.abspath(sys.argv[1]))
    print(f"trace: {tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
