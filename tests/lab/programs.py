#!/usr/bin/env python3
"""Runs real programs with and without `bandwise saba run`, on host h1 of a lab or, servers, on h3.

    programs.py BANDWISE LAB SCRATCH LIBRARY

A client has to print the same, end with the same exit code, take as long, and be known with each of its connections
once, while a server on h3 holds its answers. A server has to be known with those of its clients. Prints a line for each
program.
"""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent / "programs"
HELD, OPEN = "http://10.0.0.3:7800/", ("10.0.0.3", "7800")
# The longest wait for a count of connections, and for the end of a program.
COUNTED_S, ENDED_S = 10, 30
# The shortest times with and without the library, of so many turns, may differ by this factor and time.
TURNS, SLOWER, LATE_S = 4, 1.5, 0.5
# Further looks at a count that has been reached, since no connection must be counted twice.
LOOKS = 5


class Failed(Exception):
    """A difference from the run without the library."""


class World:
    """The lab, its controller, and the server whose answers wait for a file."""

    def __init__(self, bandwise: str, lab: str, scratch: str, library: str):
        self.bandwise, self.lab, self.library = bandwise, lab, library
        self.scratch = pathlib.Path(scratch)
        self.answers = self.scratch / "answers"

    def on(self, host: str, *command: object) -> list[str]:
        return [self.bandwise, "lab", "exec", "--name", self.lab, host, "--", *map(str, command)]

    def under(self, host: str, *command: object) -> list[str]:
        return self.on(host, self.bandwise, "saba", "run", "--app", "LR", "--controller",
                       f"unix:{self.scratch}/socket", "--preload", self.library, "--", *command)

    def start(self, line: list[str]) -> subprocess.Popen:
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.scratch, start_new_session=True)

    def count(self) -> int:
        line = [self.bandwise, "saba", "status", "--config", f"{self.scratch}/controller.toml", "--json"]
        status = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
        return sum(application["connections"] for application in status["applications"])

    def counts(self, wanted: int) -> None:
        """Waits until the controller knows this number of connections, and sees that it stays so."""
        end, there = time.monotonic() + COUNTED_S, self.count()
        while there != wanted:
            if time.monotonic() > end:
                raise Failed(f"{there} connections are known, not {wanted}")
            there = self.count()
        for _ in range(LOOKS):
            if (there := self.count()) != wanted:
                raise Failed(f"{wanted} connections are known, and then {there}")

    @contextlib.contextmanager
    def held(self):
        """The server answers at the end of this block."""
        self.answers.unlink(missing_ok=True)
        try:
            yield
        finally:
            self.answers.touch()


