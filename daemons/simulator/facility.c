/* SPDX-License-Identifier: Apache-2.0 */

/* The building around the machines: the library's questions physics.ambient and facility.pue. */

#include "simulator/facility.h"

#include <string.h>

#include <joulie/ask.h>

#include "base/arena.h"
#include "base/error.h"
#include "runtime/json.h"

#define SECONDS_PER_HOUR 3600

static int ask(const char *question, const struct jl_buffer *input, const char *key, double *out,
               struct joulie_error *err)
{
    char *answer = NULL;
    int rc = input->is_failed ? jl_fail_memory(err)
                              : joulie_ask(question, input->data, input->len, NULL, &answer, err);
    struct json_object *root = rc == 0 ? jd_json_parse(answer, strlen(answer)) : NULL;
    if (rc == 0 && !jd_json_number(root, key, out))
        rc = jl_fail(err, JOULIE_E_INTERNAL, key, "%s has no answer", question);
    jd_json_free(root);
    joulie_free(answer);
    return rc;
}

static void put_member(struct jl_buffer *out, const char *key, double value)
{
    jl_put_string(out, out->len > 0 ? ",\"" : "{\"");
    jl_put_string(out, key);
    jl_put_string(out, "\":");
    jl_put_double(out, value);
}

/* The load is IT power over the design power of all machines, at most 1. */
int jd_facility_now(const struct joulie_sim *sim, const struct jd_simulator_values *values,
                    struct jd_facility *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer day = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer plant = { 0 };
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    int rc = joulie_sim_get_view(sim, &view, NULL);
    if (rc < 0)
        return jl_fail(err, rc, "", "the simulation has no state");
    *out = (struct jd_facility){ .it_power_w = view.cpu_power_w + view.gpu_power_w };
    put_member(&day, "baseC", values->ambient_c);
    put_member(&day, "amplitudeC", values->ambient_amplitude_c);
    put_member(&day, "periodS", values->ambient_period_h * SECONDS_PER_HOUR);
    put_member(&day, "elapsedS", view.time_s);
    jl_put_char(&day, '}');
    rc = ask("physics.ambient", &day, "outsideTempC", &out->ambient_c, err);
    if (rc < 0)
        return rc;
    put_member(&plant, "outsideTempC", out->ambient_c);
    put_member(&plant, "load",
               view.design_it_w > 0 && out->it_power_w < view.design_it_w
                   ? out->it_power_w / view.design_it_w
                   : 1);
    jl_put_char(&plant, '}');
    rc = ask("facility.pue", &plant, "pue", &out->pue, err);
    out->cooling_power_w = out->it_power_w * (out->pue - 1);
    return rc;
}
