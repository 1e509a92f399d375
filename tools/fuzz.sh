#!/usr/bin/env bash
# Builds the fuzzers and runs each for a while, starting from the recorded messages.
#
#   tools/fuzz.sh [SECONDS]     seconds for each fuzzer (default 20); what it finds worth keeping
#                               stays in build/fuzz/corpus, what makes it crash in build/fuzz/crashes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds="${1:-20}"
[[ $seconds =~ ^[0-9]+$ ]] || { echo "fuzz.sh: '$seconds' is no number of seconds" >&2; exit 2; }

tools/install_dependencies.sh --clang
cmake --preset asan -B build/fuzz -DRHEO_FUZZ=ON -DRHEO_TESTS=OFF >/dev/null
families=(master worker tensor graph key)
programs=()
for family in "${families[@]}"; do programs+=("wire_${family}_fuzz"); done
ninja -C build/fuzz --quiet "${programs[@]}"
mkdir -p build/fuzz/crashes
run_one() {
  local family=$1 corpus=build/fuzz/corpus/$1
  mkdir -p "$corpus"
  local log=build/fuzz/$family.log
  if build/fuzz/bin/wire_"$family"_fuzz -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 \
      -artifact_prefix=build/fuzz/crashes/ "$corpus" tests/golden/wire >"$log" 2>&1; then
    echo "$family: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") messages, no crash"
  else
    tail -40 "$log"
    echo "$family: CRASHED, see $log"
    return 1
  fi
}
export -f run_one
export seconds
printf '%s\n' "${families[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_one "$1"' _ {}
