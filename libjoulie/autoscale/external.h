/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The reply of a scaler outside of the cluster: what it says and what it means
 * (docs/rules/autoscaling-triggers.md#external-scaler). The caller of the library asks the scaler.
 */

#include "autoscale/engine.h"
#include "base/arena.h"
#include "schema/row.h"

#define JL_EXTERNAL_REPLY_BYTES ((size_t)1 << 20)

/* The reply, also for those who have it as a member of a document; amounts are quantity texts. */
#ifdef JL_EXTERNAL_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_external_amounts
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                         \
    QUANTITY(tflops, "tflops", "Compute, TFLOPS.")                                      \
    QUANTITY(compute, "compute", "Percentage of one GPU; where tflops is absent or 0.") \
    QUANTITY(vram, "vram", "Video memory, bytes.")
#include "schema/shared_record.h"

#define RECORD jl_external_resources
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                              \
    OBJECT(requests, "requests", jl_external_amounts, "Amounts to promise.") \
    OBJECT(limits, "limits", jl_external_amounts, "Largest amounts.")
#include "schema/shared_record.h"

#define RECORD jl_external_reply
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                                                    \
    BOOLEAN(needs_up, "needScaleUp", "Amounts may grow; false when absent.")       \
    BOOLEAN(needs_down, "needScaleDown", "Amounts may shrink; false when absent.") \
    STRING(reason, "reason", "Text for a person: the message of the condition.")   \
    OBJECT(resources, "recommendedResources", jl_external_resources, "What the scaler recommends.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* What it means; a quantity that is negative or none at all makes it a failure, out->problem. */
void jl_external_take(const struct jl_external_reply *reply, struct jl_scale_reply *out);

/* The same from its text; whatever is wrong with that is out->problem. 0 or JOULIE_E_NOMEM. */
int jl_external_read(const char *text, size_t len, struct jl_arena *arena,
                     struct jl_scale_reply *out);
