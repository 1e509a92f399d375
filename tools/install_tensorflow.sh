#!/usr/bin/env bash
# Makes the project's virtual environment .venv with TensorFlow and pytest, for the compatibility tests
# and the comparisons of bench/. Quick when it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=2.21.0
if [[ -x .venv/bin/python ]] && .venv/bin/python -c "
import importlib.metadata as m, sys
sys.exit(m.version('tensorflow-cpu') != '$version' or not m.version('pytest'))" 2>/dev/null; then
  exit 0
fi
echo "installing TensorFlow $version into .venv" >&2
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check "tensorflow-cpu==$version" pytest psutil
