"""Loops and conditionals over several tasks, with dead tensors on the way."""

import numpy as np
import tensorflow as tf

from swap_programs.common import control_flow_v1, failure, v1


def loop(cell):
    """Each round of the loop passes the parameter server and the second worker."""
    n = v1.placeholder(tf.int32, [])

    def body(i, total):
        with tf.device(cell.ps):
            square = i * i
        with tf.device(cell.other):
            more = total + tf.cast(square, tf.float32)
        return i + 1, more

    with tf.device(cell.master):
        with control_flow_v1():
            _, old = tf.while_loop(lambda i, _: i < n, body, [0, 0.0])
        _, new = tf.while_loop(lambda i, _: i < n, body, [0, 0.0])
    with cell.session() as session:
        for count in (0, 1, 7, 40):
            want = float(sum(i * i for i in range(count)))
            assert session.run([old, new], {n: count}) == [want, want]


def nested_loops(cell):
    n = v1.placeholder(tf.int32, [])

    def inner(i, total):
        def body(j, t):
            with tf.device(cell.other):
                return j + 1, t + i

        with tf.device(cell.ps):
            _, total = tf.while_loop(lambda j, _: j < i, body, [0, total])
        return i + 1, total

    with control_flow_v1(), tf.device(cell.master):
        _, y = tf.while_loop(lambda i, _: i < n, inner, [0, 0])
    with cell.session() as session:
        for count in (0, 1, 5):
            assert session.run(y, {n: count}) == sum(i * i for i in range(count))


def loop_with_invariant_from_elsewhere(cell):
    """A loop's condition needs a value of another task, read once."""
    with tf.device(cell.ps):
        limit = v1.get_variable("limit", initializer=9, use_resource=True)
    with control_flow_v1(), tf.device(cell.other):
        y, = tf.while_loop(lambda i: i < limit, lambda i: [i + 2], [0])
    with cell.session() as session:
        session.run(limit.initializer)
        assert session.run(y) == 10


def conditional(cell):
    """The untaken branch lies on other tasks: dead values cross them."""
    p = v1.placeholder(tf.bool, [])
    x = v1.placeholder(tf.float32, [2])

    def taken():
        with tf.device(cell.ps):
            a = x * 2.0
        with tf.device(cell.other):
            return a + 1.0

    def other():
        with tf.device(cell.other):
            a = x - 1.0
        with tf.device(cell.ps):
            return a * 3.0

    with tf.device(cell.master):
        with control_flow_v1():
            old = tf.cond(p, taken, other)
        new = tf.cond(p, taken, other)
    with cell.session() as session:
        for _ in range(5):
            for value, want in ((True, [3.0, 5.0]), (False, [0.0, 3.0])):
                for got in session.run([old, new], {p: value, x: [1.0, 2.0]}):
                    np.testing.assert_array_equal(got, want)


def dead_fetch(cell):
    """A fetched value of an untaken branch is an error, not a hang."""
    p = v1.placeholder(tf.bool, [])
    with tf.device(cell.ps):
        no, yes = tf.raw_ops.Switch(data=tf.constant(1.0), pred=p)
    with tf.device(cell.other):
        y = yes + 1.0
        z = no + 1.0
    with cell.session() as session:
        assert session.run(y, {p: True}) == 2.0
        failure(session, y, {p: False}, error=tf.errors.InternalError)
        assert session.run(z, {p: False}) == 2.0


def loop_in_conditional(cell):
    p = v1.placeholder(tf.bool, [])

    def count():
        def body(i):
            with tf.device(cell.ps):
                return [i + 1]

        with tf.device(cell.other):
            return tf.while_loop(lambda i: i < 5, body, [0])[0]

    with control_flow_v1(), tf.device(cell.master):
        y = tf.cond(p, count, lambda: tf.constant(-1))
    with cell.session() as session:
        assert session.run(y, {p: True}) == 5
        assert session.run(y, {p: False}) == -1


def conditional_in_loop(cell):
    def body(i, total):
        def even():
            with tf.device(cell.ps):
                return total + 10

        def odd():
            with tf.device(cell.other):
                return total + 1

        return i + 1, tf.cond(tf.equal(i % 2, 0), even, odd)

    with control_flow_v1(), tf.device(cell.master):
        _, y = tf.while_loop(lambda i, _: i < 6, body, [0, 0])
    with cell.session() as session:
        assert session.run(y) == 33


def switch_case(cell):
    index = v1.placeholder(tf.int32, [])

    def branch(value, device):
        def make():
            with tf.device(device):
                return tf.constant(value) * 2.0

        return make

    with tf.device(cell.master):
        y = tf.switch_case(index, [branch(float(i), d) for i, d in enumerate(cell.devices)], name="case")
    with cell.session() as session:
        assert [session.run(y, {index: i}) for i in (0, 1, 2, 7)] == [0.0, 2.0, 4.0, 4.0]


def control_edges(cell):
    """Orders without data between tasks: an assignment elsewhere comes before a read here."""
    with tf.device(cell.ps):
        v = v1.get_variable("v", initializer=0.0, use_resource=True)
        w = v1.get_variable("w", initializer=0.0, use_resource=False)
    x = v1.placeholder(tf.float32, [])
    with tf.device(cell.other):
        gate = tf.no_op()
    with tf.control_dependencies([gate]), tf.device(cell.ps):
        up = [v.assign(x, read_value=False), w.assign(x).op]
    with tf.device(cell.other), tf.control_dependencies(up):
        barrier = tf.no_op()
    with tf.control_dependencies([barrier]), tf.device(cell.ps):
        reads = [v.read_value(), w.read_value()]
    with cell.session() as session:
        session.run(v1.global_variables_initializer())
        for i in range(10):
            assert session.run(reads, {x: float(i)}) == [float(i)] * 2


PROGRAMS = [
    loop, nested_loops, loop_with_invariant_from_elsewhere, conditional, dead_fetch, loop_in_conditional,
    conditional_in_loop, switch_case, control_edges,
]
