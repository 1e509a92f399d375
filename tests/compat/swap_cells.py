"""One cluster of TensorFlow and Rheo tasks, and the cells of the swap matrix, which are choices of its tasks.

A cell names a master, a second worker and a parameter server. Sessions of a cell admit only these three by
device_filters, so that one set of processes serves all cells.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import tensorflow as tf

from conftest import READY_SECONDS, RheoServer, free_ports

v1 = tf.compat.v1
TF_READY_SECONDS = 120


class TensorFlowServer:
    """One process with a TensorFlow server; its log is a file."""

    def __init__(self, cluster, job, task):
        self.name = f"{job}:{task}"
        self.target = "grpc://" + cluster[job][task]
        self._log = tempfile.TemporaryFile(mode="w+")
        script = pathlib.Path(__file__).with_name("tf_server.py")
        self.process = subprocess.Popen([sys.executable, str(script), json.dumps(cluster), job, str(task)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
                                        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0"})
        self._ready = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self):
        if self.process.stdout.readline().startswith("ready"):
            self._ready.set()

    def wait_until_ready(self):
        if not self._ready.wait(TF_READY_SECONDS):
            self.stop()
            raise RuntimeError(f"{self.name} did not start: {self.log}")

    @property
    def log(self):
        self._log.seek(0)
        return self._log.read().splitlines()

    def stop(self):
        self.process.kill()
        self.process.wait(20)


@dataclasses.dataclass(frozen=True)
class Cell:
    """Who plays which part. The devices are partial names; `cluster` is the whole MixedCluster."""

    name: str
    master_task: int
    other_task: int
    ps_task: int
    cluster: object = None

    @property
    def master(self):
        return f"/job:worker/task:{self.master_task}"

    @property
    def other(self):
        return f"/job:worker/task:{self.other_task}"

    @property
    def ps(self):
        return f"/job:ps/task:{self.ps_task}"

    @property
    def devices(self):
        return (self.master, self.other, self.ps)

    @property
    def master_server(self):
        return self.cluster.servers["worker", self.master_task]

    @property
    def target(self):
        return self.master_server.target

    def full(self, device):
        """The full name of the task of a partial one: how errors name it."""
        return device.replace("/task:", "/replica:0/task:")

    @staticmethod
    def is_rheo(device):
        """Whether the task of a partial name is Rheo's."""
        _, job, task = re.split("/job:|/task:", device)
        return KINDS[job][int(task)] == "rheo"

    def config(self, optimize=True, **fields):
        config = v1.ConfigProto(device_filters=self.devices, **fields)
        if not optimize:
            config.graph_options.rewrite_options.disable_meta_optimizer = True
        return config

    def session(self, **fields):
        return v1.Session(self.target, config=self.config(**fields))


# Tasks 0 and 1 of the workers and 0 of the parameter servers are Rheo's, the others are TensorFlow's.
KINDS = {"worker": ["rheo", "rheo", "tf", "tf"], "ps": ["rheo", "tf"]}

CELLS = [
    Cell("all_tensorflow", master_task=2, other_task=3, ps_task=1),
    Cell("tensorflow_master", master_task=2, other_task=1, ps_task=0),
    Cell("rheo_master", master_task=0, other_task=3, ps_task=1),
    Cell("rheo_ps", master_task=2, other_task=3, ps_task=0),
    Cell("tensorflow_ps", master_task=0, other_task=1, ps_task=1),
    Cell("all_rheo", master_task=0, other_task=1, ps_task=0),
]


class MixedCluster:
    def __init__(self, program):
        ports = iter(free_ports(sum(len(tasks) for tasks in KINDS.values())))
        self.spec = {job: [f"127.0.0.1:{next(ports)}" for _ in tasks] for job, tasks in KINDS.items()}
        self.servers = {}
        for job, tasks in KINDS.items():
            for i, kind in enumerate(tasks):
                if kind == "tf":
                    self.servers[job, i] = TensorFlowServer(self.spec, job, i)
        for job, tasks in KINDS.items():
            for i, kind in enumerate(tasks):
                if kind == "rheo":
                    self.servers[job, i] = RheoServer(program, self.spec, job, i)
        for server in self.servers.values():
            if isinstance(server, TensorFlowServer):
                server.wait_until_ready()

    def cell(self, cell):
        return dataclasses.replace(cell, cluster=self)

    def reset(self):
        """Forgets all variables and sessions of the whole cluster."""
        for job, task in (("worker", 0), ("worker", 2)):
            v1.Session.reset(self.servers[job, task].target)

    def stop(self):
        for server in self.servers.values():
            with contextlib.suppress(Exception):
                server.stop()
