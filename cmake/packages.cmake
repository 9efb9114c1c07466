# `cpack -G DEB` in a build folder makes Debian packages of what is built there: libmaslin0, libmaslin-dev, and maslin
# with the commands.
set(CPACK_PACKAGE_VENDOR Maslin)
set(CPACK_PACKAGE_CONTACT "The maintainers of Maslin <maintainers@maslin.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL runtime development)
if(MASLIN_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools phylo)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_RUNTIME_GROUP runtime)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP development)
set(CPACK_COMPONENT_TOOLS_GROUP tools)
set(CPACK_COMPONENT_PHYLO_GROUP tools)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libmaslin${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared library, for programs that were built with it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmaslin-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION}), libc6-dev, libstdc++-dev")
# Who links the static library links these.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libboost-context-dev, libfmt-dev, libhwloc-dev, libtomlplusplus-dev, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, the static library, and files for CMake and pkg-config.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME maslin)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)  # maslin-mpi-host is linked with libmaslin
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "The commands maslin, maslin-phylo, maslin-cc, maslin-mpicc and maslin-mpirun, and described machines.")

# Each package brings its license.
foreach(component runtime development tools)
  string(TOUPPER ${component} upper)
  if(component IN_LIST CPACK_COMPONENTS_ALL)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT ${component}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  endif()
endforeach()

include(CPack)
