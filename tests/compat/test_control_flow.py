"""Loops, conditionals, functions, arrays and lists of tensors: the same graph in TensorFlow's own session and on Rheo."""

import contextlib

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.ops import control_flow_util, control_flow_v2_toggles

v1 = tf.compat.v1


@contextlib.contextmanager
def control_flow(version):
    """Builds loops and conditionals as v1 nodes or as v2 functions."""
    before = control_flow_util.ENABLE_CONTROL_FLOW_V2
    (control_flow_v2_toggles.enable_control_flow_v2 if version == 2 else
     control_flow_v2_toggles.disable_control_flow_v2)()
    try:
        yield
    finally:
        (control_flow_v2_toggles.enable_control_flow_v2 if before else
         control_flow_v2_toggles.disable_control_flow_v2)()


def nowhere(_):
    return contextlib.nullcontext()


def on_tasks(task):
    return tf.device({"ps": "/job:ps/task:0", "worker": "/job:worker/task:0", "other": "/job:worker/task:1"}[task])


def run(build, place, target, version):
    """`build(on)` gives fetches, and feeds by placeholder."""
    with tf.Graph().as_default(), control_flow(version):
        fetches, feeds = build(place)
        with v1.Session(target) as sess:
            sess.run(v1.global_variables_initializer())
            return [sess.run(fetches, feed) for feed in feeds]


def check(build, cluster, version=1):
    """On a cluster of one task, and with the parts that `build` places on their tasks."""
    placed = ("ps", 0) in cluster.servers
    expected = run(build, nowhere, "", version)
    got = run(build, on_tasks if placed else nowhere, cluster.target("worker"), version)
    flat = lambda runs: [x for r in runs for x in tf.nest.flatten(r)]  # noqa: E731
    for e, g in zip(flat(expected), flat(got), strict=True):
        if isinstance(e, np.ndarray) and e.dtype == object:
            np.testing.assert_array_equal(g, e)
        else:
            np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


BOTH = pytest.mark.parametrize("version", [1, 2])
CLUSTERS = pytest.mark.parametrize("where", ["single", "trio"])


@pytest.fixture
def cluster(request, where):
    return request.getfixturevalue(where)


