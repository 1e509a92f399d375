"""The rows of the table: what is measured, on which side, and what is hoped for."""

import json
import re
import subprocess
import time

import table
from processes import clean_environment, Failure

TF = "TensorFlow"
MB = 1_000_000
GB = 1000 * MB


class Row:
    """`rheo(round, count)` and `peer(round, count)` measure one side: the mean of `count` runs, in
    seconds unless `show` says otherwise. Without `scalable`, one run is enough. `rounds` bounds the
    rounds of what takes long. `aim` is for the reader."""

    def __init__(self, group, name, rheo, peer=None, peer_name=TF, aim="", show=table.seconds, scalable=True,
                 rounds=None):
        self.group, self.name, self.rheo, self.peer, self.peer_name = group, name, rheo, peer, peer_name
        self.aim, self.show, self.scalable, self.rounds = aim, show, scalable, rounds

    def calibrate(self, seconds):
        """Warms both sides; how many runs take about `seconds` on the slower one."""
        if not self.scalable:
            return 1
        times = [side(0, 1) for side in (self.rheo, self.peer) if side is not None]
        return max(1, min(5000, int(seconds / max(max(times), 1e-9))))


def fits(only, *texts):
    return any(re.search(only, text) for text in texts)


def local_rows(bench):
    """Steps within one process. Rheo's come from a program of their own, a run of it each round."""
    seen = {}  # (round, name) → seconds

    def benchmarks(number):
        command = [str(bench.build / "bin" / "bench_local_steps"), "--benchmark_format=json",
                   f"--benchmark_min_time={0.02 if bench.smoke else 0.3}"]
        done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)} ended with code {done.returncode}\n{done.stderr[-2000:]}")
        for entry in json.loads(done.stdout)["benchmarks"]:
            if entry.get("error_occurred"):
                raise Failure(f"{command[0]}: {entry['name']}: {entry['error_message']}")
            seen[number, entry["name"]] = entry["real_time"] * 1e-9

    def rheo(name):
        def sample(number, _):
            if (number, name) not in seen:
                benchmarks(number)
            return seen[number, name]
        return sample

    def python(name):
        return lambda _, count: bench.tf_clients[0].measure(name, "local", count)

    def per_op(short, long, of):
        return lambda number, count: (of(long)(number, count) - of(short)(number, count)) / 1000

    group = "local session"
    return [
        Row(group, "step that does nothing, C++", rheo("NullStep"), python("local_null"), "TensorFlow from Python",
            "≤ 1.2 µs", rounds=7),
        Row(group, "each further op on a chain", per_op("Chain/1", "Chain/1001", rheo),
            per_op("chain1", "chain1001", python), aim="≤ 100 ns", rounds=7),
        Row(group, "each further op of a fan", per_op("Fan/1", "Fan/1001", rheo), per_op("fan1", "fan1001", python),
            rounds=7),
    ]


def cpp_client_rows(bench):
    def on(cluster, name):
        return lambda _, count: bench.client.measure(name, cluster.target, count)

    def bare(_, count):
        return bench.client.measure("bare", count)

    group = "C++ client, both servers"
    return [
        Row(group, "step that does nothing", on(bench.rheo, "null"), on(bench.tensorflow, "null")),
        Row(group, "  beside a call of its size", on(bench.rheo, "null"), bare, "a bare gRPC call", "0.67"),
        Row(group, "the same on another task", on(bench.rheo, "other_task"), on(bench.tensorflow, "other_task")),
        Row(group, "open, first step, close", on(bench.rheo, "open"), on(bench.tensorflow, "open")),
    ]


def python_client_rows(bench):
    def row(name, step, aim):
        def on(cluster):
            return lambda _, count: bench.tf_clients[0].measure(step, cluster.target, count)
        return Row("TensorFlow's Python client", name, on(bench.rheo), on(bench.tensorflow), aim=aim)

    return [row("step that does nothing", "null", "2"),
            row("step over two tasks", "two_tasks", "3"),
            row("20 small tensors", "tensors20", ""),
            row("200 small tensors", "tensors200", "5"),
            row("open, first step, close", "open", "")]


def transfer_rows(bench):
    sizes = [4, 1000, 64_000, MB] + ([] if bench.smoke else [16 * MB, 100 * MB, GB])
    rows = []
    for size in sizes:
        def on(cluster, size=size):
            return lambda _, count: bench.client.measure("transfer", cluster.target, size, count)

        def tcp(_, count, size=size):
            return bench.client.measure("tcp", size, count)

        limits = {"rounds": 5 if size >= 100 * MB else 11 if size >= 16 * MB else None}
        large = size == 100 * MB
        group = "tensor from task to task"
        rows.append(Row(group, table.size(size), on(bench.rheo), on(bench.tensorflow),
                        aim="2.5" if large else "", **limits))
        rows.append(Row(group, "  beside a raw copy", on(bench.rheo), tcp, "a TCP copy", "0.7" if large else "",
                        **limits))
    return rows


