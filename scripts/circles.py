#!/usr/bin/env python3
"""Finds circles of files that depend on each other.

    scripts/circles.py [--all] [CRATE…]

A file depends on another file of its crate if its code names an item that is defined there, by `use` or by a path.
Re-exports are followed to the definition: a module that only declares and re-exports its children depends on none of
them. Code under `#[cfg(test)]` is left out. Prints each circle (strongly connected component) of more than 3 files,
with --all also the smaller ones, and exits 1 if there is one of more than 3. `--self-test` proves that it can.
"""

import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST = 3
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\[^\n]{1,10}?|[^\\\n])\'', re.S
)
USE = re.compile(r"\b(pub(?:\s*\([^)]*\))?\s+)?use\s+([^;]+);")
ITEM = re.compile(
    r"\b(?:fn|struct|enum|union|trait|type|const|static|macro_rules!)\s+(?:mut\s+)?([A-Za-z_]\w*)"
)
MODULE = re.compile(r"((?:#\[[^\]]*\]\s*)*)(?:pub(?:\s*\([^)]*\))?\s+)?mod\s+(\w+)\s*([;{])")
PATH = re.compile(r"(?<![\w:])(?:::)?([A-Za-z_]\w*(?:::[A-Za-z_]\w*)+)")
WORD = re.compile(r"[A-Za-z_]\w*")


class Module:
    """One file: its code without comments, the names that it defines, imports and declares."""

    def __init__(self, path: pathlib.Path, parent: "Module | None"):
        self.path = path
        self.parent = parent
        self.children: dict[str, Module] = {}
        self.code = without_tests(NOISE.sub(" ", path.read_text()))
        self.items = set(ITEM.findall(self.code))
        # The name that an import brings, its path, and whether it is a re-export.
        self.imports: dict[str, tuple[list[str], bool]] = {}
        self.globs: list[tuple[list[str], bool]] = []
        for public, tree in USE.findall(self.code):
            for path_, name in leaves(re.sub(r"\s+", " ", tree)):
                if name == "*":
                    self.globs.append((path_, bool(public)))
                else:
                    self.imports[name] = (path_, bool(public))
        self.body = USE.sub(" ", self.code)

    def root(self) -> "Module":
        return self.parent.root() if self.parent else self


def without_tests(code: str) -> str:
    """The code without inline modules under `#[cfg(test)]`; of other inline modules the braces go."""
    while found := next((m for m in MODULE.finditer(code) if m[3] == "{"), None):
        depth, end = 1, found.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        inside = "" if "cfg(test)" in found[1] else re.sub(r"\buse\s+super::", "use self::", code[found.end() : end - 1])
        code = code[: found.start()] + inside + code[end:]
    return code


def leaves(tree: str, before: tuple[str, ...] = ()):
    """The paths of a tree of `use`, each with the name that it brings."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if brace:
        stem = before + tuple(WORD.findall(head))
        depth, start, rest = 0, 0, rest.rstrip().removesuffix("}")
        for at, letter in enumerate(rest + ","):
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                if rest[start:at].strip():
                    yield from leaves(rest[start:at], stem)
                start = at + 1
        return
    path, _, alias = tree.partition(" as ")
    names = list(before + tuple(WORD.findall(path)))
    if path.rstrip().endswith("*"):
        yield names, "*"
        return
    if names[-1] == "self" and len(names) > 1:
        names.pop()
    yield names, alias.strip() or names[-1]


def read(path: pathlib.Path, parent: Module | None, all_: list[Module]) -> Module:
    module = Module(path, parent)
    all_.append(module)
    folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
    for attributes, name, end in MODULE.findall(module.code):
        if end != ";" or "cfg(test)" in attributes:
            continue
        for file in (folder / f"{name}.rs", folder / name / "mod.rs"):
            if file.exists():
                module.children[name] = read(file, module, all_)
    return module


def resolve(module: Module, path: list[str], seen: frozenset = frozenset()) -> Module | None:
    """The file that defines what a path names, seen from a module; `None` outside of the crate."""
    key = (module.path, tuple(path))
    # Names of other crates can lead around in imports; such paths grow or return.
    if key in seen or len(path) > 12:
        return None
    seen = seen | {key}
    if not path:
        return module
    first, rest = path[0], path[1:]
    if first == "crate":
        return resolve(module.root(), rest, seen)
    if first == "self":
        return resolve(module, rest, seen)
    if first == "super":
        return module.parent and resolve(module.parent, rest, seen)
    if first in module.children:
        return resolve(module.children[first], rest, seen)
    if first in module.items:
        return module
    if first in module.imports and module.imports[first][0] != path[:1]:
        target, _ = module.imports[first]
        return resolve(module, target + rest, seen)
    for target, _ in module.globs:
        if (from_glob := resolve(module, target, seen)) and from_glob is not module:
            if found := resolve(from_glob, path, seen):
                return found
    return None


def dependencies(module: Module) -> set[Module]:
    words = set(WORD.findall(module.body))
    targets = [p for n, (p, public) in module.imports.items() if not public or n in words]
    targets += [match.split("::") for match in PATH.findall(module.body)]
    found = {resolve(module, path) for path in targets}
    for path, _ in module.globs:
        stem = resolve(module, path)
        if stem and stem is not module:
            found |= {resolve(stem, [word]) for word in words if word[0].isupper()}
    return {target for target in found if target and target is not module}


def components(graph: dict) -> list[list]:
    """Tarjan's strongly connected components, without recursion."""
    index, low, on, stack, out = {}, {}, set(), [], []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, after = work[-1]
            for other in after:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    out.append(stack[at:])
                    on -= set(stack[at:])
                    del stack[at:]
    return out


def circles(source: pathlib.Path) -> list[list[pathlib.Path]]:
    """The circles of a crate's `src`, the largest first."""
    modules: list[Module] = []
    for name in ("lib.rs", "main.rs"):
        if (source / name).exists():
            read(source / name, None, modules)
    graph = {m: sorted(dependencies(m), key=lambda d: d.path) for m in modules}
    found = [sorted(m.path for m in part) for part in components(graph) if len(part) > 1]
    return sorted(found, key=lambda part: (-len(part), part))


def self_test() -> int:
    """Four files in a circle are found; a parent that only re-exports is in none."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "lib.rs").write_text("mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\npub use b::B;\n")
        files = {"a": "B", "b": "c::C", "c": "d::D", "d": "A"}
        for file, other in files.items():
            (folder / f"{file}.rs").write_text(f"use crate::{other};\npub struct {file.upper()};\n")
        (circle,) = circles(folder)
        assert [p.name for p in circle] == ["a.rs", "b.rs", "c.rs", "d.rs"], circle
        (folder / "d.rs").write_text("pub struct D;\n#[cfg(test)]\nmod tests { use crate::A; }\n")
        assert circles(folder) == [], circles(folder)
    print("circles: self-test passed")
    return 0


def main() -> int:
    if "--self-test" in sys.argv:
        return self_test()
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    wrong = 0
    for source in sorted(ROOT.glob("crates/*/src")):
        if names and source.parent.name not in names:
            continue
        for circle in circles(source):
            large = len(circle) > LARGEST
            wrong += large
            if large or "--all" in sys.argv:
                print(f"{source.parent.name}: circle of {len(circle)} files")
                print("\n".join(f"  {path.relative_to(source)}" for path in circle))
    if wrong:
        print(f"circles: {wrong} of more than {LARGEST} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
