# What `cmake --install` puts where. Components: runtime (what programs need that were linked with the shared library),
# development (what one needs to build them), tools (the command maslin) and phylo (maslin-phylo).
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/maslin)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS maslin-shared EXPORT shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS maslin EXPORT static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/maslin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# find_package(maslin). Before 1.0 a program asks for the minor version that it was written for.
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/maslin-config.cmake.in maslin-config.cmake
  INSTALL_DESTINATION ${config_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(maslin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/maslin-config.cmake ${PROJECT_BINARY_DIR}/maslin-config-version.cmake
  DESTINATION ${config_folder} COMPONENT development)
foreach(library shared static)
  install(EXPORT ${library} NAMESPACE maslin:: FILE maslin-${library}.cmake DESTINATION ${config_folder}
    COMPONENT development)
endforeach()

# pkg-config. The file finds its prefix by its own place.
file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_folder} /)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
list(JOIN HWLOC_LDFLAGS " " hwloc_flags)
configure_file(${PROJECT_SOURCE_DIR}/cmake/maslin.pc.in maslin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/maslin.pc DESTINATION ${pkgconfig_folder} COMPONENT development)

# install_words(TARGET COMPONENT): the page of the manual, and what bash and zsh need to complete words, as the command
# itself says them. A command for another processor says nothing without CMAKE_CROSSCOMPILING_EMULATOR; nothing is
# installed then.
function(install_words target component)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  get_target_property(name ${target} OUTPUT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  set(words ${PROJECT_BINARY_DIR}/words)
  file(MAKE_DIRECTORY ${words}/bash)
  add_custom_command(OUTPUT ${words}/${name}.1 ${words}/bash/${name} ${words}/_${name}
    COMMAND ${target} --manual > ${words}/${name}.1
    COMMAND ${target} --completion bash > ${words}/bash/${name}
    COMMAND ${target} --completion zsh > ${words}/_${name}
    DEPENDS ${target} VERBATIM)
  add_custom_target(${target}-words ALL DEPENDS ${words}/${name}.1 ${words}/bash/${name} ${words}/_${name})
  install(FILES ${words}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${words}/bash/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT ${component})
  # Debian's zsh looks for what packages bring in a folder of its own.
  install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES \"(^|/)usr$\" AND EXISTS /etc/debian_version)
      set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\" TYPE FILE
      FILES \"${words}/_${name}\")" COMPONENT ${component})
endfunction()

# install_manual(NAME COMPONENT DEPENDS COMMAND...): the page of the manual of a compiler's driver, from its help.
function(install_manual name component depends)
  set(page ${PROJECT_BINARY_DIR}/words/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -D "COMMAND=${ARGN}" -D NAME=${name} -D VERSION=${PROJECT_VERSION} -D PAGE=${page}
      -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/manual.cmake ${depends} VERBATIM)
  add_custom_target(${name}-manual ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()

# The commands for gdb. When it loads the library, it looks below auto-load for the library's own path. In /usr it finds
# them by itself, and elsewhere if it is told of that folder. CPack installs what will be in /usr to a folder of its own.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/maslin.py DESTINATION ${CMAKE_INSTALL_DATADIR}/maslin/gdb
  COMPONENT development)
install(CODE "
  file(REAL_PATH \"\${CMAKE_INSTALL_PREFIX}\" prefix)
  string(REGEX REPLACE \"^.*/_CPack_Packages/.*/usr$\" \"/usr\" prefix \"\${prefix}\")
  set(loaded \"${PROJECT_BINARY_DIR}/gdb/libmaslin.so.${PROJECT_VERSION}-gdb.py\")
  file(WRITE \"\${loaded}\" \"gdb.execute('source \${prefix}/${CMAKE_INSTALL_DATADIR}/maslin/gdb/maslin.py')\\n\")
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${prefix}/${CMAKE_INSTALL_LIBDIR}\"
    TYPE FILE FILES \"\${loaded}\")" COMPONENT development)

if(TARGET maslin_mpi)
  install(TARGETS maslin_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(MASLIN_TOOLS)
  install(TARGETS maslin-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/specs DESTINATION ${CMAKE_INSTALL_DATADIR}/maslin COMPONENT tools)
  install(TARGETS maslin-phylo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT phylo)
  install_words(maslin-cli tools)
  if(TARGET maslin-cc)
    install(TARGETS maslin-cc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    install(TARGETS maslin_css maslin_css_check ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools)
    if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
      install_manual(maslin-cc tools maslin-cc ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:maslin-cc>)
    endif()
  endif()
  install_words(maslin-phylo phylo)
  if(TARGET maslin-phylo-mpi)
    install(TARGETS maslin-phylo-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT phylo
      PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
  if(TARGET maslin-phylo-system-mpi)
    install(TARGETS maslin-phylo-system-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT phylo)
  endif()
  if(TARGET maslin-mpirun)
    set(mpi_built ${PROJECT_BINARY_DIR}/mpi/ranks)
    set(mpi_compilers maslin-mpicc maslin-mpicxx)
    install(TARGETS maslin-mpirun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    install(TARGETS maslin-mpi-host RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/maslin COMPONENT tools)
    if(TARGET maslin-mpi-forwarder)
      install(TARGETS maslin-mpi-forwarder RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/maslin COMPONENT tools)
    endif()
    install(TARGETS maslin-messages LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/maslin COMPONENT tools)
    if(TARGET maslin-messages-mpi)
      install(TARGETS maslin-messages-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/maslin COMPONENT tools)
    endif()
    install(TARGETS maslin_mpi_ranks ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools)
    install(PROGRAMS ${mpi_built}/installed/maslin-mpicc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    install(FILES ${mpi_built}/installed/maslin-mpicxx DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/mpi/ranks/include/ COMPONENT tools
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maslin-mpi)
    if(TARGET maslin_mpi_module)
      list(APPEND mpi_compilers maslin-mpif90)
      install(FILES ${mpi_built}/installed/maslin-mpif90 DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
      install(FILES ${mpi_built}/mpi.mod DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/maslin-mpi COMPONENT tools)
    endif()
    install_words(maslin-mpirun tools)
    set(drivers ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    foreach(driver IN LISTS mpi_compilers)
      install_manual(${driver} tools ${drivers}/maslin-mpicc ${drivers}/${driver})
    endforeach()
  endif()
endif()

# `maslin figures`: its scripts lie there as they do in the checkout, beside specs; its programs are no commands.
if(MASLIN_TOOLS AND TARGET figures_cell)
  set(figures_folder ${CMAKE_INSTALL_DATADIR}/maslin)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/figures DESTINATION ${figures_folder}/bench COMPONENT tools
    FILES_MATCHING PATTERN *.py PATTERN *.json PATTERN predict.py EXCLUDE PATTERN dbs.py EXCLUDE
    PATTERN cell EXCLUDE PATTERN dbs EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/bench/scorecard/__init__.py ${PROJECT_SOURCE_DIR}/bench/scorecard/measure.py
    DESTINATION ${figures_folder}/bench/scorecard COMPONENT tools)
  foreach(module __init__ style whole)
    install(FILES ${PROJECT_SOURCE_DIR}/python/maslin_report/${module}.py
      DESTINATION ${figures_folder}/python/maslin_report COMPONENT tools)
  endforeach()
  install(TARGETS figures_cell figures_cellss figures_links maslin-dbs RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/maslin COMPONENT tools)
endif()
