#!/usr/bin/env bash
# Installs what Rheo builds with from Debian's packages. Quiet and quick when nothing is missing.
# Usage: tools/install_dependencies.sh [--clang]    (--clang: also what the sanitizer and tidy presets need)
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache mold pkg-config
  libabsl-dev libfmt-dev libprotobuf-dev protobuf-compiler libssl-dev zlib1g-dev libc-ares-dev libre2-dev
  libgrpc++-dev protobuf-compiler-grpc libdnnl-dev ocl-icd-opencl-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev python3 python3-venv
)
if [[ "${1:-}" == "--clang" ]]; then
  packages+=(clang clang-tidy clang-format libclang-rt-14-dev)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "installing ${missing[*]}" >&2
sudo=()
[[ $(id -u) -eq 0 ]] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { "${sudo[@]}" apt-get update -qq && "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "install_dependencies.sh: apt-get failed; Rheo builds on Debian 12 or a system with the same packages" >&2
  exit 1
fi
rm -f "$log"
