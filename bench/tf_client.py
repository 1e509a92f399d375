"""TensorFlow's Python client as a subject of bench/run (see subject.h): one process drives Rheo's
servers and TensorFlow's by the same calls. A target is that of the worker of a cluster of one
parameter server and at least one worker, or "local", TensorFlow within this process."""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
tf.compat.v1.disable_eager_execution()
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


def as_written():
    """Settings under which TensorFlow runs a graph as it is written (graphs.h has Rheo's)."""
    config = v1.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def no_op(graph):
    with graph.as_default(), tf.device(WORKER):
        return tf.no_op()


def two_tasks(graph):
    """One small tensor goes from the parameter server to the worker."""
    return small_tensors(graph, 1)


def small_tensors(graph, count):
    """COUNT tensors go from the parameter server to the worker. The step fetches their sum: of what nobody
    needs the value of, TensorFlow's optimizer sends nothing."""
    with graph.as_default():
        with tf.device(PS):
            values = [tf.random.uniform([10]) for _ in range(count)]
        with tf.device(WORKER):
            return tf.add_n([tf.negative(v) for v in values])


def chain(graph, length):
    with graph.as_default(), tf.device("/cpu:0"):
        value = tf.constant(1.0)
        for _ in range(length):
            value = tf.negative(value)
        return value.op


def fan(graph, width):
    with graph.as_default(), tf.device("/cpu:0"):
        source = tf.constant(1.0)
        return tf.group(source.op, *[tf.negative(source).op for _ in range(width)])


def dense(name, x, inputs, outputs):
    scale = (2.0 / (inputs + outputs)) ** 0.5
    with v1.variable_scope(name):
        weights = v1.get_variable("weights", [inputs, outputs], use_resource=True,
                                  initializer=v1.truncated_normal_initializer(stddev=scale))
        bias = v1.get_variable("bias", [outputs], use_resource=True, initializer=v1.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, weights), bias)


class Digits:
    """The model of examples/02_digits as one worker of between-graph replication trains it."""

    def __init__(self, target, worker):
        device = v1.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{worker}")
        with tf.Graph().as_default() as graph, v1.device(device):
            images = v1.placeholder(tf.float32, [None, 64])
            labels = v1.placeholder(tf.int32, [None])
            hidden = tf.nn.relu(dense("hidden", images, 64, 64))
            logits = dense("logits", hidden, 64, 10)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
            step = v1.train.get_or_create_global_step()
            train = v1.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=step)
            initialize = v1.global_variables_initializer()
        session = v1.Session(target, graph=graph)
        session.run(initialize)  # that of the last worker stands; only time is measured
        random = np.random.RandomState(worker)
        batch = random.rand(32, 64).astype(np.float32), random.randint(0, 10, [32]).astype(np.int32)
        run = session.make_callable([loss, step, train], [images, labels])
        self.run = lambda: run(*batch)
        self.run()


STEPS = {
    "local_null": lambda graph: chain(graph, 0),
    "null": no_op,
    "two_tasks": two_tasks,
    "tensors20": lambda graph: small_tensors(graph, 20),
    "tensors200": lambda graph: small_tensors(graph, 200),
    "chain1": lambda graph: chain(graph, 1),
    "chain1001": lambda graph: chain(graph, 1001),
    "fan1": lambda graph: fan(graph, 1),
    "fan1001": lambda graph: fan(graph, 1001),
}


def seconds_each(count, step):
    begin = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - begin) / count


class Client:
    def __init__(self):
        self.steps = {}  # (name, target) → callable
        self.digits = {}  # target → Digits

    def step(self, name, target, count):
        """COUNT runs of a prepared step of STEPS."""
        if (name, target) not in self.steps:
            graph = tf.Graph()
            operation = STEPS[name](graph)
            local = target == "local"
            session = v1.Session("" if local else target, graph=graph, config=as_written() if local else None)
            self.steps[name, target] = session.make_callable(operation)
            self.steps[name, target]()
        return seconds_each(count, self.steps[name, target])

    def open(self, target, count):
        """A session over both tasks: opened, one step, closed."""
        graph = tf.Graph()
        with graph.as_default():
            with tf.device(PS):
                there = tf.negative(tf.random.uniform([]))
            with tf.device(WORKER):
                here = tf.negative(there)

        def once():
            with v1.Session(target, graph=graph) as session:
                session.run(here)

        return seconds_each(count, once)

    def train(self, target, worker, count):
        """COUNT steps of the digits' training as worker WORKER, through that worker's TARGET."""
        if target not in self.digits:
            self.digits[target] = Digits(target, worker)
        return seconds_each(count, self.digits[target].run)

    def answer(self, name, *arguments):
        if name in STEPS:
            target, count = arguments
            return self.step(name, target, int(count))
        if name == "open":
            target, count = arguments
            return self.open(target, int(count))
        if name == "digits":
            target, worker, count = arguments
            return self.train(target, int(worker), int(count))
        raise ValueError(f"there is no measurement '{name}'")


def main():
    client = Client()
    for line in sys.stdin:
        try:
            print(client.answer(*line.split()), flush=True)
        except Exception as error:  # the driver reports it and goes on
            print("error", str(error).replace("\n", " ")[:500], flush=True)


if __name__ == "__main__":
    main()
