#!/usr/bin/env python3
"""Checks links and paths of the pages.

    docs/links.py

Reads README.md, ARCHITECTURE.md, CONTRIBUTING.md, docs/, and the READMEs in papers/ and tests/. Each link must
lead to a file, and its anchor to a heading there. Links inside docs/src must stay there, because the built
book contains nothing else; links to github.com/bandwise/bandwise stand for files of this tree. Each path in
backticks that starts with a folder of the project must exist, with `{a,b}` expanded. In ARCHITECTURE.md the
start files of the table of crates must exist too, and each crate must have a row. Exits 1 after a finding.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("papers/*/README.md")),
    *sorted(ROOT.glob("tests/*/README.md")),
]
BOOK = ROOT / "docs/src"
TREE = "https://github.com/bandwise/bandwise/blob/main/"
# Made by a command, or only mentioned as a place for one.
MADE = {"fuzz/artifacts", "docs/examples/missing.toml"}


def prose(page: pathlib.Path) -> str:
    """The text of a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.M | re.S)


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors of a page's headings, as mdBook and GitHub make them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def expanded(path: str) -> list[str]:
    """A path with each `{a,b}` expanded."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    before, after = path[: braces.start()], path[braces.end() :]
    return [done for part in braces[1].split(",") for done in expanded(before + part + after)]


def broken_links(page: pathlib.Path):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith(TREE):
            if not (ROOT / link.removeprefix(TREE).partition("#")[0]).exists():
                yield f"no file {link}"
            continue
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"no file {link}"
        elif BOOK in page.parents and BOOK not in target.parents:
            yield f"{link} leaves the book"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"no heading {link}"


def missing_paths(page: pathlib.Path):
    folders = r"(?:crates|docs|fuzz|integrations|packaging|papers|scripts|tests)/"
    for path in re.findall(rf"`({folders}[^`\s<>*]+)`", prose(page)):
        for one in expanded(path):
            # PAPER and the like stand for any of several.
            if not re.search(r"[A-Z]{3}", one.replace("README", "")) and one not in MADE:
                if not (ROOT / one).exists():
                    yield f"no file {one}"


def crate_rows(page: pathlib.Path):
    """Findings in the table of crates: a missing row, a missing file to start at."""
    rows = {}
    for row in re.findall(r"^\| `([a-z-]+)` .*\| ([^|]*) \|$", page.read_text(), re.M):
        if (ROOT / "crates" / row[0]).exists():
            rows[row[0]] = re.findall(r"`([^`]+)`", row[1])
    for crate in sorted(path.name for path in ROOT.glob("crates/*")):
        if crate not in rows:
            yield f"no row for the crate {crate}"
        for file in rows.get(crate, []):
            if not (ROOT / "crates" / crate / "src" / file).exists():
                yield f"no file {file} in the crate {crate}"


def main() -> int:
    findings = [(page, finding) for page in PAGES for check in (broken_links, missing_paths) for finding in check(page)]
    findings += [(ROOT / "ARCHITECTURE.md", finding) for finding in crate_rows(ROOT / "ARCHITECTURE.md")]
    for page, finding in findings:
        print(f"{page.relative_to(ROOT)}: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
