"""Tasks with a GPU beside tasks without; the GPU is Rheo's simulated one."""

import re

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf import cluster_pb2, tensorflow_server_pb2
from tensorflow.python.client import timeline

from case_tools import expect

v1 = tf.compat.v1
errors = tf.errors

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
PS_CPU = "/job:ps/replica:0/task:0/device:CPU:0"
GPU = "/job:worker/replica:0/task:0/device:GPU:0"
GIGABYTE = 1 << 30  # what a simulated GPU has
FRACTION = "gpu_options.per_process_gpu_memory_fraction"


@pytest.fixture
def make_gpu(make):
    """A ps without a GPU and a worker with one."""
    def make_cluster(*worker_flags):
        cluster = make({"ps": 1, "worker": 1}, start=False)
        cluster.start("ps")
        cluster.start("worker", flags=["--gpu", "1", *worker_flags])
        return cluster
    return make_cluster


@pytest.fixture
def table():
    """Makes a table of floats on the worker's GPU that takes so many bytes, and uses it."""
    column, row = v1.placeholder(tf.float32, [None, 1]), v1.placeholder(tf.float32, [1, 1000])
    with tf.device(WORKER + "/device:GPU:0"):
        sums = tf.matmul(tf.raw_ops.AddV2(x=column, y=row, name="table"), row, transpose_b=True)

    def make_table(session, num_bytes):
        return session.run(sums, {column: np.zeros([num_bytes // 4000, 1]), row: np.zeros([1, 1000])})
    return make_table


def gpu_limits(session):
    return {d.name: d.memory_limit_bytes for d in session.list_devices() if d.device_type == "GPU"}


def server_def(cluster, path, fraction):
    """The definition of worker 0 as a file, with TensorFlow's words for its share of the GPU."""
    jobs = [cluster_pb2.JobDef(name=name, tasks=dict(enumerate(addresses))) for name, addresses in cluster.spec.items()]
    definition = tensorflow_server_pb2.ServerDef(
        cluster=cluster_pb2.ClusterDef(job=jobs), job_name="worker", task_index=0, protocol="grpc",
        default_session_config=v1.ConfigProto(
            device_count={"GPU": 1}, gpu_options=v1.GPUOptions(per_process_gpu_memory_fraction=fraction)))
    path.write_text(text_format.MessageToString(definition))
    return str(path)


@pytest.mark.parametrize("given", ["flag", "definition"])
def test_server_34_gpu_memory_of_the_server(make, make_gpu, table, tmp_path, given):
    if given == "flag":
        cluster = make_gpu("--gpu_memory_fraction", "0.3")
    else:
        cluster = make({"ps": 1, "worker": 1}, start=False)
        cluster.start("ps")
        cluster.start_defined("worker", 0, server_def(cluster, tmp_path / "worker.pbtxt", 0.3))
    with v1.Session(cluster.target("worker")) as session:
        assert gpu_limits(session) == {GPU: GIGABYTE * 3 // 10}
        for _ in range(2):
            expect(errors.ResourceExhaustedError, lambda: table(session, 400_000_000), "{{node table}}",
                   "400000000 bytes", within=60)
            table(session, 300_000_000)
    assert "no effect" not in "\n".join(cluster.servers["worker", 0].log)


def test_server_34_gpu_memory_of_a_session(make_gpu, table):
    cluster = make_gpu()
    config = v1.ConfigProto(gpu_options=v1.GPUOptions(per_process_gpu_memory_fraction=0.3))
    with v1.Session(cluster.target("worker"), config=config) as session:
        assert gpu_limits(session) == {GPU: GIGABYTE}
        for _ in range(2):
            table(session, 400_000_000)
    named = [line for line in cluster.servers["worker", 0].log if FRACTION in line]
    assert len(named) == 1 and "have no effect here" in named[0]


@pytest.mark.parametrize("soft", [True, False])
def test_server_35_master_without_gpu(make_gpu, soft):
    cluster = make_gpu()
    x = v1.placeholder(tf.float32, [2, 2])
    with tf.device(WORKER + "/device:GPU:0"):
        m = tf.matmul(x, x, name="m")
    metadata = v1.RunMetadata()
    with v1.Session(cluster.target("ps"), config=v1.ConfigProto(allow_soft_placement=soft)) as session:
        value = session.run(m, {x: [[1.0, 2.0], [3.0, 4.0]]}, run_metadata=metadata,
                            options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE))
    assert value.tolist() == [[7.0, 10.0], [15.0, 22.0]]
    ran = {(device.device, node.node_name) for device in metadata.step_stats.dev_stats for node in device.node_stats}
    assert {(GPU, "m"), (GPU + "/stream:all", "m:MatMul")} <= ran
    logs = [line for server in cluster.servers.values() for line in server.log]
    assert not [line for line in logs if re.match(r"E\d{4} ", line)]


def test_server_36_gpu_trace(make_gpu):
    size, layers = 1024, 40
    num_bytes = size * size * 4
    cluster = make_gpu()
    x = v1.placeholder(tf.float32, [size, size])
    with tf.device(PS):
        w = v1.get_variable("w", initializer=tf.fill([size, size], 1.0 / size), use_resource=True)
    with tf.device(WORKER + "/device:GPU:0"):
        hidden = tf.matmul(x, x, name="layer0")
    # The weights go away only now: the layers keep the GPU busy meanwhile.
    with tf.device(PS), tf.control_dependencies([tf.identity(hidden, name="seen")]):
        weights = w.read_value()
    with tf.device(WORKER + "/device:GPU:0"):
        for i in range(1, layers):
            hidden = tf.matmul(hidden, x, name=f"layer{i}")
        y = tf.matmul(hidden, weights, name="y")
    [gradient] = v1.gradients(y, weights, grad_ys=y, colocate_gradients_with_ops=True)
    with tf.device(PS):
        train = w.assign_sub(gradient, read_value=False, name="train")
    metadata = v1.RunMetadata()
    with v1.Session(cluster.target("worker"), config=v1.ConfigProto(allow_soft_placement=True)) as session:
        session.run(w.initializer)
        feed = {x: np.full([size, size], 1.0 / size)}
        session.run(train, feed)
        session.run(train, feed, run_metadata=metadata,
                    options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE))

    def records(device, end):
        return [node for stats in metadata.step_stats.dev_stats if stats.device == device
                for node in stats.node_stats if node.node_name.endswith(end)]

    def start(node):
        return node.all_start_micros

    def end(node):
        return node.all_start_micros + node.all_end_rel_micros

    def bytes_of(node):
        return node.output[0].tensor_description.allocation_description.requested_bytes

    kernels = records(GPU + "/stream:all", ":MatMul")
    assert len(kernels) == layers + 2
    [pulled], pushed = records(GPU, "RecvTensor"), records(PS_CPU, "RecvTensor")
    there, back = records(GPU + "/memcpy", ":MEMCPYHtoD"), records(GPU + "/memcpy", ":MEMCPYDtoH")
    assert len(there) == 2 and len(back) == 2  # the feed and the weights, the first layer's output and the gradient
    for moved in (pulled, *pushed, *there, *back):
        assert bytes_of(moved) == num_bytes
    # Each follows the other: pulled, copied, used; computed, copied, pushed.
    last_kernel, last_copy, weights_copy = max(kernels, key=start), max(back, key=start), max(there, key=start)
    [y_kernel] = [kernel for kernel in kernels if kernel.node_name == "y:MatMul"]
    assert end(pulled) <= start(weights_copy) + 1 and end(weights_copy) <= start(y_kernel) + 1
    assert end(last_kernel) <= start(last_copy) + 1 and end(last_copy) <= max(map(end, pushed)) + 1
    # Copies run beside kernels: the weights have overtaken layers that the device was given before.
    [last_layer] = [kernel for kernel in kernels if kernel.node_name == f"layer{layers - 1}:MatMul"]
    assert last_layer.scheduled_micros < weights_copy.scheduled_micros
    assert end(weights_copy) < end(last_layer)
    # The device has work all the time from the first copy to the last; what is left is waking up threads.
    spans = sorted((start(node), end(node)) for node in [*kernels, *there, *back])
    uncovered, until = 0, spans[0][0]
    for begin, stop in spans:
        uncovered += max(begin - until, 0)
        until = max(until, stop)
    assert uncovered < (until - spans[0][0]) / 10
    trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
    assert "/stream:all" in trace and "MEMCPYHtoD" in trace
