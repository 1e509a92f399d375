#!/usr/bin/env bash
# clang-tidy and clang's thread-safety analysis over the sources, the most recently changed first.
#
#   tools/tidy.sh                all of them
#   tools/tidy.sh FILE…          these
#   tools/tidy.sh --minutes N    starts no file after N minutes, and says how many were left out
#
# A file that was clean is not checked again until it, a header, the checks or the flags change, so
# a run that was cut short goes on where it stopped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=1000000
files=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --minutes) minutes="${2:?--minutes needs a number}"; shift ;;
    -*) echo "tidy.sh: there is no option '$1'; the only option is --minutes" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
export TIDY_DEADLINE=$(($(date +%s) + minutes * 60))

tools/install_dependencies.sh --clang
cmake --preset tidy >/dev/null
# Generated headers must exist.
ninja -C build/tidy generated/rheo/builder/ops.h generated/rheo/wire/proto/service.pb.h >/dev/null

if [[ ${#files[@]} -eq 0 ]]; then
  # By their last change; a shallow clone knows of one change only, then in order of name.
  mapfile -t files < <(git log --format= --name-only -- 'src/*.cc' 'apps/*.cc' 'examples/*.cc' |
    awk 'NF && !seen[$0]++' | while read -r file; do [[ -f $file ]] && echo "$file"; done)
fi
[[ ${#files[@]} -eq 0 ]] && exit 0

TIDY_CLEAN=build/tidy/clean/$({
  cat .clang-tidy CMakePresets.json cmake/*.cmake
  find src include apps examples build/tidy/generated -name '*.h' -print0 | sort -z | xargs -0 cat
} | sha256sum | cut -c 1-64)
mkdir -p "$TIDY_CLEAN"
export TIDY_CLEAN
export TIDY_LEFT_OUT=build/tidy/left_out.txt
: >"$TIDY_LEFT_OUT"
check_one() {
  local clean
  clean="$TIDY_CLEAN/$(sha256sum "$1" | sha256sum | cut -c 1-64)"  # of its name as well
  [[ ! -e $clean ]] || return 0
  if (($(date +%s) >= TIDY_DEADLINE)); then
    echo "$1" >>"$TIDY_LEFT_OUT"
    return 0
  fi
  clang-tidy -p build/tidy --quiet --warnings-as-errors='*' "$1" 2> >(grep -v 'warnings generated' >&2 || true) &&
    touch "$clean"
}
export -f check_one
code=0
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check_one "$1"' _ {} || code=1
left=$(wc -l <"$TIDY_LEFT_OUT")
echo "clang-tidy checked $((${#files[@]} - left)) of ${#files[@]} files, those that changed last first" >&2
exit "$code"
