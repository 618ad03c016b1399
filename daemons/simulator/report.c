/* SPDX-License-Identifier: Apache-2.0 */

/* The summary of a simulation with what only this program knows, and its tables. */

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "runtime/file.h"
#include "runtime/json.h"
#include "simulator/simulator.h"

#define SECONDS_PER_MINUTE 60.0

/* Requests of clients to the API, per node and simulated minute; watches are opened rarely and
 * count as one. */
static double call_rate(const struct jd_simulator *simulator)
{
    struct jd_api_counts counts;
    const double node_minutes =
        (double)simulator->node_count * simulator->now_s / SECONDS_PER_MINUTE;
    jd_api_counts(simulator->api, &counts);
    return node_minutes > 0 ? (double)(counts.calls - simulator->calls_before) / node_minutes : 0;
}

void jd_put_view(const struct jd_simulator *simulator, struct jl_buffer *out)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct jd_api_counts counts;
    joulie_sim_get_view(simulator->sim, &view, NULL);
    jd_api_counts(simulator->api, &counts);
    jl_put_string(out, "{\"isFinished\":");
    jl_put_string(out, simulator->is_finished ? "true" : "false");
    jd_json_put_number(out, "timeS", view.time_s);
    jd_json_put_number(out, "powerW", view.cpu_power_w + view.gpu_power_w);
    jd_json_put_number(out, "energyJ", view.energy_j);
    jd_json_put_number(out, "nodes", (double)view.nodes);
    jd_json_put_number(out, "performance", (double)view.nodes_performance);
    jd_json_put_number(out, "eco", (double)view.nodes_eco);
    jd_json_put_number(out, "draining", (double)view.nodes_draining);
    jd_json_put_number(out, "queued", (double)view.queued);
    jd_json_put_number(out, "running", (double)view.running);
    jd_json_put_number(out, "completed", (double)view.completed);
    jd_json_put_number(out, "decisions", (double)view.decisions);
    jd_json_put_number(out, "transitions", (double)view.transitions);
    jd_json_put_number(out, "apiRequests", (double)counts.calls);
    jd_json_put_number(out, "apiWatches", (double)counts.watches);
    jd_json_put_number(out, "lateSteps", (double)simulator->clock.late);
    jl_put_char(out, '}');
}

static void put_count(void *user, const char *client, const char *verb, const char *resource,
                      int code, uint64_t count)
{
    struct jl_buffer *out = user;
    jd_json_next(out);
    jl_put_char(out, '{');
    jd_json_put_text(out, "client", client);
    jd_json_put_text(out, "verb", verb);
    jd_json_put_text(out, "resource", resource);
    jd_json_put_number(out, "code", code);
    jd_json_put_number(out, "count", (double)count);
    jl_put_char(out, '}');
}

void jd_put_requests(const struct jd_simulator *simulator, struct jl_buffer *out)
{
    jl_put_char(out, '[');
    jd_api_each_count(simulator->api, put_count, out);
    jl_put_char(out, ']');
}

/* The library's object with members of this program before its last brace. */
int jd_put_summary(const struct jd_simulator *simulator, struct jl_buffer *out,
                   struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    const int rc = joulie_sim_summary(simulator->sim, &json, err);
    if (rc < 0)
        return rc;
    jl_put(out, json, strlen(json) - 1);
    jd_json_put_number(out, "apiCallsPerNodeMinute", call_rate(simulator));
    jd_json_put_number(out, "lateSteps", (double)simulator->clock.late);
    jd_json_put_number(out, "extenderSkipped", (double)simulator->placement.skipped);
    jl_put_char(out, '}');
    return out->is_failed ? jl_fail_memory(err) : 0;
}

static int write_summary(const struct jd_simulator *simulator, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer summary = { 0 };
    const int rc = jd_put_summary(simulator, &summary, err);
    jl_put_char(&summary, '\n');
    if (rc < 0 || summary.is_failed)
        return rc < 0 ? rc : jl_fail_memory(err);
    return jd_write_file(simulator->values.out, "summary.json", summary.data, summary.len, err);
}

/* The folder is made; a file that cannot be written ends it. */
int jd_write_report(const struct jd_simulator *simulator, struct joulie_error *err)
{
    static const char *const tables[][2] = { { "nodes", "nodes.csv" },
                                             { "families", "families.csv" },
                                             { "jobs", "jobs.csv" },
                                             { "decisions", "decisions.csv" } };
    const char *folder = simulator->values.out;
    int rc = jd_make_folder(folder, err);
    if (rc == 0)
        rc = write_summary(simulator, err);
    for (size_t i = 0; i < JL_COUNT(tables) && rc == 0; i++) {
        JL_CLEANUP(jl_freep) char *csv = NULL;
        rc = joulie_sim_csv(simulator->sim, tables[i][0], &csv, err);
        if (rc == 0)
            rc = jd_write_file(folder, tables[i][1], csv, strlen(csv), err);
    }
    return rc;
}
