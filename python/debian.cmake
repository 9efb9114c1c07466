# The Debian package python3-maslin, of what is built without scikit-build-core: `cpack -G DEB` in the build folder. It
# is for Debian's own Python. The library and the command are those of the packages libmaslin0 and maslin.
set(name python3-maslin)
set(folder lib/python3/dist-packages)
set(this_python ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
set(next_python ${Python_VERSION_MAJOR}.${next_minor})

set_target_properties(_core PROPERTIES INSTALL_RPATH "")
install(TARGETS _core LIBRARY DESTINATION ${folder}/maslin COMPONENT python3)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_core.pyi DESTINATION ${folder}/maslin COMPONENT python3)
install(DIRECTORY maslin DESTINATION ${folder} COMPONENT python3 PATTERN __pycache__ EXCLUDE)
install(FILES ../LICENSE RENAME copyright DESTINATION share/doc/${name} COMPONENT python3)
# The package calls the command beside it.
file(CREATE_LINK ../../../../bin/maslin ${CMAKE_CURRENT_BINARY_DIR}/maslin-command SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/maslin-command DESTINATION ${folder}/maslin COMPONENT python3)
# pip and importlib.metadata look the version up here.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/METADATA "Metadata-Version: 2.1\nName: maslin\nVersion: ${PROJECT_VERSION}\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/METADATA DESTINATION ${folder}/maslin-${PROJECT_VERSION}.dist-info
  COMPONENT python3)

# Compiled Python comes and goes with the package.
foreach(script postinst:py3compile prerm:py3clean)
  string(REPLACE ":" ";" script ${script})
  list(POP_FRONT script when)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${when} "#!/bin/sh\nset -e\n${script} -p ${name}\n")
  file(CHMOD ${CMAKE_CURRENT_BINARY_DIR}/${when} PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  list(APPEND CPACK_DEBIAN_PYTHON3_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/${when})
endforeach()

set(CPACK_COMPONENTS_ALL python3)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_NAME ${name})
set(CPACK_DEBIAN_PYTHON3_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
# What the extension uses besides is what the library of the same version uses, and it was built by the same compiler.
set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS "libmaslin${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), \
maslin (= ${PROJECT_VERSION}), python3 (>= ${this_python}), python3 (<< ${next_python})")
set(CPACK_DEBIAN_PYTHON3_PACKAGE_SUGGESTS python3-numpy)
set(CPACK_COMPONENT_PYTHON3_DESCRIPTION "For Python: independent calls run at the same time.")
set(CPACK_PACKAGE_VENDOR Maslin)
set(CPACK_PACKAGE_CONTACT "The maintainers of Maslin <maintainers@maslin.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "A runtime for multigrain parallelism, for Python")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
include(CPack)