def kill(process: subprocess.Popen) -> None:
    """Kills a program and its children."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def ended(process: subprocess.Popen) -> tuple[int, str, str]:
    """Returns the exit code and the outputs of a program, without the lines of `saba run`."""
    try:
        output, errors = process.communicate(timeout=ENDED_S)
    except subprocess.TimeoutExpired as error:
        kill(process)
        raise Failed(f"it has not ended after {ENDED_S} s") from error
    errors = [line for line in errors.splitlines(True) if not line.startswith("saba: ")]
    return process.returncode, output, "".join(errors)


def timed(world: World, command: list) -> tuple[list, list]:
    """Runs a client without and with the library. Returns the results and the times."""
    times, results = [], []
    for line in world.on("h1", *command), world.under("h1", *command):
        began = time.monotonic()
        results.append(ended(world.start(line)))
        times.append(time.monotonic() - began)
    return results, times


def client(world: World, connections: int, command: list) -> str:
    """Compares the runs of a client, and returns their times."""
    without, under = [], []
    for _ in range(TURNS):
        results, (one, other) = timed(world, command)
        without.append(one)
        under.append(other)
        if min(under) < SLOWER * min(without) + LATE_S:
            break
    else:
        raise Failed(f"it takes {min(under):.2f} s, and {min(without):.2f} s without the library")
    # A program that had no time for its goodbye is known until its lease ends.
    world.counts(0)
    with world.held():
        process = world.start(world.under("h1", *command))
        try:
            world.counts(connections)
        except Failed:
            kill(process)
            raise
    results.append(ended(process))
    for result in results[1:]:
        if result != results[0]:
            raise Failed(f"{result} instead of {results[0]}")
    if results[0][0] != 0 or "hello" not in results[0][1]:
        raise Failed(f"without the library too: {results[0]}")
    world.counts(0)
    return f"{connections} connections, {min(without):.2f} s without and {min(under):.2f} s with the library"


def server(world: World, port: int, connections: int, command: list, load: list) -> str:
    """Starts a server on h3 with the library, opens ten connections from h1, of which a number is seen, and puts a load
    on it beside them."""
    process = world.start(world.under("h3", *command))
    idle = None
    try:
        idle = subprocess.Popen(world.on("h1", sys.executable, HERE / "idle.py", "10.0.0.3", port, 10), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if idle.stdout.readline() != "open\n":
            raise Failed("its port is closed")
        world.counts(connections)
        loaded = subprocess.run(world.on("h1", *load), capture_output=True, text=True, timeout=ENDED_S)
        if loaded.returncode != 0:
            raise Failed(f"{load[0]}: {loaded.stdout}{loaded.stderr}")
        world.counts(connections)
        idle.communicate("\n")
        world.counts(0)
    finally:
        if idle:
            idle.kill()
        process.terminate()
        code, output, errors = ended(process)
    if code != 0:
        raise Failed(f"exit code {code} after SIGTERM: {output}{errors}")
    return f"{connections} of 10 connections"


def unseen(world: World, message: str, command: list) -> str:
    """A client that is not seen, as `saba run` says before it starts, or the library in its log."""
    text, log = client(world, 0, command), world.scratch / "unseen"
    log.unlink(missing_ok=True)
    ran = subprocess.run(world.under("h1", *command), capture_output=True, text=True, timeout=ENDED_S,
                         env=os.environ | {"SABA_LOG": str(log)})
    said = ran.stderr + (log.read_text() if log.exists() else "")
    if f"{message}: " not in said or "neither marked nor reported" not in said:
        raise Failed(f"nothing says that it is not seen: {said}")
    return text


def streams(world: World) -> str:
    """Four streams of iperf3 and their control connection. A second of traffic is long enough to be seen."""
    serves = world.start(world.on("h3", "iperf3", "--server", "--one-off"))
    sends = world.start(world.under("h1", "iperf3", "--client", "10.0.0.3", "--parallel", 4, "--time", 3))
    world.counts(5)
    code, output, errors = ended(sends)
    ended(serves)
    if code != 0 or "iperf Done." not in output:
        raise Failed(f"exit code {code}: {output}{errors}")
    world.counts(0)
    return "5 connections"


def ranks(world: World) -> str:
    """Two ranks of Open MPI on each of two hosts. Both ends of a connection are the application's: of the four between
    ranks, and of the one between daemons. The first rank has a connection to the server."""
    program, agent = compiled(world, "ranks", compiler="mpicc")[0], world.scratch / "agent"
    agent.write_text(f"""#!/bin/sh
