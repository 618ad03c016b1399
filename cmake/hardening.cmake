# SPDX-License-Identifier: Apache-2.0
# What makes a fault in what is shipped harder to use; tests/nets/abi/test_programs.py looks for it in what was built.
# Builds for tests (Debug) have sanitizers or counters instead.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  return()
endif()
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

target_compile_options(joulie_flags INTERFACE -fstack-protector-strong)
# A stack that grows page by page; the second two are of x86-64 and of 64-bit Arm: no jump into the middle of a function.
foreach(flag -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "joulie_has${flag}" has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    target_compile_options(joulie_flags INTERFACE ${flag})
  endif()
endforeach()
# Needs an optimising compiler; a package's build, which has a type of its own, sets its level itself.
target_compile_options(joulie_flags INTERFACE
  $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=3>)
target_link_options(joulie_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
