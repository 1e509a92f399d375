"""Variables of both kinds and the models that train them."""

import functools

import numpy as np
import tensorflow as tf

from models import OPTIMIZERS, batches
from swap_programs.common import failure, v1

STEPS = 20


def initial(*shape):
    return (np.random.RandomState(shape[-1]).randn(*shape) * 0.3).astype(np.float32)


def train(session_of, optimizer, use_resource, ps, master, other):
    """A two-layer network; its layers run on different workers. Gives losses, variables and predictions."""

    def layer(value, n_in, n_out, name):
        with tf.device(ps):
            w = v1.get_variable(name + "/w", initializer=initial(n_in, n_out), use_resource=use_resource)
            b = v1.get_variable(name + "/b", initializer=np.zeros(n_out, np.float32), use_resource=use_resource)
        return tf.nn.bias_add(tf.matmul(value, w), b)

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 8])
        y = v1.placeholder(tf.int64, [None])
        with tf.device(other):
            hidden = tf.nn.relu(layer(x, 8, 16, "hidden"))
        with tf.device(master):
            logits = layer(hidden, 16, 4, "out")
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            step = OPTIMIZERS[optimizer]().minimize(loss, colocate_gradients_with_ops=True)
        init = v1.global_variables_initializer()
        with session_of() as session:
            session.run(init)
            losses = [session.run([loss, step], {x: bx, y: by})[0] for bx, by in batches(STEPS)]
            bx, _ = next(batches(STEPS))
            return losses, session.run(v1.global_variables()), session.run(logits, {x: bx})


@functools.cache
def expected(optimizer, use_resource):
    return train(v1.Session, optimizer, use_resource, "", "", "")


def check_training(optimizer, use_resource, cell):
    want_losses, want_variables, want_logits = expected(optimizer, use_resource)
    losses, variables, logits = train(cell.session, optimizer, use_resource, *cell.devices[::-1])
    assert want_losses[-1] < want_losses[0]
    np.testing.assert_allclose(losses, want_losses, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(logits, want_logits, rtol=1e-4, atol=1e-5)
    for got, want in zip(variables, want_variables, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def training(optimizer, use_resource):
    def program(cell):
        check_training(optimizer, use_resource, cell)

    program.__name__ = f"training_{optimizer}_{'resource' if use_resource else 'ref'}"
    return program


def uninitialized(cell):
    for use_resource in (False, True):
        with tf.Graph().as_default():
            with tf.device(cell.ps):
                v = v1.get_variable("nothing", [2], use_resource=use_resource)
            with tf.device(cell.other):
                y = v + 1.0
            with cell.session() as session:
                caught = failure(session, y, error=tf.errors.FailedPreconditionError)
                assert "nothing" in caught.message
                session.run(v.initializer)
                assert session.run(y).shape == (2,)


def shared_between_sessions(cell):
    with tf.device(cell.ps):
        ref = v1.get_variable("ref", initializer=[1.0, 2.0], use_resource=False)
        resource = v1.get_variable("resource", initializer=[1.0, 2.0], use_resource=True)
    up = [ref.assign_add([1.0, 1.0]), resource.assign_add([1.0, 1.0])]
    with cell.session() as first:
        first.run(v1.global_variables_initializer())
        first.run(up)
    with cell.session() as second:
        for value in second.run([ref, resource]):
            np.testing.assert_array_equal(value, [2.0, 3.0])


def isolated(cell):
    """With isolate_session_state each session has variables of its own."""
    with tf.device(cell.ps):
        v = v1.get_variable("v", initializer=1.0)
        r = v1.get_variable("r", initializer=1.0, use_resource=True)
    fields = {"isolate_session_state": True}
    with cell.session(**fields) as first, cell.session(**fields) as second:
        first.run([v.initializer, r.initializer])
        for variable in (v, r):
            failure(second, variable, error=tf.errors.FailedPreconditionError)
        second.run([v.initializer, r.initializer])
        second.run([v.assign(5.0).op, r.assign(5.0).op])
        assert first.run([v, r]) == [1.0, 1.0]


def containers(cell):
    """Reset of one container leaves the variables of others."""
    variables = {}
    for name in ("left", "right"):
        with tf.device(cell.ps), v1.container(name), v1.variable_scope(name):
            variables[name] = [v1.get_variable("ref", initializer=1.0, use_resource=False),
                               v1.get_variable("resource", initializer=1.0, use_resource=True)]
    with cell.session() as session:
        session.run(v1.global_variables_initializer())
    v1.Session.reset(cell.target, ["left"], config=cell.config())
    with cell.session() as session:
        for variable in variables["left"]:
            failure(session, variable, error=tf.errors.FailedPreconditionError)
        assert session.run(variables["right"]) == [1.0, 1.0]


def sparse_updates(cell):
    """Gathers, scatters and embedding gradients on the parameter server."""
    for use_resource in (False, True):
        with tf.Graph().as_default():
            with tf.device(cell.ps):
                table = v1.get_variable("table", initializer=np.ones((6, 2), np.float32), use_resource=use_resource)
            ids = v1.placeholder(tf.int32, [None])
            with tf.device(cell.other):
                loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
                step = v1.train.GradientDescentOptimizer(0.5).minimize(loss, colocate_gradients_with_ops=True)
            with cell.session() as session:
                session.run(table.initializer)
                session.run(step, {ids: [1, 4, 4]})
                want = np.ones((6, 2), np.float32)
                want[1] -= 0.5
                want[4] -= 1.0
                np.testing.assert_allclose(session.run(table), want)


def between_graph_replicas(cell):
    """Two clients with their own masters and graphs share the variables of one parameter server."""
    targets = [cell.target, cell.cluster.servers["worker", cell.other_task].target]

    def build(worker):
        graph = tf.Graph()
        with graph.as_default(), tf.device(cell.ps):
            step = v1.get_variable("global_step", initializer=np.int64(0), use_resource=False)
            weight = v1.get_variable("weight", initializer=0.0, use_resource=True)
            with tf.device(worker):
                change = tf.constant(0.5) * 2.0
            up = tf.group(step.assign_add(1), weight.assign_add(change))
        return graph, up, step, weight

    graphs = [build(cell.master), build(cell.other)]
    sessions = [v1.Session(t, graph=g[0], config=cell.config()) for t, g in zip(targets, graphs)]
    with sessions[0].graph.as_default():
        sessions[0].run(v1.global_variables_initializer())
    for _ in range(10):
        for session, (_, up, _, _) in zip(sessions, graphs):
            session.run(up)
    for session, (_, _, step, weight) in zip(sessions, graphs):
        assert session.run([step, weight]) == [20, 20.0]
        session.close()


PROGRAMS = [training(optimizer, kind) for optimizer in OPTIMIZERS for kind in (False, True)] + [
    uninitialized, shared_between_sessions, isolated, containers, sparse_updates, between_graph_replicas,
]
