# SPDX-License-Identifier: Apache-2.0
# What every target of ours compiles with; an interface target, never global flags.
add_library(joulie_flags INTERFACE)
target_compile_options(joulie_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wdouble-promotion -Wformat=2 -Wundef -Wvla -Wcast-qual
  -Wmissing-prototypes -Wswitch-enum
  -fvisibility=hidden
  -ffp-contract=off # equal bits on machines with and without fused multiply-add
  -fno-strict-aliasing # tables address members of private structs through their offsets
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
if(JOULIE_WERROR)
  target_compile_options(joulie_flags INTERFACE -Werror)
endif()
if(JOULIE_SANITIZE OR JOULIE_OOM)
  # Little has room to spare: what comes from an arena is a block of its own, a short array grows by what is needed.
  # So the end of each is guarded, and each allocation can fail.
  target_compile_definitions(joulie_flags INTERFACE JL_EXACT_MEMORY)
endif()
if(JOULIE_SANITIZE)
  target_compile_options(joulie_flags INTERFACE -fsanitize=${JOULIE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(joulie_flags INTERFACE -fsanitize=${JOULIE_SANITIZE})
endif()
