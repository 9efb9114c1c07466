# Cross-builds for arm64 with Debian's g++-aarch64-linux-gnu. MASLIN_SYSROOT is a folder with the libraries of that
# processor (Debian's packages, unpacked); `./dev release-check arm64` makes one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Tests of the compiler are projects of their own, which get these.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MASLIN_SYSROOT)
if(NOT IS_DIRECTORY "${MASLIN_SYSROOT}/usr/include")
  message(FATAL_ERROR "Maslin: MASLIN_SYSROOT is '${MASLIN_SYSROOT}'; expected a folder with usr/include of arm64")
endif()
set(CMAKE_SYSROOT ${MASLIN_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MASLIN_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${MASLIN_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${MASLIN_SYSROOT}/usr/share/pkgconfig)
