#!/usr/bin/env python3
"""Checks that every include of src/rheo goes down the layers of cmake/layers.txt, that restricted
headers appear only where they may, and that the folders have no cycles. Prints each violation as
file:line and exits 1 if there is one."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "rheo"
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')


def read_layers(path):
    levels, allowed, restricted = {}, {}, []
    for raw in path.read_text().splitlines():
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        head, _, tail = line.partition(":")
        if head.startswith("!"):
            restricted.append((head[1:].strip(), set(tail.split())))
            continue
        level, name = head.split()
        levels[name] = int(level)
        allowed[name] = tail.split()
    for name, entries in allowed.items():
        folders = {name}
        for entry in entries:
            if entry.startswith("@"):
                folders |= {n for n, level in levels.items() if level <= int(entry[1:])}
            else:
                folders.add(entry)
        allowed[name] = folders
    return levels, allowed, restricted


def main():
    levels, allowed, restricted = read_layers(ROOT / "cmake" / "layers.txt")
    errors = []
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        folder = path.relative_to(SOURCE).parts[0]
        where = path.relative_to(ROOT)
        if folder not in allowed:
            errors.append(f"{where}:1: folder '{folder}' is not in cmake/layers.txt")
            continue
        is_test = path.name.endswith("_test.cc")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            if target.startswith("rheo/"):
                other = target.split("/")[1]
                # A test may also use what its module's tests are built from; the linker limits that.
                if other in levels and other not in allowed[folder] and not is_test:
                    errors.append(f"{where}:{number}: {folder} may not include {other} ({target})")
            for prefix, folders in restricted:
                hit = target.endswith(prefix) if prefix.startswith(".") else target.startswith(prefix)
                if hit and folder not in folders:
                    errors.append(f"{where}:{number}: only {', '.join(sorted(folders))} may include {target}")
    for name, folders in allowed.items():
        for other in folders - {name}:
            if name in allowed.get(other, ()):
                errors.append(f"cmake/layers.txt:1: {name} and {other} may include each other")
    print("\n".join(errors) if errors else "layers: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
