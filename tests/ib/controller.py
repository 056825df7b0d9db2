"""Checks of the controller for run.sh: over HTTP, beside OpenSM, as read by smpquery."""
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time

from fabric import (BANDWISE, HERE, SCRATCH, THERE, begin, checked, console, lanes, leave, manager, managers, sweep, turns, until)

sys.path.append(sys.argv[4])
from client import Client, Controller, settled  # noqa: E402

SETTINGS = """
table = "table.csv"
store = "store"
listen = "unix:socket"
audit = "audit.jsonl"
recording = "recording.jsonl"
[infiniband]
sls = "1-8"
lanes = "1-3"
[times]
lease = "100 s"
check-interval = "300 ms"
discovery-interval = "1 s"
max-retry = "500 ms"
"""
TABLE = """application,share,time_s
LR,1,132
LR,0.5,260
LR,0.25,447
PR,1,100
PR,0.5,110
PR,0.25,131
"""
SOCKET = os.path.join(SCRATCH, "socket")
process = None


def start():
    """Starts the controller, and returns it when it responds."""
    global process
    log = open(os.path.join(SCRATCH, "log"), "a")
    process = subprocess.Popen([BANDWISE, "saba", "controller", "--config", "c.toml"], env=THERE, cwd=SCRATCH,
                               stdout=log, stderr=log)
    managers.append(process)

    def answers():
        assert process.poll() is None, open(log.name).read()[-300:]
        try:
            return Controller(SOCKET).ask("GET", "/v1/status")[0] == 200
        except OSError:
            return False
    until("the controller", answers)


def kill():
    process.kill()
    process.wait()
    managers.remove(process)


def route(node):
    """Returns the directed route from h1."""
    kind, number = re.match(r"(\D+)(\d+)", node).groups()
    number = int(number)
    if kind == "leaf":
        return "0,1" if number == 1 else f"0,1,7,{number}"
    if kind == "spine":
        return f"0,1,{6 + number}"
    return "0" if number == 1 else f"{route(f'leaf{(number - 1) // 3 + 1}')},{(number - 1) % 3 + 1}"


def tables(port):
    """Returns the tables of a port as read by smpquery: our lanes and service levels, and all of them."""
    node, number = port.split(":")
    low, high = turns(route(node), int(number))
    return low, high, lanes(route(node), int(number))


def status():
    return settled(Controller(SOCKET))


def named():
    return {port["port"]: port for port in status()["ports"]}


def paths():
    """Returns the ports on the path of a connection, by its ends."""
    found = {}

    def known():
        made = Controller(SOCKET).well("GET", "/v1/connections")["connections"]
        names = {number: port["name"] for number, port in named().items()}
        # A port may have been removed between the two responses; and without a path, as while OpenSM writes new
        # forwarding tables, a connection keeps its old one until the next discovery.
        found.clear()
        found.update({(of["from"], of["to"]): {names.get(port) for port in of["path"]} for of in made})
        return not any(None in path for path in found.values())
    until("paths of known ports", known)
    return found


def counted(metric):
    text = Controller(SOCKET).ask("GET", "/metrics")[1]
    return int(re.search(rf"^bandwise_controller_{metric}_total (\d+)$", text, re.M)[1])


def everywhere():
    """Returns the tables of all ports on the paths of connections."""
    return {port: tables(port) for port in sorted(set().union(*paths().values()))}


