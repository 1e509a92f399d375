"""docs/options.md has each field of TensorFlow's options and tells the truth about the warnings."""

import re
import time

import pytest
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

from conftest import ROOT

v1 = tf.compat.v1
ROW = re.compile(r"\| `(\w+)` \| ([\w -]+?)(?:, ([\w ]+))? \|")
WARNING = re.compile(r"these options have no effect here: (.*)")


def table():
    """{"ConfigProto.device_count": ("applied", None)}"""
    rows, message = {}, None
    for line in (ROOT / "docs" / "options.md").read_text().splitlines():
        if line.startswith("## "):
            message = line[3:]
        elif found := ROW.match(line):
            assert f"{message}.{found[1]}" not in rows, line
            rows[f"{message}.{found[1]}"] = found[2], found[3]
    return rows


TABLE = table()


def fields(descriptor):
    """Each field of the message, and of those parts of it whose fields have rows of their own."""
    for field in descriptor.fields:
        name = field.full_name.removeprefix("tensorflow.")
        yield name, field
        if TABLE.get(name, ("",))[0] == "see its fields":
            yield from fields(field.message_type)


OPTIONS = [config_pb2.ConfigProto, config_pb2.RunOptions, config_pb2.CallableOptions]


def test_table_is_complete():
    names = {name for message in OPTIONS for name, _ in fields(message.DESCRIPTOR)}
    assert sorted(names - TABLE.keys()) == []
    assert sorted(TABLE.keys() - names) == []


def set_to_something(message, field):
    """Gives the field a value that is not its default."""
    name = field.name
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        value = field.message_type.fields_by_name["value"]
        if value.message_type is None:
            getattr(message, name)["x"] = "x" if value.type == value.TYPE_STRING else 1
    elif field.message_type is not None:
        part = getattr(message, name)
        part = part.add() if field.is_repeated else part
        part.SetInParent() if not field.is_repeated else None
        for inner in field.message_type.fields:
            if inner.message_type is None and not inner.is_repeated:
                set_to_something(part, inner)
                break
    else:
        value = {"string": "x", "bool": True}.get(
            {field.TYPE_STRING: "string", field.TYPE_BOOL: "bool"}.get(field.type), 1)
        getattr(message, name).append(value) if field.is_repeated else setattr(message, name, value)


def paths_to(descriptor, prefix=""):
    """(path, field) of each row that is not only a heading, as the warnings print it."""
    for field in descriptor.fields:
        name = field.full_name.removeprefix("tensorflow.")
        if TABLE[name][0] == "see its fields":
            yield from paths_to(field.message_type, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, TABLE[name], field


def with_all(message, wanted):
    """The message with the fields set whose rows are wanted, and their paths."""
    paths = []
    for path, row, field in paths_to(message.DESCRIPTOR):
        if not wanted(row):
            continue
        part = message
        for name in path.split(".")[:-1]:
            part = getattr(part, name)
        set_to_something(part, field)
        paths.append(path)
    return paths


def run_constant(target, config, **kwargs):
    with tf.Graph().as_default(), v1.Session(target, config=config) as session:
        return session.run(tf.constant(1.0), **kwargs)


def warnings(server, start):
    """The fields that each warning in the server's log since line `start` names.

    The log is read beside the test: the warning of a last session tells that those before it are there."""
    deadline = time.monotonic() + 30
    run_constant(server.target, config_pb2.ConfigProto(placement_period=1))
    found = []
    while found[-1:] != [["placement_period"]]:
        assert time.monotonic() < deadline, server.log[start:]
        time.sleep(0.01)
        found = [match[1].split(", ") for line in server.log[start:] if (match := WARNING.search(line))]
    return found[:-1]


def is_ineffective(row):
    return row[0] in ("ignored", "server-wide")


def test_ineffective_session_options_are_named_once(single):
    server = single.servers["worker", 0]
    config = config_pb2.ConfigProto()
    paths = with_all(config, is_ineffective)
    assert len(paths) > 100
    start = len(server.log)
    assert run_constant(server.target, config) == 1.0
    [names] = warnings(server, start)
    assert sorted(names) == sorted(paths)


def test_options_that_hold_anyway_cause_no_warning(single):
    server = single.servers["worker", 0]
    config = config_pb2.ConfigProto()
    assert with_all(config, lambda row: row[0] == "nothing to do")
    start = len(server.log)
    assert run_constant(server.target, config) == 1.0
    assert warnings(server, start) == []


def test_switches_that_are_off_cause_no_warning(single):
    server = single.servers["worker", 0]
    config = config_pb2.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    off = [name for name, row in TABLE.items() if row[1] == "warning unless off" and name.startswith("RewriterConfig.")]
    assert len(off) > 10
    for name in off:
        setattr(rewrite, name.split(".")[1], rewrite.OFF)
    start = len(server.log)
    assert run_constant(server.target, config) == 1.0
    assert warnings(server, start) == []


def test_run_options_are_named_once_in_a_session(single):
    server = single.servers["worker", 0]
    options = config_pb2.RunOptions()
    paths = with_all(options, is_ineffective)
    start = len(server.log)
    with tf.Graph().as_default(), v1.Session(server.target) as session:
        one = tf.constant(1.0)
        for _ in range(3):
            assert session.run(one, options=options) == 1.0
    [names] = warnings(server, start)
    assert sorted(names) == sorted(paths)


@pytest.mark.parametrize("field", [name for name, row in TABLE.items() if row[0] == "refused"])
def test_refused_options_are_errors(single, field):
    message, name = field.split(".")
    one = tf.constant(1.0)
    if message == "ConfigProto":
        config = config_pb2.ConfigProto()
        set_to_something(config, config.DESCRIPTOR.fields_by_name[name])
        with pytest.raises(tf.errors.InvalidArgumentError):
            run_constant(single.target("worker"), config)
        return
    options = config_pb2.CallableOptions(fetch=[one.name])
    getattr(options, name)[one.name] = "/cpu:0"
    with v1.Session(single.target("worker")) as session:
        with pytest.raises(tf.errors.UnimplementedError):
            session._make_callable_from_options(options)()
