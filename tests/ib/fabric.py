"""A fabric in ibsim with OpenSM, inspected with infiniband-diags, for the checks here.

Arguments: the program bandwise, the library libumad2sim, a folder, and what else a check wants.
"""
import atexit
import json
import os
import re
import subprocess
import sys
import time

BANDWISE, UMAD, SCRATCH = sys.argv[1:4]
HERE = {
    **os.environ,
    # Sockets have this name, so that parallel runs do not collide.
    "IBSIM_SOCKNAME": f"ib-{os.getpid()}",
    "SIM_HOST": "h1",
    "OSM_CACHE_DIR": SCRATCH,
    "OSM_TMP_DIR": SCRATCH,
}
THERE = {**HERE, "LD_PRELOAD": UMAD}
SPINES, LEAVES, HOSTS = 6, 12, 3
# OpenSM, and other processes to end with this one.
managers = []
simulator = None


def netlist():
    """A fat tree: each leaf has three hosts at ports 1 to 3 and a link to each spine at ports 7 to 12."""
    lines = []
    for s in range(1, SPINES + 1):
        lines += [f'Switch 12 "spine{s}"', *(f'[{l}] "leaf{l}"[{6 + s}]' for l in range(1, LEAVES + 1)), ""]
    for l in range(1, LEAVES + 1):
        lines += [f'Switch 12 "leaf{l}"']
        lines += [f'[{h}] "h{(l - 1) * HOSTS + h}"[1]' for h in range(1, HOSTS + 1)]
        lines += [*(f'[{6 + s}] "spine{s}"[{l}]' for s in range(1, SPINES + 1)), ""]
    for h in range(LEAVES * HOSTS):
        lines += [f'Hca 1 "h{h + 1}"', f'[1] "leaf{h // HOSTS + 1}"[{h % HOSTS + 1}]', ""]
    return "\n".join(lines)


def output(*command, code=0):
    """Returns the output of a command in the simulated fabric, and checks its exit code."""
    done = subprocess.run(command, env=THERE, cwd=SCRATCH, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def weights(*arguments, code=0):
    return output(BANDWISE, "fabric", "weights", *arguments, code=code)


def ports(*arguments):
    return json.loads(weights(*arguments, "--json"))["ports"]


def until(what, is_so, seconds=30):
    """Waits until another program has done something."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.1)


def turns(route, port):
    """Returns the low and high priority tables as read by smpquery: lane and weight of each entry."""
    rows = re.findall(r"^(?:VL    |WEIGHT): \|(.*)\|$", output("smpquery", "-D", "vlarb", route, str(port)), re.M)
    rows = [[int(cell, 16) for cell in row.split("|")] for row in rows]
    return list(zip(rows[0], rows[1])), list(zip(rows[2], rows[3]))


def lanes(route, port):
    """Returns the lane of each service level as read by smpquery, by input port."""
    rows = re.findall(r"^ports: in +(\d+), out +\d+: \|(.*)\|$", output("smpquery", "-D", "sl2vl", route, str(port)), re.M)
    return {int(by): [int(cell) for cell in row.split("|")] for by, row in rows}


def console(line):
    simulator.stdin.write(line + "\n")
    simulator.stdin.flush()


def manager(*flags):
    """Starts OpenSM, and returns it when the subnet is up."""
    log = os.path.join(SCRATCH, "opensm.log")
    open(log, "w").close()
    started = subprocess.Popen(["opensm", *flags, "-s", "0", "-d2", "-f", log], env=THERE, cwd=SCRATCH, stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    managers.append(started)
    until("OpenSM", lambda: ups(log) > 0)
    return started, log


def ups(log):
    return open(log).read().count("SUBNET UP")


def sweep(started, log):
    before = ups(log)
    started.send_signal(1)
    until("a sweep", lambda: ups(log) > before)


def leave(started):
    started.terminate()
    started.wait(20)
    managers.remove(started)


def begin():
    """Starts ibsim, without a subnet manager."""
    global simulator
    with open(os.path.join(SCRATCH, "net"), "w") as file:
        file.write(netlist())
    output = open(os.path.join(SCRATCH, "ibsim.out"), "w")
    simulator = subprocess.Popen(["ibsim", "-s", "net"], env=HERE, cwd=SCRATCH, stdin=subprocess.PIPE, text=True,
                                 stdout=output, stderr=subprocess.STDOUT)
    until("ibsim", lambda: "ready" in open(output.name).read())


@atexit.register
def end():
    for process in [*managers, *([simulator] if simulator else [])]:
        process.kill()
        process.wait()


def checked(checks):
    """Runs the checks one after another. Returns the number passed, and the number failed."""
    passed = failed = 0
    for check in checks:
        try:
            check()
            passed += 1
            print(f"{check.__name__.replace('_', ' ')}: ok", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{check.__name__.replace('_', ' ')}: FAILED: {error}", flush=True)
    return passed, failed