def weights_are_read_by_smpquery():
    global client, levels
    before = tables("leaf12:3")
    start()
    client = Client(Controller(SOCKET))
    levels = {}
    for name, host in ("LR", "h1"), ("PR", "h2"):
        answer = client.request(register={"name": name})
        client.request(connect={"application": answer["application"], "from": host, "to": "h36"})
        levels[name] = answer["sl"]
    port = next(port for port in named().values() if port["name"] == "leaf12:3")
    weights = {level: port["read"]["weights"][queue] for level, queue in port["read"]["table"]}
    low, high, mapped = tables("leaf12:3")
    sums = {lane: sum(weight for vl, weight in low if vl == lane) for lane in range(1, 4)}
    lane = {name: {by[sl] for by in mapped.values()} for name, sl in levels.items()}
    assert all(len(of) == 1 and of < {1, 2, 3} for of in lane.values()), lane
    bits = {name: sums[of.pop()] for name, of in lane.items()}
    most, least = weights[levels["LR"] - 1], weights[levels["PR"] - 1]
    assert bits["LR"] * least == bits["PR"] * most and most > least, (bits, weights)
    # Lanes and levels of others are unchanged.
    assert [turn for turn in low if turn[0] not in (1, 2, 3)] == [turn for turn in before[0] if turn[0] not in (1, 2, 3)]
    for by, row in mapped.items():
        assert [row[0], *row[9:]] == [before[2][by][0], *before[2][by][9:]], row


def hosts_by_name_guid_and_address():
    guid = subprocess.run(["smpquery", "-D", "nodeinfo", "0"], env=THERE, capture_output=True, text=True).stdout
    guid = re.search(r"^Guid:\.+(0x\w+)", guid, re.M)[1]
    info = subprocess.run(["smpquery", "-D", "portinfo", route("h36"), "1"], env=THERE, capture_output=True, text=True).stdout
    lid = re.search(r"^Lid:\.+(\d+)", info, re.M)[1]
    application = client.register("LR")
    made = [client.connect(application, a, b) for a, b in [(guid, "h36"), ("h1", lid)]]
    assert paths()[guid, "h36"] == paths()["h1", lid] == paths()["h1", "h36"]
    for source, to in ("h1", "nobody"), ("spine1", "h1"), ("h1", "0x123"):
        asked = client.asked({"connect": {"application": application, "from": source, "to": to}})
        code, answer = client.controller.ask("POST", "/v1/requests", asked)
        assert code == 422 and "there is no host" in answer["error"], answer
    for connection in made:
        client.request(close={"connection": connection})
    client.request(deregister={"application": application})


def overwritten_entries_are_restored():
    status()
    ours, before = everywhere(), counted("ports_overwritten")
    leave(started[0])
    started[:] = manager("-Q")
    until("that it is seen", lambda: counted("ports_overwritten") >= before + len(ours))
    until("that it is restored", lambda: status() and everywhere() == ours)
    audit = [json.loads(line) for line in open(os.path.join(SCRATCH, "audit.jsonl"))]
    seen = {line["name"] for line in audit if line["event"] == "overwritten"}
    assert seen >= set(ours), set(ours) - seen
    print(f"  {counted('ports_overwritten') - before} ports were overwritten by OpenSM and restored")


def connections_follow_a_link_that_moves():
    path, moved = paths()["h1", "h36"], counted("connections_moved")
    up = next(port for port in path if port.startswith("leaf1:"))
    number = up.split(":")[1]
    console(f'Unlink "leaf1"[{number}]')
    sweep(*started)
    until("another path", lambda: up not in paths()["h1", "h36"])
    assert counted("connections_moved") > moved and counted("ports_lost") >= 2
    other = paths()["h1", "h36"]
    status()
    for port in other - {"h1:1"}:
        assert any(lane in (1, 2, 3) and weight for lane, weight in tables(port)[0]), port
    console(f'ReLink "leaf1"[{number}]')
    sweep(*started)
    until("the port to be back", lambda: up in {port["name"] for port in named().values()})
    status()