def small_tensor_rows(bench):
    """What it costs to be many, and to be empty."""
    def many(size, number):
        return lambda _, count: bench.client.measure("many", bench.rheo.target, size, number, count)

    def feeds(_, count):
        return bench.client.measure("feeds", bench.rheo.target, 100_000, 100, count)

    def empty(_, count):
        return bench.client.measure("other_task", bench.rheo.target, count)

    def bare(_, count):
        return bench.client.measure("bare", count)

    def tcp(_, count):
        return bench.client.measure("tcp", 10 * MB, count)

    group = "small tensors"
    return [
        Row(group, "200 of 4 kB", many(4000, 200), many(800_000, 1), "one of 800 kB", "0.5"),
        Row(group, "none, on another task", empty, bare, "a bare gRPC call", "0.67"),
        Row(group, "100 feeds of 100 kB", feeds, tcp, "a TCP copy", "0.5"),
    ]


def server_rows(bench):
    """Each round starts servers of its own, which all rows share."""
    started = {}  # (kind, round) → cluster

    def cluster(kind, number):
        if (kind, number) not in started:
            make = bench.new_rheo_cluster if kind == "rheo" else bench.new_tensorflow_cluster
            started[kind, number] = make({"ps": 1}).await_ready()
            time.sleep(0.5)  # so that what starts late is counted as idle, too
            server = started[kind, number].servers[0]
            server.idle = server.memory_and_threads()
            server.stop()
        return started[kind, number]

    def start(kind):
        return lambda number, _: cluster(kind, number).servers[0].start_seconds

    def constructor(number, _):
        server = cluster("tensorflow", number).servers[0]
        if not hasattr(server, "constructor_seconds"):
            server.constructor_seconds = float(server.process.stdout.readline())
        return server.constructor_seconds

    def idle(kind, field):
        return lambda number, _: cluster(kind, number).servers[0].idle[field]

    group = "a server of one task"
    once = {"scalable": False, "rounds": 3}
    return [
        Row(group, "start to serving", start("rheo"), start("tensorflow"), "TensorFlow in Python", "≤ 100 ms", **once),
        Row(group, "  beside the constructor", start("rheo"), constructor, "TensorFlow's Server()", **once),
        Row(group, "idle memory", idle("rheo", 0), idle("tensorflow", 0), "TensorFlow in Python", "≤ 60 MB",
            show=table.size, **once),
        Row(group, "idle threads", idle("rheo", 1), idle("tensorflow", 1), "TensorFlow in Python", "≤ 20",
            show=table.count, **once),
    ]


def digits_rows(bench):
    """Steps of all workers together; as seconds each, shown as a rate."""
    def on(cluster):
        def sample(_, count):
            for i, client in enumerate(bench.tf_clients):
                client.ask("digits", cluster.worker_target(i), i, count)
            return 1 / sum(1 / client.answer() for client in bench.tf_clients)
        return sample

    def program(_, __):
        command = [bench.build / "bin" / "rheo", "launch", "--ps", "1", "--workers", "2", "--",
                   bench.build / "bin" / "digits"]
        done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
        rates = re.findall(r"step +[1-9]\d* .* (\d+) examples/s", done.stdout + done.stderr)
        if done.returncode != 0 or not rates:
            raise Failure(f"{' '.join(map(str, command))} ended with code {done.returncode}\n{done.stderr[-2000:]}")
        return 32 / (2 * float(rates[-1]))  # of one worker of two, batches of 32

    group = "digits, 1 ps + 2 workers"
    return [
        Row(group, "two clients in Python", on(bench.rheo), on(bench.tensorflow), show=table.rate),
        Row(group, "two workers in C++", program, on(bench.tensorflow), "TensorFlow, Python clients", show=table.rate,
            rounds=3),
    ]


def large_graph_rows(bench):
    small, large = (1000, 10_000) if bench.smoke else (10_000, 100_000)

    def on(cluster, num_nodes):
        return lambda *_: bench.client.measure("first_step", cluster.target, num_nodes)

    def local(num_nodes):
        return lambda *_: bench.client.measure("first_step", "local", num_nodes)

    group = "graph: create and first step"
    once = {"scalable": False, "rounds": 3}
    return [
        Row(group, f"{small} nodes", on(bench.rheo, small), on(bench.tensorflow, small), **once),
        Row(group, f"{large} nodes", on(bench.rheo, large), on(bench.tensorflow, large), aim="≤ 3 s", **once),
        Row(group, f"{large} nodes, in this process", local(large), local(small), f"{small} nodes", "0.067", **once),
    ]


def all_rows(bench, only):
    makers = (local_rows, cpp_client_rows, python_client_rows, transfer_rows, small_tensor_rows, server_rows,
              digits_rows, large_graph_rows)
    return [row for make in makers for row in make(bench) if fits(only, row.group, row.name)]
