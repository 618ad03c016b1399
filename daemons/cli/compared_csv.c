/* SPDX-License-Identifier: Apache-2.0 */

/* The runs of a comparison of autoscalers, and their courses, as CSV. */

#include <json-c/json.h>

#include "compared.h"
#include "runtime/json.h"

/* Numbers keep the digits of the answer. */
static void put_value(struct jl_buffer *out, struct json_object *value)
{
    jl_put_string(out, value ? json_object_get_string(value) : "");
}

void jd_put_runs_csv(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    bool has_head = false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < all[i].seeds * JD_ALGORITHMS; k++) {
            struct json_object *run = jd_compared_item(&all[i], "runs", k);
            if (!has_head) {
                jl_put_string(out, "workload,algorithm,seed");
                json_object_object_foreach(run, key, unused)
                {
                    (void)unused;
                    if (!jl_same(key, "algorithm") && !jl_same(key, "seed"))
                        jd_put_format(out, ",%s", key);
                }
                jl_put_char(out, '\n');
                has_head = true;
            }
            jd_put_format(out, "%s,", all[i].workload);
            put_value(out, json_object_object_get(run, "algorithm"));
            jl_put_char(out, ',');
            put_value(out, json_object_object_get(run, "seed"));
            json_object_object_foreach(run, name, value)
            {
                if (!jl_same(name, "algorithm") && !jl_same(name, "seed")) {
                    jl_put_char(out, ',');
                    put_value(out, value);
                }
            }
            jl_put_char(out, '\n');
        }
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
        jd_put_format(out, "%s,", compared->workload);
        put_value(out, json_object_object_get(course, "algorithm"));
        jl_put_char(out, ',');
        put_value(out, json_object_object_get(course, "seed"));
        jl_put_char(out, ',');
        jl_put_double(out, point_s * (double)k);
        for (size_t i = 0; i < JL_COUNT(series_keys); i++) {
            jl_put_char(out, ',');
            put_value(out, json_object_array_get_idx(lists[i], k));
        }
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
