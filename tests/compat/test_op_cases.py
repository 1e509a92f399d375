"""Every case of every operation gives what TensorFlow gives (op_cases.py)."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_operations_agree_with_tensorflow(request, tmp_path):
    program = ROOT / request.config.getoption("--build") / "bin" / "op_cases"
    subprocess.run([program, "emit", tmp_path], check=True)
    compared = subprocess.run([sys.executable, ROOT / "tests/compat/op_cases.py", tmp_path],
                              capture_output=True, text=True)
    assert compared.returncode == 0, compared.stdout
