# SPDX-License-Identifier: Apache-2.0
# What every program that is shipped has in common.

# The linker reads the path from a file: no shell and no build tool on the way knows what $ORIGIN is.
set(program_link_options ${PROJECT_BINARY_DIR}/programs.link)
file(WRITE ${program_link_options} "-Wl,-rpath,$ORIGIN/../lib\n")

# joulie_program(TARGET NAME): in the build it finds the library beside itself. CMake's own way writes an empty element
# behind that path, by which a library of the current folder would be loaded: the path is given to the linker, and taken
# out when the program is installed.
function(joulie_program target name)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SKIP_BUILD_RPATH ON POSITION_INDEPENDENT_CODE ON)
  target_link_options(${target} PRIVATE "@${program_link_options}")
endfunction()
