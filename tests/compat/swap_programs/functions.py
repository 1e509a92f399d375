"""Graphs that a TensorFlow master rewrites before it cuts them: functions and fused operations."""

import numpy as np
import tensorflow as tf

from swap_programs.common import v1

RANDOM = np.random.RandomState(3)
X = RANDOM.randn(5, 4).astype(np.float32)
W = RANDOM.randn(4, 3).astype(np.float32)
B = RANDOM.randn(3).astype(np.float32)


def calls(cell):
    """Function calls over several tasks: with state, nested, with control outputs."""
    with tf.device(cell.ps):
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)

    @tf.function(autograph=False)
    def inner(a):
        return a * 2.0, tf.reduce_sum(a)

    @tf.function(autograph=False)
    def outer(a):
        doubled, total = inner(a + 1.0)
        v.assign_add(doubled)
        return doubled - total

    x = v1.placeholder(tf.float32, [2])
    with tf.device(cell.other):
        y = outer(x)
    with cell.session() as session:
        session.run(v.initializer)
        for _ in range(3):
            np.testing.assert_array_equal(session.run(y, {x: [1.0, 2.0]}), [-1.0, 1.0])
        np.testing.assert_array_equal(session.run(v), [13.0, 20.0])


def gradient_of_call(cell):
    @tf.function(autograph=False)
    def cube(a):
        return a * a * a

    x = v1.placeholder(tf.float32, [])
    with tf.device(cell.ps):
        y = cube(x)
    with tf.device(cell.other):
        dx, = tf.gradients(y, x)
    with cell.session() as session:
        assert session.run([y, dx], {x: 2.0}) == [8.0, 12.0]


def fused_dense(cell):
    """MatMul, BiasAdd and an activation on one task, which TensorFlow's optimizer makes one node."""
    activations = {
        "none": (lambda v: v, lambda v: v),
        "relu": (tf.nn.relu, lambda v: np.maximum(v, 0)),
        "relu6": (tf.nn.relu6, lambda v: np.clip(v, 0, 6)),
        "elu": (tf.nn.elu, lambda v: np.where(v > 0, v, np.expm1(v))),
        "leaky": (lambda v: tf.nn.leaky_relu(v, 0.3), lambda v: np.where(v > 0, v, 0.3 * v)),
        "tanh": (tf.nn.tanh, np.tanh),
        "sigmoid": (tf.nn.sigmoid, lambda v: 1 / (1 + np.exp(-v))),
    }
    x = v1.placeholder(tf.float32, [None, 4])
    fetches, wanted = [], []
    for device in cell.devices:
        for name, (activation, expected) in activations.items():
            with tf.device(device):
                w, b = tf.constant(W), tf.constant(B)
                fetches.append(activation(tf.nn.bias_add(tf.matmul(x, w), b), ))
            wanted.append(expected(X @ W + B))
    with cell.session() as session:
        for got, want in zip(session.run(fetches, {x: X}), wanted):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def fused_gelu(cell):
    from math import erf
    x = v1.placeholder(tf.float32, [None, 4])
    fetches = []
    for device in cell.devices:
        for approximate in (False, True):
            with tf.device(device):
                dense = tf.nn.bias_add(tf.matmul(x, tf.constant(W)), tf.constant(B))
                fetches.append(tf.nn.gelu(dense, approximate=approximate))
    want = np.vectorize(lambda v: 0.5 * v * (1 + erf(v / np.sqrt(2))))(X @ W + B)
    with cell.session() as session:
        for got in session.run(fetches, {x: X}):
            np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-3)


def elementwise_chains(cell):
    """Chains and sums that TensorFlow's optimizer regroups, folds and shares."""
    x = v1.placeholder(tf.float32, [None, 4])
    fetches = []
    for device in cell.devices:
        with tf.device(device):
            a = tf.add_n([x, x * 2.0, tf.constant(X)])
            b = tf.transpose(tf.transpose(a)) * tf.constant(2.0) * tf.constant(3.0)
            c = tf.reshape(tf.reshape(b, [-1]), tf.shape(a))
            d = tf.sqrt(tf.square(c)) + tf.cast(tf.cast(c, tf.float64), tf.float32)
            e = tf.concat([d, tf.zeros_like(d)], 1)[:, :4] + tf.stop_gradient(d - d)
            fetches.append(e)
            fetches.append(tf.stack([a, a + 1.0]))
    a = X + X * 2 + X
    with cell.session() as session:
        got = session.run(fetches, {x: X})
    for i in range(len(cell.devices)):
        np.testing.assert_allclose(got[2 * i], np.abs(a * 6) + a * 6, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(got[2 * i + 1], [a, a + 1], rtol=1e-6)


def fused_convolution(cell):
    """Conv2D, BiasAdd and an activation, which TensorFlow's optimizer makes one node."""
    image = RANDOM.rand(2, 6, 7, 3).astype(np.float32) - 0.5
    kernel = RANDOM.rand(3, 2, 3, 4).astype(np.float32) - 0.5
    bias = np.array([0.1, -0.2, 0.3, -0.4], np.float32)

    def layer(value, strides, padding, activation):
        return activation(tf.nn.bias_add(tf.nn.conv2d(value, tf.constant(kernel), strides, padding), tf.constant(bias)))

    settings = [(1, "VALID", tf.identity), (1, "SAME", tf.nn.relu), ([1, 2, 1, 1], "SAME", tf.nn.elu),
                (2, [[0, 0], [1, 0], [0, 2], [0, 0]], tf.nn.relu6), (1, "SAME", tf.nn.leaky_relu)]

    def build(devices):
        x = v1.placeholder(tf.float32, [None, 6, 7, 3])
        fetches = []
        for device in devices:
            with tf.device(device):
                fetches += [layer(x, *setting) for setting in settings]
        return x, fetches

    with tf.Graph().as_default(), v1.Session() as session:
        x, fetches = build([""])
        wanted = session.run(fetches, {x: image}) * len(cell.devices)
    x, fetches = build(cell.devices)
    with cell.session() as session:
        for got, want in zip(session.run(fetches, {x: image}), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def parallel_stack(cell):
    x = v1.placeholder(tf.float32, [2])
    s = v1.placeholder(tf.string, [])
    fetches = []
    for device in cell.devices:
        with tf.device(device):
            fetches.append(tf.parallel_stack([x, x + 1.0, x * 2.0]))
            fetches.append(tf.parallel_stack([s, tf.constant("b")]))
    with cell.session() as session:
        for _ in range(3):
            got = session.run(fetches, {x: [1.0, 2.0], s: "a"})
            for numbers, texts in zip(got[::2], got[1::2]):
                np.testing.assert_array_equal(numbers, [[1.0, 2.0], [2.0, 3.0], [2.0, 4.0]])
                assert texts.tolist() == [b"a", b"b"]


PROGRAMS = [fused_convolution, parallel_stack, calls, gradient_of_call, fused_dense, fused_gelu, elementwise_chains]
