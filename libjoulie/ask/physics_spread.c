/* SPDX-License-Identifier: Apache-2.0 */
/* physics.spread: a node's GPU utilisation on its devices (joulie-simulator.md §4). */
#include "ask/ask.h"
#include "physics/physics.h"

#define MOST_DEVICES 1024

struct spread_in {
    uint64_t has;
    double util;
    int64_t count;
};

enum { IN_UTIL, IN_COUNT };

static const struct jl_row in_rows[] = {
    [IN_UTIL] = JL_NUMBER(spread_in, util, "util", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                          .min = 0, .max = 1, .doc = "Average utilisation of the devices, 0..1."),
    [IN_COUNT] =
        JL_INTEGER(spread_in, count, "count", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                   .min = 0, .max = MOST_DEVICES, .doc = "Devices of the node."),
};
static const struct jl_table in_table = JL_TABLE(spread_in, in_rows);

struct spread_out {
    uint64_t has;
    int64_t active;
    struct jl_list utils;
};

enum { OUT_ACTIVE, OUT_UTILS };

static const struct jl_row out_rows[] = {
    [OUT_ACTIVE] = JL_INTEGER(spread_out, active, "active", .doc = "Devices that work."),
    [OUT_UTILS] =
        JL_NUMBERS(spread_out, utils, "utils", .doc = "Utilisation of each device, 0..1."),
};
static const struct jl_table out_table = JL_TABLE(spread_out, out_rows);

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
    JL_PUT(result, OUT_ACTIVE, active, (int64_t)spread.active);
    JL_PUT(result, OUT_UTILS, utils, ((struct jl_list){ utils, count }));
    return 0;
}

const struct jl_question jl_question_physics_spread = {
    .name = "physics.spread",
    .summary = "Utilisation of each GPU of a node",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
