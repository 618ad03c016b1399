/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The members of the twin's public structs by index: numbers of the input in the order of their
 * bits, numbers of the output, and its enums. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/twin.h>

#define JL_RACK_CAPACITY_W 50000.0 /* default of RACK_CAPACITY_W; the source's constant */
#define JL_ASSUMED_OUTSIDE_C 20.0  /* when the outside temperature is unknown */

#define JL_TWIN_IN(member)                               \
    ((offsetof(struct joulie_twin_input, member) -       \
      offsetof(struct joulie_twin_input, cpu_sockets)) / \
     sizeof(double))
#define JL_TWIN_IN_BIT(member) (UINT64_C(1) << JL_TWIN_IN(member))
#define JL_TWIN_NUMBERS (JL_TWIN_IN(cooling_design_it_w) + 1)
#define JL_TWIN_KNOWN_BITS ((UINT64_C(1) << JL_TWIN_NUMBERS) - 1)

#define JL_TWIN_OUT(member)                                        \
    ((offsetof(struct joulie_twin_output, member) -                \
      offsetof(struct joulie_twin_output, power_headroom_score)) / \
     sizeof(double))
#define JL_TWIN_OUT_NUMBERS (JL_TWIN_OUT(gpu_effective_pct) + 1)

#define JL_TWIN_WORD(member)                             \
    ((offsetof(struct joulie_twin_output, member) -      \
      offsetof(struct joulie_twin_output, power_tier)) / \
     sizeof(int32_t))
#define JL_TWIN_WORDS (JL_TWIN_WORD(density_provenance) + 1)

_Static_assert(JL_TWIN_IN_BIT(cpu_sockets) == JOULIE_TWIN_HAS_CPU_SOCKETS &&
                   JL_TWIN_IN_BIT(measured_node_power_w) == JOULIE_TWIN_HAS_NODE_POWER &&
                   JL_TWIN_IN_BIT(rack_capacity_w) == JOULIE_TWIN_HAS_RACK_CAPACITY &&
                   JL_TWIN_IN_BIT(cooling_design_it_w) == JOULIE_TWIN_HAS_COOLING_DESIGN_IT,
               "the numbers stand in the order of their bits");

/* What a number may be with the rules CURRENT. */
extern const double jl_twin_low[];
extern const double jl_twin_high[];

/* joulie_twin_predict() of structs of this release, without texts; out's struct_size is left alone.
 */
int jl_twin_predict(const struct joulie_twin_input *in, struct joulie_twin_output *out);
