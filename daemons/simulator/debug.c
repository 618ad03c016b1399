/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The ring of events and the files of SIM_DEBUG_PERSIST_DIR
 * (docs/rules/simulator-contract.md#files). Events come from contract.c; a timer writes the files.
 */

#include "simulator/debug.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/file.h"
#include "runtime/json.h"
#include "simulator/measure.h"

#define US_PER_MS 1000
#define MOST_UNWRITTEN ((size_t)8 << 20)

/* ---- events ---- */

void jd_debug_event(struct jd_debug *debug, const char *kind, const char *node, const char *payload)
{
    struct jl_buffer event = { 0 };
    jl_put_char(&event, '{');
    jd_json_put_micro_time(&event, "timestamp", joulie_sim_instant_ms(*debug->now_s));
    jd_json_put_text(&event, "kind", kind);
    jd_json_put_text(&event, "node", node);
    jd_put_format(&event, ",\"payload\":%s}", payload);
    char *text = jl_buffer_take(&event);
    if (!text)
        return;
    if (debug->values->debug_dir && debug->unwritten.len < MOST_UNWRITTEN) {
        jl_put_string(&debug->unwritten, text);
        jl_put_char(&debug->unwritten, '\n');
    }
    joulie_free(debug->events[debug->next]);
    debug->events[debug->next] = text;
    debug->next = (debug->next + 1) % debug->capacity;
    debug->count += debug->count < debug->capacity;
}

void jd_debug_put_events(const struct jd_debug *debug, struct jl_buffer *out)
{
    const size_t limit = (size_t)debug->values->debug_event_limit;
    const size_t count = debug->count < limit ? debug->count : limit;
    jd_put_format(out, "{\"count\":%zu,\"events\":[", count);
    for (size_t i = 0; i < count; i++) {
        const size_t back = count - i;
        jl_put_string(out, i > 0 ? "," : "");
        jl_put_string(out, debug->events[(debug->next + debug->capacity - back) % debug->capacity]);
    }
    jl_put_string(out, "]}");
}

/* ---- timeseries ---- */

static void put_fixed(struct jl_buffer *out, double value, int decimals)
{
    char text[JL_DOUBLE_TEXT];
    jl_put_char(out, ',');
    jl_put(out, text, jl_format_fixed(value, decimals, text));
}

void jd_debug_put_row(struct jd_debug *debug, struct jl_buffer *out)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct jd_facility facility;
    char now[JL_TIME_TEXT];
    if (joulie_sim_get_view(debug->sim, &view, NULL) != 0)
        return;
    jd_facility_now(&view, debug->values, &facility);
    if (!debug->has_rows)
        jl_put_string(out, "timestamp_utc,elapsed_sec,it_power_w,cpu_power_w,gpu_power_w,pue,"
                           "cooling_power_w,facility_power_w,ambient_temp_c,cluster_cpu_util,"
                           "cluster_gpu_util,nodes_active,pods_running,energy_cumulative_j\n");
    debug->has_rows = true;
    jl_format_time_us(joulie_sim_instant_ms(*debug->now_s) * US_PER_MS, now);
    jl_put_string(out, now);
    put_fixed(out, view.time_s, 1);
    put_fixed(out, facility.it_power_w, 1);
    put_fixed(out, view.cpu_power_w, 1);
    put_fixed(out, view.gpu_power_w, 1);
    put_fixed(out, facility.pue, 4);
    put_fixed(out, facility.cooling_power_w, 1);
    put_fixed(out, facility.it_power_w + facility.cooling_power_w, 1);
    put_fixed(out, facility.ambient_c, 2);
    put_fixed(out, view.mean_cpu_util, 4);
    put_fixed(out, view.mean_gpu_util, 4);
    jd_put_format(out, ",%" PRId64 ",%" PRId64, view.nodes_busy, view.running);
    put_fixed(out, view.energy_j, 1);
    jl_put_char(out, '\n');
}

/* ---- files ---- */

static int write_body(struct jd_debug *debug, const char *what, const char *file,
                      struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    int rc = joulie_sim_body(debug->sim, NULL, what, &json, err);
    if (rc == 0)
        rc = jd_write_file(debug->values->debug_dir, file, json, strlen(json), err);
    return rc;
}

static int write_events(struct jd_debug *debug, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer events = { 0 };
    const char *folder = debug->values->debug_dir;
    struct jl_buffer *lines = &debug->unwritten;
    jd_debug_put_events(debug, &events);
    if (events.is_failed)
        return jl_fail_memory(err);
    int rc = jd_write_file(folder, "events.json", events.data, events.len, err);
    if (rc == 0 && lines->len > 0 && !lines->is_failed)
        rc = jd_append_file(folder, "events.ndjson", lines->data, lines->len, err);
    if (rc == 0)
        jl_buffer_clear(lines);
    return rc;
}

/* The first row begins the file anew, with the header. */
static int write_row(struct jd_debug *debug, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer row = { 0 };
    const bool is_first = !debug->has_rows;
    const char *folder = debug->values->debug_dir;
    jd_debug_put_row(debug, &row);
    if (row.is_failed || row.len == 0)
        return jl_fail_memory(err);
    return is_first ? jd_write_file(folder, "timeseries.csv", row.data, row.len, err)
                    : jd_append_file(folder, "timeseries.csv", row.data, row.len, err);
}

/* A failure is logged once, until the files can be written again. */
static void write_all(struct jd_debug *debug)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc = write_body(debug, "nodes", "nodes.json", &err);
    if (rc == 0)
        rc = write_body(debug, "jobs", "jobs.json", &err);
    if (rc == 0)
        rc = write_body(debug, "energy", "energy.json", &err);
    if (rc == 0)
        rc = write_events(debug, &err);
    if (rc == 0)
        rc = write_row(debug, &err);
    if (rc < 0 && !debug->is_failing)
        jd_log_error(debug->log, "debug", "files are not written", &err);
    debug->is_failing = rc < 0;
}

static void on_timer(void *user)
{
    struct jd_debug *debug = user;
    write_all(debug);
    jd_timer_set(debug->loop, &debug->timer, jd_clock_ms() + debug->values->debug_interval_ms);
}

int jd_debug_open(struct jd_debug *debug, struct joulie_error *err)
{
    const char *folder = debug->values->debug_dir;
    debug->capacity = (size_t)debug->values->event_buffer;
    debug->events = jl_calloc(debug->capacity, sizeof *debug->events);
    if (!debug->events)
        return jl_fail_memory(err);
    if (!folder)
        return 0;
    const int rc = jd_make_folder(folder, err);
    if (rc < 0)
        return rc;
    debug->timer = (struct jd_timer){ .fire = on_timer, .user = debug };
    return jd_timer_set(debug->loop, &debug->timer, jd_clock_ms()) == 0 ? 0 : jl_fail_memory(err);
}

void jd_debug_close(struct jd_debug *debug)
{
    if (debug->timer.fire) {
        write_all(debug);
        jd_timer_stop(debug->loop, &debug->timer);
    }
    for (size_t i = 0; debug->events && i < debug->capacity; i++)
        joulie_free(debug->events[i]);
    jl_free(debug->events);
    jl_buffer_clear(&debug->unwritten);
}
