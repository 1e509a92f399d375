"""Steps that are fed and fetched in several calls (case server-20)."""

import pytest
import tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture
def graph(trio):
    """x = 2a on the ps, y = x + b on a worker."""
    a, b = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
    with tf.device("/job:ps/task:0"):
        x = a * 2.0
    with tf.device("/job:worker/task:1"):
        y = x + b
    with v1.Session(trio.target("worker")) as sess:
        yield sess, a, b, x, y


def test_two_stages(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, x, {a: 3.0}) == 6.0
    assert sess.partial_run(handle, y, {b: 1.0}) == 7.0


def test_two_handles_in_turn_and_a_plain_step_between(graph):
    sess, a, b, x, y = graph
    first, second = (sess.partial_run_setup([x, y], [a, b]) for _ in range(2))
    assert sess.partial_run(first, x, {a: 3.0}) == 6.0
    assert sess.partial_run(second, x, {a: 5.0}) == 10.0
    assert sess.run(y, {a: 1.0, b: 1.0}) == 3.0
    assert sess.partial_run(second, y, {b: 1.0}) == 11.0
    assert sess.partial_run(first, y, {b: 2.0}) == 8.0


def test_a_stage_without_fetches(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, [], {a: 3.0}) == []
    assert sess.partial_run(handle, [x, y], {b: 1.0}) == [6.0, 7.0]


def test_all_at_once(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, [x, y], {a: 3.0, b: 1.0}) == [6.0, 7.0]


def test_misuse_is_an_error_and_harms_nobody(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    with pytest.raises(tf.errors.InvalidArgumentError, match="can't be computed from the feeds"):
        sess.partial_run(handle, y, {a: 3.0})
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, x, {a: 3.0}) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="has already been fed"):
        sess.partial_run(handle, y, {a: 3.0, b: 1.0})
    assert sess.run(y, {a: 1.0, b: 1.0}) == 3.0


def test_a_spent_handle(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, [x, y], {a: 3.0, b: 1.0}) == [6.0, 7.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.partial_run(handle, y, {b: 1.0})
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, y, {a: 1.0, b: 1.0}) == 3.0


def test_what_was_not_declared(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x], [a])
    with pytest.raises(tf.errors.InvalidArgumentError, match="was not specified in partial_run_setup"):
        sess.partial_run(handle, y, {a: 3.0})
    handle = sess.partial_run_setup([y], [a, b])
    with pytest.raises(tf.errors.InvalidArgumentError, match="was not specified in partial_run_setup"):
        sess.partial_run(handle, x, {a: 3.0})


def test_an_error_in_a_stage_ends_the_run(graph):
    sess, a, b, x, y = graph
    m = v1.placeholder(tf.float32)
    with tf.device("/job:ps/task:0"):
        bad = tf.matmul(m, m) + x
    handle = sess.partial_run_setup([x, bad], [a, m])
    assert sess.partial_run(handle, x, {a: 3.0}) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.partial_run(handle, bad, {m: [[1.0, 2.0]]})
    assert sess.run(y, {a: 1.0, b: 1.0}) == 3.0


def test_a_run_that_is_never_finished_does_not_keep_the_session(graph):
    sess, a, b, x, y = graph
    handle = sess.partial_run_setup([x, y], [a, b])
    assert sess.partial_run(handle, x, {a: 3.0}) == 6.0
    sess.close()


def test_an_error_on_another_task_reaches_an_early_stage(graph):
    sess, a, b, x, y = graph
    m = v1.placeholder(tf.float32)
    with tf.device("/job:ps/task:0"):
        product = tf.matmul(m, m)
    with tf.device("/job:worker/task:1"):
        bad = product + 1.0
    handle = sess.partial_run_setup([bad, y], [a, b, m])
    with pytest.raises(tf.errors.InvalidArgumentError, match="matmul|MatMul|Matrix"):
        sess.partial_run(handle, bad, {m: [[1.0, 2.0]]})
    assert sess.run(y, {a: 1.0, b: 1.0}) == 3.0
