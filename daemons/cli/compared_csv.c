/* SPDX-License-Identifier: Apache-2.0 */

/* The runs of a comparison of autoscalers, and their courses, as CSV. */

#include <json-c/json.h>

#include "compared.h"
#include "runtime/json.h"

/* Behind a comma; numbers keep the digits of the answer. */
static void put_value(struct jl_buffer *out, struct json_object *value)
{
    jl_put_char(out, ',');
    jl_put_string(out, value ? json_object_get_string(value) : "");
}

/* Of a run, whose first members are algorithm and seed: their names, or the values. */
static void put_run(struct jl_buffer *out, const char *workload, struct json_object *run,
                    bool is_head)
{
    jl_put_string(out, workload);
    json_object_object_foreach(run, name, value)
    {
        if (is_head)
            jd_put_format(out, ",%s", name);
        else
            put_value(out, value);
    }
    jl_put_char(out, '\n');
}

void jd_put_runs_csv(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    put_run(out, "workload", jd_compared_item(&all[0], "runs", 0), true);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < all[i].seeds * JD_ALGORITHMS; k++)
            put_run(out, all[i].workload, jd_compared_item(&all[i], "runs", k), false);
    }
}

static const char *const series_keys[] = {
    "demandTflops",  "servedTflops",  "requestTflops",  "limitTflops",
    "readyReplicas", "vramDemandGib", "vramRequestGib", "vramLimitGib",
};

static void put_course(struct jl_buffer *out, const struct jd_compared *compared,
                       struct json_object *course)
{
    struct json_object *lists[JL_COUNT(series_keys)];
    const double point_s = jd_compared_number(compared->tree, "pointSeconds");
    for (size_t i = 0; i < JL_COUNT(series_keys); i++)
        lists[i] = json_object_object_get(course, series_keys[i]);
    for (size_t k = 0; k < jd_json_count(lists[0]); k++) {
        jl_put_string(out, compared->workload);
        put_value(out, json_object_object_get(course, "algorithm"));
        put_value(out, json_object_object_get(course, "seed"));
        jl_put_char(out, ',');
        jl_put_double(out, point_s * (double)k);
        for (size_t i = 0; i < JL_COUNT(series_keys); i++)
            put_value(out, json_object_array_get_idx(lists[i], k));
        jl_put_char(out, '\n');
    }
}

void jd_put_series_csv(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    jl_put_string(out, "workload,algorithm,seed,timeSeconds");
    for (size_t i = 0; i < JL_COUNT(series_keys); i++)
        jd_put_format(out, ",%s", series_keys[i]);
    jl_put_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < all[i].seeds * JD_ALGORITHMS; k++)
            put_course(out, &all[i], jd_compared_item(&all[i], "series", k));
    }
}
