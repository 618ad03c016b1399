/* SPDX-License-Identifier: Apache-2.0 */

/* physics.spread: a node's GPU utilisation on its devices (docs/rules/physics.md#gpu). */
#include "ask/ask.h"
#include "physics/physics.h"

#define MOST_DEVICES 1024

#define RECORD spread_in
#define MEMBERS                                                                              \
    NUMBER(util, "util", "Average utilisation of the devices, 0..1.", REQUIRED, AT_LEAST(0), \
           AT_MOST(1))                                                                       \
    INTEGER(count, "count", "Devices of the node.", REQUIRED, AT_LEAST(0), AT_MOST(MOST_DEVICES))
#include "schema/record.h"

#define RECORD spread_out
#define MEMBERS                                     \
    INTEGER(active, "active", "Devices that work.") \
    NUMBERS(utils, "utils", "Utilisation of each device, 0..1.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct spread_in *input = in;
    struct spread_out *result = out;
    const size_t count = (size_t)input->count;
    double *utils = JL_NEW_ARRAY(ask->arena, count + 1, double);
    if (!utils)
        return jl_ask_fail(ask, jl_arena_code(ask->arena), "", "out of memory");

    struct jl_gpu_spread spread;
    jl_gpu_spread(input->util, count, &spread);
    for (size_t i = 0; i < spread.active; i++)
        utils[i] = spread.util;
    JL_SET(result, active, (int64_t)spread.active);
    JL_SET(result, utils, ((struct jl_list){ utils, count }));
    return 0;
}

const struct jl_question jl_question_physics_spread = {
    .name = "physics.spread",
    .summary = "Utilisation of each GPU of a node",
    .in = &spread_in_table,
    .out = &spread_out_table,
    .answer = answer,
};
