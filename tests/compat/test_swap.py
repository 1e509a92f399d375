"""The swap matrix: clusters whose tasks are partly TensorFlow's and partly Rheo's run the same programs.

Rows are the programs of swap_programs/; columns are the cells of swap_cells.py. The first cell is TensorFlow alone:
it shows that the programs state what TensorFlow does.
"""

import pytest

import swap_cells
from swap_programs import PROGRAMS


@pytest.fixture(scope="session")
def mixed(program):
    cluster = swap_cells.MixedCluster(program)
    yield cluster
    cluster.stop()


@pytest.fixture
def clean(mixed):
    yield mixed
    mixed.reset()


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("cell", swap_cells.CELLS, ids=lambda c: c.name)
def test_swap(clean, cell, run):
    run(clean.cell(cell))
