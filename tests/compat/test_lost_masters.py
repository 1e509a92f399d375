"""What a TensorFlow master has in a Rheo task: it stays however long it is idle, and goes when the master has died."""

import subprocess
import time

import pytest
import tensorflow as tf

import swap_cells
from case_tools import eventually
from conftest import RheoServer, free_ports

v1 = tf.compat.v1

LIMIT_SECONDS = 1


@pytest.fixture
def servers(program):
    spec = {job: [f"127.0.0.1:{port}"] for job, port in zip(("worker", "ps"), free_ports(2))}
    master = swap_cells.TensorFlowServer(spec, "worker", 0)
    ps = RheoServer(program, spec, "ps", 0, ["--lost_master_limit", str(LIMIT_SECONDS)])
    master.wait_until_ready()
    yield master, ps
    master.stop()
    ps.kill()


def num_worker_sessions(program, server):
    page = subprocess.run([str(program), "status", server.address], check=True, capture_output=True, text=True)
    return int(next(line.split()[1] for line in page.stdout.splitlines() if line.startswith("worker_sessions ")))


def test_sessions_of_a_tensorflow_master(program, servers):
    master, ps = servers
    with tf.device("/job:ps/task:0"):
        x = tf.identity(tf.constant(3.0))
    # The client closes the session in the end and would wait for its dead master for ever.
    session = v1.Session(master.target, config=v1.ConfigProto(operation_timeout_in_ms=10_000))
    assert session.run(x) == 3.0
    time.sleep(4 * LIMIT_SECONDS)  # nobody uses it, which is the situation
    assert session.run(x) == 3.0
    assert num_worker_sessions(program, ps) == 1
    master.stop()
    assert eventually(lambda: num_worker_sessions(program, ps) == 0, 30), ps.log
    told = "/job:worker/replica:0/task:0"
    assert eventually(lambda: any("dropped" in line and told in line for line in ps.log), 5), ps.log
