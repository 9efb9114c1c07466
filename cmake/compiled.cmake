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

# What describes a command line is mostly the code of the library that reads it, which each such file has anew. It runs once
# in a run, so it is optimized a little only.
set(of_command_lines $<$<CONFIG:Release,RelWithDebInfo>:-O1>)

# ccache finds what a file includes by what the compiler says, and does not preprocess it first. It keeps what was compiled
# with precompiled headers only if it is told that nothing here depends on the time, nor these headers on definitions.
foreach(language C CXX)
  if(CMAKE_${language}_COMPILER_LAUNCHER MATCHES "^[^;]*ccache$")
    list(PREPEND CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endforeach()
