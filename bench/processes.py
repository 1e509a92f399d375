"""Processes that bench/run starts: servers of both kinds, and subjects that measure when asked."""

import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
START_SECONDS = 120  # TensorFlow in Python takes long on a busy machine
ANSWER_SECONDS = 600


class Failure(Exception):
    """A program of the benchmark failed; the text says which and how."""


def clean_environment():
    """The environment without variables that would slow the peer's libraries down."""
    return {name: value for name, value in os.environ.items()
            if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TF_CONFIG")}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


class Process:
    """A child that is killed at the end, and whose last words are kept."""

    def __init__(self, command, **options):
        self.command = [str(word) for word in command]
        self.log = open(os.path.join(Process.log_folder, f"{len(Process.all)}.log"), "w+")
        self.process = subprocess.Popen(self.command, stderr=self.log, env=clean_environment(), **options)
        Process.all.append(self)

    all = []
    log_folder = "/tmp"

    def failure(self, what):
        self.log.flush()
        self.log.seek(0)
        words = self.log.read()[-2000:]
        return Failure(f"{' '.join(self.command)[:300]}: {what}\n{words}")

    def check_alive(self):
        if self.process.poll() is not None:
            raise self.failure(f"ended with code {self.process.returncode}")

    def memory_and_threads(self):
        """Resident bytes and the number of threads."""
        self.check_alive()
        fields = dict(line.split(":", 1) for line in open(f"/proc/{self.process.pid}/status"))
        return int(fields["VmRSS"].split()[0]) * 1024, int(fields["Threads"])

    def thread_names(self):
        """The names of the threads, each as often as there are threads of it."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        names = []
        for task in tasks.iterdir():
            try:
                names.append((task / "comm").read_text().strip())
            except (FileNotFoundError, ProcessLookupError):
                pass  # it ended meanwhile
        return sorted(names)

    def num_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @staticmethod
    def stop_all():
        for process in Process.all:
            process.stop()


class Server(Process):
    """One task, serving. `start_seconds` is the time from its start until it takes connections."""

    def __init__(self, command, address):
        self.address = address
        self.begin = time.perf_counter()
        super().__init__(command, stdout=subprocess.PIPE, text=True)

    def await_ready(self):
        host, port = self.address.split(":")
        while time.perf_counter() - self.begin < START_SECONDS:
            self.check_alive()
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                self.start_seconds = time.perf_counter() - self.begin
                return self
            except OSError:
                time.sleep(0.0005)
        raise self.failure(f"did not serve within {START_SECONDS} s")


def rheo_server(build, cluster, job, index):
    spec = ",".join(f"{name}|{';'.join(addresses)}" for name, addresses in cluster.items())
    return Server([build / "bin" / "rheo", "serve", "--cluster_spec", spec, "--job_name", job,
                   "--task_id", index], cluster[job][index])


def tensorflow_server(python, cluster, job, index):
    return Server([python, HERE / "tf_server.py", json.dumps(cluster), job, index], cluster[job][index])


class Cluster:
    """A process for each task of `jobs`, a count by name. `make(cluster, job, index)` starts one."""

    def __init__(self, make, jobs):
        ports = iter(free_ports(sum(jobs.values())))
        self.spec = {job: [f"127.0.0.1:{next(ports)}" for _ in range(tasks)] for job, tasks in jobs.items()}
        self.servers = [make(self.spec, job, i) for job, tasks in jobs.items() for i in range(tasks)]

    def await_ready(self):
        for server in self.servers:
            server.await_ready()
        return self

    def worker_target(self, index):
        return "grpc://" + self.spec["worker"][index]

    @property
    def target(self):
        return self.worker_target(0)

    def check_alive(self):
        for server in self.servers:
            server.check_alive()

    def stop(self):
        for server in self.servers:
            server.stop()


class Subject(Process):
    """A process that measures when asked; see subject.h."""

    def __init__(self, command):
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        """Sends a request; `answer` gets what it measured."""
        self.request = " ".join(str(word) for word in words)
        try:
            self.process.stdin.write(self.request + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.process.wait()
            self.check_alive()

    def answer(self):
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise self.failure(f"gave no answer to '{self.request}' within {ANSWER_SECONDS} s")
        line = self.process.stdout.readline().strip()
        if not line:
            self.process.wait()
            self.check_alive()
            raise self.failure(f"gave no answer to '{self.request}'")
        if line.startswith("error"):
            raise self.failure(f"'{self.request}': {line}")
        return float(line)

    def measure(self, *words):
        self.ask(*words)
        return self.answer()


if __name__ == "__main__":
    sys.exit("this is a part of bench/run")
