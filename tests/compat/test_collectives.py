"""All-reduce, all-gather and broadcast in one group of TensorFlow's and Rheo's tasks, under either's master.

The first kind of cluster is TensorFlow alone: it shows that the cases state what TensorFlow does.
"""

import json
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.ops import collective_ops

from conftest import RheoServer, free_ports

v1 = tf.compat.v1

LEADER = "/job:worker/replica:0/task:0"
READY_SECONDS = 120
TIMEOUT_MS = 60_000
KINDS = [("tf", "tf"), ("rheo", "rheo"), ("rheo", "tf"), ("tf", "rheo"), ("rheo", "tf", "rheo")]


class TensorFlowMember:
    """A process with a TensorFlow server that has a leader of collectives."""

    def __init__(self, cluster, task):
        script = pathlib.Path(__file__).with_name("tf_server.py")
        self.process = subprocess.Popen([sys.executable, str(script), json.dumps(cluster), "worker", str(task), LEADER],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self._ready = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self):
        if self.process.stdout.readline().startswith("ready"):
            self._ready.set()

    def wait_until_ready(self):
        assert self._ready.wait(READY_SECONDS), "TensorFlow did not start"

    def kill(self):
        self.process.kill()
        self.process.wait(20)


class Group:
    """The tasks of one cluster, all of which are in each group; group and instance keys are never used twice."""

    def __init__(self, program, kinds):
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(len(kinds))]
        spec = {"worker": self.addresses}
        self.size = len(kinds)
        self.members = [
            TensorFlowMember(spec, task) if kind == "tf" else RheoServer(
                program, spec, "worker", task, ["--collective_group_leader", LEADER])
            for task, kind in enumerate(kinds)
        ]
        for member in self.members:
            if isinstance(member, TensorFlowMember):
                member.wait_until_ready()
        self._key = 100

    def new_key(self):
        self._key += 1
        return self._key

    def run(self, make, master, steps=1, **config):
        """The outputs of `make(task)` on each task, after some steps of a session of one master."""
        with tf.Graph().as_default() as graph:
            outputs = []
            for task in range(self.size):
                with tf.device(f"/job:worker/task:{task}/cpu:0"):
                    outputs.append(make(task))
            with v1.Session("grpc://" + self.addresses[master], graph=graph,
                            config=v1.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS, **config)) as session:
                for _ in range(steps):
                    result = session.run(outputs)
                return result

    def kill(self):
        for member in self.members:
            member.kill()


@pytest.fixture(scope="module", params=KINDS, ids="-".join)
def group(program, request):
    group = Group(program, request.param)
    yield group
    group.kill()


def merged(values, merge, final):
    """What the members' values become, elementwise in double."""
    fold = {"Add": np.add, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}[merge]
    result = values[0].astype(np.float64)
    for value in values[1:]:
        result = fold(result, value.astype(np.float64))
    return result / len(values) if final == "Div" else result


DTYPES = [np.float32, np.float64, np.float16, np.int32, np.int64]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_all_reduce(group, dtype):
    rng = np.random.default_rng(7)
    for merge, final in [("Add", "Id"), ("Add", "Div"), ("Mul", "Id"), ("Max", "Id"), ("Min", "Id")]:
        values = [(rng.random((2, 3)) * 10).astype(dtype) for _ in range(group.size)]
        expected = merged(values, merge, final)
        if np.issubdtype(dtype, np.integer):
            expected = np.trunc(expected)
        key = group.new_key()
        v1_results = group.run(
            lambda task: collective_ops.all_reduce(tf.constant(values[task]), group.size, 7, key, merge, final, [0]),
            master=0, steps=2)
        v2_results = group.run(
            lambda task: collective_ops.all_reduce_v2(tf.constant(values[task]), group.size, 7, key, merge, final),
            master=group.size - 1, steps=2)
        for result in v1_results + v2_results:
            assert result.dtype == dtype
            np.testing.assert_allclose(result, expected, rtol=1e-2 if dtype == np.float16 else 1e-6)


@pytest.mark.parametrize("size, rings", [(0, -1), (1, -1), (128, -1), (5000, -1), (3_000_000, -1), (3_000_000, 2),
                                         (3_000_000, 4)])
def test_sizes(group, size, rings):
    """Pieces are of the same sizes everywhere, also where they are empty or cut for several rings."""
    key = group.new_key()

    def make(task):
        value = tf.fill([size], float(task + 1))
        total = collective_ops.all_reduce_v2(value, group.size, 7, key, "Add", "Id", max_subdivs_per_device=rings)
        return tf.reduce_min(total), tf.reduce_max(total), tf.size(total)

    expected = group.size * (group.size + 1) / 2 if size else None
    for low, high, count in group.run(make, master=0):
        assert count == size
        assert not size or low == high == expected


