/* SPDX-License-Identifier: Apache-2.0 */

/* The options as settings of the model. */

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "scheduler/scheduler.h"

#define MS_PER_S 1000.0

static void put_key(struct jl_buffer *out, const char *key)
{
    jl_put_string(out, out->len > 1 ? ",\"" : "\"");
    jl_put_string(out, key);
    jl_put_string(out, "\":");
}

static void put_number(struct jl_buffer *out, const char *key, double value)
{
    put_key(out, key);
    jl_put_double(out, value);
}

static void put_text(struct jl_buffer *out, const char *key, const char *value)
{
    put_key(out, key);
    jl_put_json_string(out, value, strlen(value));
}

static void put_seconds(struct jl_buffer *out, const char *key, int64_t ms)
{
    put_number(out, key, (double)ms / MS_PER_S);
}

int jd_scheduler_model(const struct jd_scheduler_values *values, struct joulie_cluster **out,
                       struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    jl_put_char(&text, '{');
    put_seconds(&text, "twinStalenessS", values->staleness_ms);
    put_seconds(&text, "twinMaxAgeS", values->max_age_ms);
    put_seconds(&text, "filterStaleGraceS", values->stale_grace_ms);
    put_text(&text, "failPolicy", values->fail_policy);
    put_text(&text, "scoringProfile", values->scoring_profile);
    put_text(&text, "powerProfileLabel", values->power_profile_label);
    put_number(&text, "marginalCpuUtilCoeff", values->cpu_util_coeff);
    put_number(&text, "marginalGpuUtilCoeffStandard", values->gpu_util_coeff_standard);
    put_number(&text, "marginalGpuUtilCoeffPerformance", values->gpu_util_coeff_performance);
    put_key(&text, "enableMarginalPowerScoring");
    jl_put_string(&text, values->marginal_scoring ? "true}" : "false}");
    const int rc =
        text.is_failed ? jl_fail_memory(err) : joulie_cluster_new(text.data, text.len, out, err);
    jl_buffer_clear(&text);
    return jl_same(err->where, "powerProfileLabel")
               ? jd_options_blame("POWER_PROFILE_LABEL", rc, err)
               : rc;
}
