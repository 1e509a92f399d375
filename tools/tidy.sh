#!/usr/bin/env bash
# clang-tidy and clang's thread-safety analysis. --recent: the files of the last 20 changes only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/install_dependencies.sh --clang
cmake --preset tidy >/dev/null
# Generated headers must exist; building the two libraries that generate them makes them.
cmake --build build/tidy --target rheo_proto rheo_builder -- --quiet
if [[ "${1:-}" == "--recent" ]]; then
  since=$(git rev-list --max-count=1 --skip=20 HEAD)
  [[ -n "$since" ]] || since=$(git rev-list --max-parents=0 HEAD)
  mapfile -t files < <(git diff --name-only --diff-filter=d "$since" -- 'src/*.cc' 'apps/*.cc' 'examples/*.cc')
else
  mapfile -t files < <(git ls-files 'src/*.cc' 'apps/*.cc' 'examples/*.cc')
fi
[[ ${#files[@]} -eq 0 ]] && exit 0
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet --warnings-as-errors='*'
