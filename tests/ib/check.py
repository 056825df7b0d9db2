"""Checks of `bandwise fabric weights` for run.sh."""
import re
import subprocess
import sys
import time

from fabric import (BANDWISE, HERE, HOSTS, LEAVES, SCRATCH, SPINES, THERE, begin, checked, console, lanes, leave, manager, ports,
                    output, sweep, turns, until, weights)

TESTS = sys.argv[4]


def addresses():
    """Returns the address of each host by name, as read by ibnetdiscover."""
    found = output("ibnetdiscover")
    return dict((name, int(lid)) for name, lid in
                re.findall(r'^Ca\s+\d+ "H-\w+"\s+# "(h\d+)"\n.*?# lid (\d+) ', found, re.M))


def traced(lids, a, b):
    """Returns the ports listed by ibtracert, in order."""
    way, node = set(), None
    for line in output("ibtracert", str(lids[a]), str(lids[b])).splitlines():
        out = re.match(r"\[(\d+)\] -> ", line)
        if out:
            way.add(f"{node}:{out[1]}")
        node = re.search(r'"([^"]*)"$', line)[1] if line.endswith('"') else node
    return way


def same_ways():
    lids = addresses()
    for a, b in [("h1", "h2"), ("h1", "h36"), ("h36", "h1"), ("h5", "h20"), ("h34", "h17"), ("h12", "h13")]:
        ours = {port["port"] for port in ports("--from", a, "--to", b)}
        assert ours == traced(lids, a, b) and len(ours) >= 2, f"{a} to {b}: {ours}, {traced(lids, a, b)}"


def everything_is_found():
    found = ports()
    links = LEAVES * HOSTS + SPINES * LEAVES
    assert len(found) == 2 * links, len(found)
    assert len({port["guid"] for port in found}) == SPINES + LEAVES + LEAVES * HOSTS
    assert all(port["lanes"] == 4 for port in found)


def ways_are_ibtracerts():
    same_ways()


def weights_are_read_by_smpquery():
    before, mapped = turns("0,1", 8), lanes("0,1", 8)
    elsewhere = turns("0,1", 9), lanes("0,1", 9)
    plan = weights("leaf1:8", "1,4=30", "2=10", "--plan")
    assert "leaf1:8, low-priority entries 1: " in plan and turns("0,1", 8) == before
    text = weights("leaf1:8", "1,4=30", "2=10", "--keep", "before.json")
    assert re.search(r"leaf1:8  1, 4  1   3\n +2     2   1\n", text), text
    low, high = turns("0,1", 8)
    by_lane = dict(low)
    assert by_lane[1] == 3 * by_lane[2] > 0, low
    assert [turn for turn in low if turn[0] not in (1, 2, 3, 4)] == [t for t in before[0] if t[0] not in (1, 2, 3, 4)]
    assert high == before[1]
    now = lanes("0,1", 8)
    for by in range(1, 13):
        assert now[by][:9] == [0, 1, 2, 0, 1, 0, 0, 0, 0] and now[by][9:] == mapped[by][9:], now[by]
    assert (turns("0,1", 9), lanes("0,1", 9)) == elsewhere
    assert "no change: the port has these weights" in weights("leaf1:8", "1,4=3", "2=1", "--plan")
    # A host's own port, which has a single SL-to-VL table.
    weights("h1:1", "1=2", "2=1")
    assert lanes("0", 1)[0][:3] == [0, 1, 2] and dict(turns("0", 1)[0])[1] == 2 * dict(turns("0", 1)[0])[2]
    weights("leaf1:8", "1=9", "--keep", "before.json")
    weights("leaf1:8", "--restore", "before.json")
    assert (turns("0,1", 8), lanes("0,1", 8)) == (before, mapped)


def a_manager_beside_us():
    """An OpenSM that sets no lanes leaves ours; one that does overwrites them, which is detected and restored."""
    leave(started[0])
    plain = manager()
    weights("leaf2:8", "1=5", "2=1")
    sweep(*plain)
    assert "no change: the port has these weights" in weights("leaf2:8", "1=5", "2=1", "--plan")
    leave(plain[0])
    route = "0,1,7,2"
    ours = turns(route, 8), lanes(route, 8)
    started[:] = manager("-Q")
    until("OpenSM's own lanes", lambda: (turns(route, 8), lanes(route, 8)) != ours)
    assert "leaf2:8" in weights("leaf2:8", "1=5", "2=1", "--plan")
    weights("leaf2:8", "1=5", "2=1")
    assert (turns(route, 8), lanes(route, 8)) == ours
    sweep(*started)
    weights("leaf2:8", "1=5", "2=1")
    assert (turns(route, 8), lanes(route, 8)) == ours


