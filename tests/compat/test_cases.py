"""Situations that users of such systems ran into, seen by an unmodified TensorFlow client. Named by the ids of the cases."""

import signal
import socket
import threading
import time

import numpy as np
import pytest
import tensorflow as tf

from case_tools import config, expect

v1 = tf.compat.v1
errors = tf.errors

PS = "/job:ps/replica:0/task:0"


class SilentListener:
    """A port that accepts connections, counts them and never answers."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.num_connections = 0
        self._socket = socket.create_server((host, int(port)))
        self._open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                self._open.append(self._socket.accept())
            except OSError:
                return
            self.num_connections += 1

    def close(self):
        self._socket.close()


def on_ps(value=3.0):
    with tf.device("/job:ps/task:0"):
        return tf.identity(tf.constant(value))


def runs_within(target, fetch, want, limit):
    start = time.monotonic()
    with v1.Session(target) as session:
        assert session.run(fetch) == want
    assert time.monotonic() - start < limit


def test_server_01_task_never_started(make):
    cluster = make({"ps": 1, "worker": 1}, start=False)
    cluster.start("worker")
    fetch = on_ps()
    with v1.Session(cluster.target("worker"), config=config(1000)) as session:
        expect(errors.DeadlineExceededError, lambda: session.run(fetch), PS, cluster.spec["ps"][0], "refused", within=2)
    cluster.start("ps")
    runs_within(cluster.target("worker"), fetch, 3.0, 2)


def test_server_01_task_never_started_and_no_timeout(make):
    cluster = make({"ps": 1, "worker": 1}, ["--forming_timeout", "3"], start=False)
    cluster.start("worker")
    fetch = on_ps()
    with v1.Session(cluster.target("worker")) as session:
        expect(errors.DeadlineExceededError, lambda: session.run(fetch), PS, cluster.spec["ps"][0], "refused", within=4)
    cluster.start("ps")
    runs_within(cluster.target("worker"), fetch, 3.0, 2)


def test_server_01_task_frozen(make):
    cluster = make({"ps": 1, "worker": 1})
    cluster.signal(signal.SIGSTOP, "ps")
    fetch = on_ps()
    with v1.Session(cluster.target("worker"), config=config(1000)) as session:
        expect(errors.DeadlineExceededError, lambda: session.run(fetch), PS, cluster.spec["ps"][0], within=2)
    cluster.signal(signal.SIGCONT, "ps")
    runs_within(cluster.target("worker"), fetch, 3.0, 2)


def test_server_02_finished_peers(make):
    cluster = make({"ps": 1, "worker": 3}, start=False)
    listeners = [SilentListener(cluster.spec["worker"][i]) for i in range(2)]
    cluster.start("ps")
    cluster.start("worker", 2)
    fetch = on_ps()
    start = time.monotonic()
    with v1.Session(cluster.target("worker", 2),
                    config=config(device_filters=["/job:ps", "/job:worker/task:2"])) as session:
        for i in range(20):
            assert session.run(fetch) == 3.0
            assert i > 0 or time.monotonic() - start < 2
    assert [listener.num_connections for listener in listeners] == [0, 0]
    with v1.Session(cluster.target("worker", 2), config=config(3000)) as session:
        expect(errors.DeadlineExceededError, lambda: session.run(fetch), "/job:worker/replica:0/task:0",
               "/job:worker/replica:0/task:1", "device_filters", within=4)
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_server_14_job_not_there(make, use_resource):
    cluster = make({"worker": 1})
    with tf.device("/job:ps/task:0"):
        w = v1.get_variable("w", initializer=1.0, use_resource=use_resource)
    with v1.Session(cluster.target("worker")) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(w.initializer), "{{node w", "/job:ps/task:0",
               "/job:worker/replica:0/task:0/device:CPU:0", "job 'ps' is not in the cluster", within=2)
    with v1.Session(cluster.target("worker")) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(w.initializer), "{{node w", within=2)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_server_14_job_filtered_out(make, use_resource):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device("/job:ps/task:0"):
        w = v1.get_variable("w", initializer=1.0, use_resource=use_resource)
    with v1.Session(cluster.target("worker"), config=config(device_filters=["/job:worker"])) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(w.initializer), "{{node w", "/job:ps/task:0",
               "/job:worker/replica:0/task:0/device:CPU:0", "device_filters", within=2)


def variable_on_ps(use_resource, name="v", value=5.0):
    with tf.device("/job:ps/task:0"):
        return v1.get_variable(name, initializer=value, use_resource=use_resource)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_server_03_restarted_task(make, use_resource):
    cluster = make({"ps": 1, "worker": 1})
    v = variable_on_ps(use_resource)
    read = tf.identity(v)
    session = v1.Session(cluster.target("worker"))
    session.run(v.initializer)
    assert session.run(read) == 5.0
    cluster.servers["ps", 0].kill()
    cluster.start("ps")
    time.sleep(2)  # as the case has it
    expect(errors.AbortedError, lambda: session.run(read), PS, "restarted", within=10)
    expect(errors.AbortedError, lambda: session.run(v.initializer), PS, "restarted", within=10)
    with v1.Session(cluster.target("worker")) as fresh:
        expect(errors.FailedPreconditionError, lambda: fresh.run(read), "uninitialized", within=10)
        fresh.run(v.initializer)
        assert fresh.run(read) == 5.0
    session.close()


def test_server_04_root_cause(make):
    cluster = make({"worker": 3})
    a, b = (v1.placeholder(tf.float32, name=name) for name in "ab")
    with tf.device("/job:worker/task:2"):
        bad = tf.matmul(a, b, name="bad")
    fetches = []
    for i in range(2):
        with tf.device(f"/job:worker/task:{i}"):
            fetches.append(tf.identity(bad))
    two_by_three = np.ones((2, 3), np.float32)
    with v1.Session(cluster.target("worker")) as session:
        for _ in range(100):
            error = expect(errors.InvalidArgumentError,
                           lambda: session.run(fetches, {a: two_by_three, b: two_by_three}), "{{node bad}}", "[2,3]",
                           within=2)
            # The client puts a text of its own in front.
            assert error.message.split("From ")[1].startswith("/job:worker/replica:0/task:2"), error.message
            assert "cancelled" not in error.message.split("{{node bad}}")[0].lower()
            assert error.op is not None and error.op.name == "bad"
        session.run(fetches, {a: two_by_three, b: two_by_three.T})


def test_server_05_blocked_step_deadline(make):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device("/job:ps/task:0"):
        queue = tf.queue.FIFOQueue(10, tf.float32, shapes=[[]], shared_name="queue")
        area = tf.raw_ops.Unstage(dtypes=[tf.float32], shared_name="area")
        enqueue = queue.enqueue(7.0)
        dequeue = queue.dequeue()
    options = v1.RunOptions(timeout_in_ms=1000)
    with v1.Session(cluster.target("worker")) as session:
        for blocking in (dequeue, area):
            start = time.monotonic()
            expect(errors.DeadlineExceededError, lambda: session.run(blocking, options=options), within=2)
            assert time.monotonic() - start > 0.9
        session.run(enqueue)
        assert session.run(dequeue) == 7.0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["exits", "frozen"])
def test_server_13_close_beside_a_dead_peer(make, how):
    cluster = make({"ps": 1, "worker": 2})
    fetches = []
    for task in ("/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"):
        with tf.device(task):
            fetches.append(tf.identity(1.0))
    session = v1.Session(cluster.target("worker"))
    session.run(fetches)
    cluster.signal(how, "worker", 1)
    start = time.monotonic()
    session.close()
    assert time.monotonic() - start < (5 if how == signal.SIGKILL else 12)


def test_server_09_state_of_an_earlier_job(make):
    cluster = make({"ps": 1, "worker": 1})
    target = cluster.target("worker")

    def job(length, session_config=None):
        graph = tf.Graph()
        with graph.as_default(), tf.device("/job:ps/task:0"):
            a = v1.get_variable("a", initializer=np.zeros(length, np.float32), use_resource=False)
        return a, v1.Session(target, graph=graph, config=session_config)

    a1, first = job(100)
    first.run(a1.initializer)
    first.close()
    a_s, bystander = job(100)
    bystander.run(a_s)
    a2, second = job(200)
    expect(errors.InvalidArgumentError, lambda: second.run(a2.initializer), "[100]", "[200]", "Session.reset",
           within=10)
    second.close()
    v1.Session.reset(target)
    a2, second = job(200)
    second.run(a2.initializer)
    expect(errors.AbortedError, lambda: bystander.run(a_s), within=10)
    a3, third = job(300, v1.ConfigProto(isolate_session_state=True))
    third.run(a3.initializer)
    assert third.run(a3).shape == (300,)
    assert second.run(a2).shape == (200,)
    # TensorFlow's sessions wait for ever for a server that is gone when they are collected.
    third.close()
    second.close()
    expect(errors.AbortedError, bystander.close, within=10)


def test_server_16_ops_and_attrs_unknown(make):
    cluster = make({"ps": 1, "worker": 1})
    one = on_ps(1.0)
    with v1.Session(cluster.target("worker")) as session:
        assert session.run(one) == 1.0
        more = tf.identity(one)
        more.op._set_attr("fancy", tf.compat.v1.AttrValue(i=3))
        more.op._set_attr("_x", tf.compat.v1.AttrValue(i=1))
        assert session.run(more) == 1.0
        with tf.device("/job:ps/task:0"):
            python = v1.py_func(lambda: np.float32(1), [], tf.float32, name="python")
        expect(errors.NotFoundError, lambda: session.run(python), "PyFunc", "python", PS, within=10)
        assert session.run(one) == 1.0


@pytest.mark.parametrize("soft", [True, False], ids=["soft", "hard"])
def test_server_17_gpu_that_is_not_there(make, soft):
    cluster = make({"worker": 2})
    with tf.device("/job:worker/task:0/device:GPU:0"):
        m = tf.matmul([[2.0]], [[3.0]], name="m")
    with v1.Session(cluster.target("worker"), config=v1.ConfigProto(allow_soft_placement=soft)) as session:
        if soft:
            assert session.run(m) == [[6.0]]
        else:
            expect(errors.InvalidArgumentError, lambda: session.run(m), "{{node m", "/device:GPU:0",
                   "/job:worker/replica:0/task:0/device:CPU:0", within=10)


@pytest.mark.parametrize("shape", [(1250000,), (83888, 200), (250000000,)], ids=["5MB", "67MB", "1GB"])
def test_server_19_large_tensors(make, shape):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device("/job:ps/task:0"):
        v = v1.get_variable("v", initializer=lambda: tf.random.uniform(shape, -10**6, 10**6, tf.int32),
                            use_resource=True)
        fed = v1.placeholder(tf.int32)
        total_fed = tf.reduce_sum(fed)
        total = tf.reduce_sum(v)
    with tf.device("/job:worker/task:0"):
        total_on_worker = tf.reduce_sum(tf.identity(v))
    with v1.Session(cluster.target("worker")) as session:
        session.run(v.initializer)
        want, got = session.run([total, total_on_worker])
        assert want == got
        value = session.run(v)
        assert value.shape == shape and value.sum(dtype=np.int32) == want
        assert session.run(total_fed, {fed: value}) == want
