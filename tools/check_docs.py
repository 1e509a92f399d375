#!/usr/bin/env python3
"""Checks the pages of docs/ and the README: a code block under a line `<!-- FILE -->` must stand in FILE,
line for line, and links to files must lead somewhere. Prints each mistake as file:line and exits 1 if
there is one."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = re.compile(r"^<!-- ([\w./-]+) -->$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def holds(text, block):
    """Whether the lines of `block` stand one after the other in `text`, at any indentation."""
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line.strip() for line in block]
    return any(lines[i:i + len(wanted)] == wanted for i in range(len(lines) - len(wanted) + 1))


def check_page(path):
    errors = []
    lines = path.read_text().splitlines()
    source, block, begin = None, None, 0
    for number, line in enumerate(lines, 1):
        if block is not None:
            if line.startswith("```"):
                file = ROOT / source
                if not file.exists():
                    errors.append(f"{begin}: there is no {source}")
                elif not holds(file.read_text(), block):
                    errors.append(f"{begin}: this code does not stand in {source}")
                source, block = None, None
            else:
                block.append(line)
            continue
        match = SOURCE.match(line)
        if match:
            source = match.group(1)
        elif line.startswith("```") and source is not None:
            block, begin = [], number
        for target in LINK.findall(line):
            if "://" not in target and not (path.parent / target).exists():
                errors.append(f"{number}: there is no {target}")
    return [f"{path.relative_to(ROOT)}:{error}" for error in errors]


def main():
    pages = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    errors = [error for page in pages for error in check_page(page)]
    print("\n".join(errors) if errors else "docs: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