@CLUSTERS
@BOTH
def test_nested_loops(cluster, version):
    def build(on):
        n = v1.placeholder(tf.int32, [])

        def outer(i, total):
            with on("ps"):
                start = total + i
            inner = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t * 2 + j), [0, start])
            with on("worker"):
                return i + 1, inner[1] + 1

        return tf.while_loop(lambda i, t: i < n, outer, [0, 1]), [{n: k} for k in (0, 1, 5)]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_conditional_in_a_loop(cluster, version):
    def build(on):
        n = v1.placeholder(tf.int32, [])

        def even(x):
            with on("ps"):
                return x * 3.0

        def odd(x):
            with on("other"):
                return x + 1.0

        def body(i, x):
            with on("worker"):
                y = x + 0.5
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: even(y), lambda: odd(y))

        return tf.while_loop(lambda i, x: i < n, body, [0, tf.constant([1.0, 2.0])]), [{n: 0}, {n: 7}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_loop_in_an_untaken_branch(cluster, version):
    def build(on):
        p = v1.placeholder(tf.bool, [])
        x = tf.constant(2.0)

        def loop():
            def body(i, y):
                with on("ps"):
                    z = y * x
                with on("worker"):
                    return i + 1, z + 1.0

            return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]

        def other():
            with on("other"):
                return x - 10.0

        return tf.cond(p, loop, other), [{p: True}, {p: False}, {p: True}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_gradient_through_a_loop(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [2])
        n = v1.placeholder(tf.int32, [])
        with on("ps"):
            w = v1.get_variable("w", initializer=tf.constant([[0.5, 0.1], [0.2, 0.7]])).read_value()

        def body(i, y):
            with on("worker"):
                return i + 1, tf.tanh(tf.linalg.matvec(w, y)) * x

        y = tf.while_loop(lambda i, y: i < n, body, [0, x])[1]
        loss = tf.reduce_sum(y * y)
        return [loss] + tf.gradients(loss, [x, w]), [{x: [1.0, 2.0], n: k} for k in (0, 1, 4)]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_gradient_through_nested_loops(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [])

        def outer(i, y):
            with on("ps"):
                z = y * x
            inner = tf.while_loop(lambda j, t: j < i + 1, lambda j, t: (j + 1, tf.sin(t) * x), [0, z])
            with on("worker"):
                return i + 1, inner[1] + y

        y = tf.while_loop(lambda i, y: i < 3, outer, [0, x])[1]
        return [y] + tf.gradients(y, x), [{x: 0.3}, {x: 1.7}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_gradient_through_a_conditional(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [3])

        def large():
            with on("ps"):
                return tf.exp(x) * x

        def small():
            with on("other"):
                return tf.square(x) * 3.0

        with on("worker"):
            y = tf.cond(tf.reduce_sum(x) > 3.0, large, small)
        return [y] + tf.gradients(y, x), [{x: [1.0, 2.0, 3.0]}, {x: [0.1, 0.2, 0.3]}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_gradient_through_a_conditional_in_a_loop(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [2])

        def body(i, y):
            with on("worker"):
                z = y * x
            return i + 1, tf.cond(tf.reduce_sum(y) > 2.0, lambda: tf.sqrt(z), lambda: z * z + y)

        y = tf.while_loop(lambda i, y: i < 5, body, [0, x])[1]
        return [y] + tf.gradients(y, x), [{x: [1.0, 0.5]}, {x: [1.5, 2.0]}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_arrays_in_a_loop_and_their_gradient(cluster, version):
    """What a dynamic RNN does: read a step of the input, write one of the output."""
    def build(on):
        x = v1.placeholder(tf.float32, [None, 2])
        with on("ps"):
            w = v1.get_variable("w", initializer=tf.constant([[0.5, -0.3], [0.2, 0.4]])).read_value()
        steps = tf.shape(x)[0]
        inputs = tf.TensorArray(tf.float32, size=steps, element_shape=[2]).unstack(x)
        outputs = tf.TensorArray(tf.float32, size=steps, element_shape=[2])

        def body(i, state, out):
            with on("worker"):
                state = tf.tanh(tf.linalg.matvec(w, state) + inputs.read(i))
            return i + 1, state, out.write(i, state)

        _, last, out = tf.while_loop(lambda i, s, o: i < steps, body, [0, tf.zeros([2]), outputs])
        y = out.stack()
        loss = tf.reduce_sum(y * y) + tf.reduce_sum(last)
        return [y, loss] + tf.gradients(loss, [x, w]), [{x: np.arange(2.0 * k).reshape(k, 2) / 5} for k in (1, 4)]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_growing_array_and_concat(cluster, version):
    def build(on):
        n = v1.placeholder(tf.int32, [])
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[None], infer_shape=False)
        _, array = tf.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, tf.fill([i + 1], tf.cast(i, tf.float32)))), [0, array])
        return [array.concat(), array.size()], [{n: 1}, {n: 4}]

    check(build, cluster, version)


@CLUSTERS
@BOTH
def test_array_scatter_gather_split(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [6])
        with on("ps"):
            pieces = tf.TensorArray(tf.float32, size=3, infer_shape=False).split(x, [1, 3, 2])
            parts = [pieces.read(1), pieces.concat() if version == 2 else pieces.read(0)]
        with on("worker"):
            scattered = tf.TensorArray(tf.float32, size=6, element_shape=[]).scatter([5, 4, 3, 2, 1, 0], x * 2.0)
            gathered = scattered.gather([0, 2, 4])
        return parts + [gathered] + tf.gradients(gathered * parts[0], x), [{x: np.arange(6.0)}]

    check(build, cluster, version)


@CLUSTERS
def test_dynamic_rnn(cluster):
    def build(on):
        x = v1.placeholder(tf.float32, [2, None, 3])
        lengths = v1.placeholder(tf.int32, [2])
        with on("ps"):
            w = v1.get_variable("w", initializer=tf.constant(np.linspace(-1, 1, 28).reshape(7, 4), tf.float32)).read_value()

        def step(i, state, out):
            with on("worker"):
                new = tf.tanh(tf.matmul(tf.concat([x[:, i], state], 1), w))
            alive = tf.expand_dims(i < lengths, 1)
            state = tf.where(tf.tile(alive, [1, 4]), new, state)
            return i + 1, state, out.write(i, state)

        steps = tf.shape(x)[1]
        out = tf.TensorArray(tf.float32, steps, element_shape=[2, 4])
        _, state, out = tf.while_loop(lambda i, *_: i < tf.reduce_max(lengths), step, [0, tf.zeros([2, 4]), out])
        grads = tf.gradients(tf.reduce_sum(state * state), w)
        feeds = {x: np.linspace(0, 1, 30).reshape(2, 5, 3), lengths: [5, 3]}
        return [state] + grads, [feeds]

    check(build, cluster, 1)


