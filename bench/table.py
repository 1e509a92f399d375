"""The table that bench/run prints."""


def seconds(value):
    if value <= 0:
        return "noise"  # a difference of times that is lost in their spread
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def size(num_bytes):
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if num_bytes >= scale:
            return f"{num_bytes / scale:.4g} {unit}"
    return f"{num_bytes:.0f} B"


def rate(seconds_each):
    return f"{1 / seconds_each:.0f}/s"


def count(value):
    return f"{value:.0f}"


HEAD = ("", "Rheo", "the other", "other/Rheo", "at least", "the other is")


def render(results):
    """`results` are (row, Rheo's median, the peer's median or None)."""
    lines, group = [HEAD], None
    for row, ours, theirs in results:
        if row.group != group:
            group = row.group
            lines.append((group, "", "", "", "", ""))
        there = theirs is not None
        lines.append(("  " + row.name, row.show(ours), row.show(theirs) if there else "",
                      f"{theirs / ours:.2f}" if there and ours > 0 else "", row.aim, row.peer_name if there else ""))
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]

    def text(line):
        cells = [line[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(line[1:4], widths[1:4])]
        cells += [c.ljust(w) for c, w in zip(line[4:], widths[4:])]
        return "  ".join(cells).rstrip()

    return "\n".join(text(line) for line in lines)
