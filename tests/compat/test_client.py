"""An unmodified TensorFlow client against Rheo servers: values, state, control flow, errors, placement."""

import numpy as np
import pytest
import tensorflow as tf

v1 = tf.compat.v1

ALL_DTYPES = [tf.as_dtype(name) for name in (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 bool bfloat16 uint16 complex128 float16 uint32 uint64 "
    "float8_e5m2 float8_e4m3fn int4 uint4").split()]


def test_constants(single):
    with v1.Session(single.target("worker")) as sess:
        assert sess.run(tf.constant(3) + tf.constant(4)) == 7
        assert sess.run(tf.constant("text")) == b"text"


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)], ids=str)
def test_feed_and_fetch_every_dtype(single, dtype, shape):
    values = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype.as_numpy_dtype)
    p = v1.placeholder(dtype, shape)
    y = tf.identity(p)
    with v1.Session(single.target("worker")) as sess:
        got = sess.run(y, {p: values})
    np.testing.assert_array_equal(np.asarray(got).astype(np.complex128), values.astype(np.complex128))


def test_feed_and_fetch_strings(single):
    p = v1.placeholder(tf.string, [None])
    with v1.Session(single.target("worker")) as sess:
        got = sess.run(tf.identity(p), {p: ["", "ab", "x" * 2000]})
    assert list(got) == [b"", b"ab", b"x" * 2000]


def test_large_tensor(single):
    p = v1.placeholder(tf.float32, [None])
    values = np.random.RandomState(0).rand(5_000_000).astype(np.float32)
    with v1.Session(single.target("worker")) as sess:
        np.testing.assert_array_equal(sess.run(tf.identity(p), {p: values}), values)


def test_graph_growth(single):
    with v1.Session(single.target("worker")) as sess:
        a = tf.constant(2.0)
        assert sess.run(a) == 2.0
        b = a * 3.0
        assert sess.run(b) == 6.0


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_are_shared_between_sessions(single, use_resource):
    v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=use_resource)
    up = v.assign_add([10.0, 10.0])
    with v1.Session(single.target("worker")) as first:
        first.run(v.initializer)
        first.run(up)
    with v1.Session(single.target("worker")) as second:
        np.testing.assert_array_equal(second.run(v), [11.0, 12.0])


@pytest.mark.parametrize("use_resource", [False, True])
def test_uninitialized_variable(single, use_resource):
    v = v1.get_variable("u", [2], use_resource=use_resource)
    with v1.Session(single.target("worker")) as sess:
        with pytest.raises(tf.errors.FailedPreconditionError, match="ninitialized"):
            sess.run(v)


def test_error_names_the_op(single):
    a = v1.placeholder(tf.float32, name="a")
    b = v1.placeholder(tf.float32, name="b")
    product = tf.matmul(a, b, name="product")
    with v1.Session(single.target("worker")) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(product, {a: np.ones((2, 3)), b: np.ones((2, 3))})
    assert caught.value.op.name == "product"


def test_unfed_placeholder(single):
    p = v1.placeholder(tf.float32, [2], name="p")
    with v1.Session(single.target("worker")) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'p'"):
            sess.run(p + 1.0)


def test_bad_device(single):
    with tf.device("/job:nowhere/task:3"):
        c = tf.constant(1.0)
    with v1.Session(single.target("worker")) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            sess.run(c)


def test_soft_placement(single):
    with tf.device("/device:GPU:0"):
        c = tf.constant(1.0) + 2.0
    with v1.Session(single.target("worker"), config=v1.ConfigProto(allow_soft_placement=True)) as sess:
        assert sess.run(c) == 3.0


def test_explicit_devices_of_one_task(single):
    with tf.device("/device:CPU:1"):
        a = tf.constant([1.0, 2.0])
    with tf.device("/device:CPU:0"):
        b = a * 2.0
    with tf.device("/device:CPU:1"):
        c = b + a
    config = v1.ConfigProto(log_device_placement=True)
    with v1.Session(single.target("worker"), config=config) as sess:
        np.testing.assert_array_equal(sess.run(c), [3.0, 6.0])


def test_list_devices(trio):
    with v1.Session(trio.target("worker")) as sess:
        names = sorted(d.name for d in sess.list_devices())
    assert names == ["/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0",
                     "/job:worker/replica:0/task:1/device:CPU:0"]


def test_while_loop(single):
    i, total = tf.while_loop(lambda i, t: i < 10, lambda i, t: (i + 1, t + i), [0, 0])
    with v1.Session(single.target("worker")) as sess:
        assert sess.run([i, total]) == [10, 45]


def test_cond(single):
    p = v1.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.constant(1.0) * 2.0, lambda: tf.constant(3.0) * 4.0)
    with v1.Session(single.target("worker")) as sess:
        assert sess.run(y, {p: True}) == 2.0
        assert sess.run(y, {p: False}) == 12.0


def test_tensors_cross_tasks(trio):
    with tf.device("/job:ps/task:0"):
        a = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    with tf.device("/job:worker/task:1"):
        b = tf.matmul(a, a, transpose_b=True)
    with tf.device("/job:ps/task:0"):
        c = b + 1.0
        s = tf.constant(["x", "y"])
    with tf.device("/job:worker/task:0"):
        t = tf.identity(s)
    with v1.Session(trio.target("worker")) as sess:
        for _ in range(20):
            got, text = sess.run([c, t])
        np.testing.assert_array_equal(got, [[6.0, 15.0], [15.0, 51.0]])
        assert list(text) == [b"x", b"y"]


def test_large_tensor_crosses_tasks(trio):
    p = v1.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        a = p * 2.0
    with tf.device("/job:worker/task:1"):
        b = a + 1.0
    values = np.random.RandomState(0).rand(1_000_000).astype(np.float32)
    with v1.Session(trio.target("worker")) as sess:
        np.testing.assert_array_equal(sess.run(b, {p: values}), values * 2.0 + 1.0)


def test_reset_clears_variables(single):
    v = v1.get_variable("r", initializer=1.0)
    with v1.Session(single.target("worker")) as sess:
        sess.run(v.initializer)
    v1.Session.reset(single.target("worker"))
    with v1.Session(single.target("worker")) as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(v)


def test_partial_specs_and_colocation(trio):
    with tf.device("/job:ps"):
        v = v1.get_variable("w", initializer=tf.ones([3]))
    with v1.colocate_with(v.op):
        doubled = v * 2.0
    with v1.Session(trio.target("worker", 1)) as sess:
        sess.run(v.initializer)
        np.testing.assert_array_equal(sess.run(doubled), [2.0, 2.0, 2.0])
