"""Models that the TensorFlow client trains on Rheo must end where TensorFlow's own session ends."""

import threading

import numpy as np
import pytest
import tensorflow as tf

from models import OPTIMIZERS, batches

v1 = tf.compat.v1
STEPS = 30
RTOL = 1e-5


def initial(shape, seed):
    return (np.random.RandomState(seed).randn(*shape) * 0.3).astype(np.float32)


def model(hidden, use_resource, ps, worker):
    """Placeholders, loss and variables; softmax regression without a hidden layer."""
    x = v1.placeholder(tf.float32, [None, 8], name="x")
    y = v1.placeholder(tf.int64, [None], name="y")

    def layer(value, n_in, n_out, name):
        with tf.device(ps):
            w = v1.get_variable(name + "/w", initializer=initial((n_in, n_out), n_out), use_resource=use_resource)
            b = v1.get_variable(name + "/b", initializer=np.zeros(n_out, np.float32), use_resource=use_resource)
        return tf.nn.bias_add(tf.matmul(value, w), b)

    with tf.device(worker):
        value = x
        if hidden:
            value = tf.nn.relu(layer(x, 8, hidden, "hidden"))
        logits = layer(value, hidden or 8, 4, "out")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    return x, y, loss


def train(target, hidden, use_resource, optimizer, ps, worker):
    graph = tf.Graph()
    with graph.as_default():
        x, y, loss = model(hidden, use_resource, ps, worker)
        with tf.device(worker):
            step = OPTIMIZERS[optimizer]().minimize(loss)
        init = v1.global_variables_initializer()
        variables = v1.trainable_variables()
        with v1.Session(target) as sess:
            sess.run(init)
            losses = [sess.run([loss, step], {x: bx, y: by})[0] for bx, by in batches(STEPS)]
            return losses, sess.run(variables)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("hidden", [0, 16], ids=["softmax", "mlp"])
def test_training_equals_tensorflow(trio, hidden, use_resource, optimizer):
    want_losses, want = train("", hidden, use_resource, optimizer, "", "")
    got_losses, got = train(trio.target("worker"), hidden, use_resource, optimizer, "/job:ps/task:0",
                            "/job:worker/task:0")
    assert want_losses[-1] < want_losses[0]
    np.testing.assert_allclose(got_losses, want_losses, rtol=RTOL, atol=1e-6)
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=RTOL, atol=1e-6)


def test_in_graph_replication(trio):
    """Two towers on two workers, averaged gradients, equal one tower over the whole batch."""

    def run(target, devices):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [None, 8])
            y = v1.placeholder(tf.float32, [None, 1])
            with tf.device(devices["ps"]):
                w = v1.get_variable("w", initializer=initial((8, 1), 3))
            gradients = []
            for part, device in enumerate(devices["workers"]):
                with tf.device(device):
                    half = slice(part * 16, (part + 1) * 16)
                    loss = tf.reduce_mean(tf.square(tf.matmul(x[half], w) - y[half]))
                    gradients.append(tf.gradients(loss, w)[0])
            with tf.device(devices["ps"]):
                step = v1.assign_sub(w, 0.1 * tf.add_n(gradients) / 2.0)
            with v1.Session(target) as sess:
                sess.run(v1.global_variables_initializer())
                for bx, by in batches(STEPS):
                    sess.run(step, {x: bx, y: by[:, None].astype(np.float32)})
                return sess.run(w)

    want = run("", {"ps": "", "workers": ["", ""]})
    got = run(trio.target("worker"),
              {"ps": "/job:ps/task:0", "workers": ["/job:worker/task:0", "/job:worker/task:1"]})
    np.testing.assert_allclose(got, want, rtol=RTOL, atol=1e-6)


def test_between_graph_replication(trio):
    """Two clients with a graph each, one global step: no increment is lost."""
    rounds = 50
    failures = []

    def client(index, ready):
        try:
            with tf.Graph().as_default():
                setter = v1.train.replica_device_setter(worker_device=f"/job:worker/task:{index}",
                                                        cluster=tf.train.ClusterSpec(trio.spec))
                with v1.device(setter):
                    step = v1.train.get_or_create_global_step()
                    up = v1.assign_add(step, 1, use_locking=True)
                with v1.Session(trio.target("worker", index)) as sess:
                    if index == 0:
                        sess.run(step.initializer)
                    ready.wait(30)
                    for _ in range(rounds):
                        sess.run(up)
                    ready.wait(30)
                    assert sess.run(step) == 2 * rounds
        except Exception as error:  # reported by the main thread
            failures.append(error)
            ready.abort()

    ready = threading.Barrier(2)
    threads = [threading.Thread(target=client, args=(i, ready)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failures, failures