def killed_at_any_instant_it_ends_the_same():
    reference, before = everywhere(), paths()
    chance = random.Random(1)

    def churn(stop):
        """Registers and stops repeatedly until the controller is gone, without deregistering."""
        try:
            own = Client(Controller(SOCKET))
            application = own.register("PR")
            while not stop.is_set():
                made = own.connect(application, f"h{chance.randint(3, 20)}", "h36")
                own.request(close={"connection": made})
        except (OSError, AssertionError, json.JSONDecodeError):
            pass

    # ibsim has room for ten programs, and keeps the slot of a killed one.
    for _ in range(5):
        stop = threading.Event()
        others = [threading.Thread(target=churn, args=(stop,)) for _ in range(2)]
        [other.start() for other in others]
        time.sleep(chance.uniform(0, 0.4))
        kill()
        stop.set()
        [other.join() for other in others]
        start()
        # A client that stopped is removed with its lease; here the removal is forced.
        for gone in range(client.client + 1, client.client + 40):
            Controller(SOCKET).ask("DELETE", f"/v1/clients/{gone}")
        status()
        now = everywhere()
        assert paths() == before and now == reference, [port for port in now if now[port] != reference.get(port)]
    client.controller = Controller(SOCKET)


def how_long_it_takes():
    """Measures, by the recording, from a connection's request to the first and last port of its path read back."""
    application = client.register("LR")
    for _ in range(40):
        made = client.connect(application, "h21", "h33")
        status()
        client.request(close={"connection": made})
        status()
    ways, asked = [], None
    for line in open(os.path.join(SCRATCH, "recording.jsonl")):
        entry = json.loads(line)
        event = entry.get("input")
        if not isinstance(event, dict):
            continue
        request = event.get("request")
        if request:
            connect = request["request"]["request"].get("connect")
            asked = entry["at_ns"] if connect and connect["from"] == "h21" else None
            if asked:
                ways.append([])
        outcome = event.get("order_ended", {}).get("outcome")
        if asked and isinstance(outcome, dict) and outcome.get("done", {}).get("is_written"):
            ways[-1].append((entry["at_ns"] - asked) / 1e6)
    assert len(ways) == 40 and all(len(of) == len(ways[0]) for of in ways), ways
    first, last = [of[0] for of in ways], [of[-1] for of in ways]
    print(f"  from a connection's request to the first port of its path read back: median {statistics.median(first):.2f} ms, "
          f"to the last of {len(ways[0])}: {statistics.median(last):.2f} ms (40 connections, ibsim with 18 switches)")


def bad_settings():
    def refused(code, wanted, *, of, env=THERE):
        with open(os.path.join(SCRATCH, "bad.toml"), "w") as file:
            file.write(SETTINGS.replace("[infiniband]", "[infiniband]\n" + of, 1).replace('"store"', '"other"'))
        done = subprocess.run([BANDWISE, "saba", "controller", "--config", "bad.toml"], env=env, cwd=SCRATCH,
                              capture_output=True, text=True, timeout=30)
        assert done.returncode == code and wanted in done.stderr, done
        assert not os.path.exists(os.path.join(SCRATCH, "other"))

    refused(2, "bad.toml:7: nope can't be opened", of='device = "nope"', env=HERE)
    refused(2, "bad.toml:8: port 0", of="port = 0")


def a_host_that_is_silent():
    """The host's port is not left half written, and others are served meanwhile."""
    console('Error "h36"[1] 100')
    until("that it is seen", lambda: counted("ports_lost") and "h36:1" not in {p["name"] for p in named().values()})
    assert paths()["h2", "h36"]
    console('Error "h36"[1] 0')
    until("that it is back", lambda: "h36:1" in {port["name"] for port in named().values()})
    status()


with open(os.path.join(SCRATCH, "c.toml"), "w") as file:
    file.write(SETTINGS)
with open(os.path.join(SCRATCH, "table.csv"), "w") as file:
    file.write(TABLE)
begin()
started = list(manager("-Q"))
passed, failed = checked([weights_are_read_by_smpquery, hosts_by_name_guid_and_address, overwritten_entries_are_restored,
                          connections_follow_a_link_that_moves, killed_at_any_instant_it_ends_the_same, how_long_it_takes,
                          a_host_that_is_silent, bad_settings])
print(f"ib: {passed} passed, {failed} failed")
sys.exit(failed > 0)
