"""What the tests of the cases share."""

import contextlib
import os
import pathlib
import re
import time

import pytest
import tensorflow as tf

v1 = tf.compat.v1

# Long cases run in full, where the suite has a form of them that is bounded in time.
IN_FULL = "RHEO_FULL_CASES" in os.environ


def config(timeout_ms=0, **fields):
    return v1.ConfigProto(operation_timeout_in_ms=timeout_ms, **fields)


def expect(error, function, *texts, within):
    """`function` raises `error` in time, and its text has all of `texts`."""
    start = time.monotonic()
    with pytest.raises(error) as raised:
        function()
    assert time.monotonic() - start < within
    for text in texts:
        assert text in str(raised.value), str(raised.value)
    return raised.value


# Threads that gRPC starts and ends as it likes.
GRPC_POOLS = {"grpc_global_tim", "default-executo", "resolver-executo"}


def usage(server):
    """Threads of its own and resident KiB of a server."""
    proc = pathlib.Path(f"/proc/{server.process.pid}")
    names = []
    for thread in (proc / "task").iterdir():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            names.append((thread / "comm").read_text().strip())
    kib = int(re.search(r"VmRSS:\s+(\d+)", (proc / "status").read_text())[1])
    return sum(name not in GRPC_POOLS for name in names), kib


def eventually(condition, patience):
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
