"""What an unmodified TensorFlow client meets at the door of a Rheo server."""

import subprocess

import pytest
import tensorflow as tf

from conftest import Cluster


@pytest.fixture(scope="module")
def credentials(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("job") / "credentials"
    subprocess.run([str(program), "credentials", str(folder), "127.0.0.1"], check=True)
    return str(folder)


def run_across(target, v1):
    with tf.device("/job:ps/task:0"):
        a = tf.constant(2.0)
    with tf.device("/job:worker/task:0"):
        b = a * 3.0
    with v1.Session(target) as session:
        return session.run(b)


def test_server_11_a_plain_client_is_refused_where_credentials_are_set(program, credentials, v1):
    cluster = Cluster(program, {"ps": 1, "worker": 1}, ["--credentials", credentials])
    try:
        with pytest.raises(tf.errors.UnauthenticatedError, match="plain calls from 127.0.0.1"):
            run_across(cluster.target("worker"), v1)
    finally:
        cluster.stop()


def test_server_11_the_policy_lets_a_plain_client_into_a_protected_cluster(program, credentials, v1):
    cluster = Cluster(program, {"ps": 1, "worker": 1}, ["--credentials", credentials, "--plain_from", "loopback"])
    try:
        assert run_across(cluster.target("worker"), v1) == 6.0
    finally:
        cluster.stop()


def test_server_11_without_credentials_a_local_client_needs_nothing(trio, v1):
    assert run_across(trio.target("worker"), v1) == 6.0


def test_server_11_file_operations_are_refused_where_the_policy_says_so(program, v1):
    cluster = Cluster(program, {"ps": 1, "worker": 1}, ["--files", "none"])
    try:
        name = v1.placeholder(tf.string, [])
        with tf.device("/job:ps/task:0"):
            text = tf.raw_ops.ReadFile(filename=name, name="peek")
        with v1.Session(cluster.target("worker")) as session:
            with pytest.raises(tf.errors.PermissionDeniedError, match="peek.*ReadFile"):
                session.run(text, {name: __file__})
    finally:
        cluster.stop()
