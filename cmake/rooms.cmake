# So many times longer tests may take in a sanitizer's build, beside other work; the watchdog tells of a hang long before.
set(patience 1)
if(MASLIN_SANITIZE)
  set(patience 6)
endif()
foreach(minutes 1 2 4 5 10 15 25)  # bounds of tests, in seconds
  math(EXPR minutes_${minutes} "60 * ${minutes} * ${patience}")
endforeach()

# Compiling a test takes longer than running it, so tests are optimized a little only. What they test is compiled as users
# run it.
set(compiled_for_tests $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
# And what many of them include of others' headers is compiled once.
set(precompiled_for_tests ${PROJECT_SOURCE_DIR}/tests/precompiled.hpp)

# maslin_test(NAME SOURCES... [LIBS ...]): one test binary, run as one ctest case with a bound on its time,
# so that a hang is a failure and not a lost night. OPTIMIZED: it is compiled as users' programs are.
function(maslin_test name)
  cmake_parse_arguments(ARG "OPTIMIZED" "TIMEOUT" "LIBS;ENV" ${ARGN})
  if(TIMEOUT IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "maslin_test(${name}): TIMEOUT has no value; expected one of the bounds above, as \${minutes_5}")
  endif()
  if(NOT MASLIN_TESTS)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT ${minutes_5})
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} checkout GTest::gtest GTest::gtest_main)
  if(NOT ARG_OPTIMIZED)
    target_compile_options(${name} PRIVATE ${compiled_for_tests})
    compiled_once(${name} REUSE_FROM checkout)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENV}")
endfunction()
