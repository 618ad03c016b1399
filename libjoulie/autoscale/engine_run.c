/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What every layer of a step uses: conditions, decisions and proposals of the step on its way, and
 * when a layer is due (docs/rules/autoscaling.md#step). Called by the files engine_*.c.
 */

#include "autoscale/engine_parts.h"
#include "base/number.h"
#include "base/text.h"

const struct jl_words jl_scale_layer_words = JL_WORDS({
    { JL_LAYER_REQUESTS, "requests" },
    { JL_LAYER_LIMITS, "limits" },
    { JL_LAYER_PERCENTILE, "percentile" },
    { JL_LAYER_CRON, "cron" },
    { JL_LAYER_EXTERNAL, "external" },
});

#define WORD(name, word) { JL_REASON_##name, word },

/* clang-format off */
const struct jl_words jl_scale_reason_words = JL_WORDS({ JL_REASONS(WORD) });

/* clang-format on */

const char *jl_scale_resource_of(const struct jl_scale_decision *decision)
{
    static const char *const names[][JL_USAGES] = {
        { "tflops", "vram" },
        { "requests.tflops", "requests.vram" },
        { "limits.tflops", "limits.vram" },
    };
    if (decision->layer != JL_LAYER_CRON && decision->layer != JL_LAYER_EXTERNAL)
        return names[0][decision->usage];
    return names[decision->field == JL_FIELD_LIMIT ? 2 : 1][decision->usage];
}

/* ---- conditions and decisions ---- */

void jl_scale_add_condition(struct jl_scale_run *run, enum jl_scale_reason reason,
                            const char *where, const char *message)
{
    run->conditions[run->out->condition_count++] =
        (struct jl_scale_condition){ reason, where, message };
}

void jl_scale_decide(struct jl_scale_run *run, const struct jl_scale_decision *decision)
{
    struct jl_scale_decision *out = &run->out->decisions[run->out->decision_count++];
    *out = *decision;
    if (!out->is_kept)
        out->to = jl_min(out->to, JL_MOST_AMOUNT);
}

static void decide_field(struct jl_scale_run *run, const struct jl_scale_decision *decision)
{
    if (decision->to > 0 && decision->to != decision->from)
        jl_scale_decide(run, decision);
}

void jl_scale_propose(struct jl_scale_run *run, enum jl_scale_layer layer,
                      enum jl_scale_reason reason, const struct jl_proposal *proposal)
{
    const struct jl_amounts *current = &run->step->current;

    static const enum jl_scale_field fields[] = { JL_FIELD_REQUEST, JL_FIELD_LIMIT };

    for (size_t f = 0; f < JL_COUNT(fields); f++) {
        for (unsigned u = 0; u < JL_USAGES; u++) {
            const bool is_request = fields[f] == JL_FIELD_REQUEST;
            decide_field(run,
                         &(struct jl_scale_decision){
                             .layer = layer,
                             .usage = (enum jl_usage)u,
                             .field = fields[f],
                             .from = is_request ? current->of[u].request : current->of[u].limit,
                             .to = is_request ? proposal->amounts.of[u].request
                                              : proposal->amounts.of[u].limit,
                             .reason = reason,
                         });
        }
    }
    run->proposals[run->proposal_count++] = *proposal;
}

/* ---- when ---- */

/* First due time after the last evaluation: start + delay + k periods, missed ones are skipped. */
static int64_t due_ns(const struct jl_scale_engine *scaler, enum jl_layer_clocks which,
                      int64_t delay_ns, int64_t period_ns)
{
    const struct jl_layer_clock *clock = &scaler->clocks[which];
    const int64_t first_ns = scaler->start_ns + delay_ns;
    if (!clock->has_last || clock->last_ns < first_ns)
        return first_ns;
    return first_ns + ((clock->last_ns - first_ns) / period_ns + 1) * period_ns;
}

bool jl_scale_is_due(struct jl_scale_run *run, enum jl_layer_clocks which, int64_t delay_ns,
                     int64_t period_ns)
{
    struct jl_scale_engine *scaler = run->scaler;
    const int64_t now_ns = run->step->now_ns;
    if (!scaler->has_start)
        return false;
    const bool is_due =
        !run->out->is_untouched && due_ns(scaler, which, delay_ns, period_ns) <= now_ns;
    if (is_due)
        scaler->clocks[which] = (struct jl_layer_clock){ true, now_ns };
    const int64_t next_ns = due_ns(scaler, which, delay_ns, period_ns);
    if (next_ns < run->out->next_due_ns)
        run->out->next_due_ns = next_ns;
    return is_due;
}
