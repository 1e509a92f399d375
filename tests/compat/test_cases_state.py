"""Cases about state, placement and what a session brings along, seen by an unmodified TensorFlow client."""

import pytest
import tensorflow as tf

from case_tools import config, eventually, expect
from conftest import RheoServer

v1 = tf.compat.v1
errors = tf.errors

PS = "/job:ps/task:0"
WORKER = "/job:worker/task:0"
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@pytest.fixture
def alone(program):
    """Four servers, each a cluster of its own with a port that the system chose."""
    servers = [RheoServer(program, {"localhost": ["127.0.0.1:0"]}, "localhost", 0) for _ in range(4)]
    yield servers
    for server in servers:
        server.kill()


class ClusterFromTheSession:
    """ps 0 is server 0, worker i is server i + 1; a variable lies on the ps."""

    def __init__(self, servers):
        self.servers = servers
        with tf.device(PS):
            self.variable = v1.get_variable("shared", initializer=4.0, use_resource=True)
        with tf.device("/job:worker/task:1"):
            self.read = tf.identity(self.variable)

    def open(self, worker, num_workers, share):
        addresses = [server.address for server in self.servers]
        brought = config()
        brought.cluster_def.CopyFrom(
            tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:1 + num_workers]}).as_cluster_def())
        brought.experimental.share_session_state_in_clusterspec_propagation = share
        return v1.Session(self.servers[worker + 1].target, config=brought)


def test_server_10_cluster_from_the_session_shared(alone):
    cluster = ClusterFromTheSession(alone)
    assert all(not server.address.endswith(":0") for server in alone)
    with cluster.open(0, 2, True) as first, cluster.open(1, 2, True) as second, cluster.open(2, 3, True) as third:
        first.run(cluster.variable.initializer)
        for session in (first, second, third):
            assert session.run(cluster.read) == 4.0


def test_server_10_cluster_from_the_session_not_shared(alone):
    cluster = ClusterFromTheSession(alone)
    with cluster.open(0, 2, False) as first, cluster.open(1, 2, False) as second:
        first.run(cluster.variable.initializer)
        assert first.run(cluster.read) == 4.0
        expect(errors.FailedPreconditionError, lambda: second.run(cluster.read), "ninitialized", within=10)


def test_server_10_target_is_missing(alone):
    cluster = ClusterFromTheSession(alone)
    with cluster.open(2, 2, True) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(cluster.read), alone[3].address, within=10)


def device_of(metadata, node):
    """Where a traced step ran a node."""
    for device in metadata.step_stats.dev_stats:
        if any(stats.node_name == node for stats in device.node_stats):
            return device.device
    return None


def test_server_15_assign_follows_its_variable(make):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device(PS):
        v = v1.get_variable("v", shape=[], initializer=v1.zeros_initializer(), use_resource=False)
    assign = tf.raw_ops.Assign(ref=v._ref(), value=2.0, name="assign")
    assign.op._set_device(WORKER)  # TensorFlow gives it the variable's
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    metadata = v1.RunMetadata()
    with v1.Session(cluster.target("worker"), config=config(log_device_placement=True)) as session:
        assert session.run(assign, options=options, run_metadata=metadata) == 2.0
    assert device_of(metadata, "assign") == "/job:ps/replica:0/task:0/device:CPU:0"
    log = cluster.servers["worker", 0].log
    placed = "assign: (Assign): /job:ps/replica:0/task:0"
    assert eventually(lambda: any(placed in line and WORKER in line for line in log), 5), log


def test_server_15_tie_that_cannot_hold(make):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device(PS):
        v = v1.get_variable("v", initializer=1.0, use_resource=False)
    with tf.device(WORKER):
        u = v1.get_variable("u", initializer=1.0, use_resource=False)
    u.op._set_attr("_class", v1.AttrValue(list=v1.AttrValue.ListValue(s=[b"loc:@v"])))
    with v1.Session(cluster.target("worker")) as session:
        expect(errors.InvalidArgumentError, lambda: session.run(u), "node u", "node v", PS, WORKER, within=10)


def positions(shape, dtype, partition_info):
    start = partition_info.var_offset[0]
    return tf.cast(tf.range(start, start + shape[0]), dtype)


@KINDS
def test_server_15_partitions_are_concatenated(make, use_resource):
    cluster = make({"ps": 1, "worker": 1})
    with tf.device(PS):
        parts = v1.get_variable("parts", [6], initializer=positions, partitioner=v1.fixed_size_partitioner(3),
                                use_resource=use_resource)
    with tf.device(WORKER):
        whole = v1.get_variable("whole", [6], initializer=v1.zeros_initializer(), use_resource=use_resource)
        # As an initial value TensorFlow would read the parts again beside `whole`, where they are not: its own
        # servers refuse that as ours do.
        initialize = v1.assign(whole, tf.concat(list(parts), 0))
    with v1.Session(cluster.target("worker")) as session:
        session.run([part.initializer for part in parts])
        session.run(whole.initializer)
        session.run(initialize)
        assert session.run(whole).tolist() == [0, 1, 2, 3, 4, 5]
