"""Steps that never end by themselves: ended by a timeout, by closing the session, by another client's Reset."""

import threading

import tensorflow as tf

from swap_programs.common import control_flow_v1, failure, v1


def endless(cell):
    """A loop over three tasks without an end, and a value that is there at once."""
    def body(i):
        with tf.device(cell.ps):
            j = i + 1
        with tf.device(cell.other):
            return [j - 1]

    with control_flow_v1(), tf.device(cell.master):
        loop, = tf.while_loop(lambda i: i < 1, body, [0])
    with tf.device(cell.ps):
        quick = tf.constant(2.0) * 3.0
    return loop, quick


def timeout(cell):
    loop, quick = endless(cell)
    with cell.session() as session:
        assert session.run(quick) == 6.0
        for _ in range(2):
            options = v1.RunOptions(timeout_in_ms=400)
            failure(session, loop, options=options, error=tf.errors.DeadlineExceededError)
            assert session.run(quick) == 6.0


def operation_timeout(cell):
    loop, _ = endless(cell)
    with cell.session(operation_timeout_in_ms=2000) as session:
        failure(session, loop, error=tf.errors.DeadlineExceededError)


def close(cell):
    loop, quick = endless(cell)
    session = cell.session()
    assert session.run(quick) == 6.0
    ends = []

    def work():
        ends.append(failure(session, loop, error=tf.errors.CancelledError))

    thread = threading.Thread(target=work)
    thread.start()
    # The step is under way once a step that starts after it has been answered.
    for _ in range(20):
        assert session.run(quick) == 6.0
    session.close()
    thread.join(30)
    assert not thread.is_alive() and len(ends) == 1
    with cell.session() as fresh:
        assert fresh.run(quick) == 6.0


PROGRAMS = [timeout, operation_timeout, close]
