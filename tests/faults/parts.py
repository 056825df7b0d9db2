"""Processes of a run: started, killed, stopped, and started again when they end by themselves, as systemd would."""

import ctypes
import os
import signal
import subprocess
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWTIME = 0x80


def other_clock(days):
    """Moves the monotonic clocks of the program that this process executes."""
    if LIBC.unshare(CLONE_NEWTIME):
        raise OSError(ctypes.get_errno(), "unshare")
    with open("/proc/self/timens_offsets", "w") as file:
        file.write(f"monotonic {days * 86400} 0\nboottime {days * 86400} 0\n")


class Part:
    """A process that is wanted, or not."""

    def __init__(self, name, command, log, environment=None):
        self.name, self.command, self.log = name, command, log
        self.environment = {**os.environ, **(environment or {})}
        self.lock = threading.RLock()
        self.process = None
        # All processes that it ever was.
        self.pids = []
        self.days = 0
        self.ended = []

    def start(self):
        with self.lock:
            if self.process is None:
                moved = (lambda: other_clock(self.days)) if self.days else None
                with open(self.log, "a") as log:
                    self.process = subprocess.Popen(
                        self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, preexec_fn=moved
                    )
                self.pids.append(self.process.pid)

    def kill(self):
        """Kills the process. Returns whether it was alive."""
        with self.lock:
            was_alive = self.pid is not None
            if self.process:
                self.process.kill()
                self.process.wait()
                self.process = None
            return was_alive

    def terminate(self):
        """Asks the process to end, and kills it if it does not, as it may be stopped. Returns whether it ended itself."""
        with self.lock:
            self.send(signal.SIGTERM)
            try:
                ended = self.process is not None and self.process.wait(2) is not None
            except subprocess.TimeoutExpired:
                ended = False
            self.kill()
            return ended

    def send(self, number):
        with self.lock:
            if self.process and self.process.poll() is None:
                self.process.send_signal(number)

    def stop(self):
        self.send(signal.SIGSTOP)

    def cont(self):
        self.send(signal.SIGCONT)

    def watch(self):
        """Starts the process again if it has ended by itself."""
        with self.lock:
            if self.process and self.process.poll() is not None:
                self.ended.append(self.process.returncode)
                self.process = None
                self.start()

    @property
    def pid(self):
        with self.lock:
            return self.process.pid if self.process and self.process.poll() is None else None

    def waited(self):
        """Returns the time for which the threads of the process were ready and had no processor, seconds."""
        total, pid = 0, self.pid
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                    total += int(file.read().split()[1])
        except (OSError, IndexError):
            pass
        return total / 1e9


class Watchdog:
    """A thread that starts ended parts again."""

    def __init__(self, parts):
        self.parts, self.ends = parts, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends.wait(0.2):
            for part in self.parts:
                part.watch()

    def end(self):
        self.ends.set()
        self.thread.join()


def traced(pid, seconds, *options):
    """Attaches strace to a process for a time."""
    if pid is None:
        return
    command = ["strace", "-f", "-qq", "-o", "/dev/null", *options, "-p", str(pid)]
    tracer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    tracer.send_signal(signal.SIGINT)
    try:
        tracer.wait(5)
    except subprocess.TimeoutExpired:
        tracer.kill()
        tracer.wait()
