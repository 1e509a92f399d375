"""Values on their way: every dtype, empty and large tensors, strings."""

import numpy as np
import tensorflow as tf

from swap_programs.common import assert_same, failure, through, v1

NUMBERS = [tf.as_dtype(name) for name in (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 bool bfloat16 uint16 complex128 float16 uint32 uint64 "
    "float8_e5m2 float8_e4m3fn int4 uint4").split()]
QUANTIZED = [(tf.qint8, tf.int8), (tf.quint8, tf.uint8), (tf.qint32, tf.int32), (tf.qint16, tf.int16),
             (tf.quint16, tf.uint16)]
SHAPES = [(), (0,), (2, 0, 3), (2, 3)]


def dtypes(cell):
    feeds, fetches = {}, []
    for dtype in NUMBERS:
        for shape in SHAPES:
            x = v1.placeholder(dtype, shape)
            feeds[x] = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype.as_numpy_dtype)
            fetches.append(through(cell, x))
    with cell.session(optimize=False) as session:
        got = session.run(fetches, feeds)
    for x, value in zip(feeds, got):
        assert_same(value, feeds[x])
        assert value.dtype == feeds[x].dtype


def quantized_dtypes(cell):
    x = v1.placeholder(tf.int32, [3])
    fetches = []
    for dtype, plain in QUANTIZED:
        with tf.device(cell.master):
            value = tf.bitcast(tf.cast(x, plain), dtype)
        value = through(cell, value)
        with tf.device(cell.master):
            fetches.append(tf.bitcast(value, plain))
    with cell.session(optimize=False) as session:
        for value in session.run(fetches, {x: [0, 5, 100]}):
            assert_same(value, [0, 5, 100])


def special_floats(cell):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4e38], np.float32)
    x = v1.placeholder(tf.float32, [None])
    with cell.session() as session:
        got = session.run(through(cell, x), {x: values})
    assert got.tobytes() == values.tobytes()


def strings(cell):
    x = v1.placeholder(tf.string, [None, 2])
    y = through(cell, x)
    with cell.session() as session:
        for value in ([["", "ab"]], [["x" * 200_000, "\0\n"], ["ü", b"\xff\xfe"]], np.zeros((0, 2), str)):
            got = session.run(y, {x: value})
            want = [[v if isinstance(v, bytes) else v.encode() for v in row] for row in value]
            assert got.tolist() == want


def constants(cell):
    """Values inside the graph: scalars, filled shapes, content, strings, on each task."""
    wanted = [np.float32(3.5), np.full((3, 4), 7, np.int32), np.zeros((0, 3), np.float32),
              np.arange(1000, dtype=np.int64), np.array([True, False]), np.array(["a", "", "bc"], object)]
    fetches = []
    for device in cell.devices:
        with tf.device(device):
            fetches.append([tf.constant(value) for value in wanted])
    with cell.session() as session:
        for values in session.run(fetches):
            for got, want in zip(values, wanted):
                want = np.array([w.encode() for w in want], object) if want.dtype == object else want
                assert_same(got, want)


def large_tensor(cell):
    """70 MB to the parameter server, between the tasks, and back."""
    x = v1.placeholder(tf.float32, [None])
    with tf.device(cell.ps):
        doubled = x * 2.0
    with tf.device(cell.other):
        y = doubled + 1.0
    values = np.random.RandomState(0).rand(17_500_000).astype(np.float32)
    with cell.session() as session:
        got = session.run(y, {x: values})
    np.testing.assert_array_equal(got, values * np.float32(2.0) + np.float32(1.0))


def many_edges(cell):
    """A step of a hundred transfers, one after the other."""
    x = v1.placeholder(tf.float32, [])
    total = x
    for i in range(100):
        with tf.device(cell.devices[i % 3]):
            total = total + float(i)
    with cell.session() as session:
        for i in range(5):
            assert session.run(total, {x: float(i)}) == i + sum(range(100))


def wrong_feed(cell):
    """The client checks shapes; the dtype of a feed is checked by nobody before the step."""
    x = v1.placeholder(tf.float32, name="x")
    with tf.device(cell.ps):
        y = tf.matmul(x, x, name="product")
    with cell.session() as session:
        caught = failure(session, y, {x: [1.0, 2.0]}, error=tf.errors.InvalidArgumentError)
        assert "product" in caught.message


PROGRAMS = [dtypes, quantized_dtypes, special_floats, strings, constants, large_tensor, many_edges, wrong_feed]
