# Compiler settings and the three functions that declare what Rheo is made of:
# rheo_module() for a folder of src/rheo, rheo_program() and rheo_test().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(rheo_options INTERFACE)
# x86-64-v2 is the baseline of the product; wider instructions are chosen at run time.
target_compile_options(rheo_options INTERFACE
  -march=x86-64-v2 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers
  -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees uninitialised reads in every moved absl::InlinedVector (PartialShape, Shape).
  target_compile_options(rheo_options INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(rheo_options INTERFACE -Wthread-safety -Werror=thread-safety)
endif()
target_include_directories(rheo_options INTERFACE
  ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
if(RHEO_SANITIZE)
  target_compile_options(rheo_options INTERFACE -fsanitize=${RHEO_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(rheo_options INTERFACE -fsanitize=${RHEO_SANITIZE})
  if(RHEO_SANITIZE STREQUAL "address")
    target_compile_options(rheo_options INTERFACE -fsanitize=undefined -fno-sanitize-recover=undefined)
    target_link_options(rheo_options INTERFACE -fsanitize=undefined)
  endif()
endif()

# Most of the time to compile a file is its headers; a build that nobody edits with compiles several files at once. Off
# elsewhere, because a file could lean on another one's includes.
option(RHEO_UNITY "Compile the files of a module in batches" OFF)
if(RHEO_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC takes the files of a batch for headers, where a class may not hold what is private to a file.
  target_compile_options(rheo_options INTERFACE -Wno-subobject-linkage)
endif()

# rheo_module(NAME name [DEPS module...] [LIBS target...])
# One static library rheo_<name> of the calling folder's *.cc; its *_test.cc become
# the test program <name>_test. DEPS are Rheo modules, LIBS anything else.
# The folder's *_cases.cc describe operations for tests: a library rheo_<name>_cases of their own, which only
# tests link and which the global property RHEO_CASE_LIBRARIES lists.
function(rheo_module)
  cmake_parse_arguments(M "" "NAME" "DEPS;LIBS;TEST_DEPS;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(cases ${sources})
  list(FILTER sources EXCLUDE REGEX "_cases\\.cc$")
  list(FILTER cases INCLUDE REGEX "_cases\\.cc$")
  list(APPEND sources ${M_SOURCES})
  list(TRANSFORM M_DEPS PREPEND rheo_)
  list(TRANSFORM M_TEST_DEPS PREPEND rheo_)
  if(sources)
    add_library(rheo_${M_NAME} STATIC ${sources})
    target_link_libraries(rheo_${M_NAME} PUBLIC rheo_options ${M_DEPS} ${M_LIBS})
    rheo_precompile(rheo_${M_NAME} library)
    if(RHEO_UNITY)
      set_target_properties(rheo_${M_NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
  else()
    add_library(rheo_${M_NAME} INTERFACE)
    target_link_libraries(rheo_${M_NAME} INTERFACE rheo_options ${M_DEPS} ${M_LIBS})
  endif()
  set(case_library "")
  if(RHEO_TESTS AND cases)
    set(case_library rheo_${M_NAME}_cases)
    add_library(${case_library} STATIC ${cases})
    target_link_libraries(${case_library} PUBLIC rheo_${M_NAME})
    rheo_precompile(${case_library} library)
    set_property(GLOBAL APPEND PROPERTY RHEO_CASE_LIBRARIES ${case_library})
  endif()
  if(RHEO_TESTS AND tests)
    rheo_test(NAME ${M_NAME}_test SOURCES ${tests} LIBS ${case_library} rheo_${M_NAME} ${M_TEST_DEPS})
  endif()
endfunction()

# rheo_program(NAME name SOURCES file... LIBS target...) builds bin/<name>.
function(rheo_program)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS" ${ARGN})
  add_executable(${P_NAME} ${P_SOURCES})
  target_link_libraries(${P_NAME} PRIVATE rheo_options ${P_LIBS})
endfunction()

# rheo_test(NAME name SOURCES file... LIBS target... [TIMEOUT seconds] [LABEL label])
# A GoogleTest program that ctest runs; the default time limit is 120 s. Under a sanitizer it is kSlowdown
# (base/sanitizers.h) times as long.
function(rheo_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT;LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(RHEO_SANITIZE)
    math(EXPR T_TIMEOUT "8 * ${T_TIMEOUT}")
  endif()
  if(NOT T_LABEL)
    set(T_LABEL unit)
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE rheo_options ${T_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  rheo_precompile(${T_NAME} test)
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS ${T_LABEL}
    ENVIRONMENT "RHEO_SOURCE_DIR=${CMAKE_SOURCE_DIR};RHEO_BINARY_DIR=${CMAKE_BINARY_DIR};ASAN_OPTIONS=allocator_may_return_null=1;TSAN_OPTIONS=ignore_noninstrumented_modules=1 allocator_may_return_null=1")
endfunction()
