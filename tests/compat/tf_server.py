"""A process with one TensorFlow server: prints "ready", then serves until its standard input ends."""

import json
import os
import sys
import threading

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf  # noqa: E402


def main():
    cluster, job, task = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    config = tf.compat.v1.ConfigProto()
    if len(sys.argv) > 4:
        config.experimental.collective_group_leader = sys.argv[4]
    server = tf.distribute.Server(cluster, job_name=job, task_index=task, config=config)
    print("ready", flush=True)
    # A TensorFlow server cannot be stopped; the process goes when its parent does.
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.join()


main()
