"""What a session offers beside plain steps: growth, callables, partial runs, threads, propagated clusters."""

import threading

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

from swap_programs.common import failure, v1


def growth(cell):
    """The graph grows between steps; names of transfers stay unique in the session."""
    x = v1.placeholder(tf.float32, [])
    with cell.session() as session:
        total = x
        for i in range(8):
            with tf.device(cell.devices[i % 3]):
                total = total + 1.0
            assert session.run(total, {x: 1.0}) == i + 2.0


def callables(cell):
    x = v1.placeholder(tf.float32, [])
    with tf.device(cell.ps):
        y = x * 3.0
    with tf.device(cell.other):
        z = y + 1.0
    with cell.session() as session:
        options = config_pb2.CallableOptions(feed=[x.name], fetch=[z.name, y.name])
        run = session._make_callable_from_options(options)
        for i in range(5):
            assert run(np.float32(i)) == [3.0 * i + 1.0, 3.0 * i]
        del run
        assert session.run(z, {x: 2.0}) == 7.0


def partial_runs(cell):
    a, b = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
    with tf.device(cell.ps):
        doubled = a * 2.0
    with tf.device(cell.other):
        total = doubled + b
    with cell.session() as session:
        for i in range(3):
            handle = session.partial_run_setup([doubled, total], [a, b])
            first = session.partial_run(handle, doubled, {a: float(i)})
            assert first == 2.0 * i
            assert session.partial_run(handle, total, {b: first}) == 4.0 * i


def concurrent_steps(cell):
    x = v1.placeholder(tf.float32, [64])
    with tf.device(cell.ps):
        y = x * 2.0
    with tf.device(cell.other):
        z = tf.reduce_sum(y)
    wrong = []
    with cell.session() as session:
        def work(k):
            for i in range(25):
                got = session.run(z, {x: np.full(64, k + i, np.float32)})
                if got != 128.0 * (k + i):
                    wrong.append((k, i, got))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert not wrong


def propagated_cluster(cell):
    """config.cluster_def gives the tasks other names, for this session only."""
    addresses = {"chief": cell.master_task, "helper": cell.other_task}
    config = v1.ConfigProto()
    for job, task in addresses.items():
        config.cluster_def.job.add(name=job).tasks[0] = cell.cluster.spec["worker"][task]
    config.cluster_def.job.add(name="store").tasks[0] = cell.cluster.spec["ps"][cell.ps_task]
    with tf.device("/job:store"):
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    with tf.device("/job:helper"):
        y = v * 2.0
    with tf.device("/job:chief"):
        z = y + 1.0
    with v1.Session(cell.target, config=config) as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(z), [3.0, 5.0])
        names = {d.name for d in session.list_devices()}
    assert {f"/job:{j}/replica:0/task:0/device:CPU:0" for j in ("chief", "helper", "store")} <= names
    # The propagated session was isolated: its variable is not the cluster's.
    with tf.Graph().as_default(), tf.device(cell.ps):
        own = v1.get_variable("v", initializer=[0.0, 0.0], use_resource=True)
        with cell.session() as session:
            assert not session.run(own.is_initialized())


def devices(cell):
    """The session lists the devices of the admitted tasks, each with an incarnation."""
    with cell.session() as session:
        listed = session.list_devices()
    assert {d.name for d in listed} == {cell.full(d) + "/device:CPU:0" for d in cell.devices}
    assert len({d.incarnation for d in listed}) == 3
    assert all(d.device_type == "CPU" and d.incarnation and d.memory_limit_bytes == 268435456 for d in listed)


def many_sessions(cell):
    with tf.device(cell.ps):
        y = tf.constant(1.0) + 1.0
    with tf.device(cell.other):
        z = y * 2.0
    for _ in range(10):
        with cell.session() as session:
            assert session.run(z) == 4.0
    with cell.session() as session:
        session.close()
        failure_class = None
        try:
            session.run(z)
        except RuntimeError as raised:
            failure_class = type(raised)
        assert failure_class is RuntimeError


def soft_placement(cell):
    with tf.device(cell.ps + "/device:GPU:0"):
        y = tf.constant([1.0]) + 1.0
    with tf.device(cell.other + "/device:CPU:0"):
        z = y + 1.0
    with cell.session(allow_soft_placement=True) as session:
        np.testing.assert_array_equal(session.run(z), [3.0])
    with cell.session() as session:
        caught = failure(session, z, error=tf.errors.InvalidArgumentError)
        assert "GPU:0" in caught.message


PROGRAMS = [
    growth, callables, partial_runs, concurrent_steps, propagated_cluster, devices, many_sessions, soft_placement,
]