def a_link_moves():
    way = {port["port"] for port in ports("--from", "h1", "--to", "h36")}
    up = next(port for port in way if port.startswith("leaf1:"))
    number = up.split(":")[1]
    console(f'Unlink "leaf1"[{number}]')
    until("a link that is gone", lambda: up not in {port["port"] for port in ports()})
    sweep(*started)
    assert up not in {port["port"] for port in ports("--from", "h1", "--to", "h36")}
    same_ways()
    assert "there is no port" in weights(up, "1=1", code=2)
    console(f'ReLink "leaf1"[{number}]')
    sweep(*started)
    until("a link that is back", lambda: up in {port["port"] for port in ports()})
    same_ways()
    weights(up, "1=4", "2=1")
    assert re.search(r"1   1   4\n", weights(up))


def silence():
    """A host that never responds, or rarely: an error, and no port half written."""
    route = "0,1,2"
    weights("h2:1", "1=1")
    before = turns(route, 1), lanes(route, 1)
    console('Error "h2"[1] 100')
    until("a host that is silent", lambda: "no answer" in weights("--from", "h1", "--to", "h3"))
    text = weights("h2:1", "1=1", code=2)
    assert "warning: not read: the node beyond leaf1:2: no answer to 3 attempts" in text and "there is no port" in text
    outcomes = {"written": 0, "refused": 0, "interrupted": 0}
    for attempt in range(15):
        console(f'Error "h2"[1] {[10, 45, 30][attempt % 3]}')
        run = subprocess.Popen([BANDWISE, "fabric", "weights", "h2:1", f"1={attempt + 2}", "2=1"], env=THERE, cwd=SCRATCH,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if attempt % 3 == 2:
            # During the change: before the write it ends, during the write it continues.
            time.sleep(0.2 + attempt / 10)
            run.send_signal(2)
        stdout, stderr = run.communicate(timeout=120)
        console('Error "h2"[1] 0')
        until("a host that answers", lambda: "warning" not in weights())
        now = turns(route, 1), lanes(route, 1)
        if run.returncode == 0:
            outcomes["written"] += 1
            low, _ = now[0]
            one, two = (sum(weight for vl, weight in low if vl == lane) for lane in (1, 2))
            assert one == (attempt + 2) * two > 0 and now != before, low
        elif run.returncode < 0:
            outcomes["interrupted"] += 1
            assert now == before
        else:
            outcomes["refused"] += 1
            assert now == before or "could not be restored" in stderr, stderr
            assert "no answer" in stderr, stderr
        before = now
    said_so = ", ".join(f"{n} {how}" for how, n in outcomes.items())
    print(f"  15 changes of a host that loses 10% to 45% of what it gets: {said_so}")


def bad_flags():
    for arguments, wanted in [
        (["h1:1", "9=1"], "SL 9 is not one of --sls"),
        (["h1:1", "1=1", "1=2"], "has two weights"),
        (["h1:1", "1=1", "2=1", "3=1", "4=1", "5=1"], "up to 4"),
        (["h1:1", "1=0"], "1 to 255"),
        (["nobody:1"], "there is no port"),
        (["--from", "h1", "--to", "spine1"], "there is no host"),
        (["h1:1", "--lanes", "0-2"], "belongs to other traffic"),
        (["h1:1", "1=1", "--restore", "x"], "cannot be used with"),
    ]:
        text = weights(*arguments, code=2)
        assert wanted in text, f"{arguments}: {text}"
    assert "has no weights of h3:1" in weights("h3:1", "--restore", "before.json", code=2)
    # Without the simulator there is no device here.
    done = subprocess.run([BANDWISE, "fabric", "weights", "--device", "nope"], env=HERE, capture_output=True, text=True)
    assert done.returncode == 1 and "nope can't be opened" in done.stderr, done.stderr


def the_crates_own():
    print(output(TESTS, "--nocapture").split("running 1 test\n")[1].split("test ibsim_fabric_is_discovered_and_configured")[0], end="")


THERE["BANDWISE_TEST_FABRIC"] = "spine1:1"
begin()
started = list(manager("-Q"))
passed, failed = checked([everything_is_found, ways_are_ibtracerts, weights_are_read_by_smpquery, the_crates_own,
                          a_manager_beside_us, a_link_moves, silence, bad_flags])
print(f"ib: {passed} passed, {failed} failed")
sys.exit(failed > 0)