@CLUSTERS
@BOTH
def test_case(cluster, version):
    def build(on):
        i = v1.placeholder(tf.int32, [])
        x = v1.placeholder(tf.float32, [2])

        def branch(task, f):
            def call():
                with on(task):
                    return f(x)
            return call

        y = tf.switch_case(i, [branch("ps", tf.exp), branch("worker", tf.square), branch("other", lambda x: x * 5.0)])
        return [y] + tf.gradients(y, x), [{i: k, x: [0.5, 2.0]} for k in (0, 1, 2, 7, -1)]

    check(build, cluster, version)


@CLUSTERS
def test_functions_are_called(cluster):
    def build(on):
        x = v1.placeholder(tf.float32, [2])
        with on("ps"):
            v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=True)

        @tf.function
        def inner(a):
            return a * a + 1.0

        @tf.function
        def stateful(a):
            return inner(a) * v

        with on("worker"):
            y = stateful(x) + inner(x)
        return [y] + tf.gradients(y, [x]), [{x: [1.0, 3.0]}]

    check(build, cluster, 2)


@CLUSTERS
def test_lists_and_their_gradient(cluster):
    from tensorflow.python.ops import list_ops

    def build(on):
        x = v1.placeholder(tf.float32, [3, 2])
        with on("ps"):
            rows = list_ops.tensor_list_from_tensor(x, element_shape=[2])
            rows = list_ops.tensor_list_set_item(rows, 1, x[0] * 3.0)
            rows = list_ops.tensor_list_push_back(rows, x[2] * x[1])
            rest, last = list_ops.tensor_list_pop_back(rows, element_dtype=tf.float32)
        with on("worker"):
            y = list_ops.tensor_list_stack(rest, element_dtype=tf.float32)
            z = list_ops.tensor_list_gather(rest, [2, 1], element_dtype=tf.float32)
        loss = tf.reduce_sum(y * y) + tf.reduce_sum(last) + tf.reduce_sum(z)
        return [y, z, last, list_ops.tensor_list_length(rest)] + tf.gradients(loss, x), [{x: np.arange(6.0).reshape(3, 2)}]

    check(build, cluster, 2)


@CLUSTERS
def test_a_list_travels_between_tasks(cluster):
    from tensorflow.python.ops import list_ops

    def build(on):
        with on("ps"):
            rows = list_ops.tensor_list_reserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)
            rows = list_ops.tensor_list_set_item(rows, 2, [1.0, 2.0])
        with on("worker"):
            more = list_ops.tensor_list_push_back(rows, [5.0, 6.0])
        with on("other"):
            return [list_ops.tensor_list_stack(more, element_dtype=tf.float32)], [{}]

    check(build, cluster, 2)


@CLUSTERS
def test_a_dead_value_crosses_tasks(cluster):
    def build(on):
        p = v1.placeholder(tf.bool, [])
        x = tf.constant(3.0)
        off, up = v1.raw_ops.Switch(data=x, pred=p)
        with on("ps"):
            a = off * 2.0
        with on("other"):
            b = up + 1.0
        with on("worker"):
            return [tf.raw_ops.Merge(inputs=[a, b])[0]], [{p: True}, {p: False}]

    check(build, cluster)


def test_fetching_a_dead_tensor_is_an_error(trio):
    off, _ = v1.raw_ops.Switch(data=tf.constant(3.0), pred=tf.constant(True))
    with tf.device("/job:ps/task:0"):
        dead = off * 2.0
    with v1.Session(trio.target("worker")) as sess:
        with pytest.raises(tf.errors.InternalError, match="was not valid"):
            sess.run(dead)
        sess.run(dead.op)


@CLUSTERS
@BOTH
def test_stitching_partitions(cluster, version):
    def build(on):
        x = v1.placeholder(tf.float32, [5, 2])
        parts = v1.placeholder(tf.int32, [5])
        with on("ps"):
            pieces = tf.dynamic_partition(x, parts, 3)
            places = tf.dynamic_partition(tf.range(5), parts, 3)
        with on("worker"):
            scaled = [p * float(k + 1) for k, p in enumerate(pieces)]
            y = tf.dynamic_stitch(places, scaled)
        return [y] + list(pieces) + tf.gradients(y * y, x), [
            {x: np.arange(10.0).reshape(5, 2), parts: p} for p in ([0, 2, 1, 0, 2], [1, 1, 1, 1, 1])]

    check(build, cluster, version)
