"""Cases about load, threads, traces and idle links, seen by an unmodified TensorFlow client."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.client import timeline

from case_tools import config, eventually, expect, IN_FULL, usage
from counting_relay import CountingRelay
from swap_cells import TensorFlowServer

v1 = tf.compat.v1
errors = tf.errors

PS = "/job:ps/task:0"
WORKER = "/job:worker/task:0"

# Dequeues from a queue that stays empty, each given up after 50 ms; says so after the first.
TIMED_OUT_CLIENT = """
import os, sys
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
with tf.device("/job:ps/task:0"):
    dequeue = tf.queue.FIFOQueue(10, tf.float32, shapes=[[]], shared_name="queue").dequeue()
with v1.Session(sys.argv[1]) as session:
    for i in range(500):
        try:
            session.run(dequeue, options=v1.RunOptions(timeout_in_ms=50))
        except tf.errors.DeadlineExceededError:
            print("timed out", flush=True)
"""


def start_client(target):
    return subprocess.Popen([sys.executable, "-c", TIMED_OUT_CLIENT, target], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)


# In full: twenty rounds of five clients that make all their steps.
def test_server_21_timed_out_steps_pile_up(make, tmp_path):
    rounds, clients, steps = (20, 5, 500) if IN_FULL else (2, 2, 30)
    cluster = make({"ps": 1, "worker": 1}, ["--session_idle_limit", "2"])
    for _ in range(rounds):
        running = [start_client(cluster.target("worker")) for _ in range(clients)]
        for client in running:
            for _ in range(steps):
                assert client.stdout.readline() == "timed out\n"
        for client in running:
            client.kill()
            client.wait(20)
    page = cluster.servers["ps", 0].status
    assert eventually(lambda: "blocked" not in page() and "steps 0" in page(), 10), page()
    with tf.device(PS):
        queue = tf.queue.FIFOQueue(10, tf.float32, shapes=[[]], shared_name="queue")
        enqueue, dequeue = queue.enqueue(7.0), queue.dequeue()
        save = tf.io.write_file(str(tmp_path / "saved"), tf.constant("all of it"))
    start = time.monotonic()
    with v1.Session(cluster.target("worker")) as session:
        session.run(enqueue)
        assert session.run(dequeue) == 7.0
        session.run(save)
    assert time.monotonic() - start < 5
    assert (tmp_path / "saved").read_text() == "all of it"


# 200,000 steps in full.
def test_server_23_fetch_loop(make):
    warm, steps = (10_000, 200_000) if IN_FULL else (5000, 20_000)
    cluster = make({"worker": 1})
    server = cluster.servers["worker", 0]
    constant = tf.constant([1.0, 2.0])
    with v1.Session(cluster.target("worker")) as session:
        step = session.make_callable(constant)
        for _ in range(warm):
            step()
        threads, kib = usage(server)
        for _ in range(steps - warm):
            step()
        threads_after, kib_after = usage(server)
    assert threads_after <= threads
    assert kib_after <= 1.1 * kib


def run_many(server, session_config):
    """64 steps at once in one session; the most threads that the server was seen with."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [200, 200], name="x")
        total = tf.reduce_sum(tf.add_n([tf.matmul(x, x, name=f"product{i}") for i in range(4)]), name="total")
        fed = np.full((200, 200), 0.01, np.float32)
        with v1.Session(server.target, config=session_config) as session:
            steps = [threading.Thread(target=session.run, args=(total, {x: fed})) for _ in range(64)]
            for step in steps:
                step.start()
            most = 0
            while any(step.is_alive() for step in steps):
                most = max(most, usage(server)[0])
            session.run(total, {x: fed})
    return most


def test_server_26_thread_options(make):
    most = 23
    cluster = make({"worker": 1}, ["--inter_op_threads", "2", "--intra_op_threads", "1"])
    server = cluster.servers["worker", 0]
    assert run_many(server, None) <= most
    assert not any("have no effect" in line for line in server.log)
    for sessions in (1, 2):
        wanted = config(inter_op_parallelism_threads=8, intra_op_parallelism_threads=8)
        assert run_many(server, wanted) <= most
        for field in ("inter_op_parallelism_threads", "intra_op_parallelism_threads"):
            assert eventually(lambda: sum(field in line for line in server.log) == sessions, 5), server.log
    assert run_many(server, config(log_device_placement=True)) <= most
    for node in ("x: (Placeholder)", "product0: (MatMul)", "product3: (MatMul)", "total: (Sum)"):
        line = f"{node}: /job:worker/replica:0/task:0/device:CPU:0"
        assert eventually(lambda: sum(line in logged for logged in server.log) == 1, 5), server.log
    with v1.Session(server.target, config=config(use_per_session_threads=True)) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(tf.constant(1.0)), within=10)


