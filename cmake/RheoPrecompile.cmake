# Precompiled headers, for the presets that compile everything from nothing and nobody edits with: a
# sanitizer's build spends half of its time in the same headers. Off elsewhere, because a file could
# lean on an include that it does not have.
option(RHEO_PRECOMPILE "Compile the most used headers once" OFF)
if(NOT RHEO_PRECOMPILE)
  function(rheo_precompile target kind)
  endfunction()
  return()
endif()

if(CCACHE)
  # What ccache asks for when there are precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
set(precompiled_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <complex> <cstdint> <cstring> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <thread> <type_traits> <utility> <variant>
  <vector> <fmt/format.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
  <absl/container/inlined_vector.h> <absl/functional/any_invocable.h>)
foreach(header base/log.h base/status.h graph/graph.h kernel/kernel_registry.h op/kernel_catalog.h op/op_registry.h)
  list(APPEND precompiled_headers ${CMAKE_SOURCE_DIR}/src/rheo/${header})
endforeach()

# Everything that shares precompiled headers must agree in these.
set(options -pthread -fPIC $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
foreach(kind library test)
  add_library(rheo_precompiled_${kind} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(rheo_precompiled_${kind} PRIVATE rheo_options absl::status absl::statusor absl::flat_hash_map
    absl::flat_hash_set absl::any_invocable absl::inlined_vector fmt::fmt Threads::Threads)
  target_compile_options(rheo_precompiled_${kind} PRIVATE ${options})
endforeach()
target_precompile_headers(rheo_precompiled_library PRIVATE ${precompiled_headers})
if(RHEO_TESTS)
  target_link_libraries(rheo_precompiled_test PRIVATE GTest::gtest GTest::gmock)
  target_precompile_headers(rheo_precompiled_test PRIVATE ${precompiled_headers} <gtest/gtest.h> <gmock/gmock.h>)
endif()

set(RHEO_PRECOMPILE_OPTIONS ${options} CACHE INTERNAL "")

# Lets the target use them; `kind` is library or test.
function(rheo_precompile target kind)
  target_precompile_headers(${target} REUSE_FROM rheo_precompiled_${kind})
  target_compile_options(${target} PRIVATE ${RHEO_PRECOMPILE_OPTIONS})
endfunction()
