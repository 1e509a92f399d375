"""Servers for the compatibility tests: Rheo's, started once, and driven by the real TensorFlow client."""

import os
import pathlib
import re
import socket
import subprocess
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import pytest  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.compat.v1.disable_eager_execution()

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY_SECONDS = 30


def pytest_addoption(parser):
    parser.addoption("--build", default="build/dev", help="build folder of Rheo")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


class RheoServer:
    """One `rheo serve` process."""

    def __init__(self, program, cluster, job, task, flags=(), definition=None):
        """`definition` is the file of a ServerDef that says the same as cluster, job and task."""
        spec = ",".join(f"{name}|{';'.join(addresses)}" for name, addresses in cluster.items())
        identity = ["--cluster_spec", spec, "--job_name", job, "--task_id", str(task)]
        if definition is not None:
            identity = ["--server_def", definition]
        self._program = str(program)
        self.address = cluster[job][task]
        self.target = "grpc://" + self.address
        self.process = subprocess.Popen(
            [self._program, "serve", *identity, *flags], stderr=subprocess.PIPE, text=True)
        self.log = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._ready.wait(READY_SECONDS):
            self.process.kill()
            raise RuntimeError(f"{job}:{task} did not start: {self.log}")

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if "ready after" in line:
                # The port that it really has.
                self.target = re.search(r"grpc://\S+", line)[0]
                self.address = self.target.removeprefix("grpc://")
                self._ready.set()

    def num_blocked(self, op):
        """How many operations of type `op` wait on this task, as its status page tells."""
        return sum(line.startswith("blocked ") and op in line for line in self.status().splitlines())

    def status(self):
        """Its status page."""
        return subprocess.run([self._program, "status", self.address], check=True, capture_output=True,
                              text=True).stdout

    def stop(self):
        self.process.terminate()
        self._wait()

    def kill(self):
        self.process.kill()
        self._wait()

    def _wait(self):
        """A test fails if a sanitizer found something in a server of it."""
        self.process.wait(READY_SECONDS)
        self._reader.join(READY_SECONDS)
        log = "\n".join(self.log)
        assert "Sanitizer" not in log and "runtime error:" not in log, log


class Cluster:
    def __init__(self, program, jobs, flags=(), start=True):
        ports = iter(free_ports(sum(jobs.values())))
        self.spec = {job: [f"127.0.0.1:{next(ports)}" for _ in range(n)] for job, n in jobs.items()}
        self.servers = {}
        self._program = program
        self._flags = flags
        for job, n in jobs.items():
            for i in range(n if start else 0):
                self.start(job, i)

    def start(self, job, task=0, flags=()):
        """Starts a task, or starts it again."""
        self.servers[job, task] = RheoServer(self._program, self.spec, job, task, [*self._flags, *flags])

    def start_defined(self, job, task, definition):
        """Starts a task from the file of its ServerDef."""
        self.servers[job, task] = RheoServer(self._program, self.spec, job, task, self._flags, definition)

    def signal(self, number, job, task=0):
        self.servers[job, task].process.send_signal(number)

    def target(self, job, task=0):
        return "grpc://" + self.spec[job][task]

    def kill(self):
        for server in self.servers.values():
            server.kill()

    def stop(self):
        for server in self.servers.values():
            server.stop()


@pytest.fixture(scope="session")
def program(request):
    path = ROOT / request.config.getoption("--build") / "bin" / "rheo"
    assert path.exists(), f"build Rheo first: there is no {path}"
    return path


@pytest.fixture(scope="session")
def single(program):
    """A cluster of one task with two CPU devices."""
    cluster = Cluster(program, {"worker": 1}, ["--cpu", "2"])
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def trio(program):
    """1 ps + 2 workers."""
    cluster = Cluster(program, {"ps": 1, "worker": 2})
    yield cluster
    cluster.stop()


@pytest.fixture
def make(program):
    """Makes clusters that live as long as the test."""
    clusters = []

    def make_cluster(jobs, flags=(), start=True):
        clusters.append(Cluster(program, jobs, flags, start))
        return clusters[-1]

    yield make_cluster
    for cluster in clusters:
        cluster.kill()


@pytest.fixture
def v1():
    return tf.compat.v1


@pytest.fixture(autouse=True)
def fresh(request):
    """Each test begins with an empty graph and without variables on the servers."""
    tf.compat.v1.reset_default_graph()
    yield
    for name in ("single", "trio"):
        if name in request.fixturenames:
            cluster = request.getfixturevalue(name)
            target = next(iter(cluster.servers.values())).target
            tf.compat.v1.Session.reset(target)


def full_match(pattern, text):
    return re.search(pattern, text) is not None
