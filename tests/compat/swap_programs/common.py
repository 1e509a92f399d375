"""What the programs share."""

import contextlib

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def through(cell, tensor):
    """The tensor after a trip from the master over the parameter server and the second worker back."""
    for device in (cell.ps, cell.other, cell.master):
        with tf.device(device):
            tensor = tf.identity(tensor)
    return tensor


@contextlib.contextmanager
def control_flow_v1():
    """Loops and conditionals as Switch, Merge, Enter, …, not as functions."""
    enabled = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    try:
        yield
    finally:
        if enabled:
            v1.enable_control_flow_v2()


def assert_same(got, want):
    """Equal as bits of complex128 for numbers, as bytes for strings."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, (got.shape, want.shape)
    if want.dtype == object:
        assert got.tolist() == want.tolist()
    else:
        np.testing.assert_array_equal(got.astype(np.complex128), want.astype(np.complex128))


def failure(session, *args, error, **kwargs):
    """The error that a run ends with, which must be of the class `error`."""
    try:
        session.run(*args, **kwargs)
    except tf.errors.OpError as raised:
        assert type(raised) is error, f"{type(raised).__name__}: {raised.message}"
        return raised
    raise AssertionError("the step did not fail")
