#!/usr/bin/env python3
"""Compares the output in the documentation with that of the program.

    docs/examples.py [--write] BANDWISE

Runs every `$ command` in the ```console blocks of README.md and docs/src in the root folder of the
project, and compares its standard output with the block; --write replaces the block. Does the same
for the device table, which is made from crates/netsim/src/infiniband/host/device.rs.
A line `…` in a block ends the comparison: the rest of the output is omitted. Lines with speeds
depend on machine and build, and are not compared.
"""

import difflib
import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
TABLE = re.compile(r"(?<=<!-- device table -->\n)\n.*?\n(?=<!-- end of device table -->)", re.S)
SPEED = re.compile(r"packet-hops/s|ns of (CPU|wall) time|MiB at most|^processor ")
DEVICE = ROOT / "crates/netsim/src/infiniband/host/device.rs"
PRESETS = ROOT / "crates/netsim/src/infiniband/host/presets.rs"


@functools.cache
def run(command: str, folder: str) -> str:
    # Under `make test`, a `make` in an example must not take itself for a part of that one.
    env = {name: text for name, text in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    env |= {"PATH": f"{folder}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=env, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=600, check=False,
    )
    return done.stdout.decode()


def block(text: str, folder: str) -> str:
    """The block with the output that its commands have now."""
    out = []
    for part in re.split(r"^(?=\$ )", text, flags=re.M):
        if not part.startswith("$ "):
            out.append(part)
            continue
        lines = part.split("\n")
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        command = "\n".join(lines[: end + 1])
        output = run(command[2:], folder)
        if "…" in lines[end + 1 :]:
            kept = lines[end + 1 :].index("…")
            output = "\n".join(output.split("\n")[:kept]) + "\n…\n"
        new = [line.rstrip() for line in output.split("\n")]
        out.append("\n".join([command, *keep_speed(lines[end + 1 :], new)]))
    return "".join(out)


def keep_speed(old: list[str], new: list[str]) -> list[str]:
    """The new lines, with those about speed as they were."""
    if [bool(SPEED.search(line)) for line in old] != [bool(SPEED.search(line)) for line in new]:
        return new
    return [a if SPEED.search(a) else b for a, b in zip(old, new, strict=True)]


def value(text: str) -> str:
    """A value of Rust as people write it."""
    if text == "Mtu::MAX":
        return "4096 B"
    if text in ("None", "Vec::new()"):
        return "off"
    if tick := re.fullmatch(r"Some\(OsTick \{ period: (.*), steal: (.*) \}\)", text):
        return f"{value(tick[2])} every {value(tick[1])}"
    kind, unit, number = re.fullmatch(r"(\w+)::(\w+)\(([\d_]+)\)", text).groups()
    number = int(number.replace("_", ""))
    scale = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6}
    if kind == "Time":
        ns = number * scale[unit.removeprefix("from_")]
        return f"{ns / 1e6:g} ms" if ns >= 1e6 else f"{ns / 1e3:g} us" if ns >= 1e4 else f"{ns:g} ns"
    if kind == "BitRate":
        return f"{number / (1e9 if unit == 'from_bps' else 1):g} Gbps"
    return f"{number} KiB" if unit == "from_kib" else f"{number} B"


def device_table() -> str:
    source, presets = DEVICE.read_text(), PRESETS.read_text()
    struct = re.search(r"pub struct DeviceModel \{\n(.*?)^\}", source, re.M | re.S)[1]
    fields = re.findall(r"((?:^ +/// .*\n)+) +pub (\w+):", struct, re.M)
    # Values that a preset does not state are those of an earlier one.
    models = {}
    for function, body in re.findall(r"pub fn (connectx\w+)\(\).*?DeviceModel \{\n(.*?)^        \}",
                                     presets, re.M | re.S):
        base = re.search(r"\.\.Self::(\w+)\(\)", body)
        own = dict(re.findall(r"^ +(\w+): (.*),$", body, re.M))
        models[function] = {**(models[base[1]] if base else {}), **own}
    names = [name.replace("_", "-") for name in models]
    rows = ["| key | what it is | " + " | ".join(names) + " |", "|---|---|" + "---:|" * len(names)]
    for comment, name in fields:
        if name in ("congestion_control", "preset"):
            continue
        words = " ".join(line.strip().removeprefix("/// ") for line in comment.strip().split("\n"))
        words = re.sub(r"\[`?([^]`]+)`?\]", r"\1", words)
        values = " | ".join(value(model[name]) for model in models.values())
        rows.append(f"| `{name.replace('_', '-')}` | {words} | {values} |")
    return "\n" + "\n".join(rows) + "\n"


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    if len(arguments) != 1 or not os.access(arguments[0], os.X_OK):
        print(__doc__, file=sys.stderr)
        return 2
    folder = str(pathlib.Path(arguments[0]).resolve().parent)
    wrong = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs/src").rglob("*.md"))]:
        old = page.read_text()
        new = BLOCK.sub(lambda m: f"```console\n{block(m[1], folder)}```", old)
        new = TABLE.sub(lambda m: device_table(), new)
        if new == old:
            continue
        if "--write" in sys.argv:
            page.write_text(new)
            print(f"{page.relative_to(ROOT)}: written")
        else:
            print(f"{page.relative_to(ROOT)}: the output has changed (docs/examples.py --write)")
            diff = difflib.unified_diff(old.split("\n"), new.split("\n"), "shown", "now", n=0,
                                        lineterm="")
            print("\n".join(f"  {line}" for line in diff))
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
