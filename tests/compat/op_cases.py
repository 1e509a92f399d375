#!/usr/bin/env python3
"""Compares the answers that `op_cases emit DIR` wrote with TensorFlow's.

    op_cases.py DIR [--only TEXT] [--verbose]

Needs a Python with TensorFlow, which runs in processes of its own, since some cases end them. Exit code 0 when everything agrees, 1 otherwise.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402

DEFAULT_TOLERANCE = {"float32": 1e-5, "float64": 1e-9, "float16": 2e-3, "bfloat16": 2e-2,
                     "complex64": 1e-5, "complex128": 1e-9}
# 16-bit floats may be rounded at another step of the sum.
DEFAULT_ABSOLUTE = {"float16": 4e-3, "bfloat16": 3e-2}
BATCH = 200  # cases in one step
CODE_NAMES = {v: k for k, v in vars(tf.errors).items() if isinstance(v, int) and k.isupper()}


def array_of(const_node):
    """The value of a Const node."""
    proto = const_node.attr["value"].tensor
    if proto.dtype != tf.string.as_datatype_enum or not proto.tensor_content:
        return tf.make_ndarray(proto)
    # Strings in content form, which Python's decoder does not know: all lengths, then all bytes.
    data, lengths, at = proto.tensor_content, [], 0
    shape = [d.size for d in proto.tensor_shape.dim]
    for _ in range(int(np.prod(shape, dtype=np.int64))):
        length, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    array = np.empty(len(lengths), dtype=object)
    for i, length in enumerate(lengths):
        array[i] = data[at:at + length]
        at += length
    return array.reshape(shape)


def split_cases(graph_def):
    """The nodes of each case, by its prefix, with the prefix removed."""
    cases = collections.OrderedDict()
    for node in graph_def.node:
        prefix, _, name = node.name.partition("/")
        cases.setdefault(prefix, {})[name] = node
    return cases


def nodes_of(nodes, *roles):
    """The names "<role>_<i>" of a case's nodes that have one of the roles, by i."""
    names = [n for n in nodes if n.rpartition("_")[0] in roles]
    return sorted(names, key=lambda n: int(n.rpartition("_")[2]))


def run_in_tensorflow(cases, producer):
    """([outputs of each case, and its variables], error code, message); all cases in one step."""
    graph_def = graph_pb2.GraphDef()
    graph_def.versions.producer = producer
    feeds, starts = {}, {}
    for nodes in cases:
        for name in nodes_of(nodes, "in", "start", "init", "read"):
            node = nodes[name]
            graph_def.node.add().CopyFrom(node)
            if node.op == "Placeholder":
                role, _, i = name.partition("_")
                (starts if role == "start" else feeds)[node.name + ":0"] = array_of(nodes["value_" + i])
        graph_def.node.add().CopyFrom(nodes["op"])
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.import_graph_def(graph_def, name="")
    except ValueError as e:
        return None, tf.errors.INVALID_ARGUMENT, str(e)
    except tf.errors.OpError as e:
        return None, e.error_code, e.message

    def operation(nodes, name):
        return graph.get_operation_by_name(nodes[name].name)

    fetches = [(list(operation(nodes, "op").outputs) +
                [operation(nodes, name).outputs[0] for name in nodes_of(nodes, "read")],
                operation(nodes, "op")) for nodes in cases]
    initializers = [operation(nodes, name) for nodes in cases for name in nodes_of(nodes, "init")]
    config = tf.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    try:
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            session.run(initializers, starts)
            return [outputs for outputs, _ in session.run(fetches, feeds)], 0, ""
    except tf.errors.OpError as e:
        return None, e.error_code, e.message


def dtype_name(array):
    return "string" if array.dtype.kind in "OSU" else array.dtype.name


def compare_values(ours, theirs, relative, absolute):
    """"" when the arrays agree, else what differs."""
    if ours.shape != theirs.shape:
        return f"shape {ours.shape}, TensorFlow's {theirs.shape}"
    if ours.dtype == object or ours.dtype.kind in "SUbiu":
        if np.array_equal(ours, theirs):
            return ""
        return f"{ours.ravel()[:8]}, TensorFlow's {theirs.ravel()[:8]}"
    wide = np.complex128 if ours.dtype.kind == "c" else np.float64
    relative = relative or DEFAULT_TOLERANCE[ours.dtype.name]
    absolute = max(absolute, DEFAULT_ABSOLUTE.get(ours.dtype.name, 0))
    a, b = ours.astype(wide).ravel(), theirs.astype(wide).ravel()
    with np.errstate(all="ignore"):
        good = (a == b) | (np.isnan(a) & np.isnan(b)) | (
            np.abs(a - b) <= absolute + relative * np.abs(b))
    if good.all():
        return ""
    at = int(np.argmin(good))
    return f"element {at} is {a[at]!r}, TensorFlow's {b[at]!r} ({np.sum(~good)} of {a.size} differ)"


