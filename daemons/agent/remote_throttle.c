/* SPDX-License-Identifier: Apache-2.0 */

/* A remote backend that lowers frequencies: which throttle (docs/rules/frequencies.md). The
 * controller is the library's; it sees the samples since its start again each time. */

#include <string.h>

#include "agent/ask.h"
#include "agent/remote_parts.h"

#define MS_PER_S 1000.0

/* A new cap, or too many samples to be seen again: goes on from the throttle that is in force. */
static void restart(struct jd_throttle *throttle, double cap_w)
{
    throttle->cap_w = cap_w;
    throttle->start_pct = throttle->pct;
    throttle->count = 0;
}

static void put_params(const struct jd_agent_values *values, struct jl_buffer *out)
{
    jd_json_put_key(out, "params");
    jl_put_char(out, '{');
    jd_json_put_number(out, "alpha", values->dvfs_ema_alpha);
    jd_json_put_number(out, "highMarginW", values->dvfs_high_margin_w);
    jd_json_put_number(out, "lowMarginW", values->dvfs_low_margin_w);
    jd_json_put_number(out, "stepPct", values->dvfs_step_pct);
    jd_json_put_number(out, "cooldownS", (double)values->dvfs_cooldown_ms / MS_PER_S);
    jd_json_put_number(out, "tripCount", (double)values->dvfs_trip_count);
    jl_put_char(out, '}');
}

static void put_samples(const struct jd_throttle *throttle, struct jl_buffer *out)
{
    jd_json_put_key(out, "samples");
    jl_put_char(out, '[');
    for (size_t i = 0; i < throttle->count; i++) {
        jl_put_string(out, i > 0 ? ",{" : "{");
        jd_json_put_number(
            out, "t", (double)(throttle->samples[i].at_ms - throttle->samples[0].at_ms) / MS_PER_S);
        if (throttle->samples[i].power.is_known)
            jd_json_put_number(out, "w", throttle->samples[i].power.w);
        jl_put_char(out, '}');
    }
    jl_put_char(out, ']');
}

/* The watts of all packages together, as the power is. */
static struct json_object *ask(const struct jd_remote *remote)
{
    const struct jd_agent_values *values = remote->options.values;
    const struct jd_throttle *throttle = &remote->throttle;
    struct jl_buffer question = { 0 };
    jl_put_char(&question, '{');
    jd_json_put_text(&question, "controller", values->dvfs_controller);
    jd_json_put_number(&question, "capW", throttle->cap_w);
    jd_json_put_number(&question, "throttlePct", throttle->start_pct);
    put_params(values, &question);
    put_samples(throttle, &question);
    jl_put_char(&question, '}');
    struct json_object *answer = jd_ask("dvfs.run", &question, NULL);
    jl_buffer_clear(&question);
    return answer;
}

void jd_throttle_steer(struct jd_remote *remote, double cap_w)
{
    struct jd_throttle *throttle = &remote->throttle;
    if (throttle->cap_w != cap_w || throttle->count == JD_THROTTLE_SAMPLES)
        restart(throttle, cap_w);
    throttle->samples[throttle->count].at_ms = remote->now_ms;
    throttle->samples[throttle->count].power = remote->sample.cpu;
    throttle->count++;
    throttle->wanted_pct = throttle->pct;
    struct json_object *answer = ask(remote);
    struct json_object *steps = jd_json_at(answer, "steps");
    if (json_object_is_type(steps, json_type_array) && json_object_array_length(steps) > 0)
        jd_json_number(json_object_array_get_idx(steps, json_object_array_length(steps) - 1),
                       "throttlePct", &throttle->wanted_pct);
    json_object_put(answer);
}

bool jd_throttle_open(struct jd_remote *remote, double pct)
{
    struct jl_buffer question = { 0 };
    jl_put_char(&question, '{');
    jd_json_put_number(&question, "pct", pct);
    if (remote->sample.cpu.is_known)
        jd_json_put_number(&question, "observedW", remote->sample.cpu.w);
    jl_put_char(&question, '}');
    struct json_object *answer = jd_ask("dvfs.percent", &question, NULL);
    jl_buffer_clear(&question);
    const bool has_throttle = jd_json_number(answer, "throttlePct", &remote->throttle.wanted_pct);
    json_object_put(answer);
    return has_throttle;
}
