# SPDX-License-Identifier: Apache-2.0
# What every program that is shipped has in common.

# The linker reads the path from a file: no shell and no build tool on the way knows what $ORIGIN is.
set(program_link_options ${PROJECT_BINARY_DIR}/programs.link)
file(WRITE ${program_link_options} "-Wl,-rpath,$ORIGIN/../lib\n")

add_custom_target(joulie_programs) # all of them

# joulie_program(TARGET NAME): in the build it finds the library beside itself. CMake's own way writes an empty element
# behind that path, by which a library of the current folder would be loaded: the path is given to the linker, and taken
# out when the program is installed.
function(joulie_program target name)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SKIP_BUILD_RPATH ON POSITION_INDEPENDENT_CODE ON)
  target_link_options(${target} PRIVATE "@${program_link_options}")
  add_dependencies(joulie_programs ${target})
endfunction()

# joulie_root_program(TARGET NAME): one that may be root, with no library but libc. Of the library it links the functions
# that it calls; the link map names them, and tests/support/linked_lines.py counts their lines.
function(joulie_root_program target name)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/daemons ${PROJECT_SOURCE_DIR}/libjoulie ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(${target} PRIVATE joulie_flags $<TARGET_FILE:joulie_core>)
  target_link_options(${target} PRIVATE
    -Wl,--gc-sections -Wl,--as-needed -Wl,-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  add_dependencies(${target} joulie_core)
  add_dependencies(joulie_programs ${target})
endfunction()