def test_server_30_trace(make):
    num_bytes = 100_000_000
    cluster = make({"ps": 1, "worker": 1})
    with tf.device(PS):
        made = tf.random.uniform([num_bytes // 4], name="made")
    with tf.device(WORKER):
        used = tf.reduce_sum(made, name="used")
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    metadata = v1.RunMetadata()
    with v1.Session(cluster.target("worker")) as session:
        session.run(used)
        session.run(used, options=options, run_metadata=metadata)
        plain = v1.RunMetadata()
        session.run(used, options=v1.RunOptions(), run_metadata=plain)
    assert not plain.step_stats.dev_stats

    def only(task, matches):
        found = [stats for device in metadata.step_stats.dev_stats if device.device.startswith(task)
                 for stats in device.node_stats if matches(stats)]
        assert len(found) == 1, found
        return found[0]

    def end(stats):
        return stats.all_start_micros + stats.all_end_rel_micros

    producer = only("/job:ps/replica:0/task:0", lambda stats: stats.node_name.startswith("made"))
    consumer = only("/job:worker/replica:0/task:0", lambda stats: stats.node_name == "used")
    transfer = only("/job:worker/replica:0/task:0", lambda stats: stats.node_name == "RecvTensor")
    assert transfer.all_start_micros <= end(producer) <= end(transfer) <= end(consumer)
    output = transfer.output[0].tensor_description
    assert output.allocation_description.requested_bytes == num_bytes
    assert "made" in timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()


# The rates are in bench/.
def test_server_32_only_what_is_fetched_is_sent(make):
    length, steps = 1_000_000, 5
    cluster = make({"ps": 1, "worker": 1})
    with tf.device(PS):
        v = v1.get_variable("v", [length], initializer=v1.zeros_initializer(), use_resource=True)
    with tf.device(WORKER):
        # Random, so that nobody computes it beforehand.
        delta = tf.cast(tf.random.uniform([length], 0, 1000, tf.int32), tf.float32)
        total = v1.get_variable("total", [], initializer=v1.zeros_initializer(), use_resource=True)
        count = total.assign_add(tf.reduce_sum(delta[:1000]), read_value=False)
    add = tf.group(v.assign_add(delta, read_value=False), count)
    relay = CountingRelay(cluster.servers["worker", 0].address)
    with v1.Session(relay.target) as session:
        session.run(v1.global_variables_initializer())
        session.run(add)  # sends the graph
        # What the answer of a step takes on the wire, gRPC's own words included.
        before = relay.to_client
        for _ in range(steps):
            assert session.run(add) is None
        assert 0 < relay.to_client - before < steps * 1024
        before = relay.to_client
        value, some = session.run([v, total])
        assert relay.to_client - before > 4 * length
        # It came whole: small integers, whose sums are exact.
        assert value.shape == (length,) and value.min() >= 0 and value.max() < 1000 * (steps + 1)
        assert value[:1000].sum() == some
        assert np.count_nonzero(value) > 0.9 * length
    relay.close()


# Ten minutes in full; the short form pings fifty times as often.
@pytest.mark.parametrize("ps", ["rheo", "tensorflow"])
def test_server_08_idle_links(make, ps):
    idle_seconds, flags = (600, []) if IN_FULL else (8, ["--ping_interval_ms", "200"])
    cluster = make({"ps": 1, "worker": 1}, flags, start=False)
    cluster.start("worker")
    server = None
    if ps == "rheo":
        cluster.start("ps")
    else:
        server = TensorFlowServer(cluster.spec, "ps", 0)
        server.wait_until_ready()
    try:
        with tf.device(PS):
            three = tf.identity(v1.placeholder_with_default(3.0, []))
        with v1.Session(cluster.target("worker")) as session:
            assert session.run(three) == 3.0
            time.sleep(idle_seconds)  # as the case has it
            start = time.monotonic()
            assert session.run(three) == 3.0
            assert time.monotonic() - start < 5
        logs = [line for one in cluster.servers.values() for line in one.log] + (server.log if server else [])
        assert not any("too_many_pings" in line or "ENHANCE_YOUR_CALM" in line for line in logs), logs
    finally:
        if server is not None:
            server.stop()
