#!/usr/bin/env python3
"""Runs real programs with and without `bandwise saba run`, on host h1 of a lab or, servers, on h3.

    programs.py BANDWISE LAB SCRATCH LIBRARY

A client has to print the same, end with the same exit code, and be known with each of its connections once, while a
server on h3 holds its answers. A server has to be known with those of its clients. Prints a line for each program.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent / "programs"
HELD, OPEN = "http://10.0.0.3:7800/", ("10.0.0.3", "7800")
# The longest wait for a count of connections, and for the end of a program.
COUNTED_S, ENDED_S = 10, 30
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


def client(world: World, connections: int, command: list) -> str:
    """Compares the runs of a client, and returns their times."""
    times, results = [], []
    for line in world.on("h1", *command), world.under("h1", *command):
        began = time.monotonic()
        results.append(ended(world.start(line)))
        times.append(time.monotonic() - began)
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
    return f"{connections} connections, {times[0]:.2f} s without and {times[1]:.2f} s with the library"


def server(world: World, port: int, command: list, load: list) -> str:
    """Starts a server on h3 with the library, opens ten connections from h1, and puts a load on it beside them."""
    process = world.start(world.under("h3", *command))
    idle = None
    try:
        idle = subprocess.Popen(world.on("h1", sys.executable, HERE / "idle.py", "10.0.0.3", port, 10), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if idle.stdout.readline() != "open\n":
            raise Failed("its port is closed")
        world.counts(10)
        loaded = subprocess.run(world.on("h1", *load), capture_output=True, text=True, timeout=ENDED_S)
        if loaded.returncode != 0:
            raise Failed(f"{load[0]}: {loaded.stdout}{loaded.stderr}")
        world.counts(10)
        idle.communicate("\n")
        world.counts(0)
    finally:
        if idle:
            idle.kill()
        process.terminate()
        code, output, errors = ended(process)
    if code != 0:
        raise Failed(f"exit code {code} after SIGTERM: {output}{errors}")
    return "10 connections"


def unseen(world: World) -> str:
    """A static program, which `saba run` says is not seen."""
    command = [*compiled(world, "client-static", "-static", "-pthread"), "plain", *OPEN]
    text = client(world, 0, command)
    errors = subprocess.run(world.under("h1", *command), capture_output=True, text=True, timeout=ENDED_S).stderr
    if "client-static is linked statically: its connections are neither marked nor reported" not in errors:
        raise Failed(f"nothing says that it is not seen: {errors}")
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


def compiled(world: World, name: str, *flags: str) -> list[str]:
    path = world.scratch / name
    subprocess.run(["cc", "-O1", "-o", path, HERE / "client.c", *flags], check=True)
    return [str(path)]


def built_go(world: World) -> list[str]:
    path = world.scratch / "client-go"
    subprocess.run(["go", "build", "-o", path, HERE / "client.go"], check=True)
    return [str(path)]


def programs(world: World):
    """Yields name, needed program, and a function that runs the program and returns a text."""
    python, c = sys.executable, compiled(world, "client-c", "-pthread")

    def a_client(name: str, needed: str, connections: int, *command: object):
        return name, needed, lambda: client(world, connections, list(command))

    def c_client(how: str, connections: int):
        return a_client(f"c, {how}", "cc", connections, *c, how, *OPEN)

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
    yield "go, whose connections are not seen", "go", lambda: client(world, 0, built_go(world) + list(OPEN))
    yield "c, static, which is not seen", "cc", lambda: unseen(world)
    for how, connections in ("plain", 1), ("fork", 3), ("vfork", 1), ("closes", 1), ("handler", 1), ("threads", 8), \
            ("ends", 1), ("late", 1):
        yield c_client(how, connections)
    yield "iperf3", "iperf3", lambda: streams(world)
    yield "nginx", "nginx", lambda: server(
        world, 7801, ["nginx", "-c", HERE / "nginx.conf", "-p", world.scratch],
        ["curl", "--silent", "--fail", "--parallel", "--parallel-immediate", *["http://10.0.0.3:7801/"] * 20])
    yield "redis", "redis-server", lambda: server(
        world, 7802, ["redis-server", "--port", 7802, "--save", "", "--protected-mode", "no"],
        ["redis-benchmark", "-h", "10.0.0.3", "-p", 7802, "-q", "-n", 20000, "-c", 20, "-t", "ping,set,get"])


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
