# So many times longer tests may take in a sanitizer's build, beside other work; the watchdog tells of a hang long before.
set(patience 1)
if(MASLIN_SANITIZE)
  set(patience 6)
endif()

# maslin_test(NAME SOURCES... [LIBS ...]): one test binary, run as one ctest case with a bound on its time,
# so that a hang is a failure and not a lost night.
function(maslin_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LIBS;ENV" ${ARGN})
  if(NOT MASLIN_TESTS)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  math(EXPR ARG_TIMEOUT "${patience} * ${ARG_TIMEOUT}")
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} checkout GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENV}")
endfunction()