def check_case(nodes, theirs, code, message):
    """(name, status, text); status is 'same', 'differs' or 'skipped'."""
    meta = nodes["meta"].attr
    name = meta["_name"].s.decode()
    if meta["_differs"].b:
        return name, "skipped", "known to differ"
    if "is not available in GraphDef version" in message:
        return name, "skipped", message
    our_code = meta["_error"].i
    if code != our_code:
        return name, "differs", (f"we give {CODE_NAMES.get(our_code, our_code)}, TensorFlow "
                                 f"{CODE_NAMES.get(code, code)} {message[:200]}")
    if code:
        return name, "same", ""
    for i, value in enumerate(theirs):
        ours = array_of(nodes[f"want_{i}"])
        value = np.asarray(value)
        if dtype_name(ours) != dtype_name(value):
            text = f"{dtype_name(ours)}, TensorFlow's {dtype_name(value)}"
        elif not meta["_compare"].b:
            text = "" if ours.shape == value.shape else f"shape {ours.shape} {value.shape}"
        else:
            text = compare_values(ours, value, meta["_relative"].f, meta["_absolute"].f)
        if text:
            return name, "differs", f"output {i}: {text}"
    return name, "same", ""


def check_guarded(nodes, *theirs):
    try:
        return check_case(nodes, *theirs)
    except Exception as e:  # a case that Python cannot even set up is reported, not fatal
        name = nodes["meta"].attr["_name"].s.decode()
        return name, "differs", f"{type(e).__name__}: {e}"[:300]


def check_batch(cases, producer):
    """The results of cases that we run without error: one TensorFlow step, or one each where that fails."""
    theirs, code, _ = run_in_tensorflow(cases, producer)
    if code == 0:
        return [check_guarded(nodes, value, 0, "") for nodes, value in zip(cases, theirs)]
    return [check_alone(nodes, producer) for nodes in cases]


def check_alone(nodes, producer):
    theirs, code, message = run_in_tensorflow([nodes], producer)
    return check_guarded(nodes, theirs[0] if theirs else None, code, message)


def read_cases(path):
    graph_def = graph_pb2.GraphDef.FromString(path.read_bytes())
    return list(split_cases(graph_def).values()), graph_def.versions.producer


def check_file(path):
    """The results of a file; what we run without error runs in batches."""
    cases, producer = read_cases(path)
    good, others = [], []
    for nodes in cases:
        meta = nodes["meta"].attr
        (others if meta["_error"].i or meta["_differs"].b else good).append(nodes)
    results = [r for i in range(0, len(good), BATCH) for r in check_batch(good[i:i + BATCH], producer)]
    return results + [check_alone(nodes, producer) for nodes in others]


def run_child(work):
    """What `work` yields in a forked process, and the exit status of the process."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(writing, "w") as lines:
            for item in work():
                lines.write(json.dumps(item) + "\n")
                lines.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        items = [json.loads(line) for line in lines]
    return items, os.waitpid(pid, 0)[1]


def check_one_by_one(path):
    """The results of a file with cases that end TensorFlow's process: after each, another process goes on."""
    cases, producer = read_cases(path)
    results, status = [], 1
    while status:
        def rest(begin=len(results)):
            return (check_alone(nodes, producer) for nodes in cases[begin:])
        items, status = run_child(rest)
        results += items
        if status:
            name = cases[len(results)]["meta"].attr["_name"].s.decode()
            results.append((name, "skipped", f"TensorFlow's process ended: status {status}"))
    return results


def check_files(paths):
    """The results of all files, from a process that is forked again after a file that ended it."""
    while paths:
        results, status = run_child(lambda: map(check_file, paths))
        for of_file in results:
            yield from of_file
        paths = paths[len(results):]
        if status:
            yield from check_one_by_one(paths[0])
            paths = paths[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--only", default="", help="files whose name matches this expression")
    parser.add_argument("--verbose", action="store_true", help="list what was skipped too")
    args = parser.parse_args()
    counts = collections.Counter()
    paths = [p for p in sorted(args.directory.glob("*.pb")) if re.search(args.only, p.name)]
    for name, status, text in check_files(paths):
        counts[status] += 1
        if status == "differs" or (status == "skipped" and args.verbose):
            print(f"{status}: {name}: {text}", flush=True)
    print(", ".join(f"{counts[k]} {k}" for k in ("same", "differs", "skipped")))
    return 1 if counts["differs"] or not counts["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
