# How everything is compiled, in the tree and where a command of it is a project of its own.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Without optimization everything takes several times as long, so nobody gets that without being told.
get_property(several_types GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT several_types AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
  message(STATUS "Maslin: CMAKE_BUILD_TYPE is not set; Maslin itself is built as Release")
elseif(CMAKE_BUILD_TYPE STREQUAL Debug AND NOT PROJECT_IS_TOP_LEVEL)
  message(STATUS "Maslin: CMAKE_BUILD_TYPE is Debug; Maslin, too, is built without optimization and is slow")
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
# A result is the same to the last bit at any width: no contraction or reassociation that depends on
# how the compiler happened to split a loop. Kernels ask for fused multiply-adds by name.
add_compile_options(-ffp-contract=off)
# The stable_sort of libstdc++ 12 calls what libstdc++ deprecates, and clang tells that to who sorts.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)

# compiled_once(TARGET HEADERS... | TARGET REUSE_FROM OTHER): with GCC, each file of the target begins with these headers,
# which are compiled once. Other compilers and clang-tidy do without, and show where a file does not include what it uses;
# so do other projects, of which Maslin is a part.
function(compiled_once target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_CLANG_TIDY)
    set(whose PRIVATE)
    if("REUSE_FROM" IN_LIST ARGN)
      set(whose "")
    endif()
    target_precompile_headers(${target} ${whose} ${ARGN})
  endif()
endfunction()

# What many files of the library and of the commands include of others' headers.
set(of_many_files <fmt/format.h> <algorithm> <array> <atomic> <chrono> <cmath> <cstring> <functional> <limits> <map> <memory>
  <mutex> <new> <optional> <string> <string_view> <thread> <utility> <vector>)

# What describes a command line is mostly the code of the library that reads it, which each such file has anew. It runs once
# in a run, so it is optimized a little only.
set(of_command_lines $<$<CONFIG:Release,RelWithDebInfo>:-O1>)

# command_line(TARGET FILES...): adds files that describe command lines to a program or a library.
function(command_line target)
  set(files ${target}-command-line)
  add_library(${files} OBJECT ${ARGN})
  foreach(what INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    set_property(TARGET ${files} PROPERTY ${what} $<TARGET_PROPERTY:${target},${what}>)
  endforeach()
  target_link_libraries(${files} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)  # whose headers may be the system's
  target_compile_options(${files} PRIVATE ${of_command_lines})
  compiled_once(${files} REUSE_FROM command-line)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${files}>)
endfunction()

# ccache finds what a file includes by what the compiler says, and does not preprocess it first. It keeps what was compiled
# with precompiled headers only if it is told that nothing here depends on the time, nor these headers on definitions.
foreach(language C CXX)
  if(CMAKE_${language}_COMPILER_LAUNCHER MATCHES "^[^;]*ccache$")
    list(PREPEND CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endforeach()
