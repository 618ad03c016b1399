/* SPDX-License-Identifier: Apache-2.0 */

/* Simulated autoscalers side by side: the numbers that the table, the CSV files and the page show,
 * and the table. */

#include "compared.h"

#include "base/error.h"
#include "base/number.h"
#include "page.h"
#include "table.h"
#include "tree.h"

const struct jd_metric_row jd_metric_rows[JD_METRICS] = {
    [JD_METRIC_UNSERVED] = { "unservedPct", "demand not served, %", 2 },
    [JD_METRIC_SHORT_TIME] = { "shortTimePct", "time with demand not served, %", 2 },
    [JD_METRIC_KILLS] = { "oomEvents", "workers killed for memory", 1 },
    [JD_METRIC_COST] = { "costUsd", "cost, $", 2 },
    [JD_METRIC_COST_PER_SERVED] = { "costUsdPerServedTflopsHour", "cost per served TFLOPS·h, $",
                                    4 },
    [JD_METRIC_REQUEST_TFLOPS] = { "requestTflopsHours", "requested, TFLOPS·h", 0 },
    [JD_METRIC_LIMIT_TFLOPS] = { "limitTflopsHours", "limit, TFLOPS·h", 0 },
    [JD_METRIC_REQUEST_GIB] = { "requestGibHours", "requested VRAM, GiB·h", 0 },
    [JD_METRIC_LIMIT_GIB] = { "limitGibHours", "limit of VRAM, GiB·h", 0 },
    [JD_METRIC_REPLICAS] = { "meanReplicas", "replicas, mean", 2 },
    [JD_METRIC_RESOURCE_CHANGES] = { "resourceChanges", "changes of amounts", 1 },
    [JD_METRIC_REPLICA_CHANGES] = { "replicaChanges", "changes of replicas", 1 },
};

const char *const jd_algorithm_names[JD_ALGORITHMS] = {
    [JD_STATIC] = "static",
    [JD_SOURCE] = "TensorFusion 2.17.1",
    [JD_OURS] = "joulie",
};

double jd_compared_number(struct json_object *item, const char *key)
{
    return json_object_get_double(jd_json_at(item, key));
}

struct json_object *jd_compared_item(const struct jd_compared *compared, const char *list,
                                     size_t index)
{
    return jd_item(jd_json_at(compared->tree, list), index);
}

static void read_estimates(struct json_object *item, struct jd_estimate *out)
{
    for (size_t i = 0; i < JD_METRICS; i++) {
        struct json_object *estimate = jd_json_at(item, jd_metric_rows[i].key);
        out[i].mean = jd_compared_number(estimate, "mean");
        out[i].has_interval = jd_json_at(estimate, "halfWidth") != NULL;
        out[i].half_width = jd_compared_number(estimate, "halfWidth");
    }
}

static double largest(struct json_object *list)
{
    double most = 0;
    for (size_t i = 0; i < jd_json_count(list); i++)
        most = jl_max(most, json_object_get_double(json_object_array_get_idx(list, i)));
    return most;
}

/* The largest demand of all courses, so that their pictures can be compared, and limits up to a
 * factor above it; 1 where nothing is asked for. */
static double top_of(const struct jd_compared *compared, const char *demand_key,
                     const char *limit_key, double most_above)
{
    double demand = 0;
    double limit = 0;
    for (size_t i = 0; i < compared->seeds * JD_ALGORITHMS; i++) {
        struct json_object *course = jd_compared_item(compared, "series", i);
        demand = jl_max(demand, largest(jd_json_at(course, demand_key)));
        limit = jl_max(limit, largest(jd_json_at(course, limit_key)));
    }
    return demand > 0 ? jl_max(demand, jl_min(limit, most_above * demand)) : 1;
}

int jd_compared_read(const char *json, size_t len, struct jd_compared *out,
                     struct joulie_error *err)
{
    struct jd_compared compared = { 0 };
    const int rc = jd_json_read(json, len, &compared.tree, err);
    if (rc < 0)
        return rc;
    compared.workload = json_object_get_string(jd_json_at(compared.tree, "workload"));
    compared.seeds = (size_t)jd_compared_number(compared.tree, "seeds");
    compared.hours = jd_compared_number(compared.tree, "hours");
    for (size_t i = 0; i < JD_ALGORITHMS; i++)
        read_estimates(jd_compared_item(&compared, "means", i), compared.means[i]);
    for (size_t i = 0; i < JD_DIFFERENCES; i++)
        read_estimates(jd_compared_item(&compared, "differences", i), compared.differences[i]);
    compared.top_tflops = top_of(&compared, "demandTflops", "limitTflops", 1.5);
    compared.top_gib = top_of(&compared, "vramDemandGib", "vramLimitGib", 2);
    *out = compared;
    return 0;
}

void jd_compared_clear(struct jd_compared *compared)
{
    json_object_put(compared->tree);
    *compared = (struct jd_compared){ 0 };
}

void jd_put_estimate(struct jl_buffer *out, const struct jd_estimate *estimate, int decimals,
                     bool is_signed)
{
    if (is_signed && estimate->mean > 0)
        jl_put_char(out, '+');
    jd_put_fixed(out, estimate->mean, decimals);
    if (!estimate->has_interval)
        return;
    jl_put_string(out, " ± ");
    jd_put_fixed(out, estimate->half_width, decimals);
}

/* ---- on a terminal ---- */

static void add_estimate(struct jd_table *table, const struct jd_estimate *estimate, int decimals,
                         bool is_signed)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_put_estimate(&text, estimate, decimals, is_signed);
    jd_table_add(table, text.data);
}

static void put_one(struct jl_buffer *out, const struct jd_compared *compared)
{
    const char *const heads[] = { "",
                                  jd_algorithm_names[JD_STATIC],
                                  jd_algorithm_names[JD_SOURCE],
                                  jd_algorithm_names[JD_OURS],
                                  "joulie - static",
                                  "joulie - 2.17.1" };
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < JD_METRICS; i++) {
        const int decimals = jd_metric_rows[i].decimals;
        jd_table_add(&table, jd_metric_rows[i].label);
        for (size_t k = 0; k < JD_ALGORITHMS; k++)
            add_estimate(&table, &compared->means[k][i], decimals, false);
        add_estimate(&table, &compared->differences[JD_OURS_STATIC][i], decimals, true);
        add_estimate(&table, &compared->differences[JD_OURS_SOURCE][i], decimals, true);
    }
    jd_put_format(out, "%s: ", compared->workload);
    jl_put_double(out, compared->hours);
    jl_put_string(out, compared->seeds == 1 ? " h, 1 run of each\n" : " h, ");
    if (compared->seeds > 1)
        jd_put_format(out, "%zu seeds; ± is a 95 %% interval\n", compared->seeds);
    jd_table_end(&table, true, out);
}

void jd_put_compared_table(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            jl_put_char(out, '\n');
        put_one(out, &all[i]);
    }
}