def gather(version, value, group, key):
    operation = collective_ops.all_gather if version == 1 else collective_ops.all_gather_v2
    return operation(value, group.size, 10, key)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_all_gather(group, dtype, version):
    """Each member has the values of all, in the order of tasks; 1,000 rows are cut on the wire."""
    for shape in [(1,), (2, 3), (1000, 7), (3, 1, 2)]:
        key = group.new_key()
        values = [(np.arange(np.prod(shape)).reshape(shape) + 1000 * task).astype(dtype) for task in range(group.size)]
        for result in group.run(lambda task: gather(version, tf.constant(values[task]), group, key),
                                master=group.size - version, steps=2):
            assert result.dtype == dtype
            np.testing.assert_array_equal(result, np.concatenate(values))


def test_an_all_gather_may_have_another_shape_in_each_step(group):
    key = group.new_key()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None])
        outputs = []
        for task in range(group.size):
            with tf.device(f"/job:worker/task:{task}/cpu:0"):
                outputs.append(gather(1, x * (task + 1.0), group, key))
        config = v1.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS)
        with v1.Session("grpc://" + group.addresses[0], graph=graph, config=config) as session:
            for rows in [2, 3, 1]:
                expected = np.concatenate([np.full(rows, task + 1.0) for task in range(group.size)])
                for result in session.run(outputs, {x: np.ones(rows)}):
                    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("version", [1, 2])
def test_broadcast(group, version):
    for source in range(group.size):
        key = group.new_key()

        def make(task):
            if task == source:
                value = tf.constant([1.0, 2.0, 3.0]) * float(source + 1)
                if version == 1:
                    return collective_ops.broadcast_send(value, [3], tf.float32, group.size, 8, key)
                return collective_ops.broadcast_send_v2(value, group.size, 8, key)
            if version == 1:
                return collective_ops.broadcast_recv([3], tf.float32, group.size, 8, key)
            return collective_ops.broadcast_recv_v2([3], tf.float32, group.size, 8, key)

        for result in group.run(make, master=source, steps=2):
            np.testing.assert_array_equal(result, np.float32([1, 2, 3]) * (source + 1))


def test_masters_that_run_one_graph_each(group):
    """Each task runs its member in a session of its own; the masters agree on the ids of their steps."""
    key = group.new_key()
    results = [None] * group.size

    def run(task):
        with tf.Graph().as_default() as graph:
            with tf.device(f"/job:worker/task:{task}/cpu:0"):
                x = v1.placeholder(tf.float32, [4])
                total = collective_ops.all_reduce(x, group.size, 9, key, "Add", "Id", [0])
            config = v1.ConfigProto(device_filters=[f"/job:worker/task:{task}"], operation_timeout_in_ms=TIMEOUT_MS)
            with v1.Session("grpc://" + group.addresses[task], graph=graph, config=config) as session:
                results[task] = [session.run(total, {x: [task + step] * 4}) for step in range(5)]

    threads = [threading.Thread(target=run, args=(task,)) for task in range(group.size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for step in range(5):
        expected = sum(task + step for task in range(group.size))
        for result in results:
            np.testing.assert_array_equal(result[step], [expected] * 4)


def test_a_failed_step_fails_its_members_and_a_later_one_works(program):
    """Without TensorFlow's tasks, which refuse all collectives after a failure."""
    group = Group(program, ["rheo", "rheo"])
    try:
        key = group.new_key()
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [2])
            outputs = []
            for task in range(2):
                with tf.device(f"/job:worker/task:{task}/cpu:0"):
                    y = tf.debugging.check_numerics(x, "not finite") if task == 1 else x
                    outputs.append(collective_ops.all_reduce(y, 2, 7, key, "Add", "Id", [0]))
            with v1.Session("grpc://" + group.addresses[0], graph=graph,
                            config=v1.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS)) as session:
                with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
                    session.run(outputs, {x: [1.0, np.nan]})
                for result in session.run(outputs, {x: [1.0, 2.0]}):
                    np.testing.assert_array_equal(result, [2.0, 4.0])
    finally:
        group.kill()


