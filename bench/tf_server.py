"""Serves one task of a cluster with TensorFlow: tf_server.py CLUSTER_JSON JOB INDEX.

Prints the seconds that the server's constructor took, then serves until killed."""

import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf  # noqa: E402

cluster, job, index = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
begin = time.perf_counter()
server = tf.compat.v1.train.Server(cluster, job_name=job, task_index=index)
print(time.perf_counter() - begin, flush=True)
server.join()
