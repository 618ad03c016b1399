/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every threshold of the rules with its place in joulie-classifier.md; percent of utilisation
 * unless the name says else. */

#define JL_CPU_HIGH_PCT 75.0 /* §3.1 */
#define JL_CPU_MEDIUM_PCT 30.0

#define JL_COMPUTE_CPU_PCT 65.0       /* §3.2 rule 2, and the derived class of §3.5 */
#define JL_COMPUTE_MAX_MEM_PCT 50.0   /* §3.2 rule 2, §3.5 */
#define JL_COMPUTE_SENSITIVE_PCT 70.0 /* §3.2 rule 2a */
#define JL_MEMORY_MEM_PCT 50.0        /* §3.2 rule 3, §1.2 memBoundRatio */
#define JL_MEMORY_MAX_CPU_PCT 60.0    /* §3.2 rule 3, §1.2 memBoundRatio */
#define JL_IO_CPU_PCT 20.0            /* §3.2 rule 4 */

#define JL_CPU_ENERGY_RATIO 0.70 /* §3.3 */
#define JL_MEM_ENERGY_RATIO 0.40

#define JL_GPU_HIGH_PCT 70.0 /* §3.4 */
#define JL_GPU_MEDIUM_PCT 25.0
#define JL_GPU_MEMORY_PCT 60.0
#define JL_GPU_COMPUTE_PCT 40.0

#define JL_DOMINANT_GPU_PCT 40.0     /* §1.2 gpuDominant */
#define JL_SOURCE_RATIO_CPU_PCT 60.0 /* §1.2 cpuBoundRatio of v0.1.0 */
#define JL_SOURCE_RATIO_MAX_PCT 30.0
#define JL_DERIVE_GPU_PCT 50.0 /* §3.5 */

#define JL_PROXY_GPU_W 400.0 /* §1.2, D10: a GPU whose largest power is not known */

/* Those that reasons print, percentages without decimals and ratios with two. */
#define JL_CPU_HIGH_PCT_TEXT "75"
#define JL_CPU_MEDIUM_PCT_TEXT "30"
#define JL_COMPUTE_SENSITIVE_PCT_TEXT "70"
#define JL_MEMORY_MEM_PCT_TEXT "50"
#define JL_GPU_HIGH_PCT_TEXT "70"
#define JL_GPU_MEDIUM_PCT_TEXT "25"
#define JL_CPU_ENERGY_RATIO_TEXT "0.70"
#define JL_MEM_ENERGY_RATIO_TEXT "0.40"