host=h${{1##*.}}
shift
exec env -u SABA_HOST {shlex.quote(world.bandwise)} lab exec --name {world.lab} "$host" -- sh -c "$*"
""")
    agent.chmod(0o700)
    return client(world, 2 * 4 + 2 + 1, [
        "mpirun", "--allow-run-as-root", "--oversubscribe", "-np", 4, "--host", "10.0.0.1:2,10.0.0.3:2", "--mca",
        "plm_rsh_agent", agent, "--mca", "pml", "ob1", "--mca", "btl", "self,tcp", "--mca", "mpi_yield_when_idle", 1,
        program, *OPEN])


def compiled(world: World, source: str, *flags: str, compiler: str = "cc") -> list[str]:
    path = world.scratch / "-".join([source, compiler, *flags])
    subprocess.run([compiler, "-O1", "-o", path, HERE / f"{source}.c", *flags], check=True)
    return [str(path)]


def built_go(world: World, uses_c: bool) -> list[str]:
    path = world.scratch / f"client-go-{uses_c:d}"
    subprocess.run(["go", "build", "-o", path, HERE / "client.go"], check=True,
                   env=os.environ | {"CGO_ENABLED": f"{uses_c:d}"})
    return [str(path)]


def programs(world: World):
    """Yields name, needed program, and a function that runs the program and returns a text."""
    python, c = sys.executable, compiled(world, "client", "-pthread")

    def a_client(name: str, needed: str, connections: int, *command: object):
        return name, needed, lambda: client(world, connections, list(command))

    def c_client(how: str, connections: int):
        return a_client(f"c, {how}", "cc", connections, *c, how, *OPEN)

    def an_unseen(name: str, needed: str, message: str, command):
        return f"{name}, which is not seen", needed, lambda: unseen(world, message, [*command(), *OPEN])

    yield a_client("curl", "curl", 1, "curl", "--silent", HELD)
    yield a_client("curl in parallel", "curl", 3, "curl", "--no-progress-meter", "--parallel",
                   "--parallel-immediate", HELD, HELD, HELD)
    yield a_client("bash", "bash", 1, "bash", "-c",
                   "exec 3<>/dev/tcp/10.0.0.3/7800; printf 'GET / HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3")
    yield a_client("python, asyncio", "python3", 20, python, "-X", "dev", HERE / "client.py", "asyncio", *OPEN)
    for how in "threads", "fork", "spawn", "forkserver":
        yield a_client(f"python, {how}", "python3", 4, python, HERE / "client.py", how, *OPEN)
    yield a_client("java", "java", 5, "java", HERE / "Client.java", *OPEN)
    yield a_client("node", "node", 5, "node", HERE / "client.js", *OPEN)
    yield an_unseen("go", "go", "is a Go program, which makes system calls itself", lambda: built_go(world, True))
    yield an_unseen("go, static", "go", "is linked statically", lambda: built_go(world, False))
    yield an_unseen("c, static", "cc", "is linked statically",
                    lambda: [*compiled(world, "client", "-static", "-pthread"), "plain"])
    yield an_unseen("c, static, of musl", "musl-gcc", "is linked statically",
                    lambda: [*compiled(world, "client", "-static", compiler="musl-gcc"), "plain"])
    yield an_unseen("c, of musl", "musl-gcc", "is a program of musl",
                    lambda: [*compiled(world, "client", compiler="musl-gcc"), "plain"])
    yield an_unseen("c, io_uring", "cc", "the program has liburing",
                    lambda: [*compiled(world, "ring", "-luring"), "client"])
    for how, connections in ("plain", 1), ("fork", 3), ("vfork", 1), ("closes", 1), ("handler", 1), ("threads", 8), \
            ("ends", 1), ("late", 1):
        yield c_client(how, connections)
    yield "iperf3", "iperf3", lambda: streams(world)
    yield "open mpi", "mpirun", lambda: ranks(world)
    yield "nginx", "nginx", lambda: server(
        world, 7801, 10, ["nginx", "-c", HERE / "nginx.conf", "-p", world.scratch],
        ["curl", "--silent", "--fail", "--parallel", "--parallel-immediate", *["http://10.0.0.3:7801/"] * 20])
    yield "redis", "redis-server", lambda: server(
        world, 7802, 10, ["redis-server", "--port", 7802, "--save", "", "--protected-mode", "no"],
        ["redis-benchmark", "-h", "10.0.0.3", "-p", 7802, "-q", "-n", 20000, "-c", 20, "-t", "ping,set,get"])
    yield "c, a server by io_uring, which is not seen", "cc", lambda: server(
        world, 7803, 0, [*compiled(world, "ring", "-luring"), "server", 7803], ["true"])


def main(bandwise: str, lab: str, scratch: str, library: str) -> int:
    world = World(bandwise, lab, scratch, library)
    world.answers.touch()
    holds = subprocess.Popen(world.on("h3", sys.executable, HERE / "holds.py", OPEN[1], world.answers),
                             stdout=subprocess.PIPE, text=True)
    passed = failed = 0
    try:
        holds.stdout.readline()
        for name, needed, runs in programs(world):
            if not shutil.which(needed):
                print(f"SKIP programs: {name}: {needed} is not installed")
                continue
            try:
                print(f"programs: {name}: {runs()}: ok", flush=True)
                passed += 1
            except (Failed, subprocess.SubprocessError) as error:
                print(f"programs: {name}: FAILED: {error}", flush=True)
                failed += 1
    finally:
        holds.kill()
    print(f"programs: {passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
