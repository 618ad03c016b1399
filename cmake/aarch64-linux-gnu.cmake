# SPDX-License-Identifier: Apache-2.0
# Builds for 64-bit Arm under Linux on another machine:
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DJOULIE_SYSROOT=FOLDER -DJOULIE_PROGRAMS=OFF …
# FOLDER holds json-c and libyaml for arm64 as Debian lays them out (usr/lib/aarch64-linux-gnu, usr/include); without
# it they come from the system (apt-get install libjson-c-dev:arm64 libyaml-dev:arm64). libc is the cross compiler's.
# With qemu-user installed ctest runs the tests through it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(JOULIE_SYSROOT "" CACHE PATH "Folder of the libraries for arm64, empty for the system's")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES JOULIE_SYSROOT)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH ${JOULIE_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${JOULIE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${JOULIE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)

# for programs whose libraries need json-c and libyaml
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${JOULIE_SYSROOT}/usr/lib/aarch64-linux-gnu)

find_program(JOULIE_QEMU qemu-aarch64 DOC "Runs programs for arm64")
if(JOULIE_QEMU)
  set(CMAKE_SKIP_BUILD_RPATH ON) # libjoulie.so as it is shipped; the emulator tells where libraries are
  set(libraries ${JOULIE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_BINARY_DIR}/lib)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${JOULIE_QEMU};-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${libraries}"
    CACHE STRING "Before every test")
endif()
