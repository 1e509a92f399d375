"""Queues on the parameter server: shared by sessions, blocking, cancelled, closed."""

import threading

import numpy as np
import tensorflow as tf

from swap_programs.common import failure, v1


def fifo(cell):
    with tf.device(cell.ps):
        queue = v1.FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], []], shared_name="fifo")
    x = v1.placeholder(tf.float32, [2])
    name = v1.placeholder(tf.string, [])
    with tf.device(cell.other):
        put = queue.enqueue([x * 2.0, tf.identity(name)])
    take, size = queue.dequeue(), queue.size()
    with cell.session() as session:
        for i in range(3):
            session.run(put, {x: [i, i], name: f"item {i}"})
        assert session.run(size) == 3
        for i in range(3):
            numbers, text = session.run(take)
            np.testing.assert_array_equal(numbers, [2.0 * i, 2.0 * i])
            assert text == b"item %d" % i
        session.run(queue.close())
        failure(session, take, error=tf.errors.OutOfRangeError)
        failure(session, put, {x: [0, 0], name: ""}, error=tf.errors.CancelledError)


def many(cell):
    with tf.device(cell.ps):
        queue = v1.FIFOQueue(10, tf.int32, shapes=[[]])
        padding = v1.PaddingFIFOQueue(10, tf.int32, shapes=[[None]])
    x = v1.placeholder(tf.int32, [None])
    with tf.device(cell.other):
        put = queue.enqueue_many([x + 1])
        pad = padding.enqueue([x])
    with tf.device(cell.master):
        total = tf.reduce_sum(queue.dequeue_many(4))
        padded = tf.identity(padding.dequeue_many(2))
    with cell.session() as session:
        session.run(put, {x: [1, 2, 3, 4]})
        assert session.run(total) == 14
        session.run(pad, {x: [1]})
        session.run(pad, {x: [2, 3]})
        assert session.run(padded).tolist() == [[1, 0], [2, 3]]


def shuffled(cell):
    with tf.device(cell.ps):
        queue = v1.RandomShuffleQueue(20, 0, tf.int64, shapes=[[]])
    put = queue.enqueue_many([np.arange(12, dtype=np.int64)])
    with tf.device(cell.other):
        take = tf.identity(queue.dequeue_many(12))
    with cell.session() as session:
        session.run(put)
        assert sorted(session.run(take)) == list(range(12))


def blocked_dequeue(cell):
    """A dequeue that waits is ended by its time limit and takes nothing; one that is fed goes on."""
    with tf.device(cell.ps):
        queue = v1.FIFOQueue(5, tf.float32, shapes=[[]])
    x = v1.placeholder(tf.float32, [])
    put = queue.enqueue([x])
    with tf.device(cell.other):
        take = queue.dequeue() + 1.0
    with cell.session() as session:
        options = v1.RunOptions(timeout_in_ms=300)
        failure(session, take, options=options, error=tf.errors.DeadlineExceededError)
        session.run(put, {x: 4.0})
        assert session.run(take) == 5.0
        got = []
        thread = threading.Thread(target=lambda: got.append(session.run(take)))
        thread.start()
        session.run(put, {x: 6.0})
        thread.join(30)
        assert got == [7.0]


def close_ends_blocked_steps(cell):
    with tf.device(cell.ps):
        queue = v1.FIFOQueue(1, tf.float32, shapes=[[]])
        size = queue.size()
    with tf.device(cell.other):
        take = queue.dequeue() + 1.0
    session = cell.session()
    assert session.run(size) == 0
    ends = []
    threads = [threading.Thread(target=lambda: ends.append(failure(session, take, error=tf.errors.CancelledError)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        session.run(size)
    session.close()
    for thread in threads:
        thread.join(30)
    assert len(ends) == 4


def shared_between_sessions(cell):
    with tf.device(cell.ps):
        queue = v1.FIFOQueue(5, tf.float32, shapes=[[]], shared_name="both")
    put, take = queue.enqueue([3.0]), queue.dequeue()
    with cell.session() as first:
        first.run(put)
    with cell.session() as second:
        assert second.run(take) == 3.0


PROGRAMS = [fifo, many, shuffled, blocked_dequeue, close_ends_blocked_steps, shared_between_sessions]
