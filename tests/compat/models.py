"""What the tests of training share: optimizers and batches that are the same in every run."""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

OPTIMIZERS = {
    "sgd": lambda: v1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: v1.train.MomentumOptimizer(0.05, 0.9),
    "adam": lambda: v1.train.AdamOptimizer(0.01),
}


def batches(steps):
    """Four clusters of points of eight dimensions, with their labels."""
    random = np.random.RandomState(7)
    centers = random.randn(4, 8)
    for _ in range(steps):
        labels = random.randint(0, 4, 32)
        yield (centers[labels] + 0.3 * random.randn(32, 8)).astype(np.float32), labels.astype(np.int64)
