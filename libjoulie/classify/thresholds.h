/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every threshold of docs/rules/classification.md; percent of utilisation
 * unless the name says else. */

#define JL_CPU_HIGH_PCT 75.0 /* intensity */
#define JL_CPU_MEDIUM_PCT 30.0

#define JL_COMPUTE_CPU_PCT 65.0       /* compute-bound above it; also the derived class */
#define JL_COMPUTE_MAX_MEM_PCT 50.0   /* and memory pressure below this */
#define JL_COMPUTE_SENSITIVE_PCT 70.0 /* compute-bound and sensitive */
#define JL_MEMORY_MEM_PCT 50.0        /* memory-bound above it; also memBound of v0.1.0 */
#define JL_MEMORY_MAX_CPU_PCT 60.0    /* and CPU below this */
#define JL_IO_CPU_PCT 20.0            /* I/O-bound below it */

#define JL_CPU_ENERGY_RATIO 0.70 /* energy override */
#define JL_MEM_ENERGY_RATIO 0.40

#define JL_GPU_HIGH_PCT 70.0 /* intensity */
#define JL_GPU_MEDIUM_PCT 25.0
#define JL_GPU_MEMORY_PCT 60.0
#define JL_GPU_COMPUTE_PCT 40.0

#define JL_DOMINANT_GPU_PCT 40.0     /* the GPU dominates above it */
#define JL_SOURCE_RATIO_CPU_PCT 60.0 /* cpuBound of v0.1.0 */
#define JL_SOURCE_RATIO_MAX_PCT 30.0
#define JL_DERIVE_GPU_PCT 50.0 /* derived class performance above it */

#define JL_PROXY_GPU_W 400.0 /* a GPU whose largest power is not known */

/* Those that reasons print, percentages without decimals and ratios with two. */
#define JL_CPU_HIGH_PCT_TEXT "75"
#define JL_CPU_MEDIUM_PCT_TEXT "30"
#define JL_COMPUTE_SENSITIVE_PCT_TEXT "70"
#define JL_MEMORY_MEM_PCT_TEXT "50"
#define JL_GPU_HIGH_PCT_TEXT "70"
#define JL_GPU_MEDIUM_PCT_TEXT "25"
#define JL_CPU_ENERGY_RATIO_TEXT "0.70"
#define JL_MEM_ENERGY_RATIO_TEXT "0.40"
