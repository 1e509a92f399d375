"""Queues, accumulators and stacks on Rheo servers, driven by TensorFlow's client; texts and values as TensorFlow's."""

import threading
import time

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.ops import gen_data_flow_ops as raw

v1 = tf.compat.v1

BLOCKED_SECONDS = 60  # more than any of these steps takes unless it hangs


class Step(threading.Thread):
    """A step run on a thread; `result()` waits for it and gives its value or raises its error."""

    def __init__(self, sess, fetches, **kwargs):
        super().__init__(daemon=True)
        self._call = lambda: sess.run(fetches, **kwargs)
        self._value = self._error = None
        self.start()

    def run(self):
        try:
            self._value = self._call()
        except Exception as error:  # handed to whoever asks for the result
            self._error = error

    def result(self):
        self.join(BLOCKED_SECONDS)
        assert not self.is_alive(), "the step hangs"
        if self._error is not None:
            raise self._error
        return self._value


def wait_until(condition):
    deadline = time.monotonic() + BLOCKED_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


@pytest.fixture(params=["single", "trio"])
def cluster(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def holder(cluster):
    """The task that holds the queue: the ps where there is one."""
    return cluster.servers.get(("ps", 0)) or cluster.servers["worker", 0]


@pytest.fixture
def place(cluster):
    """(target, device of the queue)"""
    return cluster.target("worker"), "/job:ps/task:0" if ("ps", 0) in cluster.servers else None


def test_fifo_queue(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(10, [tf.float32, tf.string], [[2], []], name="q")
    put = q.enqueue([[1.0, 2.0], "a"])
    put_many = q.enqueue_many([[[3.0, 4.0], [5.0, 6.0]], ["b", "c"]])
    with v1.Session(target) as sess:
        sess.run(put)
        sess.run(put_many)
        assert sess.run(q.size()) == 3
        numbers, texts = sess.run(q.dequeue())
        np.testing.assert_array_equal(numbers, [1.0, 2.0])
        assert texts == b"a"
        numbers, texts = sess.run(q.dequeue_many(2))
        np.testing.assert_array_equal(numbers, [[3.0, 4.0], [5.0, 6.0]])
        assert list(texts) == [b"b", b"c"]
        assert not sess.run(q.is_closed())
        sess.run(q.close())
        assert sess.run(q.is_closed())


def test_errors_of_queues_have_tensorflows_texts(single):
    q = v1.FIFOQueue(10, [tf.float32, tf.float32], [[2], [2]], name="q", shared_name="0_q")
    p = v1.placeholder(tf.float32)
    ones = tf.constant([1.0, 2.0])

    def text(fetches, feed=None):
        with pytest.raises(tf.errors.OpError) as caught:
            sess.run(fetches, feed)
        return caught.value.message

    with v1.Session(single.target("worker")) as sess:
        assert "Shape mismatch in tuple component 1. Expected [2], got [1]" in text(
            raw.queue_enqueue_v2(q.queue_ref, [ones, p]), {p: [1.0]})
        assert "Shape mismatch in tuple component 1. Expected [2,2], got [3,2]" in text(
            raw.queue_enqueue_many_v2(q.queue_ref, [tf.zeros([2, 2]), p]), {p: np.zeros([3, 2])})
        assert "Signature mismatch, have: resource, float-> expected: resource, float, float->" in text(
            raw.queue_enqueue_v2(q.queue_ref, [ones]))
        assert "Timeout not supported yet." in text(
            raw.queue_dequeue_v2(q.queue_ref, [tf.float32, tf.float32], timeout_ms=5))
        loose = v1.FIFOQueue(10, [tf.float32], name="loose")
        assert "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes." in text(
            raw.queue_dequeue_many_v2(loose.queue_ref, 1, [tf.float32]))
        other = raw.random_shuffle_queue_v2([tf.float32], capacity=5, shared_name="0_q", name="other")
        assert "Expected FIFOQueue, found RandomShuffleQueueV2" in text(raw.queue_size_v2(other))
        assert "min_after_dequeue 5 must be < capacity 5" in text(
            raw.queue_size_v2(raw.random_shuffle_queue_v2([tf.float32], capacity=5, min_after_dequeue=5)))
        sess.run(q.close())
        assert "FIFOQueue '0_q' is closed and has insufficient elements (requested 1, current size 0)" in text(q.dequeue())
        assert "FIFOQueue '0_q' is closed." in text(q.enqueue([ones, ones]))
        assert "Queue '0_q' is already closed." in text(q.close())


def test_codes_of_closed_queues(single):
    q = v1.FIFOQueue(10, [tf.int32], [[]])
    put, take, close = q.enqueue([1]), q.dequeue(), q.close()
    with v1.Session(single.target("worker")) as sess:
        sess.run(close)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(take)
        with pytest.raises(tf.errors.CancelledError):
            sess.run(put)


def test_a_blocked_dequeue_gets_what_comes(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(10, [tf.int32], [[]], shared_name="shared")
    put, take = q.enqueue([7]), q.dequeue()
    with v1.Session(target) as first, v1.Session(target) as second:
        step = Step(first, take)
        second.run(put)
        assert step.result() == 7


def test_a_full_queue_blocks_until_there_is_room(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(2, [tf.int32], [[]])
    put, take, size = q.enqueue_many([[1, 2, 3, 4]]), q.dequeue(), q.size()
    with v1.Session(target) as sess:
        step = Step(sess, put)
        wait_until(lambda: sess.run(size) == 2)
        assert [sess.run(take) for _ in range(4)] == [1, 2, 3, 4]
        step.result()


def test_a_timeout_loses_no_element(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(10, [tf.int32], [[]])
    put, take, many, size = q.enqueue([1]), q.dequeue(), q.dequeue_many(3), q.size()
    with v1.Session(target) as sess:
        sess.run(put)
        for fetch in (many, many):
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(fetch, options=v1.RunOptions(timeout_in_ms=300))
        wait_until(lambda: sess.run(size) == 1)
        assert sess.run(take) == 1


def test_closing_the_session_ends_blocked_steps(place, holder):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(10, [tf.int32], [[]], shared_name="stays")
    put, take = q.enqueue([5]), q.dequeue()
    sess = v1.Session(target)
    sess.run(q.size())
    steps = [Step(sess, take) for _ in range(20)]
    wait_until(lambda: holder.num_blocked("QueueDequeue") == len(steps))
    sess.close()
    for step in steps:
        with pytest.raises((tf.errors.CancelledError, RuntimeError)):
            step.result()
    with v1.Session(target) as later:
        later.run(put)
        assert later.run(take) == 5


def test_closing_the_queue_ends_blocked_steps(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(1, [tf.int32], [[]])
    put, take, size = q.enqueue([1]), q.dequeue(), q.size()
    with v1.Session(target) as sess:
        sess.run(put)
        blocked = Step(sess, put)
        sess.run(q.close(cancel_pending_enqueues=True))
        with pytest.raises(tf.errors.CancelledError):
            blocked.result()
        assert sess.run(take) == 1
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(take)
        assert sess.run(size) == 0


def test_dequeue_up_to_gives_the_rest(single):
    q = v1.FIFOQueue(10, [tf.int32], [[]])
    put, take = q.enqueue_many([[1, 2]]), q.dequeue_up_to(5)
    with v1.Session(single.target("worker")) as sess:
        sess.run(put)
        step = Step(sess, take)
        sess.run(q.close())
        np.testing.assert_array_equal(step.result(), [1, 2])
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(take)


def test_padding_and_priority(single):
    padding = v1.PaddingFIFOQueue(10, [tf.int32, tf.string], [[None, 2], [None]])
    priority = v1.PriorityQueue(10, [tf.string], [[]])
    with v1.Session(single.target("worker")) as sess:
        sess.run(padding.enqueue([[[1, 2]], ["a", "b"]]))
        sess.run(padding.enqueue([[[3, 4], [5, 6]], ["c"]]))
        numbers, texts = sess.run(padding.dequeue_many(2))
        np.testing.assert_array_equal(numbers, [[[1, 2], [0, 0]], [[3, 4], [5, 6]]])
        np.testing.assert_array_equal(texts, [[b"a", b"b"], [b"c", b""]])
        for rank, name in [(3, "c"), (1, "a"), (1, "b")]:
            sess.run(priority.enqueue([tf.constant(rank, tf.int64), name]))
        ranks, names = sess.run(priority.dequeue_many(3))
        assert list(ranks) == [1, 1, 3] and list(names) == [b"a", b"b", b"c"]


def test_shuffled_as_in_tensorflow(single):
    q = v1.RandomShuffleQueue(100, 3, [tf.int32], [[]], seed=7)
    put = q.enqueue_many([list(range(20))])
    takes = [q.dequeue_many(5), q.dequeue()]

    def order(target):
        with v1.Session(target) as sess:
            sess.run(put)
            return [np.asarray(sess.run(t)).tolist() for t in takes * 2]

    assert order(single.target("worker")) == order("")


def test_queues_behind_references(single):
    handle = raw.fifo_queue([tf.float32], shared_name="old", container="box")
    put, take = raw.queue_enqueue(handle, [tf.constant(1.0)]), raw.queue_dequeue(handle, [tf.float32])
    with v1.Session(single.target("worker")) as sess:
        np.testing.assert_array_equal(sess.run(handle), [b"box", b"old"])
        sess.run(put)
        assert sess.run(raw.queue_size(handle)) == 1
        assert sess.run(take) == [1.0]


def test_queue_runner(place):
    target, device = place
    with tf.device(device):
        counter = v1.get_variable("counter", initializer=0, use_resource=True)
        q = v1.FIFOQueue(5, [tf.int32], [[]])
    runner = v1.train.QueueRunner(q, [q.enqueue([counter.assign_add(1)])] * 2)
    take = q.dequeue()
    with v1.Session(target) as sess:
        sess.run(v1.global_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = runner.create_threads(sess, coordinator, start=True)
        assert len([sess.run(take) for _ in range(20)]) == 20
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=30)


def test_gradients_are_accumulated(place):
    target, device = place
    with tf.device(device):
        dense = v1.ConditionalAccumulator(tf.float32, shape=[2], shared_name="dense")
        sparse = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2], shared_name="sparse")
    p = v1.placeholder(tf.float32, [2])
    apply_dense = dense.apply_grad(p)
    apply_sparse = [sparse.apply_grad(i, v, dense_shape) for i, v, dense_shape in [
        ([0, 2], [[1.0, 1.0], [2.0, 2.0]], [3, 2]), ([1, 2], [[1.0, 1.0], [2.0, 4.0]], [3, 2])]]
    take, take_sparse = dense.take_grad(2), sparse.take_grad(2)
    with v1.Session(target) as sess:
        step = Step(sess, take)
        sess.run(apply_dense, {p: [1.0, 2.0]})
        assert sess.run(dense.num_accumulated()) == 1
        sess.run(apply_dense, {p: [3.0, 4.0]})
        np.testing.assert_array_equal(step.result(), [2.0, 3.0])
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(take, options=v1.RunOptions(timeout_in_ms=300))
        sess.run(apply_sparse)
        indices, values, shape = sess.run(take_sparse)
        assert list(indices) == [0, 1, 2] and list(shape) == [3, 2]
        np.testing.assert_array_equal(values, [[1.0, 1.0], [1.0, 1.0], [2.0, 3.0]])


def test_many_blocked_steps_delay_nobody(place):
    target, device = place
    with tf.device(device):
        q = v1.FIFOQueue(100, [tf.int32], [[]])
    take, put, other = q.dequeue(), q.enqueue_many([list(range(64))]), tf.constant(1) + 1
    with v1.Session(target) as sess:
        steps = [Step(sess, take) for _ in range(64)]
        for _ in range(10):
            assert sess.run(other) == 2
        sess.run(put)
        assert sorted(step.result() for step in steps) == list(range(64))


def test_staging_area(place):
    target, device = place
    with tf.device(device):
        put = raw.stage([tf.constant(1.0), tf.constant("a")], shared_name="area")
        take = raw.unstage([tf.float32, tf.string], shared_name="area")
        size = raw.stage_size([tf.float32, tf.string], shared_name="area")
    with v1.Session(target) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(take, options=v1.RunOptions(timeout_in_ms=300))
        step = Step(sess, take)
        sess.run(put)
        assert step.result() == [1.0, b"a"]
        sess.run(put)
        assert sess.run(size) == 1


def test_barrier(place):
    target, device = place
    with tf.device(device):
        handle = raw.barrier([tf.float32, tf.string], shapes=[[2], []], shared_name="barrier")
    numbers = raw.barrier_insert_many(handle, ["a", "b"], [[1.0, 2.0], [3.0, 4.0]], component_index=0)
    texts = raw.barrier_insert_many(handle, ["b", "a"], ["B", "A"], component_index=1)
    take = raw.barrier_take_many(handle, 2, [tf.float32, tf.string])
    sizes = [raw.barrier_ready_size(handle), raw.barrier_incomplete_size(handle)]
    with v1.Session(target) as sess:
        step = Step(sess, take)
        sess.run(numbers)
        assert sess.run(sizes) == [0, 2]
        sess.run(texts)
        got = step.result()
        by_key = {key: (list(value), text) for key, value, text in zip(got.keys, *got.values)}
        assert by_key == {b"a": ([1.0, 2.0], b"A"), b"b": ([3.0, 4.0], b"B")}
        sess.run(raw.barrier_close(handle))
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
            sess.run(take)