def different(what, task, group, key):
    """A member of a collective whose members do not fit: the last one is not as the others."""
    is_last = task == group.size - 1
    if what == "gathered shapes":
        return gather(1, tf.zeros([3 if is_last else 2]), group, key)
    if what == "gathered shapes of one size":
        return gather(2, tf.zeros([2, 1] if is_last else [1, 2]), group, key)
    if what == "reduced shapes":
        return collective_ops.all_reduce_v2(tf.zeros([3 if is_last else 2]), group.size, 10, key, "Add", "Id")
    if what == "broadcast shapes":
        if is_last:
            return collective_ops.broadcast_send_v2(tf.zeros([3]), group.size, 10, key)
        return collective_ops.broadcast_recv_v2([2], tf.float32, group.size, 10, key)
    if what == "dtypes":
        return gather(2, tf.zeros([2], tf.int32 if is_last else tf.float32), group, key)
    if is_last:
        return collective_ops.all_reduce_v2(tf.zeros([2]), group.size, 10, key, "Add", "Id")
    return gather(2, tf.zeros([2]), group, key)


DIFFERENCES = {
    "gathered shapes": tf.errors.InvalidArgumentError,
    "gathered shapes of one size": tf.errors.InvalidArgumentError,
    "reduced shapes": tf.errors.InvalidArgumentError,
    "broadcast shapes": tf.errors.InvalidArgumentError,
    "dtypes": tf.errors.InternalError,
    "kinds": tf.errors.InternalError,
}


@pytest.mark.parametrize("kinds, what", [
    pytest.param(kinds, what, id="-".join(kinds) + "-" + what) for kinds in KINDS[:4] for what in DIFFERENCES
    if what != "broadcast shapes" or kinds[0] == "rheo"
])
def test_members_that_do_not_fit_fail(program, kinds, what):
    """With TensorFlow's codes, and where there is none of its tasks the next collective works.

    A TensorFlow leader tells nobody that the shapes of a broadcast differ: all wait for their deadline.
    """
    group = Group(program, kinds)
    try:
        text = "Shape mismatch" if "shapes" in what else "expected type"
        with pytest.raises(DIFFERENCES[what], match=text):
            key = group.new_key()
            group.run(lambda task: different(what, task, group, key), master=0)
        if "tf" not in kinds:
            for result in group.run(lambda task: gather(1, tf.ones([1]), group, key), master=0):
                np.testing.assert_array_equal(result, [1.0, 1.0])
    finally:
        group.kill()


@pytest.mark.parametrize("kinds", KINDS[:4], ids="-".join)
def test_another_dtype_in_a_later_step_is_refused(program, kinds):
    """Also where the leader has answered before: it is not merged as the dtype that it is not."""
    group = Group(program, kinds)
    try:
        key = group.new_key()

        def reduce(dtypes):
            return group.run(lambda task: collective_ops.all_reduce(
                tf.ones([2], dtypes[task]), 2, 7, key, "Add", "Id", [0]), master=0)

        reduce([tf.float32, tf.float32])
        with pytest.raises(tf.errors.InternalError, match="expected type"):
            reduce([tf.float32, tf.int32])
        if "tf" not in kinds:
            for result in reduce([tf.int32, tf.int32]):
                np.testing.assert_array_equal(result, [2, 2])
    finally:
        group.kill()


def test_members_that_merge_in_other_ways_or_have_no_elements_fail(program):
    """TensorFlow's members cannot say how they merge, and give each its own result."""
    group = Group(program, ["rheo", "rheo"])
    try:
        def reduce(key, merges=("Add", "Add"), finals=("Id", "Id"), sizes=(2, 2)):
            return group.run(lambda task: collective_ops.all_reduce(
                tf.ones([sizes[task]]), 2, 7, key, merges[task], finals[task], [0]), master=0)

        for different in [{"merges": ("Add", "Mul")}, {"finals": ("Div", "Id")}, {"sizes": (0, 2)}, {"sizes": (2, 0)}]:
            key = group.new_key()
            for _ in range(2):
                reduce(key)
                with pytest.raises(tf.errors.InvalidArgumentError, match="does Reduce.* does Reduce"):
                    reduce(key, **different)
        for result in reduce(group.new_key(), sizes=(0, 0)):
            assert result.shape == (0,)
    finally:
        group.kill()


def test_gathered_values_have_rows(program):
    group = Group(program, ["rheo"])
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank > 0"):
            group.run(lambda task: gather(1, v1.placeholder_with_default(1.0, None), group, 1), master=0)
        for result in group.run(lambda task: gather(2, tf.zeros([0, 3]), group, 2), master=0):
            assert result.shape == (0, 3)
    finally:
        group.kill()
