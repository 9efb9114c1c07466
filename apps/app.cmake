find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# app(NAME [PUBLIC LIBRARIES...] [PRIVATE LIBRARIES...] [TEST_ENV VARIABLES...]): the command maslin-NAME. Everything but
# main.cpp, and what a folder mpi holds for ranks, is a library, so that tests and benchmarks link what users run.
function(app name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE;TEST_ENV" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main|/mpi/[^/]*)\\.cpp$")

  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  target_link_libraries(${name} PUBLIC maslin command-line ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  compiled_once(${name} ${of_many_files})

  add_executable(maslin-${name})
  command_line(maslin-${name} main.cpp)
  target_link_libraries(maslin-${name} PRIVATE ${name})
  target_compile_definitions(maslin-${name} PRIVATE MASLIN_VERSION="${maslin_VERSION}")

  if(MASLIN_TESTS)
    foreach(test ${tests})
      get_filename_component(test_name ${test} NAME_WE)
      maslin_test(${name}_${test_name} ${test} LIBS ${name} ENV ${ARG_TEST_ENV})
    endforeach()
  endif()
endfunction()
