"""Failures: the code, the text with node and task, and a session that goes on."""

import numpy as np
import tensorflow as tf

from swap_programs.common import failure, v1


def failing_node(cell, device, consumer):
    a = v1.placeholder(tf.float32, name="a")
    with tf.device(device):
        product = tf.matmul(a, a, name="product")
    with tf.device(consumer):
        y = tf.identity(product) + 1.0
    good, bad = np.ones((2, 2)), np.ones((2, 3))
    with cell.session() as session:
        for _ in range(3):
            caught = failure(session, y, {a: bad}, error=tf.errors.InvalidArgumentError)
            assert cell.full(device) in caught.message, caught.message
            assert "{{node product}}" in caught.message or "product" in caught.message
            assert caught.op is not None
            np.testing.assert_array_equal(session.run(y, {a: good}), np.full((2, 2), 3.0))


def error_on_ps(cell):
    failing_node(cell, cell.ps, cell.other)


def error_on_worker(cell):
    failing_node(cell, cell.other, cell.ps)


def error_on_master(cell):
    failing_node(cell, cell.master, cell.ps)


def error_without_consumer(cell):
    """The failing node is on one task, a long chain over the others does not need it."""
    a = v1.placeholder(tf.int32, [])
    with tf.device(cell.ps):
        bad = tf.gather([1, 2, 3], a, name="out_of_bounds")
    with tf.device(cell.other):
        y = tf.constant(1.0) + 1.0
    with cell.session() as session:
        caught = failure(session, [bad.op, y], {a: 7}, error=tf.errors.InvalidArgumentError)
        assert "out_of_bounds" in caught.message and cell.full(cell.ps) in caught.message
        assert session.run([bad, y], {a: 1}) == [2, 2.0]


def assertion(cell):
    x = v1.placeholder(tf.float32, [2])
    with tf.device(cell.ps):
        check = tf.Assert(tf.reduce_all(x > 0), ["values are", x, tf.constant(["s", "t"])], name="check")
    with tf.device(cell.other), tf.control_dependencies([check]):
        y = x + 1.0
    with cell.session() as session:
        caught = failure(session, y, {x: [1.0, -2.0]}, error=tf.errors.InvalidArgumentError)
        assert "assertion failed: [values are] [1 -2] [s t]" in caught.message, caught.message
        np.testing.assert_array_equal(session.run(y, {x: [1.0, 2.0]}), [2.0, 3.0])


def unfed_placeholder(cell):
    with tf.device(cell.other):
        x = v1.placeholder(tf.float32, [2], name="x")
        y = x + 1.0
    with cell.session() as session:
        caught = failure(session, y, error=tf.errors.InvalidArgumentError)
        assert "You must feed a value for placeholder tensor 'x' with dtype float and shape [2]" in caught.message


def unplaceable(cell):
    with tf.device("/job:nowhere/task:3"):
        y = tf.constant(1.0, name="lost")
    with cell.session() as session:
        caught = failure(session, y, error=tf.errors.InvalidArgumentError)
        assert "Cannot assign a device for operation lost" in caught.message


def several_errors(cell):
    """Two root errors: the client learns of one of them at least, and waits for neither."""
    a = v1.placeholder(tf.float32)
    roots = []
    for name, device in (("left", cell.ps), ("right", cell.other)):
        with tf.device(device):
            roots.append(tf.matmul(a, a, name=name))
    with cell.session() as session:
        caught = failure(session, roots, {a: np.ones((2, 3))}, error=tf.errors.InvalidArgumentError)
        assert "left" in caught.message or "right" in caught.message


def error_in_loop(cell):
    """The loop runs over three tasks; the one in the middle fails in its fourth round."""
    def body(i, total):
        with tf.device(cell.ps):
            value = tf.gather([1.0, 2.0, 3.0], i, name="pick")
        with tf.device(cell.other):
            return i + 1, total + value

    n = v1.placeholder(tf.int32, [])
    v1.disable_control_flow_v2()
    try:
        with tf.device(cell.master):
            _, y = tf.while_loop(lambda i, _: i < n, body, [0, 0.0])
    finally:
        v1.enable_control_flow_v2()
    with cell.session() as session:
        assert session.run(y, {n: 3}) == 6.0
        caught = failure(session, y, {n: 10}, error=tf.errors.InvalidArgumentError)
        assert "pick" in caught.message
        assert session.run(y, {n: 2}) == 3.0


PROGRAMS = [
    error_on_ps, error_on_worker, error_on_master, error_without_consumer, assertion, unfed_placeholder, unplaceable,
    several_errors, error_in_loop,
]
