"""The faults of a run, one method a kind. Each begins a fault, waits, and ends it."""

import os
import random
import threading
import time
from collections import Counter

import ports
from parts import traced

ELECTION = 1.0  # etcd's time-out, after which a silent leader is lost, seconds


class Faults:
    """Carries out faults on the parts of a world, and counts them."""

    def __init__(self, world):
        self.world, self.counts, self.lock, self.traces = world, Counter(), threading.Lock(), {}

    def count(self, *kinds):
        with self.lock:
            self.counts.update(kinds)

    def run(self, fault, began):
        """Runs a fault from its beginning to its end."""
        time.sleep(max(0.0, began + fault.at - time.monotonic()))
        self.world.history.line(fault=fault.kind, target=fault.target, lasts=fault.lasts, choice=fault.choice)
        getattr(self, fault.kind)(fault)
        self.world.history.line(ended=fault.kind, target=fault.target)

    # Controllers

    def killed(self, part):
        if part.kill():
            self.count("kills")

    def kill(self, fault):
        part = self.world.part(fault.target)
        self.killed(part)
        time.sleep(min(fault.lasts, 1.0))
        part.start()

    def kill_at_start(self, fault):
        part = self.world.part(fault.target)
        self.killed(part)
        part.start()
        time.sleep(0.002 + fault.choice % 200 / 1000)
        self.killed(part)
        part.start()

    def terminate(self, fault):
        part = self.world.part(fault.target)
        if part.terminate():
            self.count("ended controllers")
        time.sleep(min(fault.lasts, 1.0))
        part.start()

    def stop(self, fault):
        part = self.world.part(fault.target)
        part.stop()
        self.count("stops")
        time.sleep(fault.lasts)
        part.cont()

    def stutter(self, fault):
        part, ends = self.world.part(fault.target), time.monotonic() + fault.lasts
        self.count("slow processes")
        while time.monotonic() < ends:
            part.stop()
            time.sleep(0.09)
            part.cont()
            time.sleep(0.01)

    def other_clock(self, fault):
        """Starts a controller again, whose monotonic clock is days before or behind, as on another machine."""
        part = self.world.part(fault.target)
        self.killed(part)
        part.days = random.Random(fault.choice).randrange(1, 3000)
        part.start()
        self.count("other clocks")

    def wall_clock(self, fault):
        """Changes the date that a controller sees."""
        self.world.set_date(fault.target, random.Random(fault.choice).randrange(-3000, 3000) * 3600)
        self.count("changed dates")
        time.sleep(fault.lasts)
        self.world.set_date(fault.target, 0)

    # Ports

    def port_lost(self, fault):
        names = list(ports.PORTS)
        for number in range(1 + fault.choice % 3):
            ports.lose(self.world.lab, names[(fault.choice // 3 + number) % len(names)])
        self.count("lost ports")

    def inject(self, fault, calls, how):
        """Injects failures into system calls of a process. A process has one tracer at a time."""
        part = self.world.part(fault.target)
        with self.lock:
            lock = self.traces.setdefault(fault.target, threading.Lock())
        with lock:
            traced(part.pid, max(0.5, fault.lasts), "-e", f"trace={calls}", "-e", f"inject={calls}:{how}")

    def port_errors(self, fault):
        call, error = [("sendto", "ENOBUFS"), ("recvfrom", "EIO"), ("recvfrom", "ENOBUFS")][fault.choice % 3]
        self.count("failing writes of ports")
        self.inject(fault, call, f"error={error}:when={2 + fault.choice % 5}+{3 + fault.choice % 4}")

    # Disks

    def full(self, folder, lasts):
        ballast = f"{folder}/ballast-{threading.get_ident()}"
        with open(ballast, "wb") as file:
            size = 1 << 28
            while size >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
                except OSError:
                    size //= 2
        self.count("full disks")
        time.sleep(lasts)
        os.unlink(ballast)

    def full_disk(self, fault):
        self.full(f"{self.world.folder}/disk", fault.lasts)

    def member_full_disk(self, fault):
        self.full(f"{self.world.folder}/{fault.target}", fault.lasts)

    def slow_disk(self, fault):
        self.count("slow disks")
        self.inject(fault, "fdatasync,fsync", f"delay_enter={(fault.choice % 20 + 1) * 20000}")

    member_slow_disk = slow_disk

    def disk_errors(self, fault):
        call, error = [("fdatasync,fsync", "EIO"), ("pwrite64", "EIO"), ("pwrite64", "ENOSPC")][fault.choice % 3]
        self.count("failing disks")
        self.inject(fault, call, f"error={error}:when={1 + fault.choice % 3}+{2 + fault.choice % 7}")

    # Partitions

    def lose(self, pairs, lasts):
        self.count("partitions")
        for pair in pairs:
            self.world.net.lose(*pair)
        time.sleep(lasts)
        for pair in pairs:
            self.world.net.carry(*pair)

    def directed(self, target, others, choice):
        """Returns the pairs of sender and receiver between which packets are lost: one way, the other, or both."""
        there, back = [(target, other) for other in others], [(other, target) for other in others]
        return [there, back, there + back][choice % 3]

    def cut_off(self, fault):
        members = self.world.etcd.names
        # Most partitions are from all members.
        others = members if fault.choice // 3 % 4 else [members[fault.choice // 12 % 3]]
        self.lose(self.directed(fault.target, others, fault.choice), fault.lasts)

    def member_cut_off(self, fault):
        others = [name for name in self.world.etcd.names if name != fault.target]
        if fault.choice // 3 % 3 == 0:
            others += self.world.plan.controllers
        self.lose(self.directed(fault.target, others, fault.choice), fault.lasts)

    # Members of etcd

    def member_kill(self, fault):
        self.kill(fault)

    def member_stop(self, fault):
        self.stop(fault)

    def leading(self, fault, is_lost):
        leader = self.world.etcd.leader()
        if leader and is_lost:
            self.count("lost leaders")
        fault.target = leader or self.world.etcd.names[0]
        return fault

    def leader_kill(self, fault):
        self.kill(self.leading(fault, True))

    def leader_stop(self, fault):
        self.stop(self.leading(fault, fault.lasts > 2 * ELECTION))

    def leader_cut_off(self, fault):
        self.member_cut_off(self.leading(fault, fault.lasts > 2 * ELECTION))

    def leader_moved(self, fault):
        names = self.world.etcd.names
        if self.world.etcd.move_leader(names[fault.choice % len(names)]):
            self.count("lost leaders")

    def emptied(self, how):
        epoch = self.world.epoch
        epoch.is_changing = True
        try:
            how()
        finally:
            epoch.number += 1
            epoch.is_changing = False
        self.count("emptied stores")

    def prefix_deleted(self, _):
        self.emptied(self.world.etcd.delete_prefix)

    def etcd_replaced(self, _):
        self.emptied(lambda: self.world.etcd.replaced(None, self.world.terms.cut))

    def etcd_restored(self, _):
        if self.world.snapshot:
            self.world.was_restored = True
            self.emptied(lambda: self.world.etcd.replaced(self.world.snapshot, self.world.terms.cut))
