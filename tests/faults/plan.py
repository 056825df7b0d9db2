"""The plan of a run: a function of the seed, so that a failing seed is repeated as it was."""

import random
from dataclasses import dataclass, field

MEMBERS = ["e0", "e1", "e2"]
ROUNDS = 8
# Faults of a round begin in this time, and end soon after. Seconds.
WINDOW = 3.0

# Kinds of faults, each with its weight among the draws of a shape.
SINGLE = {
    "kill": 6, "kill_at_start": 3, "terminate": 1, "stop": 2, "stutter": 1, "other_clock": 1, "wall_clock": 1, "port_lost": 3,
    "port_errors": 2, "full_disk": 2, "slow_disk": 1, "disk_errors": 1,
}
CLUSTER = {
    "kill": 5, "kill_at_start": 2, "terminate": 1, "stop": 3, "stutter": 1, "other_clock": 1, "wall_clock": 1, "port_lost": 2,
    "port_errors": 1, "cut_off": 4, "member_kill": 2, "member_stop": 1, "member_cut_off": 2, "member_full_disk": 1,
    "member_slow_disk": 1, "leader_kill": 3, "leader_stop": 1, "leader_cut_off": 1, "leader_moved": 2,
}
EMPTIED = ["prefix_deleted", "etcd_replaced", "etcd_restored"]
# Controllers remember the ids of an emptied store. So none is killed in its round.
KILLS = {"kill", "kill_at_start", "terminate", "other_clock"}


@dataclass
class Fault:
    """A fault that begins `at` seconds after the round, and lasts `lasts` seconds."""

    at: float
    kind: str
    target: str
    lasts: float
    # What the kind chooses from, such as a direction or a port.
    choice: int = 0


@dataclass
class Plan:
    """A run: its shape, and the faults of each round."""

    seed: int
    controllers: list
    rounds: list = field(default_factory=list)

    @property
    def is_cluster(self):
        return len(self.controllers) > 1

    def listed(self):
        """Returns the plan as lines for people."""
        for number, faults in enumerate(self.rounds):
            for fault in faults:
                yield f"round {number} at {fault.at:.2f} s: {fault.kind} {fault.target} for {fault.lasts:.2f} s ({fault.choice})"


def drawn(seed, rounds=ROUNDS):
    """Draws the plan of a seed: odd seeds have three controllers with etcd, even ones a controller with its own store."""
    chance = random.Random(f"faults {seed}")
    plan = Plan(seed, ["a", "b", "c"] if seed % 2 else ["a"])
    for _ in range(rounds):
        plan.rounds.append(round_of(chance, plan))
    return plan


def round_of(chance, plan):
    kinds = dict(CLUSTER if plan.is_cluster else SINGLE)
    faults = []
    if plan.is_cluster and chance.random() < 0.25:
        kinds = {kind: weight for kind, weight in kinds.items() if kind not in KILLS}
        faults.append(Fault(chance.uniform(0.5, WINDOW), chance.choice(EMPTIED), "etcd", 0.0))
    for _ in range(chance.randint(4, 9)):
        kind = chance.choices(list(kinds), list(kinds.values()))[0]
        member = kind.startswith("member")
        target = "etcd" if kind.startswith("leader") else chance.choice(MEMBERS if member else plan.controllers)
        lasts = chance.choice([chance.uniform(0.05, 0.5), chance.uniform(0.5, 4.0)])
        faults.append(Fault(chance.uniform(0.0, WINDOW), kind, target, lasts, chance.randrange(1 << 16)))
    return sorted(faults, key=lambda fault: fault.at)
